"""What is kept of recorded responses: shapes, and no text that anybody wrote."""

import gzip
import json
from pathlib import Path
from typing import Any

import derive_answers
import pytest
from response_shapes import event_order, pattern_of

CHUNKS: list[Any] = [
    {"id": "chatcmpl-0a", "object": "chat.completion.chunk", "choices": [{"delta": {"role": "assistant"}}]},
    {"id": "chatcmpl-0a", "object": "chat.completion.chunk", "choices": [{"delta": {"content": "Oslo is wet."}}]},
]


def record(response: Any, **more: Any) -> dict[str, Any]:
    headers = {"content-type": "text/event-stream", "x-ratelimit-limit-requests": "9", "set-cookie": "secret"}
    plain = {"path": "/v1/chat/completions", "status": 200, "response_headers": headers, "stream": True}
    return {**plain, "response": response, **more}


def derive_from(folder: Path, *records: Any) -> list[Any]:
    (folder / "openai-chat.jsonl").write_text("\n".join(map(json.dumps, records)))
    derive_answers.main([str(folder), "--table", str(folder / "table.gz")])
    return [json.loads(line) for line in gzip.decompress((folder / "table.gz").read_bytes()).splitlines()]


def events(*values: Any) -> str:
    return "".join(f"data: {json.dumps(value)}\n\n" for value in values)


def test_members_ids_words_and_event_order_are_kept_and_no_text(tmp_path: Path) -> None:
    ((*where, recorded),) = derive_from(tmp_path, record(events(*CHUNKS) + "data: [DONE]\n\n"))

    assert where == ["openai", "openai-chat", "stream", 200]
    assert recorded["ordered"] == {
        "": [["id", "object", "choices"]],
        ".choices[]": [["delta"]],
        ".choices[].delta": [["content"], ["role"]],
    }
    assert recorded["ids"] == {".id": [["chatcmpl-", "hexadecimal", 2]]}
    assert recorded["words"] == {".choices[].delta.role": ["assistant"], ".object": ["chat.completion.chunk"]}
    assert recorded["steps"] == [["[DONE]", "end"], ["begin", "role"], ["content", "[DONE]"], ["role", "content"]]
    assert (recorded["labels"], recorded["limits"]) == (["text/event-stream"], ["x-ratelimit-limit-requests"])
    assert "Oslo" not in json.dumps(recorded)
    assert "secret" not in json.dumps(recorded)


def test_cut_record_has_no_end(tmp_path: Path) -> None:
    ((*_, recorded),) = derive_from(tmp_path, record(events(*CHUNKS) + 'data: {"id": "chatcmpl'))

    assert recorded["steps"] == [["begin", "role"], ["role", "content"]]


def test_order_of_a_sorted_record_is_ignored(tmp_path: Path) -> None:
    ((*_, recorded),) = derive_from(tmp_path, record({"choices": [], "id": "chatcmpl-1"}, stream=False))

    assert (recorded["ordered"], recorded["unordered"]) == ({}, {"": [["choices", "id"]]})


def test_unknown_wires_are_left_out(tmp_path: Path) -> None:
    assert derive_from(tmp_path, record({}, path="/v1/embeddings"), record({}, evidence="sdk-level")) == []


@pytest.mark.parametrize(
    ("made", "pattern"),
    [
        ("call_AbC9", ("call_", "letters", 4)),
        ("req_01kz", ("req_01", "lower", 2)),
        ("chatcmpl-tool-00ff", ("chatcmpl-tool-", "hexadecimal", 4)),
        ("50107463-8be8-4618-97d4-8ddcd84fc97f", ("", "uuid", 36)),
        ("a_b-C", ("", "url", 5)),
    ],
)
def test_ids_are_described_by_their_pattern(made: str, pattern: tuple[str, str, int]) -> None:
    assert pattern_of(made) == pattern


def test_events_about_other_things_are_left_out_of_the_order() -> None:
    assert event_order("openai-responses", [{"type": "response.created"}, {"type": "response.audio.delta"}]) == []
