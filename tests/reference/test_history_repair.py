from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference import history_repair
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from agent_conformance.agents.reference.history_repair import REPAIR_PASSES, repair


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


def test_calls_with_one_id_keep_the_results_that_each_of_them_has():
    history = repaired(
        user(), model("", "a", "a"), Entry("results", results=(Result("a", None, "1"), Result("a", None, "2")))
    )

    assert [result.text for result in history[2].results] == ["1", "2"]
    assert [call.id for call in history[1].calls] == [result.call_id for result in history[2].results]


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


def texts(history):
    return [[result.text for result in entry.results] for entry in history if entry.results]


def test_results_without_ids_pair_by_name_and_order():
    calls = (Call("a", "look", {}), Call("b", "find", {}), Call("c", "look", {}))
    given = (Result(None, "find", "f"), Result(None, "look", "first"), Result(None, "look", "second"))

    history = repaired(user(), Entry("model", calls=calls), Entry("results", results=given))

    assert texts(history) == [["first", "f", "second"]]
    assert [result.name for result in history[2].results] == ["look", "find", "look"]


def test_result_of_another_tool_without_an_id_answers_nothing():
    given = (Result(None, "find", "f"),)

    history = repaired(user(), model("", "a"), Entry("results", results=given))

    assert [result.is_error for result in history[2].results] == [True]


def test_result_before_its_call_is_dropped():
    history = repaired(user(), results("a"), model("", "a"), user())

    assert shape(history) == [("user",), ("model", "a"), ("results", "a"), ("user",)]
    assert history[2].results[0].is_error


def test_results_stay_with_their_own_of_several_calling_messages():
    history = repaired(
        user(), model("", "a"), results("a"), user("On."), model("", "b", "c"), results("c"), results("b")
    )

    assert texts(history) == [["result a"], ["result b", "result c"]]


def test_new_ids_are_like_no_other_id():
    history = repaired(
        user(), model("", "call_1_1", None), results("call_1_1", None), user(), model("", "a", None, None)
    )

    ids = [call.id for entry in history for call in entry.calls]
    assert len(set(ids)) == 5
    assert [result.call_id for entry in history for result in entry.results] == ids


def test_ids_of_forty_characters_stay_and_longer_ones_do_not():
    history = repaired(user(), model("", "x" * 40, "y" * 41), results("x" * 40, "y" * 41))

    assert [call.id == given for call, given in zip(history[1].calls, ("x" * 40, "y" * 41), strict=True)] == [
        True,
        False,
    ]
    assert texts(history) == [["result " + "x" * 40, "result " + "y" * 41]]


def test_neighbours_become_one_with_all_that_they_had():
    first = Entry("model", "One.", (Call("a", "look", {}),), thoughts=(Thought("x", "s"),), signature="t")
    second = Entry("model", " ", (Call("b", "look", {}),), thoughts=(Thought("y"),), signature="u")
    thoughts = (*first.thoughts, *second.thoughts)
    later = results("b")

    assert history_repair.merge_neighbours((first, second, results("a"), later)) == (
        Entry("model", "One.", (*first.calls, *second.calls), thoughts=thoughts, signature="u"),
        Entry("results", results=(*results("a").results, *later.results)),
    )
    (kept,) = history_repair.merge_neighbours((first, Entry("model", "Two.")))
    assert (kept.signature, kept.text) == ("t", "One.\n\nTwo.")


def test_pictures_of_neighbours_are_kept():
    picture = Part("image", data="aGk=", media_type="image/png")

    (merged,) = repaired(Entry("user", "One.", pictures=(picture,)), Entry("user", "Two.", pictures=(picture,)))

    assert (merged.text, merged.pictures) == ("One.\n\nTwo.", (picture, picture))


def test_blocks_of_the_provider_are_not_merged():
    block = {"type": "text", "text": "x"}
    history = repaired(user(), Entry("model", "x", blocks=(block,)), Entry("model", "y"), Entry("model", "z"))

    assert [entry.text for entry in history] == ["Hello.", "x", "y\n\nz"]


def test_calls_of_the_providers_own_tools_go_without_their_results_but_at_the_end():
    search = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
    said = {"type": "text", "text": "So."}
    used = {"type": "tool_use", "id": "a", "name": "look", "input": {}}

    answered = Entry("model", "So.", blocks=(search, found, said))
    assert repaired(user(), answered, user())[1].blocks == (search, found, said)
    opened = Entry("model", "So.", (Call("a", "look", {}),), blocks=(said, search, used))
    assert repaired(user(), opened, results("a"), user())[1].blocks == (said, used)
    assert repaired(user(), Entry("model", "So.", blocks=(said, search)))[1].blocks == (said, search)


def test_system_messages_without_text_are_dropped():
    assert shape(repaired(Entry("system", " "), user())) == [("user",)]


def test_system_messages_before_the_user_stay_one():
    history = repaired(Entry("system", "One."), Entry("system", " "), model("Hi."), user())

    assert history == (Entry("system", "One."), user())
