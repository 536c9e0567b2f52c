"""aimock's fixtures as the script of a fake: matched as aimock matches, and what a fake does not have is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.commands.serve.aimock import FixtureReplies, is_aimock, read_fixtures
from fake_providers import Call, Reply, ScriptedFake
from fake_providers.http import Request, Response
from fake_providers.reply import StreamTiming
from tests.cassettes.recordings import CHAT_TOOL, HEADERS, WIRES, body_for, path_for

USER = {"role": "user", "content": "Plan a trip to Oslo."}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": '{"cancelled": true}'}
SAID = {"role": "assistant", "content": "Done."}
AGAIN = {"role": "user", "content": "And Bergen?"}


def fixture(match: dict[str, Any], text: str, **others: Any) -> dict[str, Any]:
    return {"match": match, "response": {"content": text}, **others}


def fake_of(folder: Path, *fixtures: dict[str, Any], wire: str = "openai-chat") -> tuple[ScriptedFake, tuple[str, ...]]:
    path = folder / "fixtures.json"
    path.write_text(json.dumps({"fixtures": list(fixtures)}, indent=1))
    assert is_aimock(path)
    read = read_fixtures(path, wire=wire)
    return ScriptedFake(WIRES[wire], FixtureReplies(read.fixtures), wire=wire), read.notices


def send(fake: ScriptedFake, *messages: dict[str, Any], **others: Any) -> Response:
    body = {"model": "gpt-4o", "messages": list(messages), "tools": [CHAT_TOOL], **others}
    return fake.handle(Request("POST", "/v1/chat/completions", HEADERS, json.dumps(body).encode()))


def said(response: Response) -> str:
    if response.status != 200:
        return f"{response.status} {json.loads(response.body)['error']['message']}"
    return str(json.loads(response.body)["choices"][0]["message"]["content"])


CONVERSATIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "question": (USER,),
    "result": (USER, CALLED, RESULT),
    "answered": (USER, CALLED, RESULT, SAID, AGAIN),
}
MATCHES: dict[str, tuple[dict[str, Any], set[str]]] = {
    "nothing": ({}, {"question", "result", "answered"}),
    "words of the user": ({"userMessage": "trip to Oslo"}, {"question", "result"}),
    "words of the last message of the user": ({"userMessage": "Bergen"}, {"answered"}),
    "words in another case": ({"userMessage": "TRIP"}, set()),
    "slashes are no pattern": ({"userMessage": "/trip/"}, set()),
    "a result in the turn": ({"hasToolResult": True}, {"result"}),
    "no result in the turn": ({"hasToolResult": False}, {"question", "answered"}),
    "the id of the last result": ({"toolCallId": "call_1"}, {"result"}),
    "another id": ({"toolCallId": "call_2"}, set()),
    "words of the result": ({"toolResultContains": "cancelled"}, {"result"}),
    "a tool that is offered": ({"toolName": "get_weather"}, {"question", "result", "answered"}),
    "a tool that is not": ({"toolName": "get"}, set()),
    "the model": ({"model": "gpt-4o"}, {"question", "result", "answered"}),
    "the beginning of the model": ({"model": "gpt-4"}, set()),
    "two conditions": ({"userMessage": "trip", "hasToolResult": True}, {"result"}),
    "a schema": ({"responseFormat": "json_schema"}, set()),
}


@pytest.mark.parametrize("name", MATCHES)
def test_condition_matches_as_in_aimock(name: str, tmp_path: Path) -> None:
    match, expected = MATCHES[name]
    for conversation, messages in CONVERSATIONS.items():
        fake, notices = fake_of(tmp_path, fixture(match, "it matches"))
        text = said(send(fake, *messages))

        assert (text == "it matches") == (conversation in expected), conversation
        assert notices == ()


def test_dated_version_of_a_model_matches(tmp_path: Path) -> None:
    fake, _ = fake_of(tmp_path, fixture({"model": "gpt-4o"}, "it matches"))

    assert said(send(fake, USER, model="gpt-4o-2024-08-06")) == "it matches"
    assert said(send(fake, USER, model="gpt-4o-mini")).startswith("400 no fixture matches")


def test_system_prompt_matches_with_one_text_or_with_all_of_several(tmp_path: Path) -> None:
    system = {"role": "system", "content": "You are Ada, and like tea."}
    for wanted, matches in (("Ada", True), (["tea", "Ada"], True), (["tea", "coffee"], False), ([], True)):
        fake, _ = fake_of(tmp_path, fixture({"systemMessage": wanted}, "it matches"))
        assert (said(send(fake, system, USER)) == "it matches") == matches


def test_first_fixture_that_matches_wins(tmp_path: Path) -> None:
    fake, _ = fake_of(tmp_path, fixture({"userMessage": "trip"}, "first"), fixture({"userMessage": "Oslo"}, "second"))

    assert said(send(fake, USER)) == "first"


def test_request_that_nothing_matches_is_stopped_with_what_it_says(tmp_path: Path) -> None:
    fake, _ = fake_of(tmp_path, fixture({"userMessage": "Rome"}, "a"))

    assert said(send(fake, USER)) == (
        "400 no fixture matches this request (user: 'Plan a trip to Oslo.'; model: gpt-4o; offers get_weather; "
        "the model has spoken 0 times). Add one for it, or one with an empty `match` at the end."
    )


def test_sequence_counts_requests_with_the_same_conditions(tmp_path: Path) -> None:
    fixtures = [fixture({"userMessage": "trip", "sequenceIndex": number}, text) for number, text in enumerate("ab")]
    fake, _ = fake_of(
        tmp_path, *fixtures, fixture({"userMessage": "Bergen", "sequenceIndex": 0}, "c"), fixture({}, "d")
    )

    assert [said(send(fake, USER)) for _ in range(3)] == ["a", "b", "d"]
    assert said(send(fake, AGAIN)) == "c"


@pytest.mark.parametrize(
    ("turns", "spoken", "expected"),
    [
        ((0, 1), 0, 0),
        ((0, 1), 1, 1),
        ((0, 1), 2, 1),
        ((None, 1), 1, None),
        ((1, None), 1, 1),
        ((None, 1), 2, 1),
        ((2, None), 1, None),
        ((2, 1), 0, 1),
    ],
)
def test_turn_chooses_the_newest_that_is_not_ahead(
    turns: tuple[int | None, ...], spoken: int, expected: int | None, tmp_path: Path
) -> None:
    matches = [{} if turn is None else {"turnIndex": turn} for turn in turns]
    fake, _ = fake_of(tmp_path, *[fixture(match, str(turn)) for match, turn in zip(matches, turns, strict=True)])
    messages = [USER, SAID, AGAIN, SAID, AGAIN][: 2 * spoken + 1]

    assert said(send(fake, *messages)) == str(expected)


def test_response_is_text_reasoning_and_calls(tmp_path: Path) -> None:
    calls = [
        {"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "call_7"},
        {"name": "get_weather", "arguments": '{"city": "Bergen"}'},
        {"name": "get_weather", "arguments": "{broken"},
    ]
    path = tmp_path / "a.json"
    response = {"content": {"a": 1}, "reasoning": "Hm.", "toolCalls": calls, "finishReason": "stop"}
    path.write_text(json.dumps({"fixtures": [{"match": {}, "response": response, "chunkSize": 3}]}))

    (read,) = read_fixtures(path, wire="openai-chat").fixtures

    assert read.reply == Reply(
        text='{"a": 1}',
        thinking="Hm.",
        calls=(
            Call("get_weather", {"city": "Oslo"}, None, "call_7"),
            Call("get_weather", {"city": "Bergen"}),
            Call("get_weather", None, "{broken"),
        ),
        finish="stop",
        chunks=('{"a', '": ', "1}"),
    )


def test_blocks_are_read_instead_of_text_and_calls(tmp_path: Path) -> None:
    blocks = [{"type": "toolCall", "name": "get_weather", "arguments": {}}, {"type": "text", "text": "I look."}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"fixtures": [{"match": {}, "response": {"blocks": blocks, "content": "other"}}]}))

    (read,) = read_fixtures(path, wire="openai-chat").fixtures

    assert read.reply == Reply(text="I look.", calls=(Call("get_weather", {}),))


@pytest.mark.parametrize("wire", WIRES)
def test_error_has_its_words_in_the_envelope_of_the_wire(wire: str, tmp_path: Path) -> None:
    error = {
        "match": {},
        "response": {"error": {"message": "Slow down.", "type": "rate"}, "status": 429, "retryAfter": 3},
    }
    fake, _ = fake_of(tmp_path, error, wire=wire)

    response = fake.handle(Request("POST", path_for(wire), HEADERS, json.dumps(body_for(wire)).encode()))

    assert response.status == 429
    assert "Slow down." in json.dumps(json.loads(response.body))
    body = json.loads(response.body)
    assert ("message" if wire in ("bedrock-converse", "cohere-chat") else "error") in body


def test_stream_that_aimock_cuts_is_cut(tmp_path: Path) -> None:
    fake, notices = fake_of(tmp_path, fixture({}, "It is 7 degrees.", truncateAfterChunks=2, chunkSize=4))

    response = send(fake, USER, stream=True)

    assert response.cut
    assert len(response.chunks) == 2
    assert notices == ()


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({}, None),
        ({"latency": 0}, None),
        ({"latency": 50}, StreamTiming(ttft=0.05, tokens_per_second=100)),
        ({"latency": 50, "chunkSize": 4}, StreamTiming(ttft=0.05, tokens_per_second=20)),
        (
            {"streamingProfile": {"ttft": 300, "tps": 10, "jitter": 0.2}},
            StreamTiming(ttft=0.3, tokens_per_second=50, jitter=0.2),
        ),
        ({"streamingProfile": {"ttft": 300}}, StreamTiming(ttft=0.3)),
    ],
)
def test_pace_is_that_of_the_pieces(others: dict[str, Any], expected: StreamTiming | None, tmp_path: Path) -> None:
    """A text of 100 characters has 25 tokens, in five pieces of 20 characters or 25 of four."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"fixtures": [fixture({}, "a" * 100, **others)]}))

    assert read_fixtures(path, wire="openai-chat").fixtures[0].reply.timing == expected


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"match": {"endpoint": "image"}, "response": {"image": {"url": "a"}}}, "`match.endpoint` is 'image'; a fake"),
        ({"match": {"inputText": "a"}, "response": {"embedding": [1]}}, "`match.inputText`: it is about embeddings"),
        ({"match": {"context": "a"}, "response": {"content": "b"}}, "`match.context`: requests of a fake have no"),
        ({"match": {"usermessage": "a"}, "response": {"content": "b"}}, "is no condition of aimock. Did you mean"),
        ({"match": {"turnIndex": "1"}, "response": {"content": "b"}}, '`match.turnIndex` is "1", which aimock'),
        ({"match": {"responseFormat": "json_object"}, "response": {"content": "b"}}, "only `json_schema` can be told"),
        ({"match": {}, "response": {"audio": "b"}}, "its response has `audio`. A fake sends text"),
        ({"match": {}, "response": {"content": "b", "finishReason": "odd"}}, '`finishReason` is "odd"; expected'),
        ({"match": {}, "response": {"error": {}, "status": 200}}, "`status` of its error is 200"),
        ({"match": {}, "response": {"toolCalls": [{"arguments": {}}]}}, "a call in it has no `name`."),
        ({"match": {}, "response": {"content": "b"}, "latency": 1e9}, "its timing cannot be: `ttft` is 1e+06"),
        ({"match": []}, "it has no `match` and `response`"),
        (3, "it has no `match` and `response`"),
    ],
)  # fmt: skip
def test_what_a_fake_does_not_have_is_left_out_with_its_place(entry: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"fixtures": [fixture({}, "a"), entry]}, indent=1))

    read = read_fixtures(path, wire="openai-chat")

    assert len(read.fixtures) == 1
    (notice,) = read.notices
    assert notice.startswith(f"{path}:9: this fixture is left out: ")
    assert message in notice


