"""What the reference agent reads of an answer on each wire: one with everything, whole and in pieces, and odd ones."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.history import Call, Thought
from agent_conformance.agents.reference.wires import ErrorResponse, wire_of
from tests.tables import rows

LOOK = Call("call_a", "look", {"x": 1})
FIND = Call("call_b", "find", None, "the arguments are not valid JSON")
TEXT = "Let me see."


def function(id: str | None, name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}, **more}


def choice(message: dict[str, Any], reason: str | None = "stop", part: str = "message") -> dict[str, Any]:
    return {"choices": [{"index": 0, part: message, "finish_reason": reason}]}


def response(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"status": "completed", "output": list(items), **more}


def candidate(*parts: dict[str, Any], reason: str | None = "STOP") -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}]}


SIGNED = {"extra_content": {"google": {"thought_signature": "of-a"}}}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "rain"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
SAYS = {
    "type": "message",
    "content": [{"type": "output_text", "text": "Let me "}, {"type": "output_text", "text": "see."}],
}

BODIES: list[tuple[str, str, Any, Answer]] = [
    (
        "openai-chat",
        "everything",
        choice(
            {
                "content": TEXT,
                "reasoning_content": "hm",
                "tool_calls": [function("call_a", "look", '{"x": 1}', **SIGNED), function(None, "go", None)],
            },
            "tool_calls",
        ),
        Answer(
            TEXT,
            (Call("call_a", "look", {"x": 1}, signature="of-a"), Call(None, "go", {})),
            (Thought("hm"),),
            "stop",
            "tool_calls",
        ),
    ),
    (
        "openai-chat",
        "reasoning",
        choice({"content": TEXT, "reasoning": "hm"}),
        Answer(TEXT, (), (Thought("hm"),), "stop", "stop"),
    ),
    ("openai-chat", "nothing", choice({"content": None}, None), Answer()),
    (
        "openai-chat",
        "parts",
        choice(
            {
                "content": [
                    {
                        "type": "thinking",
                        "thinking": [
                            {"type": "text", "text": "h"},
                            {"type": "text", "text": "m"},
                            {"type": "reference"},
                        ],
                    },
                    {"type": "text", "text": "Let me "},
                    {"type": "text", "text": "see."},
                    {"type": "reference", "text": "no"},
                ]
            }
        ),
        Answer(TEXT, (), (Thought("hm"),), "stop", "stop"),
    ),
    ("openai-chat", "refusal", choice({"content": None, "refusal": "No."}), Answer("No.", (), (), "withheld", "stop")),
    ("openai-chat", "cut off", choice({"content": TEXT}, "length"), Answer(TEXT, (), (), "length", "length")),
    (
        "openai-chat",
        "filtered",
        choice({"content": TEXT}, "content_filter"),
        Answer(TEXT, (), (), "withheld", "content_filter"),
    ),
    (
        "openai-responses",
        "everything",
        response(
            {"type": "reasoning", "summary": [{"text": "h"}, {"text": "m"}], "encrypted_content": "sealed"},
            {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "so"}]},
            SAYS,
            {"type": "function_call", "call_id": "call_a", "name": "look", "arguments": '{"x": 1}'},
        ),
        Answer(TEXT, (LOOK,), (Thought("h\nm", "sealed"), Thought("so")), "stop"),
    ),
    (
        "openai-responses",
        "refusal",
        response({"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}),
        Answer("No.", (), (), "withheld"),
    ),
    (
        "openai-responses",
        "cut off",
        response(SAYS, status="incomplete", incomplete_details={"reason": "max_output_tokens"}),
        Answer(TEXT, (), (), "length", "max_output_tokens"),
    ),
    (
        "openai-responses",
        "filtered",
        response(status="incomplete", incomplete_details={"reason": "content_filter"}),
        Answer("", (), (), "withheld", "content_filter"),
    ),
    (
        "anthropic-messages",
        "everything",
        {
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "signed"},
                {"type": "text", "text": "Let me "},
                {"type": "text", "text": "see."},
                {"type": "tool_use", "id": "call_a", "name": "look", "input": {"x": 1}},
            ],
            "stop_reason": "tool_use",
        },
        Answer(TEXT, (LOOK,), (Thought("hm", "signed"),), "stop", "tool_use"),
    ),
    (
        "anthropic-messages",
        "own tools",
        {"content": [SEARCH, FOUND, {"type": "text", "text": TEXT}], "stop_reason": "pause_turn"},
        Answer(TEXT, (), (), "paused", "pause_turn", blocks=(SEARCH, FOUND, {"type": "text", "text": TEXT})),
    ),
    (
        "anthropic-messages",
        "result of an own tool",
        {"content": [FOUND], "stop_reason": "end_turn"},
        Answer("", (), (), "stop", "end_turn", blocks=(FOUND,)),
    ),
    (
        "anthropic-messages",
        "window",
        {"content": [{"type": "text", "text": TEXT}], "stop_reason": "model_context_window_exceeded"},
        Answer(TEXT, (), (), "withheld", "model_context_window_exceeded"),
    ),
    ("anthropic-messages", "nothing", {"content": []}, Answer()),
    (
        "gemini-generate",
        "everything",
        candidate(
            {"text": "hm", "thought": True, "thoughtSignature": "no"},
            {"text": "Let me "},
            {"text": "see.", "thoughtSignature": "of-text"},
            {"functionCall": {"id": "call_a", "name": "look", "args": {"x": 1}}, "thoughtSignature": "of-a"},
            {"functionCall": {"name": "go"}},
        ),
        Answer(
            TEXT,
            (Call("call_a", "look", {"x": 1}, signature="of-a"), Call(None, "go", {})),
            (),
            "stop",
            "STOP",
            "of-text",
        ),
    ),
    (
        "gemini-generate",
        "blocked",
        {"promptFeedback": {"blockReason": "OTHER"}},
        Answer("", (), (), "withheld", "OTHER"),
    ),
    ("gemini-generate", "no content", {"candidates": [{"finishReason": "STOP"}]}, Answer("", (), (), "stop", "STOP")),
    *(
        ("gemini-generate", reason, {"candidates": [{"finishReason": reason}]}, Answer("", (), (), finish, reason))  # type: ignore[arg-type]
        for finish, reasons in {
            "length": ["MAX_TOKENS"],
            "withheld": [
                "SAFETY",
                "PROHIBITED_CONTENT",
                "MALFORMED_FUNCTION_CALL",
                "UNEXPECTED_TOOL_CALL",
                "NEW_REASON",
            ],
        }.items()
        for reason in reasons
    ),
    (
        "ollama-chat",
        "everything",
        {
            "message": {
                "content": TEXT,
                "thinking": "hm",
                "tool_calls": [
                    {"id": "call_a", "function": {"name": "look", "arguments": {"x": 1}}},
                    {"id": "", "function": {"name": "go"}},
                ],
            },
            "done": True,
            "done_reason": "stop",
        },
        Answer(TEXT, (LOOK, Call(None, "go", {})), (Thought("hm"),), "stop", "stop"),
    ),
    ("ollama-chat", "nothing", {"done": True}, Answer(reason="")),
    (
        "ollama-chat",
        "cut off",
        {"message": {}, "done": True, "done_reason": "length"},
        Answer("", (), (), "length", "length"),
    ),
    (
        "cohere-chat",
        "everything",
        {
            "message": {
                "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "see."}],
                "tool_plan": "Let me ",
                "tool_calls": [function("call_a", "look", '{"x": 1}'), function("call_b", "go", "")],
            },
            "finish_reason": "TOOL_CALL",
        },
        Answer(TEXT, (LOOK, Call("call_b", "go", {})), (Thought("hm"),), "stop", "TOOL_CALL"),
    ),
    (
        "cohere-chat",
        "cut off",
        {"message": {"content": []}, "finish_reason": "MAX_TOKENS"},
        Answer("", (), (), "length", "MAX_TOKENS"),
    ),
]


@rows("wire, name, body, answer", BODIES, ids=lambda row: f"{row[0]}, {row[1]}")
def test_answer_is_read_whole(wire: str, name: str, body: Any, answer: Answer) -> None:
    assert wire_of(wire, "").decode(body) == answer


def delta(reason: str | None = None, **message: Any) -> dict[str, Any]:
    return choice(message, reason, "delta")


def cohere(kind: str, *, index: int = 0, **message: Any) -> dict[str, Any]:
    return {"type": kind, "index": index, "delta": {"message": message}}


def block(index: int, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": fields}


def more(index: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def item(index: int, **fields: Any) -> dict[str, Any]:
    return {"type": "response.output_item.done", "output_index": index, "item": fields}


STREAMS: list[tuple[str, str, list[tuple[Any, str]], Answer]] = [
    (
        "openai-chat",
        "everything",
        [
            ({"choices": []}, ""),
            (delta(role="assistant", content=""), ""),
            (delta(reasoning_content="h"), ""),
            (delta(reasoning="m"), ""),
            (delta(content="Let me "), "Let me "),
            (delta(content="see."), "see."),
            (delta(content=None, tool_calls=[{"index": 0, **function("call_a", "look", '{"x"')}]), ""),
            (delta(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]), ""),
            (delta("tool_calls"), ""),
            ({"choices": [{"index": 0}], "usage": {}}, ""),
            ("[DONE]", ""),
        ],
        Answer(TEXT, (LOOK,), (Thought("hm"),), "stop", "tool_calls"),
    ),
    (
        "openai-chat",
        "refusal",
        [(delta(refusal="N"), ""), (delta("stop", refusal="o."), "")],
        Answer("No.", (), (), "withheld", "stop"),
    ),
    ("openai-chat", "without a reason", [(delta(content=TEXT), TEXT), (" [DONE] ", "")], Answer(TEXT)),
    (
        "openai-responses",
        "everything",
        [
            ({"type": "response.output_text.delta", "delta": TEXT}, TEXT),
            (item(1, **SAYS), ""),
            (item(0, type="reasoning", summary=[{"text": "hm"}], encrypted_content="sealed"), ""),
            (item(2, type="function_call", call_id="call_a", name="look", arguments='{"x": 1}'), ""),
            ({"type": "response.completed", "response": {"status": "completed"}}, ""),
            ("[DONE]", ""),
        ],
        Answer(TEXT, (LOOK,), (Thought("hm", "sealed"),), "stop"),
    ),
    (
        "openai-responses",
        "cut off",
        [
            (
                {
                    "type": "response.incomplete",
                    "response": {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
                },
                "",
            )
        ],
        Answer("", (), (), "length", "max_output_tokens"),
    ),
    (
        "anthropic-messages",
        "everything",
        [
            ({"type": "message_start", "message": {}}, ""),
            (block(0, type="thinking", thinking="h", signature=""), ""),
            (more(0, "thinking_delta", thinking="m"), ""),
            (more(0, "signature_delta", signature="signed"), ""),
            (block(2, type="text", text="Let "), "Let "),
            (more(2, "text_delta", text="me "), "me "),
            (more(2, "text_delta", text="see."), "see."),
            ({"type": "content_block_stop", "index": 2}, ""),
            (block(4, type="tool_use", id="call_a", name="look", input={}), ""),
            (more(4, "input_json_delta", partial_json=""), ""),
            (more(4, "input_json_delta", partial_json='{"x"'), ""),
            (more(4, "input_json_delta", partial_json=": 1}"), ""),
            (block(5, type="tool_use", id="call_b", name="go", input={}), ""),
            ({"type": "ping"}, ""),
            ({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, ""),
            ({"type": "message_delta", "delta": {}}, ""),
            ({"type": "message_stop"}, ""),
        ],
        Answer(
            TEXT,
            (LOOK, Call("call_b", "go", {})),
            (Thought("hm", "signed"),),
            "stop",
            "tool_use",
        ),
    ),
    (
        "anthropic-messages",
        "own tools",
        [
            (block(0, type="server_tool_use", id="s", name="web_search", input={}), ""),
            (more(0, "input_json_delta", partial_json='{"query": "rain"}'), ""),
            (block(1, **FOUND), ""),
            (block(2, type="server_tool_use", id="t", name="web_search", input={}), ""),
            ({"type": "message_delta", "delta": {"stop_reason": "pause_turn"}}, ""),
            ({"type": "message_stop"}, ""),
        ],
        Answer("", (), (), "paused", "pause_turn", blocks=(SEARCH, FOUND, {**SEARCH, "id": "t", "input": {}})),
    ),
    (
        "gemini-generate",
        "everything",
        [
            (candidate({"text": "hm", "thought": True}, reason=None), ""),
            (candidate({"text": "Let me ", "thoughtSignature": "of-text"}, reason=None), "Let me "),
            (candidate({"text": "see."}, reason="STOP"), "see."),
            (candidate({"functionCall": {"id": "call_a", "name": "look", "args": {"x": 1}}}, reason=None), ""),
        ],
        Answer(TEXT, (LOOK,), (), "stop", "STOP", "of-text"),
    ),
    (
        "ollama-chat",
        "everything",
        [
            ({"message": {"thinking": "h"}, "done": False}, ""),
            ({"message": {"thinking": "m", "content": "Let me "}}, "Let me "),
            ({"message": {"content": "see."}, "done": True, "done_reason": "stop"}, "see."),
            ({"message": {"tool_calls": [{"id": "call_a", "function": {"name": "look", "arguments": {"x": 1}}}]}}, ""),
        ],
        Answer(TEXT, (LOOK,), (Thought("hm"),), "stop", "stop"),
    ),
    (
        "cohere-chat",
        "everything",
        [
            ({"type": "message-start", "delta": {"message": {"content": [], "tool_plan": "", "tool_calls": []}}}, ""),
            (cohere("content-start", content={"type": "thinking", "thinking": "h"}), ""),
            (cohere("content-delta", content={"thinking": "m"}), ""),
            (cohere("content-start", content={"type": "text", "text": "Let "}), "Let "),
            (cohere("content-delta", content={"text": "me "}), "me "),
            ({"type": "content-end", "index": 1}, ""),
            (cohere("tool-plan-delta", tool_plan="see."), "see."),
            (cohere("tool-call-start", tool_calls=function("call_a", "look", "")), ""),
            (cohere("tool-call-delta", tool_calls={"function": {"arguments": '{"x": 1}'}}), ""),
            (cohere("tool-call-start", tool_calls=function("call_b", "go", ""), index=1), ""),
            ({"type": "tool-call-end", "index": 1}, ""),
            ({"type": "debug", "prompt": "new"}, ""),
            ({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}, ""),
            ("[DONE]", ""),
        ],
        Answer(TEXT, (LOOK, Call("call_b", "go", {})), (Thought("hm"),), "stop", "TOOL_CALL"),
    ),
]


def fed(wire: str, events: Sequence[Any]) -> tuple[list[str], Any]:
    reader = wire_of(wire, "").reader()
    return [reader.feed(event if isinstance(event, str) else json.dumps(event)) for event in events], reader


@rows("wire, name, events, answer", STREAMS, ids=lambda row: f"{row[0]}, {row[1]}")
def test_answer_is_joined_from_its_pieces(wire: str, name: str, events: list[tuple[Any, str]], answer: Answer) -> None:
    shown, reader = fed(wire, [event for event, _ in events])

    assert shown == [text for _, text in events]
    assert reader.answer() == reader.so_far() == answer


@rows("wire, name, events, answer", STREAMS, ids=lambda row: f"{row[0]}, {row[1]}")
def test_stream_without_its_end_is_no_answer(
    wire: str, name: str, events: list[tuple[Any, str]], answer: Answer
) -> None:
    _, reader = fed(wire, [event for event, _ in events[:1]] if len(events) > 1 else [])

    with pytest.raises(ValueError, match="broke off"):
        reader.answer()


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic-messages"])
def test_arguments_that_are_no_json_are_a_problem(wire: str) -> None:
    bodies = {
        "openai-chat": choice({"tool_calls": [function("call_b", "find", "{x")]}),
        "anthropic-messages": {"content": [{"type": "tool_use", "id": "call_b", "name": "find", "input": "{x"}]},
    }
    (call,) = wire_of(wire, "").decode(bodies[wire]).calls

    assert (call.id, call.name, call.arguments) == (FIND.id, FIND.name, FIND.arguments)
    assert call.problem.startswith(FIND.problem)


ERRORS: list[tuple[str, Any, str, int]] = [
    ("openai-chat", {"error": {"message": "no"}}, "no", 500),
    ("openai-chat", {"error": "no"}, "no", 500),
    ("openai-responses", {"type": "error", "message": "no", "code": "rate_limit_exceeded"}, "no", 500),
    ("openai-responses", {"type": "error", "error": {"message": "no", "code": "invalid_prompt"}}, "no", 400),
    (
        "openai-responses",
        {"type": "response.failed", "response": {"error": {"message": "no", "code": "context_length_exceeded"}}},
        "no",
        400,
    ),
    ("anthropic-messages", {"type": "error", "error": {"type": "overloaded_error", "message": "no"}}, "no", 500),
    ("anthropic-messages", {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}, "no", 400),
    ("gemini-generate", {"error": {"code": 429, "message": "no"}}, "no", 429),
    ("bedrock-converse", {"validationException": {"message": "no"}}, "no", 400),
    ("bedrock-converse", {"throttlingException": {"message": "no"}}, "no", 500),
    ("ollama-chat", {"error": "no"}, "no", 500),
    ("cohere-chat", {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "no"}}, "no", 500),
    ("cohere-chat", {"type": "message-end", "delta": {"finish_reason": "TIMEOUT"}}, "TIMEOUT", 500),
]


@rows("wire, event, message, status", ERRORS)
def test_error_within_a_stream_has_its_message_and_status(wire: str, event: Any, message: str, status: int) -> None:
    with pytest.raises(ErrorResponse) as raised:
        wire_of(wire, "").reader().feed(json.dumps(event))

    assert message in str(raised.value)
    assert raised.value.status == status


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        ("openai-chat", {"error": {"message": "no"}}),
        ("openai-responses", {"error": {"code": "server_error", "message": "no"}}),
        ("anthropic-messages", {"type": "error", "error": {"type": "api_error", "message": "no"}}),
        ("gemini-generate", {"error": {"code": 503, "message": "no"}}),
        ("ollama-chat", {"error": "no"}),
        ("cohere-chat", {"message": {}, "finish_reason": "ERROR", "error": "no"}),
    ],
)
def test_error_in_place_of_an_answer_is_an_error(wire: str, body: Any) -> None:
    with pytest.raises(ErrorResponse, match="no"):
        wire_of(wire, "").decode(body)
