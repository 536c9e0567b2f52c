"""Positions in a text, blocks of protocol, and what a dialect is."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from agent_conformance.agents.reference.pseudo_calls.values import TextCall


@dataclass(frozen=True, slots=True)
class Position:
    """Where a reader looks. `lead`: nothing visible comes before it; `line_lead`: nothing in its line does."""

    text: str
    at: int
    names: frozenset[str]
    lead: bool
    line_lead: bool

    def is_within_sentence(self, end: int) -> bool:
        """Whether a marker that ends at `end` is inside a sentence, which goes on after it: a comma, or lower case."""
        return not self.line_lead and re.compile(r",|[ \t]+[a-z]").match(self.text, end) is not None


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of protocol. `calls` is empty if it cannot run; `show` is text in it for the user.

    A `mark` is not a call: a token that is only removed.
    """

    start: int
    end: int
    calls: tuple[TextCall, ...] = ()
    show: str = ""
    mark: bool = False


Reader = Callable[[Position], Block | None]
"""Looks at one place: a block with its calls, a block without any (protocol that cannot be run), or None: prose."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """`openers` are what a block can begin with, in lower case: a stream holds back whatever may become one of them.

    `lead`: it begins the message.
    """

    name: str
    read: Reader
    openers: tuple[str, ...] = ()
    lead: bool = False


FENCES = ("```", "~~~")
FENCE = re.compile(r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\n`]*)(?P<end>\n|$)", re.MULTILINE)
QUOTED_LINES = re.compile(r">[^\n]*(?:\n[ \t]{0,3}>[^\n]*)*")
CALL_FENCES = re.compile(r"(?:tool[-_]?calls?|invoke|tool_code|tool\s+\S+)\s*", re.IGNORECASE)
EXAMPLE = re.compile(r"\b(?:example|sample|for instance|e\.g\.)|例如|示例|比如|举例|例子|比方说|譬如", re.IGNORECASE)


def fence_at(text: str, at: int) -> tuple[str, int, int] | None:
    """A fenced block that begins at `at`: its info, where its body begins, and where all of it ends.

    One that is never closed runs to the end.
    """
    match = FENCE.match(text, text.rfind("\n", 0, at) + 1)
    if match is None:
        return None
    fence = match["fence"]
    closing = re.compile(rf"^[ \t]{{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE).search(text, match.end())
    return match["info"].strip(), match.end(), closing.end() if closing else len(text)


def inline_code_end(text: str, at: int) -> int | None:
    """Where the inline code that begins at `at` ends: at an equal run of backticks in the same line."""
    run = re.compile(r"`+").match(text, at)
    if run is None:
        return None
    closing = re.compile(rf"(?<!`){run[0]}(?!`)|\n").search(text, run.end())
    return closing.end() if closing and closing[0] == run[0] else None


def block_quote_end(text: str, at: int) -> int | None:
    """Where the block quote whose first line begins at `at` ends: before the first line without a `>`."""
    quote = QUOTED_LINES.match(text, at)
    return quote.end() if quote else None


def code_end(text: str, at: int) -> int | None:
    """Where the code or the block quote that begins at `at` ends; code is fenced or inline."""
    line_lead = not text[:at].rpartition("\n")[2].strip()
    if line_lead and (quote_end := block_quote_end(text, at)) is not None:
        return quote_end
    fence = fence_at(text, at)
    return fence[2] if fence else inline_code_end(text, at)


def is_example(text: str, start: int, end: int) -> bool:
    """Whether the prose right around a block calls it an example: the line before it, or the one after."""
    before = text[:start].rstrip().rpartition("\n")[2]
    after = text[end:].lstrip().partition("\n")[0]
    return bool(EXAMPLE.search(before) or EXAMPLE.search(after))
