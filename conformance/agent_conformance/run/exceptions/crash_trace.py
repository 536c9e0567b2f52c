"""Exceptions of the agent: where it crashed, what is known of one that reached the suite, and those nobody catches.

One that reached it is read once, on the thread that raised it, where its code may hang: the thread that judges gets
plain values alone. Others, in threads and finalisers, are warnings for as long as a session runs: pytest would raise
them in whichever test runs next.
"""

import dataclasses
import linecache
import re
import sys
import sysconfig
import threading
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from traceback import walk_tb
from types import CodeType, FrameType, TracebackType
from typing import Any, Literal, Self
from weakref import WeakSet

from msgspec import Struct
from msgspec.structs import replace

import fake_providers
from agent_conformance.adapter.contract import AdapterMistake, CodePlace, DeclaredAgent, ReportedError
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending, ToolError
from agent_conformance.run.agent.agent_instance import Killed
from agent_conformance.run.agent.driver import Flooded
from agent_conformance.run.exceptions import (
    LONGEST,
    accident_behind,
    class_name,
    described_error,
    first_of,
    is_controlled,
)
from agent_conformance.run.process.process_exits import ProcessEnded
from agent_conformance.scenario.yaml_files import shown_path
from agent_conformance.transcripts.finding import Trace
from agent_conformance.transcripts.redaction import redacted
from fake_providers.wire_neutral_lines import printable_output

Owner = Literal["agent", "library", "carrier", "python", "suite"]
"""Whose code a frame is in: the project's, an installed package's, such a package's that carries requests for others,
Python's own, or the suite's."""

HTTP = {"httpx", "httpx2", "httpcore", "httpcore2", "h11", "h2", "requests", "urllib3", "aiohttp"}
VENDORS = {"openai", "anthropic", "genai", "ollama", "mistralai", "groq"}
CARRIERS = frozenset({*HTTP, *VENDORS, "anyio", "tenacity", "pydantic", "pydantic_core"})
"""Packages that send requests or check values for others. Their own exceptions are placed where they were called."""

CONFORMANCE = Path(__file__).parents[2]
AGENTS = CONFORMANCE / "agents"
SUITE = (f"{CONFORMANCE}/", f"{Path(fake_providers.__file__).parent}/")
JUDGED = (f"{AGENTS / 'ready_made'}/", f"{AGENTS / 'reference'}/", f"{CONFORMANCE / 'mutants.py'}")
PYTHON = tuple({f"{sysconfig.get_path(name)}/" for name in ("stdlib", "platstdlib")})
INSTALLED = ("site-packages", "dist-packages")

LIBRARY_FRAMES = 3
"""The last frames of libraries that a brief trace has, besides those of the agent."""
MOST_FRAMES = 20
"""Frames of the agent itself that a brief trace has: the first and the last of a deep recursion."""
MOST_CAUSES = 3
LONGEST_LINE = 100


class Frame(Struct, frozen=True):
    """One line of a traceback. `place` has a path that a reader can find."""

    place: CodePlace
    function: str
    source: str
    owner: Owner

    def __str__(self) -> str:
        return f"{self.place} in {self.function}" + (f": {self.source}" if self.source else "")


def place_of(error: BaseException, start: Path | None = None) -> CodePlace | None:
    """Where it was raised: `agent.py:12`, or `package/module.py:7, called from agent.py:12`. None if unknown."""
    if isinstance(error, ReportedError):
        return error.place
    error = first_of(error)
    if text := _given_text(error):
        return place_in(text)
    frames = frames_of(error, start)
    origin = _origin(error, start)
    if origin is None:
        return frames[-1].place if frames else None
    caller = next((frame.place for frame in reversed(frames) if frame.owner == "agent"), None)
    return origin.place if origin.owner == "agent" else dataclasses.replace(origin.place, called_from=caller)


