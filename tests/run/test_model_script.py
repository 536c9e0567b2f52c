import pytest

from agent_conformance.run.provider.model_script import OVER, Script, reply_of
from agent_conformance.scenario.model import CallSpec, ReplySpec
from agent_conformance.transcripts.transcript import ServedCall
from fake_providers import View, ViewCall, ViewMessage, ViewResult

NOTHING = View("m", False)
CALL = ReplySpec(calls=[CallSpec(name="f", arguments={})])


def texts(script: Script, count: int) -> list[str | None]:
    return [script.advance(NOTHING).spec.text for _ in range(count)]


def test_replies_come_in_order_and_the_last_prose_is_repeated() -> None:
    assert texts(Script([ReplySpec(text="a"), ReplySpec(text="b")]), 4) == ["a", "b", "b", "b"]


def test_a_script_that_ends_in_a_call_is_over() -> None:
    script = Script([CALL])
    first, second = script.advance(NOTHING), script.advance(NOTHING)

    assert first.spec is CALL
    assert (second.spec.text, second.over) == (OVER, True)


def test_a_reply_comes_as_often_as_it_says() -> None:
    script = Script([ReplySpec(text="a", times=2), ReplySpec(text="b")])

    assert texts(script, 3) == ["a", "a", "b"]


def test_a_reply_without_end_never_gives_way() -> None:
    script = Script([ReplySpec(text="a", forever=True), ReplySpec(text="b")])

    assert texts(script, 5) == ["a"] * 5
    assert script.goes_on(1)


def test_a_request_that_forbids_calls_gets_the_next_reply_without_any() -> None:
    script = Script([CALL, CALL, ReplySpec(text="a"), ReplySpec(calls=CALL.calls, forever=True)])
    script.advance(NOTHING)

    replies = [script.advance(NOTHING, without_calls=True).spec.text for _ in range(3)]

    assert replies == ["a", OVER, OVER]


def sent(call_id: str | None, *, id: str | None = None, name: str | None = None) -> View:
    """A request with the call, of this id, and a result of this id and name."""
    messages = (
        ViewMessage("assistant", "messages[1]", calls=(ViewCall(call_id, "f", {}, "{}"),)),
        ViewMessage("tool", "messages[2]", results=(ViewResult(id, name, "x"),)),
    )
    return View("m", False, messages=messages)


def behind_another_call() -> View:
    """The call, a call of another tool, and a result that can only be the other's."""
    messages = sent(None).messages
    other = ViewMessage("assistant", "messages[1]", calls=(ViewCall(None, "g", {}, "{}"),))
    return View("m", False, messages=(messages[0], ViewMessage("user", "messages[1]", text="And?"), other, messages[1]))


def answers_of(*views: View) -> list[str | None]:
    spec = ReplySpec(calls=[CallSpec(name="f", arguments={})], until="answered")
    script = Script([spec, ReplySpec(text="done")])
    served = (ServedCall(spec.calls[0], "f", "f", "call_1", True, True),)

    texts = []
    for view in views:
        texts.append(script.advance(view).spec.text)
        script.served(served)
    return texts


ANSWERED = {
    "by its id": sent("call_1", id="call_1"),
    "by an id of the agent's": sent("mine", id="mine"),
    "by its name": sent("call_1", name="f"),
    "by its place": sent(None),
}


@pytest.mark.parametrize("view", ANSWERED.values(), ids=ANSWERED)
def test_a_call_until_answered_comes_again_until_its_result_is_there(view: View) -> None:
    assert answers_of(NOTHING, NOTHING, view) == [None, None, "done"]


def test_result_of_another_call_is_no_answer() -> None:
    assert answers_of(NOTHING, sent("call_1", id="call_2")) == [None, None]


def test_result_that_names_nothing_answers_no_call_but_the_last() -> None:
    assert answers_of(NOTHING, behind_another_call()) == [None, None]
    without_any_call = View("m", False, messages=sent(None).messages[1:])
    assert answers_of(NOTHING, without_any_call) == [None, None]


def test_unused_replies_are_reported_except_spare_ones() -> None:
    script = Script([ReplySpec(text="a"), ReplySpec(text="b", spare=True), ReplySpec(text="c")])
    script.advance(NOTHING)

    assert [reply.text for reply in script.unused] == ["c"]


def test_a_numbered_call_has_a_new_name_each_time() -> None:
    spec = ReplySpec(calls=[CallSpec(name="ghost", arguments={}, numbered=True)], forever=True)

    assert [reply_of(spec, turn, names={})[0].calls[0].name for turn in (1, 2)] == ["ghost_1", "ghost_2"]


def after_a_broken_call(view: View, ran: tuple[str, ...], *, repeated: str = "f") -> str | None:
    """The text of the reply for this request, which follows a call whose stream broke off; a spare reply repeats it."""
    broken = ReplySpec.read({"calls": [{"name": "f", "arguments": {}}], "fault": {"ends": "in-an-event"}})
    again = ReplySpec(calls=[CallSpec(name=repeated, arguments={})], spare=True)
    script = Script([broken, again, ReplySpec(text="done", spare=True)])
    script.advance(NOTHING)
    script.served((ServedCall(broken.calls[0], "f", "f", "call_1", True, True),))
    return script.advance(view, ran).spec.text


def test_a_broken_call_that_ran_and_was_answered_does_not_come_again() -> None:
    assert after_a_broken_call(sent("call_1", id="call_1"), ("f",)) == "done"


def test_a_broken_call_comes_again_for_an_agent_that_did_not_run_or_answer_it() -> None:
    answered = sent("call_1", id="call_1")

    assert after_a_broken_call(NOTHING, ()) is None
    assert after_a_broken_call(NOTHING, ("f",)) is None
    assert after_a_broken_call(answered, ()) is None
    assert after_a_broken_call(answered, ("f",), repeated="g") is None
