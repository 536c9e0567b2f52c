"""A fake without a script, on every wire: it obeys the request, calls a tool for each question, and answers."""

import json
from typing import Any

import pytest

from fake_providers import View, ViewCall, ViewMessage, ViewResult, ViewTool
from fake_providers.serving.reply_sources import default_reply
from fake_providers.serving.scripted_fake import ScriptedFake
from tests.fakes.small_client import FIXED, SCHEMA, WIRES, Said, SmallClient, client_of

TOOLS = ("weather", "clock")
CUT = {
    "openai-chat": "length",
    "openai-responses": "incomplete",
    "anthropic-messages": "max_tokens",
    "gemini-generate": "MAX_TOKENS",
    "ollama-chat": "length",
    "bedrock-converse": "max_tokens",
    "cohere-chat": "MAX_TOKENS",
}
FORCED: dict[str, dict[str, Any]] = {
    "openai-chat": {"tool_choice": {"type": "function", "function": {"name": "clock"}}},
    "openai-responses": {"tool_choice": {"type": "function", "name": "clock"}},
    "anthropic-messages": {"tool_choice": {"type": "tool", "name": "clock"}},
    "gemini-generate": {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["clock"]}}},
    "bedrock-converse": {
        "toolConfig": {
            "tools": [{"toolSpec": {"name": name, "inputSchema": {"json": SCHEMA}}} for name in TOOLS],
            "toolChoice": {"tool": {"name": "clock"}},
        }
    },
}
FORBIDDEN: dict[str, dict[str, Any]] = {
    "openai-chat": {"tool_choice": "none"},
    "openai-responses": {"tool_choice": "none"},
    "anthropic-messages": {"tool_choice": {"type": "none"}},
    "gemini-generate": {"toolConfig": {"functionCallingConfig": {"mode": "NONE"}}},
    "cohere-chat": {"tool_choice": "NONE"},
}
ALLOWED: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "tool_choice": {
            "type": "allowed_tools",
            "allowed_tools": {"mode": "auto", "tools": [{"type": "function", "function": {"name": "clock"}}]},
        }
    },
    "openai-responses": {
        "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "clock"}]}
    },
}
SCHEMAS: dict[str, dict[str, Any]] = {
    "openai-chat": {
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "strict": True, "schema": FIXED}}
    },
    "openai-responses": {
        "text": {"format": {"type": "json_schema", "name": "n", "strict": True, "schema": FIXED}},
    },
    "anthropic-messages": {"output_config": {"format": {"type": "json_schema", "schema": FIXED}}},
    "gemini-generate": {
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseSchema": {"type": "OBJECT", "properties": {"city": {"type": "STRING"}}, "required": ["city"]},
        }
    },
    "ollama-chat": {"format": FIXED},
    "cohere-chat": {"response_format": {"type": "json_object", "json_schema": FIXED}},
    "bedrock-converse": {
        "outputConfig": {
            "textFormat": {"type": "json_schema", "structure": {"jsonSchema": {"schema": json.dumps(FIXED)}}}
        }
    },
}
SHORT: dict[str, dict[str, Any]] = {
    "openai-chat": {"max_completion_tokens": 1},
    "anthropic-messages": {"max_tokens": 1},
    "gemini-generate": {"generationConfig": {"maxOutputTokens": 1}},
    "ollama-chat": {"options": {"num_predict": 1}},
    "bedrock-converse": {"inferenceConfig": {"maxTokens": 1}},
    "cohere-chat": {"max_tokens": 1},
}


@pytest.mark.parametrize("wire", WIRES)
def test_each_question_gets_one_call_and_then_an_answer(wire: str) -> None:
    client = client_of(wire, tools=TOOLS)

    for _ in range(3):
        assert client.ask("How warm is it?").calls == ("weather",)
        assert client.answer_call("7 degrees").text == "Done."
    assert client.fake.violations == []


@pytest.mark.parametrize("wire", WIRES)
def test_same_request_gets_the_same_reply(wire: str) -> None:
    first, second = client_of(wire, tools=TOOLS), client_of(wire, tools=TOOLS)
    second.fake = first.fake

    assert first.ask("How warm is it?").calls == second.ask("How warm is it?").calls == ("weather",)
    assert first.answer_call("7 degrees").text == second.answer_call("8 degrees").text == "Done."


@pytest.mark.parametrize("wire", WIRES)
def test_without_tools_there_is_an_answer(wire: str) -> None:
    assert client_of(wire).ask("Hi.").text == "Done."


@pytest.mark.parametrize("wire", FORCED)
def test_forced_tool_is_called_even_after_a_result(wire: str) -> None:
    client = client_of(wire, tools=TOOLS, options=FORCED[wire])

    assert client.ask("How late is it?").calls == ("clock",)
    assert client.answer_call("seven").calls == ("clock",)
    assert client.fake.violations == []


