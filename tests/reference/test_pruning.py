import pytest

from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.history import Call, Entry, Result, Thought
from agent_conformance.agents.reference.pruning import HEADROOM, prune, shorten, shorten_the_rest, tokens

SYSTEM = Entry("system", "Be brief.")


def turn(text, rounds=1, size=400):
    history = [Entry("user", text)]
    for n in range(rounds):
        call = Call(f"{text}-{n}", "look", {})
        history += [Entry("model", calls=(call,)), Entry("results", results=(Result(call.id, "look", "x" * size),))]
    return (*history, Entry("model", "So it is."))


def pruned(history, budget, declared=0):
    return prune(tuple(history), budget, declared, shorten)


def test_history_within_the_budget_is_unchanged():
    history = (SYSTEM, *turn("one"), Entry("user", "now"))

    assert pruned(history, 10_000) == history


def test_oldest_turns_are_dropped_whole_and_system_stays():
    history = (SYSTEM, *turn("one"), *turn("two"), *turn("three"), Entry("user", "now"))

    kept = pruned(history, 330)

    assert [entry.text for entry in kept if entry.role in ("system", "user")] == ["Be brief.", "two", "three", "now"]
    assert tokens(kept) <= 330 * HEADROOM


def test_declarations_take_their_share():
    history = (*turn("one"), *turn("two"), Entry("user", "now"))

    assert len(pruned(history, 400, declared=0)) > len(pruned(history, 400, declared=200))


def test_old_rounds_of_the_current_turn_are_dropped_with_their_results():
    history = turn("now", rounds=12, size=900)[:-1]

    kept = pruned(history, 700)

    assert kept[0] == Entry("user", "now")
    calls = [call.id for entry in kept for call in entry.calls]
    assert calls == [result.call_id for entry in kept for result in entry.results]
    assert calls[-1] == "now-11"
    assert tokens(kept) <= 700 * HEADROOM


def test_parallel_results_are_never_split():
    calls = tuple(Call(f"c{n}", "look", {}) for n in range(4))
    answers = tuple(Result(call.id, "look", "y" * 2000) for call in calls)
    history = (Entry("user", "now"), Entry("model", calls=calls), Entry("results", results=answers))

    kept = pruned(history, 800)

    assert [result.call_id for result in kept[-1].results] == [call.id for call in calls]
    assert tokens(kept) <= 800


def test_user_message_that_is_too_long_keeps_its_beginning():
    kept = pruned((Entry("user", "begin " + "z" * 9000),), 300)

    assert kept[0].text.startswith("begin zzz")
    assert len(kept[0].text) >= 200
    assert tokens(kept) <= 300


def test_shortening_says_how_much_is_missing_and_keeps_both_ends():
    text = "a" * 500 + "b" * 500

    short = shorten(text, 200)

    assert len(short) <= 200
    assert short.startswith("aaa")
    assert short.endswith("bbb")
    assert "800" in short
    assert shorten("short", 200) == "short"


def budget_for(room):
    """The smallest budget that leaves this room."""
    return next(budget for budget in range(room, 2 * room + 9) if int(budget * HEADROOM) == room)


def test_history_that_fits_to_the_token_stays():
    history = (SYSTEM, *turn("one"), Entry("user", "now"))

    assert pruned(history, budget_for(tokens(history))) == history
    assert pruned(history, budget_for(tokens(history)) - 2) == (SYSTEM, Entry("user", "now"))


def test_turns_that_fit_to_the_token_stay():
    history = (SYSTEM, *turn("one"), *turn("two"), Entry("user", "now"))
    kept = (SYSTEM, *turn("two"), Entry("user", "now"))

    assert pruned(history, budget_for(tokens(kept))) == kept


def test_declarations_take_exactly_their_share():
    history = (SYSTEM, *turn("one"), Entry("user", "now"))
    budget = budget_for(tokens(history) + 7)

    assert pruned(history, budget, declared=7) == history
    assert pruned(history, budget, declared=8) != history