def trace_of(error: BaseException, start: Path | None = None) -> Trace:
    """The traceback, with what caused the exception before it. An agent in another process gives its own as text."""
    if isinstance(error, ReportedError):
        return Trace(error.trace, error.whole_trace)
    if text := _given_text(error):
        return Trace(shortened(text), text)
    chain = list(reversed(list(_chain(first_of(error)))))
    return Trace(_text(chain[-MOST_CAUSES:], start, whole=False), _text(chain, start, whole=True))


def gives_its_own_trace(error: BaseException) -> bool:
    """Whether it says where an agent in another process crashed."""
    return isinstance(error, ReportedError) or bool(_given_text(error))


def frames_of(error: BaseException, start: Path | None = None) -> list[Frame]:
    """The frames in order of call. The suite's own are left out."""
    known: dict[tuple[CodeType, int], Frame] = {}  # a recursion has one frame a thousand times
    frames = []
    for frame, line in walk_tb(error.__traceback__):
        key = (frame.f_code, line)
        frames.append(known.get(key) or known.setdefault(key, _frame(frame, line, start)))
    return [frame for frame in frames if frame.owner != "suite"]


def debugged_traceback(error: BaseException) -> TracebackType | None:
    """The traceback for a debugger. pytest's starts in the last frame that is not hidden: that of the crash's place."""
    error = first_of(error)
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    owners = [_owner(frame.f_code.co_filename) for frame in frames]
    placed = _placed_in(error)
    last = max((place for place, owner in enumerate(owners) if owner in placed), default=len(frames))
    for frame in frames[last + 1 :]:
        if frame.f_locals is not frame.f_globals:
            frame.f_locals["__tracebackhide__"] = True
    return error.__traceback__


def _origin(error: BaseException, start: Path | None, known: tuple[BaseException, ...] = ()) -> Frame | None:
    """The last frame of the agent or of a library; where a library raises for a cause, the cause's.

    `known` are those that were raised for this one: causes may go round in a circle.
    """
    frames = frames_of(error, start)
    placed = _placed_in(error)
    at = next((frame for frame in reversed(frames) if frame.owner in placed), None)
    cause = first_of(error.__cause__) if error.__cause__ else None
    if cause is None or any(cause is one for one in known) or (at is not None and at.owner == "agent"):
        return at
    return _origin(cause, start, (*known, error)) or at


def _placed_in(error: BaseException) -> tuple[Owner, ...]:
    """Whose code the error may be placed in. A carrier's own exception, or one of the network, is no fault of it."""
    package = type(error).__module__.split(".")[:2]
    is_reported = isinstance(error, OSError) or bool(CARRIERS & set(package))
    return ("agent", "library") if is_reported else ("agent", "library", "carrier")


def _frame(frame: FrameType, line: int, start: Path | None) -> Frame:
    file = frame.f_code.co_filename
    linecache.checkcache(file)
    source = redacted(linecache.getline(file, line, frame.f_globals).strip()[:LONGEST])
    cut = source if len(source) <= LONGEST_LINE else f"{source[:LONGEST_LINE]}..."
    return Frame(CodePlace(_shown(file, start), line), frame.f_code.co_name, cut, _owner(file))


def _owner(file: str) -> Owner:
    if file.startswith(JUDGED):
        return "agent"
    if file.startswith(SUITE):
        return "suite"
    if (package := _installed_path(file)) is not None:
        return "carrier" if CARRIERS & set(package.parts[:2]) else "library"
    return "python" if file.startswith((*PYTHON, "<")) else "agent"


def _installed_path(file: str) -> Path | None:
    """The path within the folder of installed packages: `httpx/_client.py`."""
    parts = Path(file).parts
    last = max((place for place, part in enumerate(parts) if part in INSTALLED), default=None)
    return None if last is None else Path(*parts[last + 1 :])


