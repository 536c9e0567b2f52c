"""`added`: what a request has and the one before had not, without what the model wrote."""

from typing import Any

import pytest

from agent_conformance.judge.expectations.requests import added_text
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult

CALL = ViewCall("call_1", "look", {}, "{}")


def view(*messages: ViewMessage, system: str = "") -> View:
    return View("a-model", stream=False, system=system, messages=messages)


def user(text: str) -> ViewMessage:
    return ViewMessage("user", "messages[0]", text)


def result(*texts: str) -> ViewMessage:
    return ViewMessage("tool", "messages[2]", results=tuple(ViewResult("call_1", "look", text) for text in texts))


ANSWER = ViewMessage("assistant", "messages[1]", "Let me see.", calls=(CALL,))
ASKED = view(user("Look."), system="Be brief.")
ADDED: dict[str, tuple[Any, View | None, str]] = {
    "all of the first request": (ASKED, None, "Be brief.\nLook."),
    "nothing": (ASKED, ASKED, ""),
    "a result, and not the model's words": (view(user("Look."), ANSWER, result("7"), system="Be brief."), ASKED, "7"),
    "two results": (view(user("Look."), ANSWER, result("7", "8"), system="Be brief."), ASKED, "7\n8"),
    "words of the user": (view(user("Look."), ANSWER, user("Again."), system="Be brief."), ASKED, "Again."),
    "the same words again": (view(user("Look."), ANSWER, user("Look."), system="Be brief."), ASKED, "Look."),
    "a text that grew": (view(user("Look. Again."), system="Be brief."), ASKED, " Again."),
    "a system prompt that grew": (view(user("Look."), system="Be brief. Be kind."), ASKED, " Be kind."),
    "a line of the system prompt that changed": (
        view(user("Look."), system="Be brief.\nIt is noon."),
        view(user("Look."), system="Be brief.\nIt is ten."),
        "It is noon.",
    ),
    "the system prompt again": (view(user("Look."), system="Be brief.\nBe brief."), ASKED, "\nBe brief."),
    "the system prompt again, and another line": (
        view(user("Look."), system="Be brief.\nIt is noon.\nBe brief."),
        view(user("Look."), system="Be brief.\nIt is ten."),
        "It is noon.\nBe brief.",
    ),
    "a text that became shorter": (view(user("Look."), user("Again.")), view(user("Look. It is noon.")), "Again."),
    "a text that is there twice now": (view(user("Look."), user("Look.")), view(user("Look. It is noon.")), "Look."),
    "growth of the longest": (
        view(user("Look. Again. Now."), user("Look.")),
        view(user("Look."), user("Look. Again.")),
        " Now.",
    ),
    "growth of each only once": (view(user("Look. A"), user("Look. B")), view(user("Look.")), " A\nLook. B"),
    "another text": (view(user("See."), system="Be brief."), ASKED, "See."),
}


@pytest.mark.parametrize(("now", "before", "added"), ADDED.values(), ids=ADDED)
def test_text_is_added(now: View, before: View | None, added: str) -> None:
    assert added_text(now, before) == added
