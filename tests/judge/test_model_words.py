"""`kept-whole` on what the model said: its texts, and the arguments of its calls, as later requests have them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_right
from tests.trying import verdicts

DIFF = " ".join(f"line {number} of the café was changed to {number * 7};" for number in range(30))
STORY = " ".join(f"In the year {year} the pump ran for {year - 1900} days." for year in range(1950, 1970))
WRITES = f"""
tools:
  - name: write_file
    description: Writes a file.
    parameters:
      type: object
      properties:
        path: {{type: string}}
        text: {{type: string}}
        mode: {{type: integer, default: 6}}
        tags: {{type: array, items: {{type: string}}}}
      required: [path, text]
    returns: written
conversation:
  - user: Write it down.
    model:
      - calls: [{{name: write_file, arguments: {{path: a.txt, text: "{DIFF}", tags: []}}}}]
      - text: "{STORY}"
  - user: Thanks.
    model:
      - text: You are welcome.
  - user: Bye.
    model:
      - text: Goodbye.
"""
CUT_OFF = WRITES.replace("tags: []}}]\n", "tags: []}}]\n        finish: length\n")
WITH_A_WINDOW = WRITES.replace("tools:", "window: {tokens: 100000}\ntools:", 1)


def strings(value: Any, change: Callable[[str], str]) -> Any:
    """The value with each of its strings changed; arguments in JSON text are read."""
    if isinstance(value, dict):
        return {key: strings(inner, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [strings(inner, change) for inner in value]
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(strings(json.loads(value), change))
    return change(value) if isinstance(value, str) else value


def sending(change: Callable[[str], str]) -> type[PlainAgent]:
    """An agent that stores the strings of the model's messages so."""

    class Stores(PlainAgent):
        def take(self, response: dict[str, Any]) -> Any:
            before = len(self.messages)
            text, calls = super().take(response)
            self.messages[before:] = strings(self.messages[before:], change)
            return text, calls

    return Stores


