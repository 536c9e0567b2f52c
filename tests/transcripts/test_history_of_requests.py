"""A request in a narrative: what is new in it, and what became of earlier messages, so that nothing is ambiguous."""

import re

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agent_conformance.transcripts.narrative import history_lines, offers
from fake_providers import View
from fake_providers.view import ViewCall, ViewMessage, ViewResult, ViewTool
from fake_providers.wire_neutral_lines import CallIds


def user(text: str, at: str = "") -> ViewMessage:
    return ViewMessage("user", at, text)


def model(text: str) -> ViewMessage:
    return ViewMessage("assistant", "", text)


CALL = ViewMessage("assistant", "", calls=(ViewCall("a", "hello", {}, "{}"),))
RESULT = ViewMessage("tool", "", results=(ViewResult("a", None, "x"),))


def view(*messages: ViewMessage, system: str = "") -> View:
    return View("any", False, system=system, messages=messages)


def lines(now: View, previous: View | None) -> list[str]:
    return list(history_lines(now, previous, CallIds(), indent=""))


def test_first_request_is_written_in_full() -> None:
    assert lines(view(user("One."), model("Hi."), system="Be brief."), None) == [
        "system: Be brief.",
        "user: One.",
        "assistant: Hi.",
    ]


def test_what_was_there_before_is_one_line_and_what_is_new_follows() -> None:
    assert lines(view(user("One."), CALL, RESULT), view(user("One."))) == [
        "history as before",
        "assistant calls hello {} (id-1)",
        "result for id-1: x",
    ]


def test_request_that_is_sent_again_has_nothing_new() -> None:
    assert lines(view(user("One.")), view(user("One."))) == ["history as before"]


def test_place_in_the_body_is_no_change() -> None:
    assert lines(view(user("One.", "messages[1]")), view(user("One.", "messages[0]"))) == ["history as before"]


def test_system_text_that_changes_or_goes_is_said() -> None:
    before = view(user("One."), system="Be brief.")

    assert lines(view(user("One."), system="Be long."), before) == ["system: Be long.", "history as before"]
    assert lines(view(user("One.")), before) == ["no system text any more", "history as before"]


def test_earlier_message_that_changed_is_named_with_what_it_is_now() -> None:
    shortened = replace(RESULT, results=(ViewResult("a", None, "..."),))
    before = view(user("One."), CALL, RESULT)

    assert lines(view(user("One."), CALL, shortened, model("Hi.")), before) == [
        "history as before, except",
        "  message 3 is now",
        "    result for id-1: ...",
        "assistant: Hi.",
    ]


def test_earlier_messages_that_are_gone_are_named() -> None:
    before = view(user("One."), model("Hi."), user("Two."), model("Ho."), user("Three."))

    assert lines(view(user("One."), model("Ho."), user("Three."), model("Ha.")), before) == [
        "history as before, except",
        "  messages 2 to 3 are gone",
        "assistant: Ha.",
    ]


def test_message_that_is_put_before_others_is_said_with_its_place() -> None:
    assert lines(view(user("Note."), user("One."), model("Hi.")), view(user("One."))) == [
        "history as before, except",
        "  before message 1 is new",
        "    user: Note.",
        "assistant: Hi.",
    ]


def test_agent_that_forgets_everything_is_seen_to_do_so() -> None:
    assert lines(view(user("Two.")), view(user("One."), model("Hi."))) == [
        "history as before, except",
        "  message 1 is now",
        "    user: Two.",
        "  message 2 is gone",
    ]


def test_call_that_gets_another_id_is_a_change() -> None:
    renamed = replace(CALL, calls=(ViewCall("b", "hello", {}, "{}"),))

    assert lines(view(user("One."), renamed), view(user("One."), CALL))[:2] == [
        "history as before, except",
        "  message 2 is now",
    ]


def test_tools_are_named_where_they_are_others_than_before() -> None:
    one, two = (ViewTool(name, "", {}) for name in ("one", "two"))
    before = replace(view(), tools=(one,))

    assert offers(before, None) == "offers one"
    assert offers(before, before) == "offers as before"
    assert offers(replace(view(), tools=(one, two)), before) == "offers one, two"
    assert offers(view(), before) == "offers nothing"
    assert offers(view(), None) == "offers nothing"


MESSAGES = st.lists(
    st.builds(ViewMessage, st.sampled_from(["user", "assistant"]), st.just(""), st.sampled_from("abcd"))
)


def put_together(before: list[str], said: list[str]) -> list[str]:
    """The messages of a request, from those of the one before and what the narrative says: by its words alone."""
    if not before:
        return said
    now = {number: [text] for number, text in enumerate(before, 1)}
    put_before: dict[int, list[str]] = {}
    rest = said[1:]
    into: list[str] = []
    while rest and rest[0].startswith("  "):
        line = rest.pop(0).strip()
        numbers = [int(number) for number in re.findall(r"\d+", line)]
        if line.endswith("is now"):
            into = now[numbers[0]] = []
        elif line.endswith("is new"):
            into = put_before.setdefault(numbers[0], [])
        elif line.endswith("gone"):
            now |= {number: [] for number in range(numbers[0], numbers[-1] + 1)}
        else:
            into.append(line)
    old = [text for number in sorted(now) for text in (*put_before.get(number, ()), *now[number])]
    return [*old, *rest]


@given(MESSAGES, MESSAGES)
def test_whole_history_can_be_put_together(before: list[ViewMessage], now: list[ViewMessage]) -> None:
    in_full = [f"{message.role}: {message.text}" for message in before]

    said = lines(view(*now), view(*before))

    assert put_together(in_full, said) == [f"{message.role}: {message.text}" for message in now]
