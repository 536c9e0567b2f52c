from conformance.agents.reference import healing
from conformance.agents.reference.healing import PASSES, heal
from conformance.agents.reference.turns import Call, Result, Turn


def user(text="Hello."):
    return Turn("user", text)


def model(text="", *ids):
    return Turn("model", text, calls=tuple(Call(i, "look", {}) for i in ids))


def results(*ids):
    return Turn("results", results=tuple(Result(i, None, f"result {i}") for i in ids))


def healed(*turns):
    return heal(turns, PASSES)


def shape(turns):
    return [(turn.role, *(c.id for c in turn.calls), *(r.call_id for r in turn.results)) for turn in turns]


def test_healthy_history_is_left_as_it_is():
    history = (user(), model("Let me look.", "a", "b"), results("a", "b"), model("Found it."), user("Thanks."))

    assert shape(healed(*history)) == shape(history)
    assert [turn.text for turn in healed(*history)] == [turn.text for turn in history]


def test_words_in_front_of_a_call_become_one_turn_with_it():
    turns = healed(user(), model("Let me look."), model("", "a"), results("a"))

    assert shape(turns) == [("user",), ("model", "a"), ("results", "a")]
    assert turns[1].text == "Let me look."


def test_leading_calls_results_and_prose_go():
    assert shape(healed(model("", "a"), results("a"), model("So."), user())) == [("user",)]
    assert shape(healed(results("a"), user())) == [("user",)]


def test_leading_system_turn_stays_in_front():
    turns = healed(Turn("system", "Be brief."), model("", "a"), results("a"), user())

    assert shape(turns) == [("system",), ("user",)]


def test_history_without_any_user_is_not_emptied():
    assert shape(healed(model("Welcome."))) == [("model",)]


def test_orphan_result_goes_though_its_id_is_named_in_prose():
    turns = healed(user(), model("Earlier I ran orphan."), results("orphan"), user("Go on."))

    assert shape(turns) == [("user",), ("model",), ("user",)]


def test_late_result_moves_behind_its_call():
    turns = healed(user(), model("", "a"), user("Never mind."), results("a"))

    assert shape(turns) == [("user",), ("model", "a"), ("results", "a"), ("user",)]


def test_result_without_an_id_pairs_with_the_open_call():
    turns = healed(user(), model("", "a"), results(None))

    assert shape(turns) == [("user",), ("model", "a"), ("results", "a")]


def test_dangling_call_gets_a_result_that_says_so():
    turns = healed(user(), model("", "a", "b"), results("a"), user("Go on."))

    assert shape(turns) == [("user",), ("model", "a", "b"), ("results", "a", "b"), ("user",)]
    assert turns[2].results[0].text == "result a"
    assert turns[2].results[1].is_error


def test_second_result_of_a_call_goes():
    assert shape(healed(user(), model("", "a"), results("a", "a"))) == [("user",), ("model", "a"), ("results", "a")]


def test_id_used_twice_in_one_turn_is_made_anew_with_its_result():
    turns = healed(user(), model("", "a", "a"), results("a", "a"))

    first, second = turns[1].calls
    assert first.id == "a"
    assert second.id != "a"
    assert [result.call_id for result in turns[2].results] == [first.id, second.id]


def test_id_used_again_in_a_later_turn_is_made_anew():
    turns = healed(user(), model("", "a"), results("a"), user(), model("", "a"), results("a"))

    ids = [call.id for turn in turns for call in turn.calls]
    assert len(set(ids)) == 2
    assert [result.call_id for turn in turns for result in turn.results] == ids


def test_missing_odd_and_long_ids_are_made_anew():
    turns = healed(user(), model("", None, "functions.look:0", "x" * 60), results(None, "functions.look:0", "x" * 60))

    ids = [call.id for call in turns[1].calls]
    assert all(healing.VALID_ID.fullmatch(i) for i in ids)
    assert len(set(ids)) == 3
    assert [result.call_id for result in turns[2].results] == ids


def test_system_turns_become_one_in_front():
    turns = healed(Turn("system", "Be brief."), user(), model("Yes?"), Turn("system", "Be kind."), user())

    assert shape(turns) == [("system",), ("user",), ("model",), ("user",)]
    assert turns[0].text == "Be brief.\n\nBe kind."


def test_empty_turns_go_and_neighbours_are_joined():
    turns = healed(user("One."), model(""), user("Two."), Turn("system", " "))

    assert shape(turns) == [("user",)]
    assert turns[0].text == "One.\n\nTwo."
