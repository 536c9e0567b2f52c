from agent_conformance.judge.calls import pairing, rounds
from agent_conformance.judge.laws.paired import unpaired
from fake_providers import View, ViewCall, ViewMessage, ViewResult


def call(id: str | None, name: str = "f") -> ViewCall:
    return ViewCall(id, name, {}, "{}")


def result(id: str | None, text: str = "x") -> ViewResult:
    return ViewResult(id, None, text)


def view(*messages: ViewMessage) -> View:
    return View("m", stream=False, messages=messages)


def test_round_is_a_message_of_the_model_with_the_results_up_to_the_next() -> None:
    request = view(
        ViewMessage("user", "messages[0]", "Hello."),
        ViewMessage("assistant", "messages[1]", calls=(call("a"), call("b"))),
        ViewMessage("tool", "messages[2]", results=(result("a"),)),
        ViewMessage("tool", "messages[3]", results=(result("b"),)),
        ViewMessage("assistant", "messages[4]", "Done."),
    )

    assert [(one.at, len(one.calls), len(one.results)) for one in rounds(request)] == [
        ("messages[0]", 0, 0),
        ("messages[1]", 2, 2),
        ("messages[4]", 0, 0),
    ]


def paired(calls: tuple[ViewCall, ...], results: tuple[ViewResult, ...]) -> tuple[list[tuple[str, str]], int, int]:
    request = view(
        ViewMessage("assistant", "messages[0]", calls=calls), ViewMessage("tool", "messages[1]", results=results)
    )
    found = pairing(list(rounds(request))[-1])
    return [(one.name, other.text) for one, other in found.pairs], len(found.open_calls), len(found.extra_results)


def test_results_belong_to_the_calls_with_their_ids_in_any_order() -> None:
    calls, results = (call("1", "f"), call("2", "g")), (result("2", "of g"), result("1", "of f"))

    assert paired(calls, results) == ([("g", "of g"), ("f", "of f")], 0, 0)


def test_without_ids_results_belong_to_the_calls_in_their_order() -> None:
    calls, results = (call(None, "f"), call(None, "g")), (result(None, "of f"), result(None, "of g"))

    assert paired(calls, results) == ([("f", "of f"), ("g", "of g")], 0, 0)


def test_an_id_goes_before_the_order() -> None:
    calls, results = (call("1", "f"), call("2", "g")), (result(None, "of g"), result("1", "of f"))

    assert paired(calls, results) == ([("f", "of f"), ("g", "of g")], 0, 0)


def test_call_without_result_and_result_without_call_are_left_over() -> None:
    assert paired((call("1", "f"), call("2", "g")), (result("1"), result("1", "again"), result("3"))) == (
        [("f", "x")],
        1,
        2,
    )


def test_what_is_left_over_is_named_with_its_id() -> None:
    request = view(
        ViewMessage("assistant", "messages[0]", calls=(call("1", "f"), call("2", "g"))),
        ViewMessage("tool", "messages[1]", results=(result("1"), result("1", "again"), result("3"))),
        ViewMessage("assistant", "messages[2]", calls=(call(None, "h"),)),
    )

    assert sorted(unpaired(request)) == [
        ("messages[0]", "a call of g (2) without a result before the model's next message"),
        ("messages[0]", "a result (3) without a call in the model's last message"),
        ("messages[0]", "two results for the call 1"),
        ("messages[2]", "a call of h without a result before the model's next message"),
    ]
