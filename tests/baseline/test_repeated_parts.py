"""A long transcript is short: turns and requests that are alike stand there once, and differences stay."""

from agent_conformance.baseline.snapshots import folded

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


def test_what_a_line_says_over_and_over_is_written_once():
    begin = "turn 1\n  user: "

    text = folded(f"{begin}Look: {'x' * 3000} and {'no seat ' * 400}.\n  reply: ok")

    assert text == begin + 'Look: {repeat: "x", times: 3000} and{repeat: " no seat", times: 400} .\n  reply: ok'
    assert folded(text) == text


def test_short_repetition_and_other_long_text_stay():
    numbers = " ".join(str(number) for number in range(400))
    for line in ("ha " * 60, f"{numbers} {'-' * 100}"):
        assert folded(f"turn 1\n  user: {line}") == f"turn 1\n  user: {line}"


def test_another_count_is_another_text():
    assert folded(f"turn 1\n  user: {'x' * 3000}") != folded(f"turn 1\n  user: {'x' * 3001}")


def test_equal_lines_are_written_once_with_their_number():
    text = "turn 1\n  user:\n" + 40 * "    | again\n" + "    | end\n"

    assert folded(text) == "turn 1\n  user:\n    | again\n    | ... 39 more lines like this\n    | end\n"
    assert folded(folded(text)) == folded(text)