def test_what_is_ignored_is_said_with_its_place(tmp_path: Path) -> None:
    entry = fixture({}, "a", replaySpeed=5, chaos={"dropRate": 1})
    entry["response"] |= {"created": 1, "webSearches": ["a"]}
    _, notices = fake_of(tmp_path, entry)

    assert [notice.split(": ", 1)[1].split(":")[0] for notice in notices] == [
        "`response.created` is ignored",
        "`response.webSearches` is ignored",
        "`replaySpeed` is ignored",
        "`chaos` is ignored",
    ]


def test_folder_is_read_as_aimock_reads_it(tmp_path: Path) -> None:
    for name in ("b/a.json", "b.json", "a.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"fixtures": [fixture({}, name)]}))
    (tmp_path / "notes.txt").write_text("no fixture")

    read = read_fixtures(tmp_path, wire="openai-chat")

    assert [one.reply.text for one in read.fixtures] == ["a.json", "b.json", "b/a.json"]


def test_file_that_is_cut_is_a_mistake_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"fixtures": [fixture({}, "a")] * 2}, indent=1)[:-40])

    with pytest.raises(ValueError, match=rf"{path}:\d+: the file ends in the middle of an entry"):
        read_fixtures(path, wire="openai-chat")


def test_file_without_anything_that_can_be_answered_is_a_mistake(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"fixtures": [{"match": {}, "response": {"audio": "a"}}]}))

    with pytest.raises(ValueError, match="it has no fixture that a fake of openai-chat can answer from"):
        read_fixtures(path, wire="openai-chat")


def test_other_files_are_no_fixtures(tmp_path: Path) -> None:
    for name, text in (("a.yaml", "- text: a"), ("b.json", '[{"text": "a"}]'), ("c.yaml", '{"fixtures": []}')):
        (tmp_path / name).write_text(text)
        assert not is_aimock(tmp_path / name)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
        {"input_tokens": 900, "output_tokens": 40},
        {"promptTokenCount": 900, "candidatesTokenCount": 40, "cost": 0.1},
    ],
)
def test_tokens_of_a_fixture_are_reported(usage: dict[str, Any], tmp_path: Path) -> None:
    fake, notices = fake_of(tmp_path, {"match": {}, "response": {"content": "Hello.", "usage": usage}})
    reported = json.loads(send(fake, USER).body)["usage"]

    assert (reported["prompt_tokens"], reported["completion_tokens"], reported["total_tokens"]) == (900, 40, 940)
    assert any("usage.cost" in notice for notice in notices) == ("cost" in usage)
