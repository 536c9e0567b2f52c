"""Which recorded requests belong together, and what of a conversation is played."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.cassettes import Place, RecordedExchange, RecordedRequest, RecordedResponse
from agent_conformance.commands.main import main
from agent_conformance.recorded_cases.loading import (
    MOST_REPLIES,
    MOST_TURNS,
    CannotPlay,
    RecordedSession,
    load_cassette,
    script_of,
    sessions_of,
)
from agent_conformance.scenario.files.selection import ScenarioPath
from tests.cassettes.recordings import CHAT_TOOL
from tests.scenario_drafts.incidents import cassette

URL = "https://api.openai.com/v1/chat/completions"
JSON = (("content-type", "application/json"),)
Said = dict[str, Any]


def user(text: str) -> Said:
    return {"role": "user", "content": text}


def says(text: str) -> Said:
    return {"role": "assistant", "content": text}


def calls(city: str, id: str = "call_1") -> Said:
    function = {"name": "get_weather", "arguments": json.dumps({"city": city})}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": id, "type": "function", "function": function}]}


def result(text: str, id: str = "call_1") -> Said:
    return {"role": "tool", "tool_call_id": id, "content": text}


def exchange(messages: list[Said], reply: Said | None, *, tools: bool = True, status: int = 200) -> RecordedExchange:
    body: Said = {"model": "gpt-4.1", "messages": messages, **({"tools": [CHAT_TOOL]} if tools else {})}
    finish = "tool_calls" if reply and reply.get("tool_calls") else "stop"
    choices = [{"index": 0, "message": reply, "finish_reason": finish}]
    answer = {"choices": choices} if reply else {"error": {"message": "no"}}
    return RecordedExchange(
        RecordedRequest("POST", URL, JSON, json.dumps(body).encode()),
        RecordedResponse(status if reply else max(status, 400), JSON, (json.dumps(answer).encode(),)),
        Place("made", 1),
    )


def turns(session: RecordedSession) -> list[tuple[str, list[Any]]]:
    data = script_of(session).data
    return [
        (turn["user"], [reply.get("text") or reply["calls"][0]["arguments"]["city"] for reply in turn["model"]])
        for turn in data["conversation"]
    ]


OSLO = [user("Oslo?"), calls("Oslo"), result("7 degrees")]


def test_requests_that_repeat_a_reply_are_one_conversation():
    one = exchange(OSLO[:1], OSLO[1])
    two = exchange(OSLO, says("Seven."))
    three = exchange([*OSLO, says("Seven."), user("And Rome?")], says("I do not know."))

    (session,) = sessions_of([one, two, three])

    assert turns(session) == [("Oslo?", ["Oslo", "Seven."]), ("And Rome?", ["I do not know."])]


def test_same_question_asked_anew_is_another_conversation():
    again = [exchange(OSLO[:1], OSLO[1]), exchange(OSLO, says("Seven."))]

    assert [turns(session) for session in sessions_of([*again, *again])] == [[("Oslo?", ["Oslo", "Seven."])]] * 2


def test_retry_of_a_request_that_failed_is_no_other_conversation():
    (session,) = sessions_of([exchange(OSLO[:1], None, status=503), exchange(OSLO[:1], says("Hi."))])

    assert turns(session) == [("Oslo?", ["Hi."])]


def test_request_for_a_title_is_left_out():
    title = exchange([user("A title for this, please: Oslo?")], says("Weather"), tools=False)

    (session,) = sessions_of([exchange(OSLO[:1], says("Hi.")), title])

    assert turns(session) == [("Oslo?", ["Hi."])]


def test_request_for_a_summary_in_the_middle_is_left_out():
    before = [exchange(OSLO[:1], OSLO[1]), exchange(OSLO, says("Seven."))]
    summary = exchange([*OSLO, says("Seven."), user("Summarise all this.")], says("It was about the weather."))
    after = exchange([*OSLO, says("Seven."), user("Thanks.")], says("Any time."))

    (session,) = sessions_of([*before, summary, after])

    assert turns(session) == [("Oslo?", ["Oslo", "Seven."]), ("Thanks.", ["Any time."])]


def test_result_that_the_recorded_agent_lost_is_made_up():
    (session,) = sessions_of([exchange([OSLO[0], calls("Oslo"), user("Well?")], says("Hm."))])

    assert turns(session)[0] == ("Oslo?", ["Oslo", "That is all."])
    assert script_of(session).data["tools"][0]["returns"] == "done"


def test_what_is_before_the_first_user_is_left_out():
    (session,) = sessions_of(
        [exchange([result("x", "call_9"), says("Old."), user("Hi"), says("Hello."), user("Bye")], says("Bye."))]
    )

    assert turns(session) == [("Hi", ["Hello."]), ("Bye", ["Bye."])]


def test_ids_that_come_again_keep_their_results():
    twice = [OSLO[0], calls("Oslo"), result("7"), calls("Rome"), result("11")]

    (session,) = sessions_of([exchange(twice, says("Seven and eleven."))])

    assert script_of(session).data["tools"][0]["results"] == ["7", "11"]


def test_nothing_is_expected_beyond_the_laws():
    (session,) = sessions_of([exchange(OSLO[:1], OSLO[1]), exchange(OSLO, says("Seven."))])

    assert [turn.keys() for turn in script_of(session).data["conversation"]] == [{"user", "model"}]


def test_replies_of_a_long_turn_are_fewer():
    """Agents may stop after 20 requests."""
    steps = [said for n in range(40) for said in (calls("Oslo", f"call_{n}"), result("7", f"call_{n}"))]

    (session,) = sessions_of([exchange([user("Go"), *steps], says("Done."))])

    assert len(script_of(session).data["conversation"][0]["model"]) == MOST_REPLIES
    assert turns(session)[0][1][-1] == "Done."


def test_conversation_with_too_many_turns_is_not_played():
    said = [message for n in range(MOST_TURNS + 1) for message in (user(f"{n}?"), says("Yes."))]

    (session,) = sessions_of([exchange(said, says("No."))])

    with pytest.raises(CannotPlay, match=f"it has {MOST_TURNS + 1} messages of the user"):
        script_of(session)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        pytest.param('{"a": 1}', 1, "this is no cassette. Expected", id="other-json"),
        pytest.param("", 1, "it begins with nothing", id="empty"),
        pytest.param('{"log": {"version": "1", "entries": []}}', 1, "none of its 0 entries is a request", id="none"),
        pytest.param('{"log": {"version": "1", "entries": [\n{"request": {}', 2, "0 entries were read", id="cut"),
        pytest.param('{"cassette": "agent-conformance", "version": 9}', 1, "has version 9", id="newer"),
    ],
)
def test_cassette_that_cannot_be_played_is_one_line(tmp_path: Path, text, line, expected):
    path = tmp_path / "x.har"
    path.write_text(text)

    played = load_cassette(ScenarioPath("recorded/x", path, tmp_path))

    (problem,) = played.problems
    assert played.file is None
    assert (problem.line, expected in problem.message, "\n" in problem.message) == (line, True, False)


def test_what_comes_after_a_cassette_is_one_line_and_the_cassette_is_played(tmp_path: Path):
    path = tmp_path / "x.yaml"
    path.write_text(f"{cassette()}\n{{}}")

    played = load_cassette(ScenarioPath("recorded/x", path, tmp_path))

    assert played.file is not None
    assert [problem.line for problem in played.problems] == [22]


def test_cassette_of_100_megabytes_is_not_read(tmp_path: Path):
    path = tmp_path / "x.har"
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)

    (problem,) = load_cassette(ScenarioPath("recorded/x", path, tmp_path)).problems

    assert "At most 64 MB are read" in problem.message


def test_cassette_is_no_scenario_to_make_smaller(tmp_path: Path, capsys):
    path = tmp_path / "x.yaml"
    path.write_text(cassette())

    assert main(["minimise", str(path), "--agent=agent_conformance.reference:Adapter"]) == 2
    assert f"agent-conformance new --from={path}" in capsys.readouterr().err
