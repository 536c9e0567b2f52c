"""What a reply of the script becomes on the wire, and what comes after the script's end."""

from typing import Any

import pytest

from agent_conformance.run.provider.model_script import NO_TOOL, OVER, Script, reply_of
from agent_conformance.scenario.model import CallSpec, ReplySpec
from agent_conformance.transcripts.transcript import ServedCall
from fake_providers import MADE_BY_PROVIDER, Call, ServerCall, View, ViewMessage, ViewResult

NOTHING = View("m", False)
LOOK, FIND = CallSpec(name="look", arguments={"a": 1}), CallSpec(name="find", arguments={})


def test_reply_has_all_that_the_script_says() -> None:
    spec = ReplySpec.read(
        {
            "text": "Let me see.",
            "thinking": "Hm.",
            "calls": [
                {"name": "look", "arguments": {"a": 1}},
                {"name": "find", "arguments_text": '{"a', "id": "c1"},
                {"name": "find", "arguments": {}, "id": None},
            ],
            "finish": "length",
            "chunks": ["Let me ", "see."],
            "blocks": ["Let me", " see."],
            "server_calls": [{"name": "web_search", "arguments": {"query": "x"}, "result": "found"}],
        }
    )
    reply, sent = reply_of(spec, 1, names={"look": "ns__look"})

    assert (reply.text, reply.thinking, reply.finish) == ("Let me see.", "Hm.", "length")
    assert reply.calls == (
        Call("ns__look", {"a": 1}, None, MADE_BY_PROVIDER),
        Call("find", None, '{"a', "c1"),
        Call("find", {}, None, None),
    )
    assert reply.chunks == ("Let me ", "see.")
    assert reply.blocks == ("Let me", " see.")
    assert reply.server_calls == (ServerCall("web_search", {"query": "x"}, "found"),)
    assert sent == tuple(spec.calls)


def test_model_does_not_call_what_is_withheld_from_it() -> None:
    reply, sent = reply_of(ReplySpec(calls=[LOOK, FIND]), 1, names={}, withheld=("look",))

    assert [call.name for call in reply.calls] == ["find"]
    assert sent == (FIND,)
    assert reply.text is None


@pytest.mark.parametrize(("text", "said"), [(None, NO_TOOL), ("Let me see.", "Let me see.")])
def test_model_from_which_all_is_withheld_says_so(text: str | None, said: str) -> None:
    reply, sent = reply_of(ReplySpec(text=text, calls=[LOOK]), 1, names={}, withheld=("look",))

    assert (reply.text, reply.calls, sent) == (said, (), ())


def test_reply_without_calls_may_have_no_text() -> None:
    assert reply_of(ReplySpec(), 1, names={})[0].text is None


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ({"text": "Done."}, "Done."),
        ({"text": "Done.", "means": {"handling": "show"}}, "Done."),
        ({"text": "<x>Done.", "means": {"handling": "hide", "show": "Done."}}, "Done."),
        ({"text": "<x>", "means": {"handling": "hide"}}, OVER),
        ({"text": "", "calls": []}, OVER),
        ({"text": "Look.", "calls": [{"name": "look", "arguments": {}}]}, OVER),
        ({"text": "Done.", "fault": {"ends": "in-an-event"}}, OVER),
    ],
)
def test_last_answer_in_words_is_given_again(last: dict[str, Any], said: str) -> None:
    script = Script([ReplySpec.read(last)])
    script.advance(NOTHING)
    more = [script.advance(NOTHING) for _ in range(2)]

    assert [(one.spec.text, one.repetition, one.over) for one in more] == [(said, 1, True)] * 2
    assert script.unused == []
    assert not script.goes_on(1)


def test_script_without_replies_is_over() -> None:
    following = Script([]).advance(NOTHING)

    assert (following.spec.text, following.over) == (OVER, True)


def test_repetitions_are_counted() -> None:
    script = Script([ReplySpec(text="a", times=2), ReplySpec(text="b")])
    following = [script.advance(NOTHING) for _ in range(3)]

    assert [(one.spec.text, one.repetition, one.over) for one in following] == [
        ("a", 1, False),
        ("a", 2, False),
        ("b", 1, False),
    ]
    assert script.unused == []


def test_fallback_does_not_fail() -> None:
    failing = ReplySpec.read({"fault": {"status": 500}})
    script = Script([failing, ReplySpec(text="Done.")])

    assert script.advance(NOTHING, at_fallback=True).spec.text == "Done."
    assert Script([failing]).advance(NOTHING).spec is failing


def test_fallback_is_given_the_call_again_by_a_request_without_its_result() -> None:
    script = Script([ReplySpec(calls=[LOOK], until="answered"), ReplySpec(text="Done.")])
    script.advance(NOTHING)
    script.served(())

    assert script.advance(NOTHING).spec.text == "Done."
    forgetful = script.advance(NOTHING, at_fallback=True, is_forgetful=True)
    assert (forgetful.spec.calls, forgetful.repetition) == ([LOOK], 2)
    assert script.advance(NOTHING, at_fallback=True).spec.text == "Done."
    assert script.advance(NOTHING, is_forgetful=True).spec.text == "Done."


def test_spare_call_comes_again_where_none_broke_off() -> None:
    again = ReplySpec(calls=[LOOK], spare=True)
    script = Script([ReplySpec(calls=[LOOK]), again, ReplySpec(text="Done.")])
    script.advance(NOTHING)
    script.served((ServedCall(LOOK, "look", "look", "c1", True, True),))
    answered = View("m", False, messages=(ViewMessage("tool", "messages[2]", results=(ViewResult("c1", None, "x"),)),))

    assert script.advance(answered, ("look",)).spec is again
