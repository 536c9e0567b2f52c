import json

import pytest

from agent_conformance.agents.reference.history import Call, Entry, Thought
from agent_conformance.agents.reference.wires import WIRES, CompletionRequest, ErrorResponse, wire_of


def chat(*pieces, finish="tool_calls"):
    reader = wire_of("openai-chat", "").reader()
    for piece in pieces:
        reader.feed(json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]}))
    reader.feed(json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}))
    return [(call.id, call.name, call.arguments) for call in reader.answer().calls]


def piece(index=None, id=None, name=None, arguments=None):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fields = {"index": index, "id": id, "function": function}
    return {key: value for key, value in fields.items() if value is not None}


def test_arguments_in_pieces_are_joined_by_index():
    calls = chat(
        piece(0, "a", "look", ""),
        piece(1, "b", "find", ""),
        piece(1, arguments='{"x":'),
        piece(0, arguments='{"y": 1}'),
        piece(1, arguments=" 2}"),
    )

    assert calls == [("a", "look", {"y": 1}), ("b", "find", {"x": 2})]


def test_calls_with_a_shared_index_are_distinguished_by_id():
    assert chat(piece(0, "a", "look", "{}"), piece(0, "b", "look", "{}")) == [("a", "look", {}), ("b", "look", {})]


def test_calls_without_index_or_id_are_distinguished_when_one_is_complete():
    calls = chat(piece(name="look", arguments='{"x": 1}'), piece(name="look", arguments='{"x": 2}'))

    assert calls == [(None, "look", {"x": 1}), (None, "look", {"x": 2})]


def test_name_that_is_repeated_before_the_arguments_are_whole_begins_no_call():
    calls = chat(
        piece(name="look", arguments=""), piece(name="look", arguments='{"x"'), piece(name="look", arguments=": 1}")
    )

    assert calls == [(None, "look", {"x": 1})]


def test_objects_as_arguments_without_index_or_id_are_two_calls():
    calls = chat(piece(name="look", arguments={"x": 1}), piece(name="look", arguments={"x": 2}))

    assert calls == [(None, "look", {"x": 1}), (None, "look", {"x": 2})]


def test_responses_failure_without_an_error_event_is_an_error():
    reader = wire_of("openai-responses", "").reader()
    error = {"code": "rate_limit_exceeded", "message": "Too fast."}

    with pytest.raises(ErrorResponse, match="Too fast"):
        reader.feed(json.dumps({"type": "response.failed", "response": {"status": "failed", "error": error}}))


def test_name_that_is_repeated_and_id_that_is_late_belong_to_one_call():
    calls = chat(piece(0, name="look", arguments='{"x"'), piece(0, "a", "look", ": 1}"), piece(0, name="look"))

    assert calls == [("a", "look", {"x": 1})]


@pytest.mark.parametrize(("first", "then"), [("s", None), (None, "s"), ("s", "t")])
def test_signature_of_a_streamed_call_stays_in_whichever_piece_it_comes(first, then):
    def signed(signature):
        return {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}

    reader = wire_of("openai-chat", "").reader()
    for part in (piece(0, "a", "look", '{"x"') | signed(first), piece(0, arguments=": 1}") | signed(then)):
        reader.feed(json.dumps({"choices": [{"index": 0, "delta": {"tool_calls": [part]}}]}))
    reader.feed(json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}))

    assert reader.answer().calls == (Call("a", "look", {"x": 1}, signature="s"),)


def test_reasoning_field_is_no_text():
    message = {"content": None, "reasoning_content": "hm", "tool_calls": []}

    answer = wire_of("openai-chat", "").decode({"choices": [{"message": message, "finish_reason": "stop"}]})

    assert answer.text == ""
    assert answer.thoughts[0].text == "hm"


def test_anthropic_input_in_pieces_and_signature_are_kept():
    reader = wire_of("anthropic-messages", "").reader()
    for event in (
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "look"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"x'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '": 1}'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ):
        reader.feed(json.dumps(event))

    answer = reader.answer()

    assert answer.calls[0].arguments == {"x": 1}
    assert (answer.thoughts[0].text, answer.thoughts[0].signature) == ("hm", "s")


def test_gemini_thought_is_no_text_and_signature_stays_with_its_call():
    parts = [
        {"text": "hm", "thought": True},
        {"functionCall": {"name": "look", "args": {}}, "thoughtSignature": "s"},
    ]

    candidate = {"content": {"parts": parts}, "finishReason": "STOP"}
    answer = wire_of("gemini-generate", "").decode({"candidates": [candidate]})

    assert answer.text == ""
    assert answer.calls[0].signature == "s"


