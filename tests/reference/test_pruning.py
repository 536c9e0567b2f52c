from conformance.agents.reference.history import Call, Entry, Result
from conformance.agents.reference.pruning import HEADROOM, prune, shorten, tokens

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
