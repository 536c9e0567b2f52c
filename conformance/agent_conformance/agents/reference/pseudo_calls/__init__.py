"""Tool calls that models write as text: recognised and run, or hidden, and kept out of a stream."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agent_conformance.agents.reference.pseudo_calls import blocks
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Dialect, Position
from agent_conformance.agents.reference.pseudo_calls.dialects import DIALECTS, MARK
from agent_conformance.agents.reference.pseudo_calls.json_forms import begins_like_call
from agent_conformance.agents.reference.pseudo_calls.values import TextCall
from agent_conformance.agents.reference.tools import bare_name

__all__ = ["Reading", "Rules", "StreamFilter", "read_text"]


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


STOP = re.compile(r"[<\[{`~✿]|(?:\A|(?<=\n))[ \t]*[A-Za-z>]|>>>|\s+\Z")
BEGUN_THOUGHT = re.compile(
    rf"<\s{{0,2}}/?\s{{0,2}}(?:\w{{0,16}}:?\w{{0,16}}/?|{THINK}\s[^<>\n]*/?)\Z|\[/?\w{{0,6}}\Z"
    r"|<\|(?:c\w{0,6}(?:>\w{0,7})?)?\Z",
    re.IGNORECASE,
)
BEGUN_KEY = re.compile(r"(?:\[\s*)?(?:\{\s*(?:\"\w*(?:\"\s*)?)?)?\Z")
LONGEST = 48
UNDECIDED = 0, False


class StreamFilter:
    """The filter of one answer; `released` is all that has been shown of it."""

    def __init__(self, names: frozenset[str], rules: Rules) -> None:
        rules = rules if names else rules.without_tools()
        self._hides_thoughts = rules.hides_thoughts
        self._bare_json = any(dialect.name == "bare-json" for dialect in rules.dialects)
        self._fences = any(dialect.name == "fence" for dialect in rules.dialects)
        others = [dialect for dialect in rules.dialects if dialect.name not in ("bare-json", "fence")]
        self._openers = [opener for dialect in others for opener in dialect.openers]
        if names:
            self._openers += [
                form.format(name.lower()) for name in names for form in ("[{}(", "[{}]", "<{}>", "{}\n<|content|>")
            ]
        self._text = ""
        self._at = 0
        self._fence = ""
        self._dropped = False
        self.released = ""

    def feed(self, piece: str) -> str:
        """The text that can be shown now, and was not shown before."""
        self._text += piece
        shown = ""
        while True:
            stop = self._next_stop()
            shown += self._text[self._at : stop]
            self._at = stop
            if stop == len(self._text):
                break
            length, visible = self._decide(stop)
            if length == 0:
                break
            shown += self._text[stop : stop + length] if visible else ""
            self._dropped = self._dropped or not visible
            self._at = stop + length
        return self._release(shown)

    def finish(self, shown: str) -> str:
        """The rest of the text of the complete answer."""
        return shown[len(self.released) :] if shown.startswith(self.released) else ""

    def _release(self, shown: str) -> str:
        if self._dropped and not self.released:
            shown = shown.lstrip()
        self.released += shown
        return shown

    def _next_stop(self) -> int:
        match = STOP.search(self._text, self._at)
        return match.start() if match else len(self._text)

    def _decide(self, at: int) -> tuple[int, bool]:
        """How many characters at `at` are decided, and whether they are shown; 0 if more text is needed."""
        rest = self._text[at:]
        if self._fence:
            return self._in_fence(at, rest), True
        if rest.isspace():
            return UNDECIDED
        line_lead = not self._text[:at].rpartition("\n")[2].strip()
        if line_lead and _may_begin(rest, blocks.FENCES):
            return self._open_fence(at, rest), True
        if rest[0] == "`":
            return self._inline(at, rest), True
        if self._hides_thoughts:
            length = self._thought(at, rest)
            if length is not None:
                return length, False
        if self._may_open(rest):
            return UNDECIDED
        return 1, True

    def _may_open(self, rest: str) -> bool:
        """Whether a block begins here (then everything waits for the end), or may begin here."""
        low = rest[:LONGEST].lower()
        if _may_begin(low, self._openers):
            return True
        return self._bare_json and rest[0] in "{[" and not self.released.strip() and _may_begin_call(rest)

    def _thought(self, at: int, rest: str) -> int | None:
        """How much to hide here: a thought, a stray end of one, or 0 for one that is begun; None if it is none."""
        thought = thought_end(self._text, at)
        if thought is not None:
            torn = torn_call(self._text, at, thought[0]) is not None
            return thought[0] - at if thought[1] and not torn else 0
        close = CLOSE.match(rest)
        if close is not None:
            return close.end()
        return 0 if BEGUN_THOUGHT.match(rest) else None

    def _open_fence(self, at: int, rest: str) -> int:
        """The line that opens a fence, once it is known to hold code, or inline code; 0 until then."""
        line, newline, body = rest.partition("\n")
        if not newline:
            return 0
        fence = blocks.FENCE.match(line)
        if fence is None:
            return self._inline(at, rest)
        info = fence["info"].strip()
        if self._fences and blocks.CALL_FENCES.fullmatch(info):
            return 0
        is_json = info.lower() in ("", "json") and body.lstrip()[:1] in "[{"
        if self._fences and is_json and _may_begin_call(body.lstrip()):
            return 0
        self._fence = fence["fence"]
        return len(line) + 1

    def _in_fence(self, at: int, rest: str) -> int:
        """The next line of a fenced block, or the part of it that cannot be its end."""
        line, newline, _ = rest.partition("\n")
        closing = line.strip()
        ends = self._text[at - 1] == "\n" and set(closing) == set(self._fence)
        if newline:
            self._fence = "" if ends and len(closing) >= len(self._fence) else self._fence
            return len(line) + 1
        return 0 if ends else len(rest)

    def _inline(self, at: int, rest: str) -> int:
        end = blocks.inline_code_end(self._text, at)
        if end is not None:
            return end - at
        run = len(rest) - len(rest.lstrip("`"))
        return run if "\n" in rest else 0


def _may_begin(rest: str, openers: Iterable[str]) -> bool:
    """Whether this text begins with one of these, or may once there is more of it."""
    return any(rest.startswith(opener) or opener.startswith(rest) for opener in openers)


def _may_begin_call(rest: str) -> bool:
    """Whether this JSON is a call, or may become one."""
    return begins_like_call(rest) or bool(BEGUN_KEY.match(rest))
