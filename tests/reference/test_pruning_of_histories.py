from conformance.agents.reference.pruning import HEADROOM, prune, shorten, tokens
from conformance.agents.reference.turns import Call, Result, Turn

SYSTEM = Turn("system", "Be brief.")


def step(text, rounds=1, size=400):
    turns = [Turn("user", text)]
    for n in range(rounds):
        call = Call(f"{text}-{n}", "look", {})
        turns += [Turn("model", calls=(call,)), Turn("results", results=(Result(call.id, "look", "x" * size),))]
    return (*turns, Turn("model", "So it is."))


def pruned(turns, budget, declared=0):
    return prune(tuple(turns), budget, declared, shorten)


def test_history_within_the_budget_is_left_alone():
    turns = (SYSTEM, *step("one"), Turn("user", "now"))

    assert pruned(turns, 10_000) == turns


def test_oldest_steps_go_whole_and_system_stays():
    turns = (SYSTEM, *step("one"), *step("two"), *step("three"), Turn("user", "now"))

    kept = pruned(turns, 330)

    assert [turn.text for turn in kept if turn.role in ("system", "user")] == ["Be brief.", "two", "three", "now"]
    assert tokens(kept) <= 330 * HEADROOM


def test_declarations_take_their_share():
    turns = (*step("one"), *step("two"), Turn("user", "now"))

    assert len(pruned(turns, 400, declared=0)) > len(pruned(turns, 400, declared=200))


def test_old_rounds_of_the_current_step_go_with_their_results():
    turns = step("now", rounds=12, size=900)[:-1]

    kept = pruned(turns, 700)

    assert kept[0] == Turn("user", "now")
    calls = [call.id for turn in kept for call in turn.calls]
    assert calls == [result.call_id for turn in kept for result in turn.results]
    assert calls[-1] == "now-11"
    assert tokens(kept) <= 700 * HEADROOM


def test_parallel_results_are_never_split():
    calls = tuple(Call(f"c{n}", "look", {}) for n in range(4))
    answers = tuple(Result(call.id, "look", "y" * 2000) for call in calls)
    turns = (Turn("user", "now"), Turn("model", calls=calls), Turn("results", results=answers))

    kept = pruned(turns, 800)

    assert [result.call_id for result in kept[-1].results] == [call.id for call in calls]
    assert tokens(kept) <= 800


def test_users_message_keeps_its_beginning_though_it_is_too_long():
    kept = pruned((Turn("user", "begin " + "z" * 9000),), 300)

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
