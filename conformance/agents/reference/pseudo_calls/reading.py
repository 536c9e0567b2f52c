"""Reading a whole answer: which calls are written in it as text, and what of it is for the user. Knows every dialect.

Code, quotations and examples are left as they are, byte for byte; reasoning goes; blocks go, and their calls are given.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from conformance.agents.reference.pseudo_calls import regions
from conformance.agents.reference.pseudo_calls.dialects import DIALECTS, MARK
from conformance.agents.reference.pseudo_calls.found import Block, Dialect, Place
from conformance.agents.reference.pseudo_calls.values import Found
from conformance.agents.reference.resolution import bare_name

CANDIDATE = re.compile(r"[<\[{`~✿>]|functools\[|^(?=[ \t]*[A-Za-z])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """`shown` is for the user. `rejected` are the names in blocks that cannot be run, "" where none could be read."""

    shown: str
    calls: tuple[Found, ...] = ()
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of the text that is not for the user; `show` is what stands in its place."""

    start: int
    end: int
    show: str = ""


def leave_cuts_out(text: str, cuts: Sequence[Cut]) -> str:
    """What is left in front of, between and behind the cuts."""
    kept, at = "", 0
    for cut in cuts:
        kept += text[at : cut.start] + cut.show
        at = max(at, cut.end)
    return kept + text[at:]


def lift(found: Iterable[Found]) -> tuple[Found, ...]:
    """The calls of the blocks that can be run: all of them, in order."""
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Rules:
    """The parts that a reading is made of."""

    dialects: tuple[Dialect, ...] = DIALECTS
    code_end: Callable[[str, int], int | None] = regions.code_end
    is_example: Callable[[str, int, int], bool] = regions.is_example
    leave_out: Callable[[str, Sequence[Cut]], str] = leave_cuts_out
    lift: Callable[[Iterable[Found]], tuple[Found, ...]] = lift
    hides_unknown: bool = True
    hides_thoughts: bool = True
    hides_thoughts_without_tools: bool = True

    def without_tools(self) -> "Rules":
        """With nothing on offer a text is nothing but text: only reasoning and end marks go."""
        return Rules((MARK,), hides_thoughts=self.hides_thoughts_without_tools)


def read_text(text: str, names: frozenset[str], rules: Rules, *, released: str = "") -> Reading:
    """`names` are the offered tools; `released` is what the user has seen already and cannot be taken back."""
    rules = rules if names else rules.without_tools()
    cuts: list[Cut] = []
    found: list[Found] = []
    rejected: list[str] = []
    at = 0
    while (candidate := CANDIDATE.search(text, at)) is not None:
        start = candidate.start()
        place = _place(text, start, names, cuts, rules)
        block = next((b for dialect in rules.dialects if (b := _read(dialect, place)) is not None), None)
        thought = regions.thought_end(text, start) if rules.hides_thoughts and block is None else None
        code_end = rules.code_end(text, start) if block is None and thought is None else None
        if block is not None and not (block.calls and rules.is_example(text, block.start, block.end)):
            known = [call for call in block.calls if bare_name(call.name) in names or call.name in names]
            if known:
                found += block.calls
            elif not block.mark:
                rejected += [call.name for call in block.calls] or [""]
            if known or block.mark or not block.calls or rules.hides_unknown:
                cuts.append(Cut(block.start, block.end, block.show))
            at = block.end
        elif block is not None:
            at = block.end
        elif thought is not None:
            cuts.append(Cut(start, thought[0]))
            at = thought[0]
        elif code_end is not None:
            at = code_end
        elif rules.hides_thoughts and (close := regions.CLOSE.match(text, start)) is not None:
            cuts[:] = [*cuts, Cut(start, close.end())] if released.strip() else [Cut(0, close.end())]
            at = close.end()
        else:
            at = max(candidate.end(), start + 1)
    shown = rules.leave_out(text, cuts)
    return Reading(shown.strip() if cuts else shown, rules.lift(found), tuple(rejected))


def _read(dialect: Dialect, place: Place) -> Block | None:
    if (dialect.line and not place.line_lead) or (dialect.lead and not place.lead):
        return None
    return dialect.read(place)


def _place(text: str, at: int, names: frozenset[str], cuts: Sequence[Cut], rules: Rules) -> Place:
    before = leave_cuts_out(text[:at], [cut for cut in cuts if cut.end <= at])
    line = before.rpartition("\n")[2]
    return Place(text, at, names, lead=not before.strip(), line_lead=not line.strip())
