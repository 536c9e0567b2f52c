"""An agent may wrap a tool's result as it likes, on every wire; a character lost in the wrapper is one finding."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.trying import only_findings

SAID = """
tools:
  - name: look_up
    description: Looks up a word.
    parameters: {word: string}
    returns: a sweet fruit – ñandú "pear"
conversation:
  - user: What is a pear?
    model:
      - calls: [{name: look_up, arguments: {word: pear}}]
        until: answered
      - text: A pear is a fruit.
    expect:
      requests: [{at: 2, results: ['a sweet fruit – ñandú "pear"'], contains: ['ñandú "pear"']}]
"""

Answer = Callable[[str, str], Any]

WRAPPERS: dict[str, Answer] = {
    "as it is": lambda name, text: text,
    "JSON text": lambda name, text: json.dumps(text),
    "an object": lambda name, text: json.dumps({"result": text}),
    "a status beside it": lambda name, text: json.dumps({"status": "success", "ms": 3, "content": text}),
    "name and content": lambda name, text: json.dumps({"name": name, "content": text}, ensure_ascii=False),
    "blocks": lambda name, text: json.dumps({"output": [{"type": "text", "text": text}], "isError": False}),
    "twice as JSON": lambda name, text: json.dumps(json.dumps({"x": text})),
    "a word in front": lambda name, text: f"Result: {text}",
    "a word in front of JSON": lambda name, text: "Observation: " + json.dumps({"x": text}),
    "tags": lambda name, text: f'<result tool="{name}">\n{text}\n</result>',
}


def agent_with(wrapper: str, change: Callable[[str], str]) -> Any:
    class Wraps(PlainAgent):
        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            super().answer([(id, name, WRAPPERS[wrapper](name, change(text))) for id, name, text in results])

    return Wraps


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_result_may_be_wrapped(wrapper: str) -> None:
    found = only_findings(agent_with(wrapper, str), SAID)

    assert set(map(tuple, found.values())) == {()}


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize(
    "change", [lambda text: text.replace("ñ", "n"), lambda text: text[:-2], lambda text: text + "s"]
)
def test_a_changed_result_is_one_finding_in_any_wrapper(wrapper: str, change: Callable[[str], str]) -> None:
    found = only_findings(agent_with(wrapper, change), SAID)

    assert set(map(tuple, found.values())) == {("1.requests[0]",)}


def test_the_response_of_a_gemini_function_may_be_any_object() -> None:
    class OwnObject(PlainAgent):
        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            super().answer(results)
            for part in self.messages[-1]["parts"]:
                response = part["functionResponse"]
                response["response"] = {"output": [{"text": response["response"]["result"]}], "took": {"ms": 3}}

    assert only_findings(OwnObject, SAID, wires=("gemini-generate",)) == {"gemini-generate+plain": []}


def test_the_result_of_an_anthropic_tool_may_be_a_document() -> None:
    class Document(PlainAgent):
        def answer(self, results: list[tuple[Any, str, str]]) -> None:
            super().answer(results)
            for block in self.messages[-1]["content"]:
                source = {"type": "text", "media_type": "text/plain", "data": block["content"]}
                block["content"] = [{"type": "document", "source": source}]

    assert only_findings(Document, SAID, wires=("anthropic-messages",)) == {"anthropic-messages+plain": []}