def _shown(file: str, start: Path | None) -> str:
    """From the folder of packages, or from `start`, by default the working directory; else the whole path."""
    if (package := _installed_path(file)) is not None:
        return package.as_posix()
    for folder in (*PYTHON, f"{CONFORMANCE}/"):
        if file.startswith(folder):
            return file.removeprefix(folder if folder in PYTHON else f"{CONFORMANCE.parent}/")
    if file.startswith("<"):
        return file
    return shown_path(Path(file), start)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it was raised for, the last one first."""
    known: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and not any(following is one for one in known):
        yield following
        known.append(following)
        context = None if following.__suppress_context__ else following.__context__
        following = following.__cause__ or context


def _text(chain: Sequence[BaseException], start: Path | None, *, whole: bool) -> str:
    """The exceptions with their frames, one after the other; nothing where none of them has a frame."""
    frames = [frames_of(error, start) for error in chain]
    parts = ["\n".join(_lines(error, own, whole=whole)) for error, own in zip(chain, frames, strict=True)]
    return "\nwhich led to:\n".join(parts) if any(frames) else ""


def _lines(error: BaseException, frames: Sequence[Frame], *, whole: bool) -> Iterator[str]:
    """The frames, runs of one and the same as one, and the exception."""
    kept = set(range(len(frames))) if whole else _kept(frames)
    left_out = 0
    again = 0
    previous: Frame | None = None
    for place, frame in enumerate(frames):
        if place not in kept:
            left_out += 1
            continue
        if frame == previous and not left_out:
            again += 1
            continue
        yield from _repeated(again)
        if left_out:
            yield f"... {_frames(left_out)} (--tb=long)"
        yield str(frame)
        left_out, again, previous = 0, 0, frame
    yield from _repeated(again)
    yield described_error(error)


def _repeated(again: int) -> Iterator[str]:
    if again:
        yield f"... the same frame {again} more time{'s' if again > 1 else ''}"


def _kept(frames: Sequence[Frame]) -> set[int]:
    """The agent's own frames, the last ones of libraries, and the last of all."""
    own = [place for place, frame in enumerate(frames) if frame.owner == "agent"]
    others = [place for place, frame in enumerate(frames) if frame.owner in ("library", "carrier")]
    named = [place for place, frame in enumerate(frames) if frame.owner == "library"]
    if len(own) > MOST_FRAMES:
        own = own[: MOST_FRAMES // 2] + own[-MOST_FRAMES // 2 :]
    return {*own, *others[-LIBRARY_FRAMES:], *named[-1:], *range(len(frames))[-LIBRARY_FRAMES:]}


def _frames(count: int) -> str:
    return "1 more frame" if count == 1 else f"{count} more frames"


def _given_text(error: BaseException) -> str:
    return str(getattr(error, "agent_traceback", "")).strip("\n")


MOST_LINES = 20
PLACE = re.compile(r'File "(?P<python>[^"]+)", line (?P<row>\d{1,9})|(?P<file>[^\s()"\']+\.\w{1,5}):(?P<line>\d{1,9})')
"""Python's own words, or `agent.mjs:12` as nearly all others write it."""
NOT_THE_AGENT = re.compile(r"node_modules/|node:|site-packages/|/rustc/|/usr/local/go/|/lib/python")
"""Frames of packages and of the languages themselves, in Node, Python, Rust and Go."""


def place_in(text: str) -> CodePlace | None:
    """Where the agent crashed: the place that is nearest to the error, in code of its own if there is any."""
    found = list(PLACE.finditer(text))
    python = [CodePlace(_shown_path(one["python"]), int(one["row"])) for one in found if one["python"]]
    others = [CodePlace(_shown_path(one["file"]), int(one["line"])) for one in found if one["file"]]
    places = python[::-1] or others
    own = [place for place in places if not NOT_THE_AGENT.search(place.file)]
    return next(iter(own or places), None)


def shortened(text: str) -> str:
    """The first and the last lines: some tracebacks end with the reason, some begin with it."""
    lines = text.splitlines()
    if len(lines) <= MOST_LINES:
        return text
    half = MOST_LINES // 2
    left_out = len(lines) - 2 * half
    return "\n".join([*lines[:half], f"... {left_out} more lines (--tb=long)", *lines[-half:]])


def _shown_path(file: str) -> str:
    return shown_path(Path(file.removeprefix("file://")))


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