def test_responses_items_are_kept_complete_and_text_is_shown_as_it_comes():
    reader = wire_of("openai-responses", "").reader()
    thought = {
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": "hm"}],
        "encrypted_content": "sealed",
    }
    message = {"type": "message", "content": [{"type": "output_text", "text": "Let me see."}]}
    call = {"type": "function_call", "call_id": "a", "name": "look", "arguments": '{"x": 1}'}
    shown = [
        reader.feed(json.dumps(event))
        for event in (
            {"type": "response.created", "response": {"status": "in_progress"}},
            {"type": "response.output_item.done", "output_index": 0, "item": thought},
            {"type": "response.output_text.delta", "delta": "Let me "},
            {"type": "response.output_text.delta", "delta": "see."},
            {"type": "response.output_item.done", "output_index": 2, "item": call},
            {"type": "response.output_item.done", "output_index": 1, "item": message},
            {"type": "response.completed", "response": {"status": "completed"}},
        )
    ]

    answer = reader.answer()

    assert "".join(shown) == answer.text == "Let me see."
    assert [(call.id, call.name, call.arguments) for call in answer.calls] == [("a", "look", {"x": 1})]
    assert [(t.text, t.signature) for t in answer.thoughts] == [("hm", "sealed")]


def test_responses_thought_goes_back_encrypted_before_text_and_calls():
    thoughts = (Thought("hm", "sealed"), Thought("not sealed"))
    model = Entry("model", "Let me see.", (Call("a", "look", {}),), thoughts=thoughts)
    request = CompletionRequest("gpt-5.4", False, (Entry("user", "Look."), model), None, {})

    body = wire_of("openai-responses", "").encode(request).body

    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])
    assert [item.get("type", item.get("role")) for item in body["input"]] == [
        "user",
        "reasoning",
        "assistant",
        "function_call",
    ]
    assert body["input"][1]["encrypted_content"] == "sealed"


def test_responses_model_without_reasoning_gets_no_request_for_thoughts():
    request = CompletionRequest("gpt-4.1", False, (Entry("user", "Look."),), None, {})

    assert "include" not in wire_of("openai-responses", "").encode(request).body


def test_ollama_calls_are_read_from_every_line():
    reader = wire_of("ollama-chat", "").reader()
    shown = [
        reader.feed(json.dumps(line))
        for line in (
            {"message": {"content": "", "thinking": "hm"}, "done": False},
            {"message": {"content": "Let me "}, "done": False},
            {
                "message": {
                    "content": "see.",
                    "tool_calls": [{"id": "a", "function": {"name": "look", "arguments": {}}}],
                }
            },
            {"message": {"tool_calls": [{"function": {"name": "find", "arguments": {"x": 1}}}]}, "done": True},
        )
    ]

    answer = reader.answer()

    assert shown == ["", "Let me ", "see.", ""]
    assert [(call.id, call.name, call.arguments) for call in answer.calls] == [
        ("a", "look", {}),
        (None, "find", {"x": 1}),
    ]
    assert (answer.text, answer.thoughts[0].text) == ("Let me see.", "hm")


@pytest.mark.parametrize(
    ("wire", "body", "finish"),
    [
        ("openai-chat", {"choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}, "length"),
        ("openai-chat", {"choices": [{"message": {"refusal": "No."}, "finish_reason": "stop"}]}, "withheld"),
        ("anthropic-messages", {"content": [], "stop_reason": "refusal"}, "withheld"),
        ("anthropic-messages", {"content": [], "stop_reason": "max_tokens"}, "length"),
        ("gemini-generate", {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "withheld"),
        ("gemini-generate", {"promptFeedback": {"blockReason": "SAFETY"}}, "withheld"),
        (
            "openai-responses",
            {"output": [], "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "length",
        ),
        (
            "openai-responses",
            {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}]},
            "withheld",
        ),
        ("ollama-chat", {"message": {"content": "x"}, "done": True, "done_reason": "length"}, "length"),
        ("ollama-chat", {"message": {"content": "x"}, "done": True, "done_reason": "stop"}, "stop"),
        ("cohere-chat", {"message": {}, "finish_reason": "MAX_TOKENS"}, "length"),
        ("cohere-chat", {"message": {}, "finish_reason": "STOP_SEQUENCE"}, "stop"),
    ],
)
def test_reason_for_stopping_is_read(wire, body, finish):
    assert wire_of(wire, "").decode(body).finish == finish


@pytest.mark.parametrize(
    ("wire", "event"),
    [
        ("openai-chat", {"error": {"message": "no"}}),
        ("anthropic-messages", {"type": "error", "error": {"type": "overloaded_error", "message": "no"}}),
        ("gemini-generate", {"error": {"code": 503, "message": "no"}}),
        ("openai-responses", {"type": "error", "error": {"code": "server_error", "message": "no"}}),
        ("openai-responses", {"type": "error", "code": "server_error", "message": "no"}),
        ("openai-responses", {"type": "response.failed", "response": {"error": {"code": "x", "message": "no"}}}),
        ("ollama-chat", {"error": "no"}),
        ("cohere-chat", {"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "no"}}),
    ],
)
def test_error_within_a_stream_is_an_error(wire, event):
    with pytest.raises(ErrorResponse, match="no"):
        wire_of(wire, "").reader().feed(json.dumps(event))


@pytest.mark.parametrize("wire", WIRES)
def test_stream_that_breaks_off_is_not_an_answer(wire):
    with pytest.raises(ValueError, match="broke off"):
        wire_of(wire, "").reader().answer()
