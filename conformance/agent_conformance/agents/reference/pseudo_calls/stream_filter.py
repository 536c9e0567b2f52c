"""Which text of a stream can be shown at once. Knows how blocks begin; reads none of them.

Text that may still become a marker is held back, and released when it turns out to be prose. Once a block may have
begun, the rest waits for the complete answer. The result does not depend on how the stream is cut.
"""

import re
from collections.abc import Iterable

from agent_conformance.agents.reference.pseudo_calls import blocks, reading
from agent_conformance.agents.reference.pseudo_calls.json_forms import begins_like_call
from agent_conformance.agents.reference.pseudo_calls.reading import Rules

STOP = re.compile(r"[<\[{`~✿]|(?:\A|(?<=\n))[ \t]*[A-Za-z>]|>>>|\s+\Z")
BEGUN_THOUGHT = re.compile(
    rf"<\s{{0,2}}/?\s{{0,2}}(?:\w{{0,16}}:?\w{{0,16}}/?|{reading.THINK}\s[^<>\n]*/?)\Z|\[/?\w{{0,6}}\Z"
    r"|<\|(?:c\w{0,6}(?:>\w{0,7})?)?\Z",
    re.IGNORECASE,
)
BEGUN_KEY = re.compile(r"(?:\[\s*)?(?:\{\s*(?:\"\w*(?:\"\s*)?)?)?\Z")
LONGEST = 48


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
            return 0, False
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
            return 0, False
        return 1, True

    def _may_open(self, rest: str) -> bool:
        """Whether a block begins here (then everything waits for the end), or may begin here."""
        low = rest[:LONGEST].lower()
        if _may_begin(low, self._openers):
            return True
        return self._bare_json and rest[0] in "{[" and not self.released.strip() and _may_begin_call(rest)

    def _thought(self, at: int, rest: str) -> int | None:
        """How much to hide here: a thought, a stray end of one, or 0 for one that is begun; None if it is none."""
        thought = reading.thought_end(self._text, at)
        if thought is not None:
            torn = reading.torn_call(self._text, at, thought[0]) is not None
            return thought[0] - at if thought[1] and not torn else 0
        close = reading.CLOSE.match(rest)
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
            return end - at if end < len(self._text) else 0
        run = len(rest) - len(rest.lstrip("`"))
        return run if "\n" in rest else 0


def _may_begin(rest: str, openers: Iterable[str]) -> bool:
    """Whether this text begins with one of these, or may once there is more of it."""
    return any(rest.startswith(opener) or opener.startswith(rest) for opener in openers)


def _may_begin_call(rest: str) -> bool:
    """Whether this JSON is a call, or may become one."""
    return begins_like_call(rest) or bool(BEGUN_KEY.match(rest))
