"""Where laws and expectations look for a text of a tool: in what follows the last calls, as it stands or wrapped."""

from agent_conformance.judge.laws.requests import described
from agent_conformance.judge.tool_results import after_last_calls, last_results, request_contains, result_contains
from fake_providers.view import View, ViewCall, ViewMessage, ViewResult

CALL = ViewCall("call_1", "look", {}, "{}")


def message(at: str, *results: str, text: str = "", calls: tuple[ViewCall, ...] = ()) -> ViewMessage:
    role = "tool" if results else "assistant" if calls else "user"
    return ViewMessage(role, at, text, calls=calls, results=tuple(ViewResult(None, None, text) for text in results))


def view(*messages: ViewMessage, system: str = "") -> View:
    return View("a-model", stream=False, system=system, messages=messages)


def test_results_after_the_last_calls_are_the_last() -> None:
    asked, called = message("0", text="Look."), message("1", calls=(CALL,))
    first, again, last = message("2", "north"), message("3", calls=(CALL,)), message("4", "south", "east")

    assert after_last_calls(view(asked, called, first, again, last)) == (last,)
    assert after_last_calls(view(asked, called)) == ()
    assert last_results(view(asked, called, first, again, last)) == ["south", "east"]


def test_results_are_in_the_order_of_the_calls_that_they_answer() -> None:
    called = ViewMessage("assistant", "1", calls=(ViewCall("a", "look", {}, "{}"), ViewCall("b", "look", {}, "{}")))
    answers = ViewMessage("tool", "2", results=(ViewResult("b", None, "south"), ViewResult("a", None, "north")))
    without_ids = message("2", "south", "north")

    assert last_results(view(called, answers)) == ["north", "south"]
    assert last_results(view(called, without_ids)) == ["south", "north"]


def test_all_results_are_the_last_where_the_provider_has_the_calls() -> None:
    first, last = message("0", "north"), message("1", text="And now?")

    assert after_last_calls(view(first, last)) == (first, last)
    assert last_results(view(first, last)) == ["north"]


def test_text_is_in_a_result_as_it_stands_or_in_what_it_wraps() -> None:
    assert result_contains('{"output": "north"}', '"output"')
    assert result_contains('{"output": "the \\"north\\""}', 'the "north"')
    assert not result_contains('{"output": "the north"}', "the south")
    assert not result_contains("north", "south")


def test_text_is_in_a_request_wherever_somebody_says_it() -> None:
    said = view(message("0", text="Look."), message("1", '{"output": "the \\"north\\""}'), system="Be brief.")

    for text in ("Look.", "Be brief.", '{"output', 'the "north"'):
        assert request_contains(said, text)
    assert not request_contains(said, "south")
    assert not request_contains(view(message("0", text="Look.")), "south")


def test_shape_of_a_request_is_said_in_a_line() -> None:
    called, answered = message("1", calls=(CALL, CALL)), message("2", "north", "south")

    assert described(view()) == "without any message"
    assert described(view(message("0"), called, answered)) == "user; assistant calls look, look; 2 results"
    assert described(view(message("0", "north"))) == "1 result"
    assert described(view(*[message("0")] * 12)) == "; ".join(["user"] * 12)
    assert described(view(*[message("0")] * 14)) == "; ".join(["user"] * 12) + "; and 2 more"


def test_answer_that_comes_back_in_pieces_is_whole_and_what_the_user_says_is_not_joined() -> None:
    answer = view(ViewMessage("assistant", "0", "It is 7 degrees and \nraining."))
    said = view(message("0", text="It is 7 degrees and \nraining."))

    assert request_contains(answer, "It is 7 degrees and raining.")
    assert not request_contains(answer, "It is 8 degrees and raining.")
    assert not request_contains(said, "It is 7 degrees and raining.")
