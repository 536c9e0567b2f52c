"""What a stream brings in pieces, late, early or twice, read by the reference agent as the whole that it is."""

import json
from typing import Any

import pytest

from agent_conformance.agents.reference.call_pieces import CallPiece, join_calls
from agent_conformance.agents.reference.history import Call, Entry, Result
from agent_conformance.agents.reference.history_repair import place_results
from agent_conformance.agents.reference.wires.anthropic_messages import MessageReader
from agent_conformance.agents.reference.wires.gemini_generate import ContentReader
from agent_conformance.agents.reference.wires.openai_chat import ChatReader


def chat(*choices: dict[str, Any]) -> ChatReader:
    reader = ChatReader()
    for choice in choices:
        reader.feed(json.dumps({"choices": [choice]}))
    return reader


def test_refusal_in_pieces_is_shown_whole() -> None:
    answer = chat(
        {"delta": {"refusal": "I cannot "}},
        {"delta": {"refusal": "help with that."}},
        {"delta": {}, "finish_reason": "stop"},
    ).answer()

    assert (answer.text, answer.finish) == ("I cannot help with that.", "withheld")


def test_chunk_after_the_finish_does_not_take_it_back() -> None:
    answer = chat(
        {"delta": {"content": "Half of"}, "finish_reason": "length"}, {"delta": {}, "finish_reason": None}
    ).answer()

    assert (answer.text, answer.finish) == ("Half of", "length")


@pytest.mark.parametrize("reason", ["PROHIBITED_CONTENT", "SAFETY"])
def test_answer_that_gemini_withholds_is_no_blank_stop(reason: str) -> None:
    reader = ContentReader()
    reader.feed(json.dumps({"candidates": [{"content": {"parts": []}, "finishReason": reason}]}))

    assert reader.answer().finish == "withheld"


def test_input_of_a_server_tool_goes_back_as_it_was_streamed() -> None:
    reader = MessageReader()
    block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    for event in (
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"query"'}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": ':"Oslo"}'}},
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ):
        reader.feed(json.dumps(event))

    assert reader.answer().blocks == ({**block, "input": {"query": "Oslo"}},)


def test_signature_in_an_early_piece_is_kept() -> None:
    (call,) = join_calls([CallPiece(0, "a", "look", "", "signed"), CallPiece(0, None, "", '{"key": 1}')])

    assert (call.arguments, call.signature) == ({"key": 1}, "signed")


def test_name_that_each_piece_repeats_is_one_call() -> None:
    pieces = [CallPiece(0, None, "look", text) for text in ('{"key"', ': "k"', "}")]

    assert join_calls(pieces) == (Call(None, "look", {"key": "k"}),)


def test_name_after_whole_arguments_begins_another_call() -> None:
    pieces = [CallPiece(None, None, "look", '{"key": 1}'), CallPiece(None, None, "look", '{"key": 2}')]

    assert [call.arguments for call in join_calls(pieces)] == [{"key": 1}, {"key": 2}]


def test_results_that_were_stored_in_another_order_go_to_their_calls() -> None:
    calls = Entry("model", calls=(Call("a", "look", {}), Call("b", "look", {})))
    stored = Entry("results", results=(Result("b", "look", "of b"), Result("a", "look", "of a")))

    (_, placed) = place_results((calls, stored))

    assert [(result.call_id, result.text) for result in placed.results] == [("a", "of a"), ("b", "of b")]
