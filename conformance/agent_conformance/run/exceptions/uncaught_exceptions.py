"""Exceptions that nobody catches, in threads and finalisers of an agent: warnings, for as long as a session runs.

pytest raises them in whichever test runs next, where warnings are errors: that would be another case. Knows no case.
"""

import sys
import threading
import traceback
import warnings
from types import TracebackType
from typing import Any, Self
from weakref import WeakSet

from agent_conformance.run.agent.lifetime import Killed
from agent_conformance.run.process.process_exits import ProcessEnded
from agent_conformance.transcripts.redaction import redacted
from fake_providers.neutral_text import printable_output

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
