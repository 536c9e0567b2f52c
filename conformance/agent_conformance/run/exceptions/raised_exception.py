"""What is known of an exception of the agent. Read once, on the thread that raised it, where its code may hang: the
thread that judges gets plain values alone.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from agent_conformance.adapter.contract import AdapterMistake, CodePlace, DeclaredAgent
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending, ToolError
from agent_conformance.run.agent.driver import Flooded
from agent_conformance.run.agent.lifetime import Killed
from agent_conformance.run.exceptions.agent_errors import accident_behind, class_name, described_error, is_controlled
from agent_conformance.run.exceptions.crash_trace import gives_its_own_trace, place_of, trace_of
from agent_conformance.transcripts.finding import Trace

Kind = Literal["killed", "cannot-restore", "mistake", "flood", "controlled", "crash"]
KINDS: tuple[tuple[type[BaseException], Kind], ...] = (
    (Killed, "killed"),
    (CannotRestore, "cannot-restore"),
    (AdapterMistake, "mistake"),
    (Flooded, "flood"),
)


@dataclass(frozen=True, slots=True)
class Raised:
    """`text` is its class and message; of CannotRestore the reason, of a mistake and a flood the message alone.

    `hidden` is the bug behind a controlled failure. `has_own_trace`: an agent in another process has written `trace`.
    `error` is kept for a debugger.
    """

    kind: Kind
    text: str
    is_pending: bool = False
    is_cancelled: bool = False
    hidden: str = ""
    place: CodePlace | None = None
    trace: Trace | None = None
    has_own_trace: bool = False
    error: BaseException | None = None
    how_it_was_left: str = ""
    """How an agent in another process was stopped that had hung."""


@dataclass(frozen=True, slots=True)
class ErrorReader:
    """Reads the exceptions of this agent; raises nothing. Places in its code are shown from `start`."""

    agent: DeclaredAgent
    start: Path | None = None
    keeps_error: bool = False

    def of_turn(self, error: BaseException) -> Raised:
        """Of a controlled failure nobody wants the trace, which takes longer than all else here."""
        return self._guarded(error, traces_all=False)

    def outside_turn(self, error: BaseException) -> Raised:
        return self._guarded(error, traces_all=True)

    def _guarded(self, error: BaseException, *, traces_all: bool) -> Raised:
        kept = error if self.keeps_error else None
        try:
            return replace(self._read(error, traces_all=traces_all), error=kept)
        except BaseException:
            return Raised("crash", class_name(error), error=kept)

    def _read(self, error: BaseException, *, traces_all: bool) -> Raised:
        kind = next((kind for cls, kind in KINDS if isinstance(error, cls)), None)
        if kind is not None:
            # Of a subclass of CannotRestore that never called its `__init__`, what it was made with
            reason = getattr(error, "reason", None) if isinstance(error, CannotRestore) else error
            given = error.args[0] if reason is None and error.args else reason
            return Raised(kind, "".join((str(given or "it gives no reason"),)))
        kind = "controlled" if is_controlled(error, (*self.agent.errors, ToolError), self.agent.raised_in) else "crash"
        raised = Raised(
            kind,
            described_error(error),
            is_pending=isinstance(error, Pending),
            is_cancelled=isinstance(error, Cancelled) or class_name(error) == "CancelledError",
            hidden=accident_behind(error) if kind == "controlled" else "",
            how_it_was_left=str(getattr(error, "how_it_was_left", "")),
        )
        return self._traced(raised, error) if traces_all or kind == "crash" else raised

    def _traced(self, raised: Raised, error: BaseException) -> Raised:
        place, trace = place_of(error, self.start), trace_of(error, self.start)
        return replace(raised, place=place, trace=trace, has_own_trace=gives_its_own_trace(error))
