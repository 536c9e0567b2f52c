"""The reference agent reads the texts of the scenarios alike, wherever a stream cuts them."""

from conformance.agents.reference.pseudo_calls import Rules, StreamFilter, read_text
from conformance.scenario.corpus import bundled_scenarios
from conformance.scenario.loading import load_folder
from tests.tables import rows

FILES, _ = load_folder(bundled_scenarios())
TEXTS = {
    f"{file.id}[{row}] {turn}.{number}": (frozenset(tool.name for tool in scenario.tools), reply.text, reply.means)
    for file in FILES
    if file.area in ("pseudo-calls", "reasoning", "injection")
    for row, scenario in file.rows.items()
    for turn, spec in enumerate(scenario.conversation, 1)
    for number, reply in enumerate(spec.model, 1)
    if reply.text
}


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
