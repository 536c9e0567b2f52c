"""What reading a text gives: places, blocks and dialects. Knows no dialect."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from conformance.agents.reference.pseudo_calls.values import Found


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reader looks. `lead`: nothing visible comes before it; `line_lead`: nothing in its line does."""

    text: str
    at: int
    names: frozenset[str]
    lead: bool
    line_lead: bool

    def is_talked_about(self, end: int) -> bool:
        """Whether a marker that ends at `end` stands amid a sentence, which goes on behind it in small letters."""
        return not self.line_lead and re.compile(r"[ \t]+[a-z]").match(self.text, end) is not None


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of protocol. `calls` is empty where it cannot be run; `show` is text in it that is meant for the user.

    A `mark` is no call at all: a token that only has to go.
    """

    start: int
    end: int
    calls: tuple[Found, ...] = ()
    show: str = ""
    mark: bool = False


Reader = Callable[[Place], Block | None]
"""Looks at one place: a block with its calls, a block without any (protocol that cannot be run), or None: prose."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """`openers` are what a block can begin with, in lower case: a stream holds back whatever may become one of them.

    `line` says that it begins a line, `lead` that it begins the message.
    """

    name: str
    openers: tuple[str, ...]
    read: Reader
    line: bool = False
    lead: bool = False
