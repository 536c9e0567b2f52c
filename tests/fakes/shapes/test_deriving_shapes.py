"""How a recorded request becomes a line of the table, with records made up for the tests."""

import gzip
import json
from pathlib import Path
from typing import Any

import derive
import pytest
from request_shapes import Shaper, path_of_shape, request_of_shape

SECRET = "Where does Ada live?"
CALLED = [
    {"role": "user", "content": SECRET},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "call_Xy", "type": "function", "function": {"name": "find_home", "arguments": '{"who": "Ada"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "call_Xy", "content": "London"},
]


def record(messages: Any, *, status: int = 200, response: Any = None, **more: Any) -> dict[str, Any]:
    request = {"model": "gpt-4.1-mini-2025-04-14", "messages": messages}
    exact = {"path": "/v1/chat/completions?key=abc", "status": status, "response": response or {}, "evidence": "wire"}
    return {**exact, "request": request, **more}


def derive_from(folder: Path, *records: Any, packed: bool = False) -> tuple[Any, list[Any]]:
    text = "\n".join(json.dumps(one) for one in records).encode()
    (folder / f"openai-chat.jsonl{'.gz' if packed else ''}").write_bytes(gzip.compress(text) if packed else text)
    derive.main([str(folder), "--table", str(folder / "table.gz")])
    head, *rows = [json.loads(line) for line in gzip.decompress((folder / "table.gz").read_bytes()).splitlines()]
    return head, rows


@pytest.mark.parametrize("packed", [False, True])
def test_structure_of_a_conversation_is_kept_and_its_text_removed(tmp_path: Path, packed: bool) -> None:
    head, rows = derive_from(tmp_path, record(CALLED), packed=packed)

    assert head == {"openai-chat": {"records": 1}}
    assert rows == [
        [
            "openai",
            "/v1/chat/completions",
            200,
            {
                "model": "<model gpt-4.1>",
                "messages": [
                    {"role": "user", "content": "<text>"},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [
                            {
                                "id": "<call_ 1>",
                                "type": "function",
                                "function": {"name": "<word 2>", "arguments": "<json object>"},
                            }
                        ],
                    },
                    {"role": "tool", "tool_call_id": "<call_ 1>", "content": "<text>"},
                ],
            },
        ]
    ]


def test_records_of_one_shape_are_one_line(tmp_path: Path) -> None:
    other = json.loads(json.dumps(CALLED).replace("Ada", "Bo").replace("call_Xy", "call_Z").replace("London", "Rome"))

    head, rows = derive_from(tmp_path, record(CALLED), record(other))

    assert (head["openai-chat"]["records"], len(rows)) == (2, 1)


def test_refusal_for_structure_is_kept_with_its_status(tmp_path: Path) -> None:
    sentence = "Messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."

    _, rows = derive_from(tmp_path, record(CALLED[2:], status=400, response={"error": {"message": sentence}}))

    assert [row[2] for row in rows] == [400]


@pytest.mark.parametrize(
    "other",
    [
        record(CALLED, status=400, response={"error": {"message": "The model is deprecated, no message is read."}}),
        record(CALLED, status=500, response={"error": {"message": "message"}}),
        record(CALLED, trimmed=True),
        record(CALLED, evidence="sdk-level"),
        record([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]),
        record(CALLED, path="/v1/nowhere"),
        record(CALLED) | {"request": "no JSON"},
    ],
)
def test_other_records_are_left_out(tmp_path: Path, other: Any) -> None:
    assert derive_from(tmp_path, other) == ({}, [])


def test_shape_that_was_both_accepted_and_refused_is_left_out(tmp_path: Path) -> None:
    refused = record(CALLED[:1], status=400, response={"error": {"message": "Bad message content."}})

    head, rows = derive_from(tmp_path, record(CALLED[:1]), refused)

    assert rows == []
    assert head["openai-chat"]["records left out: accepted and refused in one shape"] == 2


def test_record_that_was_decided_by_its_text_is_left_out(tmp_path: Path) -> None:
    context = {"type": "json_object"}
    hidden = record([{"role": "user", "content": "Answer in json, "}])
    hidden["request"]["response_format"] = context

    head, rows = derive_from(tmp_path, hidden)

    assert rows == []
    assert head["openai-chat"] == {"records": 1, "records left out: no matter of shape": 1}


def test_table_is_written_with_the_same_bytes(tmp_path: Path) -> None:
    derive_from(tmp_path, record(CALLED))
    first = (tmp_path / "table.gz").read_bytes()
    derive_from(tmp_path, record(CALLED))

    assert (tmp_path / "table.gz").read_bytes() == first


def test_names_in_a_schema_stay_equal_and_are_hidden() -> None:
    schema = {
        "type": "object",
        "properties": {"home": {"$ref": "#/$defs/Home"}},
        "required": ["home"],
        "$defs": {"Home": {"type": "string", "enum": ["London"], "maxLength": 7}},
    }

    shape = Shaper(str).body({"parameters": schema})["parameters"]

    assert shape == {
        "type": "object",
        "properties": {"<word 1>": {"$ref": "<ref #/$defs/2>"}},
        "required": ["<word 1>"],
        "$defs": {"<word 2>": {"type": "string", "enum": ["<word 3>"], "maxLength": 7}},
    }
    again = request_of_shape(shape)
    assert again["properties"]["word_1"]["$ref"] == "#/$defs/word_2"
    assert list(again["$defs"]) == ["word_2"]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("abcDEF123", "<nine 1>"),
        ("get_weather", "<word 1>"),
        ("9lives", "<figure 1>"),
        ("server.tool", "<dotted 1>"),
        ("get weather", "<odd 1>"),
        ("toolu_01", "<toolu_ 1>"),
        ("a" * 70, "<word 1 of 70>"),
        ("", ""),
    ],
)
def test_names_keep_what_providers_check(text: str, shape: str) -> None:
    assert Shaper(str).body({"name": text}) == {"name": shape}
    assert len(request_of_shape(shape)) == len(text) or len(text) not in (0, 9, 70)


def test_path_hides_the_project_and_shows_the_family() -> None:
    path = "/v1/projects/acme/locations/mars/publishers/google/models/gemini-2.5-flash-x:generateContent?alt=sse&key=k"

    shape = Shaper(derive.family_of("vertex", "gemini-generate")).path(path)

    assert shape == (
        "/v1/projects/<word 1>/locations/<word 2>/publishers/google/models/<model gemini-2.5>:generateContent?alt=sse"
    )
    assert "gemini-2.5:generateContent" in path_of_shape(shape)
