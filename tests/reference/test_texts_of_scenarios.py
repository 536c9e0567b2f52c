"""The reference agent reads the texts of the scenarios as the scenarios say, wherever a stream cuts them."""

from texts_of_scenarios import TEXTS

from agent_conformance.agents.reference.pseudo_calls import Rules, StreamFilter, read_text
from tests.tables import rows


def streamed(text, size, names):
    """The deltas joined, and the reading of the whole answer."""
    screen = StreamFilter(names, Rules())
    deltas = [screen.feed(text[i : i + size]) for i in range(0, len(text), size)]
    reading = read_text(text, names, Rules(), released=screen.released)
    return "".join([*deltas, screen.finish(reading.shown)]), reading


@rows("names, text, means", list(TEXTS.values()), ids=list(TEXTS))
def test_text_is_shown_and_read_alike_however_it_is_cut(names, text, means):
    calls = read_text(text, names, Rules()).calls

    for size in (1, 2, 3, 5, 1000):
        shown, reading = streamed(text, size, names)
        assert shown.split() == reading.shown.split()
        assert reading.calls == calls
        assert not [marker for marker in (means.never_show if means else ()) if marker in shown]


MEANINGS = {id: row for id, row in TEXTS.items() if row[2] is not None and "native-and-text" not in id}
HIDDEN_BY_CHOICE = (
    *("arguments-without-names", "broken-blocks", "broken-calls", "calls-in-words[leaked-address]"),
    *("calls-within-thoughts[draft-alone]", "calls-within-thoughts[torn]", "code-instead-of-a-call[code]"),
    *("parameter-without-a-bracket", "shorthand-in-a-tag[value]", "word-before-an-invoke[invented-turns]"),
)
"""An agent may run these. This one does not: the text does not say everything that a call needs."""


@rows("id, meaning", [(id, means) for id, (_, _, means) in MEANINGS.items()], ids=list(MEANINGS))
def test_text_is_read_as_the_scenario_says(id, meaning):
    names, text, _ = TEXTS[id]
    reading = read_text(text, names, Rules())

    is_run = meaning.handling in ("run", "run_or_hide") and not id.removeprefix("pseudo-calls/").startswith(
        HIDDEN_BY_CHOICE
    )
    expected = [(call.name, dict(call.arguments)) for call in meaning.calls] if is_run else []
    assert [(call.name, dict(call.arguments)) for call in reading.calls] == expected
    if meaning.handling == "show":
        assert (reading.shown, reading.rejected) == (text, ())
    elif meaning.show is not None and "</think>" not in text:
        assert reading.shown == meaning.show


@rows("names, text, means", [row for row in TEXTS.values() if row[2] is None])
def test_text_without_a_meaning_is_shown(names, text, means):
    reading = read_text(text, names, Rules())

    assert (reading.shown, reading.calls, reading.rejected) == (text, (), ())
