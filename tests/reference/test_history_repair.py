from conformance.agents.reference import history_repair
from conformance.agents.reference.history import Call, Entry, Result
from conformance.agents.reference.history_repair import REPAIR_PASSES, repair


def user(text="Hello."):
    return Entry("user", text)


def model(text="", *ids):
    return Entry("model", text, calls=tuple(Call(i, "look", {}) for i in ids))


def results(*ids):
    return Entry("results", results=tuple(Result(i, None, f"result {i}") for i in ids))


def repaired(*history):
    return repair(history, REPAIR_PASSES)


def shape(history):
    return [(entry.role, *(c.id for c in entry.calls), *(r.call_id for r in entry.results)) for entry in history]


def test_valid_history_stays_as_it_is():
    history = (user(), model("Let me look.", "a", "b"), results("a", "b"), model("Found it."), user("Thanks."))

    assert shape(repaired(*history)) == shape(history)
    assert [entry.text for entry in repaired(*history)] == [entry.text for entry in history]


def test_text_before_a_call_is_merged_with_it():
    history = repaired(user(), model("Let me look."), model("", "a"), results("a"))

    assert shape(history) == [("user",), ("model", "a"), ("results", "a")]
    assert history[1].text == "Let me look."


def test_calls_results_and_prose_at_the_start_are_dropped():
    assert shape(repaired(model("", "a"), results("a"), model("So."), user())) == [("user",)]
    assert shape(repaired(results("a"), user())) == [("user",)]


def test_system_message_stays_at_the_start():
    history = repaired(Entry("system", "Be brief."), model("", "a"), results("a"), user())

    assert shape(history) == [("system",), ("user",)]


def test_history_without_any_user_is_not_emptied():
    assert shape(repaired(model("Welcome."))) == [("model",)]


def test_orphan_result_is_dropped_even_if_prose_names_its_id():
    history = repaired(user(), model("Earlier I ran orphan."), results("orphan"), user("Go on."))

    assert shape(history) == [("user",), ("model",), ("user",)]


def test_late_result_moves_right_after_its_call():
    history = repaired(user(), model("", "a"), user("Never mind."), results("a"))

    assert shape(history) == [("user",), ("model", "a"), ("results", "a"), ("user",)]


def test_result_without_an_id_pairs_with_the_open_call():
    history = repaired(user(), model("", "a"), results(None))

    assert shape(history) == [("user",), ("model", "a"), ("results", "a")]


def test_open_call_gets_a_result_that_says_so():
    history = repaired(user(), model("", "a", "b"), results("a"), user("Go on."))

    assert shape(history) == [("user",), ("model", "a", "b"), ("results", "a", "b"), ("user",)]
    assert history[2].results[0].text == "result a"
    assert history[2].results[1].is_error


def test_second_result_of_a_call_is_dropped():
    assert shape(repaired(user(), model("", "a"), results("a", "a"))) == [("user",), ("model", "a"), ("results", "a")]


def test_id_used_twice_in_one_message_is_replaced_with_its_result():
    history = repaired(user(), model("", "a", "a"), results("a", "a"))

    first, second = history[1].calls
    assert first.id == "a"
    assert second.id != "a"
    assert [result.call_id for result in history[2].results] == [first.id, second.id]


def test_id_used_again_in_a_later_turn_is_replaced():
    history = repaired(user(), model("", "a"), results("a"), user(), model("", "a"), results("a"))

    ids = [call.id for entry in history for call in entry.calls]
    assert len(set(ids)) == 2
    assert [result.call_id for entry in history for result in entry.results] == ids


def test_missing_odd_and_long_ids_are_replaced():
    history = repaired(
        user(), model("", None, "functions.look:0", "x" * 60), results(None, "functions.look:0", "x" * 60)
    )

    ids = [call.id for call in history[1].calls]
    assert all(history_repair.VALID_ID.fullmatch(i) for i in ids)
    assert len(set(ids)) == 3
    assert [result.call_id for result in history[2].results] == ids


def test_system_messages_become_one_at_the_start():
    history = repaired(Entry("system", "Be brief."), user(), model("Yes?"), Entry("system", "Be kind."), user())

    assert shape(history) == [("system",), ("user",), ("model",), ("user",)]
    assert history[0].text == "Be brief.\n\nBe kind."


def test_empty_messages_are_dropped_and_neighbours_merged():
    history = repaired(user("One."), model(""), user("Two."), Entry("system", " "))

    assert shape(history) == [("user",)]
    assert history[0].text == "One.\n\nTwo."
