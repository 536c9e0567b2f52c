"""The history of a setup as entries, the keys of calls, and what an entry without content is."""

import base64

import pytest

from agent_conformance import Message, ToolCall
from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import (
    Call,
    Entry,
    Result,
    Thought,
    has_pictures,
    identity,
    leave_out_pictures,
    readable_reasoning,
    restored_history,
    text_and_pictures,
)

PICTURE = Part("image", data="aGk=", media_type="image/png")
DRAWING = Part("image", data=base64.b64encode(b"<svg/>").decode(), media_type="image/svg+xml")


def test_messages_become_entries_and_results_in_a_row_one() -> None:
    messages = (
        Message("system", "Be brief."),
        Message("user", "Look."),
        Message("assistant", "So.", tool_calls=(ToolCall("a", "look", {"x": 1}), ToolCall("b", "find", None, "{x"))),
        Message("tool", "7", tool_call_id="a", name="look"),
        Message("tool", "no", tool_call_id="b", name="find", is_error=True),
        Message("assistant", "Done."),
        Message("tool", "late", tool_call_id="c"),
    )

    system, user, model, results, done, late = restored_history(messages)

    assert (system, user, done) == (Entry("system", "Be brief."), Entry("user", "Look."), Entry("model", "Done."))
    assert (model.text, model.calls[0]) == ("So.", Call("a", "look", {"x": 1}))
    assert (model.calls[1].id, model.calls[1].arguments) == ("b", None)
    assert "{x" in model.calls[1].problem
    assert results == Entry("results", results=(Result("a", "look", "7"), Result("b", "find", "no", is_error=True)))
    assert late == Entry("results", results=(Result("c", None, "late"),))


def test_signature_belongs_to_the_first_call_or_else_to_the_text() -> None:
    calls = (ToolCall("a", "look", {}), ToolCall("b", "look", {}))
    with_calls, with_text, thinking = restored_history(
        [
            Message("assistant", "", tool_calls=calls, signature="s", signed_by="gemini"),
            Message("assistant", "So.", signature="t"),
            Message("assistant", "So.", thinking="hm", signature="u"),
        ]
    )

    assert ([call.signature for call in with_calls.calls], with_calls.signature) == (["s", None], None)
    assert (with_calls.provider, with_text.provider) == ("gemini", "")
    assert (with_text.signature, with_text.thoughts) == ("t", ())
    assert thinking.thoughts == (Thought("hm", "u"),)


def test_pictures_of_users_and_tools_are_kept_and_drawings_are_text() -> None:
    parts = [Part("text", text="See:"), PICTURE, DRAWING]
    user, results = restored_history([Message("user", parts=parts), Message("tool", parts=parts, tool_call_id="a")])

    assert user == Entry("user", "See:\n<svg/>", pictures=(PICTURE,))
    assert results.results == (Result("a", None, "See:\n<svg/>", pictures=(PICTURE,)),)


@pytest.mark.parametrize("media_type", ["image/png", "image/jpeg", "image/gif", "image/webp"])
def test_pictures_that_every_provider_takes_are_pictures(media_type: str) -> None:
    picture = Part("image", data="aGk=", media_type=media_type)

    assert text_and_pictures([picture]) == ("", (picture,))


def test_calls_are_equal_by_tool_and_arguments_in_any_order() -> None:
    key = Call("a", "look", {"x": 1, "y": 2}).key

    assert Call("b", "look", {"y": 2, "x": 1}).key == key
    assert len({key, Call("a", "find", {"x": 1, "y": 2}).key, Call("a", "look", {"x": 1}).key}) == 3
    assert Call("a", "look", None, "bad").key != Call("a", "look", None, "worse").key


@pytest.mark.parametrize(
    "entry",
    [
        Entry("user", "x"),
        Entry("model", calls=(Call("a", "look", {}),)),
        Entry("results", results=(Result("a", "look", ""),)),
        Entry("user", pictures=(PICTURE,)),
        Entry("model", blocks=({"type": "text"},)),
    ],
)
def test_entry_with_any_content_is_not_empty(entry: Entry) -> None:
    assert not entry.is_empty


@pytest.mark.parametrize("entry", [Entry("user", " \n"), Entry("model", thoughts=(Thought("hm"),))])
def test_entry_without_content_is_empty(entry: Entry) -> None:
    assert entry.is_empty


def test_words_take_the_place_of_new_pictures_and_then_of_every_one() -> None:
    history = (
        Entry("user", "See.", pictures=(PICTURE, PICTURE)),
        Entry("user", "", pictures=(PICTURE,)),
        Entry("results", results=(Result("a", "look", "7", pictures=(PICTURE,)), Result("b", "look", "8"))),
    )
    words = prompts.LEFT_OUT.format(media_type="image/png")

    once = leave_out_pictures(history)

    assert once == (
        history[0],
        Entry("user", words),
        Entry("results", results=(Result("a", "look", f"7\n{words}"), Result("b", "look", "8"))),
    )
    assert leave_out_pictures(once) == (Entry("user", f"See.\n{words}\n{words}"), *once[1:])


def test_pictures_are_found_in_messages_and_in_results() -> None:
    assert has_pictures((Entry("user", "x"), Entry("user", "See.", pictures=(PICTURE,))))
    assert has_pictures((Entry("results", results=(Result("a", "look", "", pictures=(PICTURE,)),)),))
    assert not has_pictures((Entry("user", "x"), Entry("results", results=(Result("a", "look", "7"),))))


def test_results_with_other_pictures_are_other_results() -> None:
    other = Part("image", data="b3RoZXI=", media_type="image/png")
    results = [Result("a", "look", "7"), *(Result("a", "look", "7", pictures=(p,)) for p in (PICTURE, other))]

    assert len({identity(result) for result in results}) == 3


def test_what_another_provider_signed_is_left_out_and_the_rest_stays() -> None:
    call = Call("a", "look", {}, signature="s")
    signed = Entry("model", "So.", (call,), (), (Thought("hm", "t"),), "u", (), ({"type": "text"},), "gemini")

    (other,) = readable_reasoning((signed,), "openai")

    assert other == Entry("model", "So.", (Call("a", "look", {}),), provider="gemini")
    assert readable_reasoning((signed,), "gemini") == (signed,)
    unknown = Entry("model", "So.", thoughts=(Thought("hm", "t"),))
    assert readable_reasoning((unknown,), "openai") == (unknown,)
