"""Reading an answer: the calls that are written in it as text, and the text for the user. Knows every dialect.

Code, quotations and examples stay as they are, byte for byte. Reasoning is removed; so are blocks, which give calls.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agent_conformance.agents.reference.pseudo_calls import blocks
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Dialect, Position
from agent_conformance.agents.reference.pseudo_calls.dialects import DIALECTS, MARK
from agent_conformance.agents.reference.pseudo_calls.values import TextCall
from agent_conformance.agents.reference.tools import bare_name

CANDIDATE = re.compile(r"[<\[{`~✿>]|functools\[|^(?=[ \t]*[A-Za-z])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Reading:
    """`shown` is for the user. `rejected` are the names in blocks that cannot run, "" if there is none."""

    shown: str
    calls: tuple[TextCall, ...] = ()
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of the text that is not for the user; `show` replaces it."""

    start: int
    end: int
    show: str = ""


def leave_cuts_out(text: str, cuts: Sequence[Cut]) -> str:
    """The text before, between and after the cuts."""
    kept, at = "", 0
    for cut in cuts:
        kept += text[at : cut.start] + cut.show
        at = max(at, cut.end)
    return kept + text[at:]


def lift(found: Iterable[TextCall]) -> tuple[TextCall, ...]:
    """The calls of the blocks that can run: all of them, in order."""
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Rules:
    """How a text is read."""

    dialects: tuple[Dialect, ...] = DIALECTS
    code_end: Callable[[str, int], int | None] = blocks.code_end
    is_example: Callable[[str, int, int], bool] = blocks.is_example
    leave_out: Callable[[str, Sequence[Cut]], str] = leave_cuts_out
    lift: Callable[[Iterable[TextCall]], tuple[TextCall, ...]] = lift
    hides_unknown: bool = True
    hides_thoughts: bool = True
    hides_thoughts_without_tools: bool = True

    def without_tools(self) -> "Rules":
        """Without tools a text has no calls: only reasoning and end marks are removed."""
        return Rules((MARK,), hides_thoughts=self.hides_thoughts_without_tools)


def read_text(text: str, names: frozenset[str], rules: Rules, *, released: str = "") -> Reading:
    """`names` are the offered tools; `released` is the text that the user already has."""
    rules = rules if names else rules.without_tools()
    cuts: list[Cut] = []
    found: list[TextCall] = []
    rejected: list[str] = []
    at = 0
    while (candidate := CANDIDATE.search(text, at)) is not None:
        start = candidate.start()
        position = _position(text, start, names, cuts, rules)
        block = next((b for dialect in rules.dialects if (b := _read(dialect, position)) is not None), None)
        if block is not None and not (block.calls and rules.is_example(text, block.start, block.end)):
            known = [call for call in block.calls if bare_name(call.name) in names]
            if known:
                found += block.calls
            elif not block.mark:
                rejected += [call.name for call in block.calls] or [""]
            if known or not block.calls or rules.hides_unknown:
                cuts.append(Cut(block.start, block.end, block.show))
            at = block.end
        elif block is not None:
            at = block.end
        elif rules.hides_thoughts and (thought := thought_end(text, start)) is not None:
            at = torn_call_end(text, start, thought[0])
            cuts.append(Cut(start, at))
        elif (code_end := rules.code_end(text, start)) is not None:
            at = code_end
        elif rules.hides_thoughts and (close := CLOSE.match(text, start)) is not None:
            cuts[:] = [*cuts, Cut(start, close.end())] if released.strip() else [Cut(0, close.end())]
            found, rejected = [], []  # what came before was reasoning
            at = close.end()
        else:
            at = max(candidate.end(), start + 1)
    shown = rules.leave_out(text, cuts)
    return Reading(shown.strip() if cuts else shown, rules.lift(found), tuple(rejected))


def _read(dialect: Dialect, position: Position) -> Block | None:
    return None if dialect.lead and not position.lead else dialect.read(position)


def _position(text: str, at: int, names: frozenset[str], cuts: Sequence[Cut], rules: Rules) -> Position:
    before = leave_cuts_out(text[:at], [cut for cut in cuts if cut.end <= at])
    line = before.rpartition("\n")[2]
    return Position(text, at, names, lead=not before.strip(), line_lead=not line.strip())


THINK = r"(?:\w+:)?(?:think|thinking|thought|antthinking|longcat_think)"
OPEN = re.compile(
    rf"<\s{{0,2}}{THINK}(?:\s+[^<>]*)?\s{{0,2}}(?P<closed>/)?>|\[THINK\]|<\|channel>thought\n", re.IGNORECASE
)
CLOSE = re.compile(rf"<\s{{0,2}}/\s{{0,2}}{THINK}\s{{0,2}}>|\[/THINK\]|<channel\|>", re.IGNORECASE)


def thought_end(text: str, at: int) -> tuple[int, bool] | None:
    """Where the reasoning that begins at `at` ends, and whether it was closed."""
    start = OPEN.match(text, at)
    if start is None:
        return None
    if start["closed"]:
        return start.end(), True
    close = CLOSE.search(text, start.end())
    return (close.end(), True) if close else (len(text), False)


BEGUN_CALL = re.compile(r"<(?P<tag>[\w:-]*(?:tool|function)[-_]?calls?)\b[^<>]*>", re.IGNORECASE)


def torn_call(text: str, start: int, end: int) -> str | None:
    """The tag of a call that the thought from `start` to `end` begins and does not close."""
    begun = list(BEGUN_CALL.finditer(text, start, end))
    if not begun:
        return None
    tag = begun[-1]["tag"]
    return None if f"</{tag}>" in text[begun[-1].end() : end] else tag


def torn_call_end(text: str, start: int, end: int) -> int:
    """Where the thought ends with the rest of the call that it tore, which is closed after it and before the next."""
    tag = torn_call(text, start, end)
    closing = re.compile(rf"<(?P<slash>/?){re.escape(tag)}\b[^<>]*>").search(text, end) if tag else None
    return closing.end() if closing and closing["slash"] else end