def test_mistral_forces_a_call_with_a_word_of_its_own() -> None:
    fake = ScriptedFake("mistral")
    client = SmallClient(fake, tools=TOOLS, options={"model": "mistral-large-latest", "tool_choice": "any"})
    client.history = [{"role": "user", "content": "Hi."}]

    assert client.send().calls == ("weather",)
    assert fake.views[0].forces == {*TOOLS}


@pytest.mark.parametrize("wire", FORBIDDEN)
def test_forbidden_call_is_not_made(wire: str) -> None:
    assert client_of(wire, tools=TOOLS, options=FORBIDDEN[wire]).ask("How late is it?").text == "Done."


@pytest.mark.parametrize("wire", ALLOWED)
def test_call_is_one_of_those_that_are_allowed(wire: str) -> None:
    assert client_of(wire, tools=TOOLS, options=ALLOWED[wire]).ask("How late is it?").calls == ("clock",)


@pytest.mark.parametrize("wire", SCHEMAS)
def test_answer_fits_the_schema_of_the_request(wire: str) -> None:
    said = client_of(wire, options=SCHEMAS[wire]).ask("Where?")

    assert json.loads(said.text) == {"city": "x"}


@pytest.mark.parametrize("wire", SCHEMAS)
def test_streamed_answer_fits_the_schema_too(wire: str) -> None:
    client = client_of(wire, options=SCHEMAS[wire], stream=True)
    client.ask("Where?")

    assert client.fake.transcript.endswith('model: {"city":"x"}')


@pytest.mark.parametrize("wire", WIRES)
def test_streamed_call_is_made_for_each_question(wire: str) -> None:
    client = client_of(wire, tools=TOOLS, stream=True)
    said = client.ask("How warm is it?")

    assert '"weather"' in said.text
    assert client.fake.transcript.endswith('model calls weather {"city": "x"}')


@pytest.mark.parametrize("wire", FORCED)
def test_streamed_call_is_the_one_that_is_forced(wire: str) -> None:
    client = client_of(wire, tools=TOOLS, options=FORCED[wire], stream=True)
    client.ask("How late is it?")

    assert client.fake.transcript.endswith('model calls clock {"city": "x"}')


@pytest.mark.parametrize("wire", SHORT)
def test_streamed_text_that_is_too_long_is_cut(wire: str) -> None:
    said = client_of(wire, options=SHORT[wire], stream=True).ask("Hi.")

    assert f'"{CUT[wire]}"' in said.text
    assert "Done." not in said.text


@pytest.mark.parametrize("wire", SHORT)
def test_text_that_is_too_long_is_cut(wire: str) -> None:
    assert client_of(wire, options=SHORT[wire]).ask("Hi.") == Said(200, "Done", (), CUT[wire])


def test_json_that_is_too_long_is_cut() -> None:
    """OpenAI's Responses API takes no limit below 16 tokens."""
    schema = {**FIXED, "properties": {"city": {"type": "string", "minLength": 90}}}
    format_ = {"type": "json_schema", "name": "n", "strict": False, "schema": schema}
    client = client_of("openai-responses", options={"text": {"format": format_}, "max_output_tokens": 16})

    assert client.ask("Where?") == Said(200, '{"city":"' + "x" * 55, (), CUT["openai-responses"])


def test_json_without_a_schema_is_an_empty_object() -> None:
    client = client_of("openai-chat", options={"response_format": {"type": "json_object"}})

    assert client.ask("Give me JSON.").text == "{}"


def test_word_of_an_enumeration_is_sent_bare() -> None:
    config = {"responseMimeType": "text/x.enum", "responseSchema": {"type": "STRING", "enum": ["red", "blue"]}}

    assert client_of("gemini-generate", options={"generationConfig": config}).ask("Which?").text == "red"


def messages(*roles: str) -> tuple[ViewMessage, ...]:
    made = {
        "user": ViewMessage("user", "", "Hi."),
        "said": ViewMessage("assistant", "", "Hello."),
        "called": ViewMessage("assistant", "", calls=(ViewCall("1", "t", {}, "{}"),)),
        "result": ViewMessage("tool", "", results=(ViewResult("1", "t", "r"),)),
    }
    return tuple(made[role] for role in roles)


@pytest.mark.parametrize(
    ("roles", "calls"),
    [
        ("user", True),
        ("", True),
        ("user called result", False),
        ("user called result user", False),  # a reminder of the agent's beside the result
        ("user called result said user", True),
        ("user called user", True),  # the call was interrupted
        ("user said", False),  # the beginning of the answer
        ("result", False),
    ],
)
def test_question_is_what_no_tool_has_answered(roles: str, calls: bool) -> None:
    view = View("m", False, messages=messages(*roles.split()), tools=(ViewTool("t", "", {"type": "string"}),))

    assert bool(default_reply(view).calls) == calls
