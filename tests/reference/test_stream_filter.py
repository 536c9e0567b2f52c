from itertools import product

from texts_of_models import HIDDEN, LIFTED, NAMES, PROSE

from agent_conformance.agents.reference.pseudo_calls import Rules, StreamFilter, read_text
from tests.tables import rows

EVERYTHING = [*LIFTED.values(), *HIDDEN.values(), *PROSE]
THOUGHTS = ("<think>hm</think>It rains.", "A <think>b</think> c", "Before\n<mm:think>hm</mm:think>\nafter")


def filtered(pieces, names=NAMES):
    """The deltas, and what the whole answer shows."""
    screen = StreamFilter(names, Rules())
    deltas = [screen.feed(piece) for piece in pieces]
    reading = read_text("".join(pieces), names, Rules(), released=screen.released)
    return [*deltas, screen.finish(reading.shown)], reading.shown


@rows("size, text", list(product([1, 2, 3, 7, 1000], [*EVERYTHING, *THOUGHTS])))
def test_deltas_join_to_what_the_whole_answer_shows(text, size):
    deltas, shown = filtered([text[i : i + size] for i in range(0, len(text), size)])

    assert "".join(deltas).split() == shown.split()


@rows("text", LIFTED.values(), ids=list(LIFTED))
def test_nothing_of_a_block_is_ever_in_a_delta(text):
    deltas, _ = filtered(list("Well.\n" + text)) if not text.startswith(("{", "[{", "`")) else filtered(list(text))

    assert "".join(deltas).strip() in ("Well.", "")


def test_prose_is_shown_as_it_comes():
    deltas, _ = filtered(["It is ", "7 degrees", " and raining."])

    assert deltas == ["It is", " 7 degrees", " and raining.", ""]


def test_text_that_is_no_marker_after_all_is_released():
    deltas, _ = filtered(["if a <", " b then"])

    assert "".join(deltas[:2]) == "if a < b then"


def test_answer_after_a_thought_is_shown_as_it_comes():
    deltas, _ = filtered(["<thi", "nk>private</thi", "nk>It is 7", " degrees."])

    assert deltas[:2] == ["", ""]
    assert "".join(deltas[:4]) == "It is 7 degrees."


def test_code_is_shown_line_by_line():
    deltas, _ = filtered(["```python\n", "x = '<tool_call>'\n", "```\n", "Done."])

    assert "".join(deltas[:2]).startswith("```python\nx = '<tool_call>'")


def test_without_tools_nothing_but_thoughts_is_held_back():
    deltas, _ = filtered(["<tool_call>", "{}"], names=frozenset())

    assert "".join(deltas[:2]) == "<tool_call>{}"
