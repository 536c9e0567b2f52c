"""Positions in a text, blocks of protocol, and what a dialect is. Knows no dialect."""

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
    openers: tuple[str, ...]
    read: Reader
    lead: bool = False
