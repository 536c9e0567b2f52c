"""Exceptions of the agent: what is known of one that reached the suite, and those that nobody catches.

The first is read once, on the thread that raised it, where its code may hang: the thread that judges gets plain values
alone. The second, in threads and finalisers, are warnings for as long as a session runs: pytest would raise them in
whichever test runs next.
"""

import sys
import threading
import traceback
import warnings
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self
from weakref import WeakSet

from msgspec import Struct
from msgspec.structs import replace

from agent_conformance.adapter.contract import AdapterMistake, CodePlace, DeclaredAgent
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending, ToolError
from agent_conformance.run.agent.agent_instance import Killed
from agent_conformance.run.agent.driver import Flooded
from agent_conformance.run.exceptions import accident_behind, class_name, described_error, is_controlled
from agent_conformance.run.exceptions.crash_trace import gives_its_own_trace, place_of, trace_of
from agent_conformance.run.process.process_exits import ProcessEnded
from agent_conformance.transcripts.finding import Trace
from agent_conformance.transcripts.redaction import redacted
from fake_providers.wire_neutral_lines import printable_output

Kind = Literal["killed", "cannot-restore", "mistake", "flood", "controlled", "crash"]
KINDS: tuple[tuple[type[BaseException], Kind], ...] = (
    (Killed, "killed"),
    (CannotRestore, "cannot-restore"),
    (AdapterMistake, "mistake"),
    (Flooded, "flood"),
)


class Raised(Struct, frozen=True):
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


class ErrorReader(Struct, frozen=True):
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


SILENT = (Killed, ProcessEnded, SystemExit)
"""Of these nobody is to look for a bug in a thread."""


class UncaughtExceptions:
    """Use as a context manager, and `running` around each case. Outside of cases others get what is not an agent's."""

    def __init__(self) -> None:
        self._cases = 0
        self._threads: WeakSet[threading.Thread] = WeakSet()
        self._known: set[threading.Thread] = set()

    def __enter__(self) -> Self:
        self._before: tuple[Any, Any] = threading.excepthook, sys.unraisablehook
        threading.excepthook, sys.unraisablehook = self._of_thread, self._of_finaliser
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        """For threads that were left behind the hook stays: they may end in an exception after the session."""
        sys.unraisablehook = self._before[1]
        if not any(thread.is_alive() for thread in self._threads):
            threading.excepthook = self._before[0]

    def begin_case(self) -> None:
        self._known = set(threading.enumerate())
        self._cases += 1

    def end_case(self) -> None:
        """Threads that are left behind stay the agent's."""
        self._cases -= 1
        for thread in threading.enumerate():
            if thread not in self._known:
                self._threads.add(thread)

    def _of_thread(self, args: Any) -> None:
        if issubclass(args.exc_type, SILENT):
            return
        if self._cases or args.thread in self._threads:
            name = args.thread.name if args.thread is not None else "?"
            self._warn(f"the agent's thread {name} ended in an exception", args)
        else:
            self._before[0](args)

    def _of_finaliser(self, args: Any) -> None:
        if self._cases:
            self._warn(args.err_msg or "an exception of the agent was ignored", args)
        else:
            self._before[1](args)

    def _warn(self, what: str, args: Any) -> None:
        try:
            trace = "".join(traceback.format_exception(args.exc_type, args.exc_value, args.exc_traceback))
        except BaseException:
            trace = "(it cannot be shown)"
        if self._cases:
            warnings.warn(f"{what}\n{trace}", RuntimeWarning, stacklevel=2)
        else:  # a warning may be an error now
            print(printable_output(redacted(f"{what}\n{trace}")), file=sys.__stderr__)
