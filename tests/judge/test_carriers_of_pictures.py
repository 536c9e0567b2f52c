"""A message of the user that an agent adds only to show a result's pictures is not counted as one of the user's."""

from typing import Any

from agent_conformance.judge.case_evidence import CaseEvidence
from agent_conformance.judge.expectations.requests import last_pictures, pictures_in_last_results, without_carriers
from agent_conformance.scenario.model import Scenario, Turn
from agent_conformance.transcripts.transcript import Transcript, TurnRecord
from fake_providers.values.pictures import Picture
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult

MAP, PHOTO = Picture("image/png", 2, 3, "map"), Picture("image/png", 4, 5, "photo")
CALLED = ViewMessage("assistant", "1", calls=(ViewCall("c1", "draw", {}, "{}"),))
RESULT = ViewMessage("tool", "2", results=(ViewResult("c1", "draw", "drawn"),))


def evidence(*said: str) -> CaseEvidence:
    turns: list[dict[str, Any]] = [{"user": text, "model": []} for text in said]
    scenario = Scenario.read(
        {
            "description": "pictures are shown",
            "profile": "core",
            "history": [{"user": "I am Ann."}, {"assistant": "Hello."}],
            "conversation": turns,
        }
    )
    records = [TurnRecord(number, Turn.read(turn)) for number, turn in enumerate(turns, 1)]
    return CaseEvidence(scenario, Transcript("whole", records), "openai-chat", frozenset())


def user(text: str, *pictures: Picture) -> ViewMessage:
    return ViewMessage("user", "3", text, pictures=pictures)


def view(*messages: ViewMessage) -> View:
    return View("a-model", stream=False, messages=messages)


def kept(message: ViewMessage, *before: ViewMessage) -> bool:
    asked = view(*before, message)
    left = without_carriers(evidence("Draw a map.", ""), asked).messages
    assert left in (asked.messages, asked.messages[:-1])
    return message in left


def test_pictures_of_a_result_with_a_label_are_no_words_of_the_user() -> None:
    assert not kept(user("Image from draw:", MAP), user("Draw a map."), CALLED, RESULT)
    assert not kept(user("", MAP), user("Draw a map."), CALLED, RESULT)


def test_what_the_user_said_stays_with_its_pictures() -> None:
    assert kept(user("Draw a\nmap.", MAP), CALLED, RESULT)
    assert kept(user("I am Ann.", MAP), CALLED, RESULT)


def test_pictures_elsewhere_and_words_without_pictures_stay() -> None:
    assert kept(user("Image from draw:", MAP), user("Draw a map."))
    assert kept(user("Image from draw:", MAP))
    assert kept(user("Go on."), user("Draw a map."), CALLED, RESULT)


def test_pictures_after_the_last_calls_are_the_last_each_once() -> None:
    shown = ViewMessage("tool", "2", results=(ViewResult("c1", "draw", "drawn", pictures=(MAP, MAP)),))
    asked = view(user("See.", PHOTO), CALLED, shown, user("", MAP, PHOTO))

    assert last_pictures(asked) == (MAP, PHOTO)
    assert pictures_in_last_results(asked) == (MAP, MAP)
    assert last_pictures(view(user("See.", PHOTO), CALLED, RESULT)) == ()