def test_old_results_are_shortened_before_calls_are_dropped():
    history = turn("now", rounds=3, size=2000)[:-1]

    kept = pruned(history, tokens(history) - 200)

    sizes = [len(entry.results[0].text) for entry in kept if entry.results]
    assert (len(sizes), sizes[0] < 2000, sizes[1:]) == (3, True, [2000, 2000])


def test_result_that_is_short_already_is_not_touched():
    history = (*turn("now", rounds=1, size=100)[:-1], *turn("x", rounds=2, size=2000)[1:-1])

    kept = pruned(history, tokens(history) - 100)

    assert kept[2].results[0].text == "x" * 100
    assert len(kept[4].results[0].text) < 2000


@pytest.mark.parametrize("rounds", [2, 3])
def test_rounds_are_dropped_with_the_message_that_called(rounds):
    history = (SYSTEM, *turn("now", rounds=rounds, size=380)[:-1])

    kept = pruned(history, budget_for(tokens((*history[:2], *history[4:]))))

    assert kept == (*history[:2], *history[4:])


def test_last_round_stays_and_its_results_are_shortened_alike():
    calls = (Call("a", "look", {}), Call("b", "look", {}))
    answers = tuple(Result(call.id, "look", "y" * 6000) for call in calls)
    history = (Entry("user", "now"), Entry("model", calls=calls), Entry("results", results=answers))

    kept = pruned(history, 1000)

    sizes = [len(result.text) for result in kept[-1].results]
    assert sizes[0] == sizes[1]
    assert 1300 < sizes[0] < 1700
    assert tokens(kept) <= 1000


def test_every_part_of_an_entry_counts():
    plain = tokens((Entry("model", "abcd"),))
    bigger = [
        Entry("model", "abcd" * 2),
        Entry("model", "abcd", calls=(Call(None, "look", {}),)),
        Entry("model", "abcd", thoughts=(Thought("some thought"),)),
        Entry("model", "abcd", blocks=({"type": "text", "text": "more"},)),
        Entry("results", "abcd", results=(Result(None, None, "some result"),)),
    ]
    call = tokens((Entry("model", calls=(Call(None, "look", {}),)),))

    assert [tokens((entry,)) > plain for entry in bigger] == [True] * len(bigger)
    assert tokens((Entry("model", calls=(Call(None, "look", {"x": "some text"}),)),)) > call


def test_shortened_text_is_exactly_as_long_as_it_may_be():
    text = "a" * 900 + "b" * 900

    for keep in (60, 61, 62, 100, 401):
        assert len(shorten(text, keep)) == keep
    assert shorten(text, len(text)) == text
    assert shorten(text, 100).count("a") > shorten(text, 100).count("b") > 10


def test_text_without_room_for_any_of_it_is_only_said_to_be_missing():
    note = prompts.SHORTENED.format(n=990)

    assert shorten("a" * 500 + "b" * 500, 10) == note
    assert shorten("a" * 500 + "b" * 500, len(note) + 1).strip("b") == prompts.SHORTENED.format(n=1000 - len(note) - 1)


def test_nothing_but_a_system_message_stays():
    assert pruned((Entry("system", "x" * 4000),), 100) == (Entry("system", "x" * 4000),)


def test_results_that_fit_to_the_token_are_not_made_alike():
    results = tuple(Result(None, None, "y" * size) for size in (4000, 1000))
    history = (Entry("user", "now"), Entry("results", results=results))

    assert shorten_the_rest(history, tokens(history), shorten) == history


def test_what_the_user_says_within_a_turn_begins_none():
    said = Entry("user", "In metres, please.", is_within=True)
    asked = (*turn("long ago", rounds=3), *turn("now", rounds=2)[:-1], said)

    kept = [entry.text for entry in pruned((SYSTEM, *asked), 330) if entry.role == "user"]

    assert kept == ["now", "In metres, please."]
