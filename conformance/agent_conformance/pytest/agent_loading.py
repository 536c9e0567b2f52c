"""Loading the agent of a run: where, within which time, and whether its import leaves the process usable."""

import atexit
import contextlib
import os
import sys
import threading
from _thread import start_new_thread
from collections.abc import Iterator
from dataclasses import replace
from types import FrameType
from typing import Any

import pytest
from msgspec import structs

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import (
    IMPORT_TIMEOUTS,
    AgentNotFound,
    import_over,
    load_agent,
    python_spec,
    written_in_file,
)
from agent_conformance.pytest.options import Options
from agent_conformance.run.process.isolation import streams_kept
from agent_conformance.run.process.process_exits import exits_reported, guard_exits, really_exit
from agent_conformance.run.process.shared_functions import PATCHED, threads_are_patched
from agent_conformance.transcripts.printing import make_streams_printable
from agent_conformance.transcripts.redaction import redacted
from agent_conformance.transcripts.shown_texts import shown
from fake_providers.wire_neutral_lines import printable_output

NOTICE = 5.0
"""Seconds of an import, after which a line says that it goes on."""


def with_declared_isolation(config: pytest.Config, options: Options) -> Options:
    """The options, isolated if the adapter says so."""
    from agent_conformance.attach.isolated.eligible import declares_isolation

    folders = (config.invocation_params.dir, config.rootpath)
    spec, folder = written_in_file(options.agent, *folders)
    return structs.replace(options, isolate=options.isolate or declares_isolation(spec, (folder, *folders)))


def load_agent_of(config: pytest.Config, options: Options) -> DeclaredAgent:
    """The agent with what the options declare for it. Raises `AgentNotFound`."""
    agent = replace(_loaded(config, options), spec=options.agent)
    return replace(agent, features=agent.features | {"open-models"}) if options.open_models else agent


def _loaded(config: pytest.Config, options: Options) -> DeclaredAgent:
    root = config.rootpath
    spec, cwd = written_in_file(options.agent, config.invocation_params.dir, root)
    if python_spec(spec) is None:
        return load_agent(spec, cwd=cwd, root=root, declaring=options.timeout)
    guard_exits()
    notices = not hasattr(config, "workerinput")
    limit = IMPORT_TIMEOUTS * options.timeout
    if options.isolate:
        from agent_conformance.attach.isolated.eligible import load_isolated_agent

        with import_limited(spec, None, notices=notices, output=ImportOutput(None)):
            return load_isolated_agent(spec, cwd=cwd, root=root, within=limit)
    with (
        import_captured(config) as output,
        streams_kept(),
        exits_reported(None),
        import_limited(spec, limit, notices=notices, output=output),
    ):
        try:
            agent = load_agent(spec, cwd=cwd, root=root, declaring=options.timeout)
            is_patched = threads_are_patched()
        except AgentNotFound:
            raise
        except Exception:  # what is no thread may fail in any way
            if not (is_patched := threads_are_patched()):
                raise
    if is_patched:
        raise AgentNotFound(f"--agent={spec}: {PATCHED}")
    return agent


class ImportOutput:
    """What an import prints, which pytest captures, and where it is shown; without a capture, as it comes."""

    def __init__(self, capturing: Any) -> None:
        self._capturing = capturing
        self._shown = (1, 2) if capturing is None else (os.dup(1), os.dup(2))

    def show(self) -> None:
        """Show what was captured until now. Also called where the import hangs."""
        if self._capturing is not None:
            for descriptor, text in zip(self._shown, self._capturing.read_global_capture(), strict=True):
                _write(descriptor, printable_output(redacted(text)))

    def say(self, text: str) -> None:
        _write(self._shown[1], f"{shown(redacted(text))}\n")

    def close(self) -> None:
        if self._capturing is not None:
            for descriptor in self._shown:
                os.close(descriptor)


@contextlib.contextmanager
def import_captured(config: pytest.Config) -> Iterator[ImportOutput]:
    """Have pytest capture, as it does in cases: while it is configured it lets everything pass.

    Where it does not, as with `-s`, neither is an import captured.
    """
    capturing = config.pluginmanager.getplugin("capturemanager")
    if capturing is None or config.getoption("capture") not in ("fd", "sys"):
        try:
            yield ImportOutput(None)
        finally:
            atexit.register(make_streams_printable)
        return
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    output = ImportOutput(capturing)
    capturing.resume_global_capture()
    try:
        yield output
    finally:
        atexit.register(make_streams_printable)  # so that it is called before what the import leaves for the end
        capturing.suspend_global_capture(in_=False)
        output.show()
        output.close()


def _write(descriptor: int, text: str) -> None:
    data = text.encode(errors="backslashreplace")
    with contextlib.suppress(OSError):
        while data:
            data = data[os.write(descriptor, data) :]


@contextlib.contextmanager
def import_limited(spec: str, limit: float | None, *, notices: bool, output: ImportOutput) -> Iterator[None]:
    """Say on standard error that an import takes long, and end the process where it takes longer than the limit.

    Nothing else ends an import that hangs in this process, and it has to run on the main thread.
    """
    over, importing = threading.Event(), threading.get_ident()

    def watch() -> None:
        if over.wait(NOTICE if limit is None else min(NOTICE, limit)):
            return
        if notices:
            output.say(f"agent-conformance: still importing the agent{_place(importing)}")
        if limit is not None and not over.wait(limit - NOTICE):
            output.show()
            output.say(f"ERROR: {import_over(spec, limit, _place(importing))}")
            really_exit(pytest.ExitCode.USAGE_ERROR)

    start_new_thread(watch, ())  # a thread, also where an agent patches `threading`
    try:
        yield
    finally:
        over.set()


def _place(thread: int) -> str:
    """Where this thread is, in code that is not Python's own machinery of imports, nor the suite's."""
    frame: FrameType | None = sys._current_frames().get(thread)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    if frame is None or str(frame.f_globals.get("__name__")).startswith("agent_conformance."):
        return ""
    return f" (at {frame.f_code.co_filename}:{frame.f_lineno})"
