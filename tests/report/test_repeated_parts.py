"""A long transcript is short: turns and requests that are alike stand there once, and differences stay."""

from agent_conformance.report.snapshots import folded

FIRST = (
    "turn 1\n  user: Where is order 1?\n  request 1: offers lookup\n    system: Be brief.\n  model: Order 1 is here.\n"
)


def turn(number: int, *, place: str = "here") -> str:
    return (
        f"turn {number}\n  user: Where is order {number}?\n  request 1: offers as before\n"
        f"  model calls lookup {{}} (id-{2 * number})\n  model: Order {number} is {place}.\n"
    )


def requests(count: int) -> str:
    return "".join(f"  request {n}: offers as before\n    result for id-{n}: page {n}\n" for n in range(1, count + 1))


def test_turns_that_are_alike_stand_there_as_the_first_and_the_last():
    text = FIRST + "".join(turn(number) for number in range(2, 17))

    assert folded(text) == FIRST + turn(2) + "... 13 alike\n" + turn(16)


def test_requests_of_a_turn_are_folded_too():
    one, last = (f"  request {n}: offers as before\n    result for id-{n}: page {n}\n" for n in (2, 9))
    begin = "turn 1\n  user: Read.\n  request 1: offers read\n"
    text = begin + requests(9).partition("page 1\n")[2]

    assert folded(text) == begin + one + "  ... 6 alike\n" + last


def test_turn_that_differs_in_a_word_or_in_a_number_is_shown():
    turns = [turn(number) for number in range(1, 16)]
    other_word = [*turns[:7], turn(8, place="gone"), *turns[8:]]
    other_number = [*turns[:7], turns[7].replace("order 8", "order 7"), *turns[8:]]

    for changed in (other_word, other_number):
        text = folded("".join(changed))
        assert changed[7] in text
        assert text.count("alike") == 2


def test_three_alike_are_shown_in_full():
    text = "".join(turn(number) for number in range(1, 4))

    assert folded(text) == text


def test_folding_again_changes_nothing():
    once = folded(FIRST + "".join(turn(number) for number in range(2, 40)))

    assert folded(once) == once
