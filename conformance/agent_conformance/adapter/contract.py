"""What the suite knows of an adapter: what it declares, and that it broke the contract."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from agent_conformance.adapter.types import Feature

FEATURE_NAMES: tuple[str, ...] = get_args(Feature)


class AdapterMistake(Exception):
    """The adapter, not the agent, does something that the contract does not allow."""


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A line of code. `called_from` is the line of the agent that led to one of a library."""

    file: str
    line: int
    called_from: "CodePlace | None" = None

    @property
    def in_agent(self) -> "CodePlace":
        return self.called_from or self

    @property
    def raised_at(self) -> str:
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return self.raised_at + (f", called from {self.called_from}" if self.called_from else "")


class ReportedError(Exception):
    """An exception that was raised in another process, as that process describes it.

    `controlled`: it is a controlled failure. `hidden` is the bug that it hides, `place` and `trace` say where it was
    raised, and `whole_trace` has all frames.
    """

    def __init__(
        self,
        described: str,
        *,
        controlled: bool = False,
        hidden: str = "",
        place: CodePlace | None = None,
        trace: str = "",
        whole_trace: str = "",
    ) -> None:
        super().__init__(described)
        self.described = described
        self.controlled = controlled
        self.hidden = hidden
        self.place = place
        self.trace = trace
        self.whole_trace = whole_trace


@dataclass(frozen=True, slots=True)
class DeclaredAgent:
    """An agent that can be started: its adapter class and what the adapter declares.

    `start_seconds` is what a process of its own took to start, for an agent that needs one for each case. It is only
    for an estimate: nothing that runs may depend on it.
    """

    spec: str
    adapter: Callable[..., Any]
    wires: tuple[str, ...]
    modes: tuple[str, ...]
    features: frozenset[str]
    errors: tuple[type[BaseException], ...]
    raised_in: tuple[str, ...] = ()
    """Modules, packages and folders whose deliberate exceptions are controlled failures too, whatever their class."""
    start_seconds: float = 0.0
    reply_tool: tuple[str, str | None] | None = None
    """The tool of the agent's own with which it ends a turn, and the argument that has the reply."""
    instructions_as_message: bool = False
    """Whether it sends the system prompt in its first message of the user."""
    scrub: tuple[Any, ...] = ()
    """Compiled patterns: what they match becomes `...` in snapshots."""