def of_the_call(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: change(text) if text == DIFF else text


def of_the_text(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: change(text) if text == STORY else text


def of_arguments(change: Callable[[dict[str, Any]], Any]) -> type[PlainAgent]:
    """An agent that stores the arguments of the call so."""

    class Stores(PlainAgent):
        def take(self, response: dict[str, Any]) -> Any:
            before = len(self.messages)
            text, calls = super().take(response)
            self.messages[before:] = changed(self.messages[before:], change)
            return text, calls

    return Stores


def changed(value: Any, change: Callable[[dict[str, Any]], Any]) -> Any:
    if isinstance(value, list):
        return [changed(inner, change) for inner in value]
    if isinstance(value, dict):
        return change(value) if "path" in value else {key: changed(inner, change) for key, inner in value.items()}
    if isinstance(value, str) and value.startswith("{"):
        return json.dumps(changed(json.loads(value), change))
    return value


RIGHT = {
    "as it came": sending(str),
    "arguments with a mark": sending(of_the_call(lambda text: text[:200] + " [truncated]")),
    "arguments with dots": sending(of_the_call(lambda text: f"{text[:100]}…{text[-100:]}")),
    "arguments with a mark in another language": sending(
        of_the_call(lambda text: text[:200] + " (gekürzt für später)")
    ),
    "arguments away with a note": sending(of_the_call(lambda text: "<content stored elsewhere>")),
    "arguments in an object": of_arguments(lambda arguments: {"args": arguments, "by": "model"}),
    "defaults": of_arguments(lambda arguments: {**arguments, "mode": 6.0}),
    "another order": of_arguments(lambda arguments: dict(reversed(arguments.items()))),
    "a text with a mark": sending(of_the_text(lambda text: text[:200] + " ...")),
    "a text away": sending(of_the_text(lambda text: "I told a story.")),
    "a text in other lines": sending(of_the_text(lambda text: text.replace(". ", ".\n"))),
}
CHANGES = {
    "cut": sending(of_the_call(lambda text: text[:200])),
    "cut in the middle": sending(of_the_call(lambda text: text[:100] + text[-100:])),
    "without accents": sending(of_the_call(lambda text: text.replace("é", "e"))),
    "empty": of_arguments(lambda arguments: {}),
    "without one": of_arguments(lambda arguments: {"path": arguments["path"]}),
    "without what is empty": of_arguments(lambda arguments: {key: one for key, one in arguments.items() if one}),
    "exchanged": of_arguments(lambda arguments: {**arguments, "path": "b.txt"}),
}


@pytest.mark.parametrize("agent", RIGHT.values(), ids=RIGHT)
def test_what_is_whole_or_says_that_it_was_changed_is_right(agent: Any) -> None:
    assert_right(agent, WRITES)


@pytest.mark.parametrize("agent", CHANGES.values(), ids=CHANGES)
def test_arguments_that_come_back_changed_in_silence_are_one_finding(agent: Any) -> None:
    """Gemini's fake gives its calls no ids by which they could be known."""
    found = {verdict.case.partition("@")[2]: verdict.findings for verdict in verdicts(agent, WRITES)}

    accused = {
        name
        for name, findings in found.items()
        if [(one.id, one.level, one.again) for one in findings] == [("kept-whole", "must", 0)]
    }
    assert accused >= {"openai-chat+plain", "openai-responses+plain", "anthropic-messages+plain"}
    assert all(found[name] == () for name in found.keys() - accused)


@pytest.mark.parametrize("kept", [lambda text: text[:200], lambda text: text[-200:]], ids=["beginning", "end"])
def test_text_of_the_model_that_is_cut_in_silence_is_advice(kept: Callable[[str], str]) -> None:
    found = verdicts(sending(of_the_text(kept)), WRITES)

    assert {tuple((one.id, one.level, one.again) for one in verdict.findings) for verdict in found} == {
        (("kept-whole", "should", 0),)
    }


@pytest.mark.parametrize("agent", CHANGES.values(), ids=CHANGES)
def test_where_the_context_is_limited_calls_may_be_shorter(agent: Any) -> None:
    assert_right(agent, WITH_A_WINDOW)


def test_call_that_was_cut_off_at_the_length_may_be_mended() -> None:
    assert_right(CHANGES["exchanged"], CUT_OFF)


THINKS = """
wires: [anthropic-messages]
model: {anthropic-messages: claude-sonnet-5}
tools:
  - {name: look_up, description: Looks up a word., parameters: {word: string}, returns: a fruit}
conversation:
  - user: What is a pear?
    model:
      - {thinking: The user wants a pear., text: I look it up., calls: [{name: look_up, arguments: {word: pear}}]}
      - text: A fruit.
"""


def storing(texts: Callable[[str, str], list[str]]) -> type[PlainAgent]:
    """An agent that makes these texts of what the model thought and said."""

    class Stores(PlainAgent):
        def take(self, response: dict[str, Any]) -> Any:
            taken = super().take(response)
            thought = "".join(block.get("thinking", "") for block in response["content"])
            said = "".join(block.get("text", "") for block in response["content"])
            calls = [block for block in response["content"] if block["type"] == "tool_use"]
            blocks = [{"type": "text", "text": text} for text in texts(thought, said) if thought]
            self.messages[-1] = {"role": "assistant", "content": [*blocks, *calls]} if thought else self.messages[-1]
            return taken

    return Stores


@pytest.mark.parametrize(
    ("texts", "is_found"),
    [
        (lambda thought, said: [thought, said], True),
        (lambda thought, said: [f"{said}\n\n{thought}"], True),
        (lambda thought, said: [thought], True),
        (lambda thought, said: [f"<thinking>{thought}</thinking>{said}"], False),
        (lambda thought, said: [f"My thoughts: {thought}", said], False),
        (lambda thought, said: [said], False),
    ],
    ids=["before", "behind", "alone", "in tags", "in words", "left out"],
)
def test_reasoning_as_plain_text_of_the_model_is_advice(texts: Any, is_found: bool) -> None:
    (verdict,) = verdicts(storing(texts), THINKS)

    found = [(one.id, one.level) for one in verdict.findings]
    assert found == ([("kept-whole", "should")] if is_found else [])
