"""What an agent does to its process, and what is left of it, does not reach the next case or the end of the run."""

import concurrent.futures
import gc
import io
import os
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from agent_conformance import AgentError
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.agent.driver import Driver, Job
from agent_conformance.run.case_session import CaseSession
from agent_conformance.run.process.isolation import process_restored
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.agents.plain import PlainAgent
from tests.run.end_of_test import OVER
from tests.trying import WEATHER, only_findings, scenario, verdicts

HELLO = "wires: [openai-chat]\nconversation:\n  - user: Say hello.\n    model:\n      - text: Hello.\n"


def closes() -> None:
    sys.stdout.close()
    sys.stderr.close()


def closes_the_buffer() -> None:
    sys.stdout.buffer.close()


def wraps_and_forgets() -> None:
    wrapped = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
    wrapped.write("wrapped\n")
    del wrapped


def detaches() -> None:
    io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8").close()


def replaces() -> None:
    sys.stdin = sys.stdout = sys.stderr = None  # type: ignore[assignment]


@pytest.mark.parametrize("harm", [closes, closes_the_buffer, wraps_and_forgets, detaches, replaces])
def test_standard_streams_are_there_after_a_case(harm: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with process_restored(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a wrapper that is forgotten says so
        harm()

    assert (sys.stdout, sys.stderr) == (out, err)
    print("still open", flush=True)
    print("still open", file=sys.stderr, flush=True)


def test_output_printed_in_a_case_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    out = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    with process_restored(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        print("said")
        wraps_and_forgets()

    assert written.getvalue() == b"said\nwrapped\n"


def test_mask_and_recursion_limit_are_as_before() -> None:
    limit, mask = sys.getrecursionlimit(), os.umask(0o022)
    os.umask(mask)
    with process_restored():
        sys.setrecursionlimit(limit + 100)
        os.umask(0o777)

    assert sys.getrecursionlimit() == limit
    assert os.umask(mask) == mask


class StartsAThread(PlainAgent):
    def send(self, message: str) -> Any:
        threading.Thread(target=OVER.wait, daemon=False).start()
        return super().send(message)


class KeepsAPoolBusy(PlainAgent):
    def send(self, message: str) -> Any:
        concurrent.futures.ThreadPoolExecutor(1).submit(OVER.wait)
        return super().send(message)


class StartsADaemon(PlainAgent):
    def send(self, message: str) -> Any:
        threading.Thread(target=OVER.wait, daemon=True).start()
        return super().send(message)


@pytest.mark.parametrize(
    ("agent", "left"), [(StartsAThread, True), (KeepsAPoolBusy, True), (StartsADaemon, False), (PlainAgent, False)]
)
def test_thread_that_python_would_wait_for_is_reported(agent: Any, left: bool) -> None:
    known = checked_agent("trying", agent)
    with CaseSession(known) as runner:
        verdicts = [runner.run(case) for case in cases_of(scenario(HELLO), known, RunOptions())]

    assert [verdict.outcome for verdict in verdicts] == ["pass"]
    assert runner.has_stuck_thread is left


@pytest.mark.parametrize("kept", [False, True])
def test_objects_frozen_before_stay_frozen(kept: bool) -> None:
    gc.unfreeze()  # Python 3.12 starts with some
    try:
        if kept:
            gc.freeze()
        with CaseSession(checked_agent("trying", PlainAgent)):
            within = gc.get_freeze_count()

        assert within
        assert bool(gc.get_freeze_count()) is kept
    finally:
        gc.unfreeze()


class CloseFails(PlainAgent):
    def close(self) -> None:
        raise RuntimeError("no such connection")


class CloseHangs(PlainAgent):
    async def close(self) -> None:
        import asyncio

        await asyncio.Event().wait()


class CrashesFirst(CloseFails):
    def send(self, message: str) -> Any:
        raise RuntimeError("earlier")


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (
            CloseFails,
            "error: the adapter's close raised RuntimeError: no such connection "
            "at tests/run/test_isolation_of_cases.py",
        ),
        (CloseHangs, "error: the adapter's close did not return within 0.3 s; it was cancelled"),
        (CrashesFirst, "answers"),
    ],
)
def test_close_that_fails_is_an_error_of_the_adapter_unless_the_agent_crashed_before(agent: Any, reason: str) -> None:
    found = only_findings(agent, HELLO, timeout=0.3)

    assert [first.partition(".py:")[0] + ".py" * (".py:" in first) for [first] in found.values()] == [reason]


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


class RaisesIt(PlainAgent):
    def send(self, message: str) -> Any:
        raise Unspeakable


def test_exception_without_a_text_is_a_crash() -> None:
    [verdict] = verdicts(RaisesIt, HELLO)

    [finding] = verdict.findings
    assert finding.id == "answers"
    assert finding.got.startswith("Unspeakable: (it has no text: its __str__ fails)")


class SendsHalfACharacter(PlainAgent):
    def send(self, message: str) -> Any:
        super().send(message)
        raise AgentError(self.setup.tools[0].call({"\ud800": "Oslo"}))


def test_tool_refuses_half_a_surrogate_pair_without_a_crash() -> None:
    [verdict] = verdicts(SendsHalfACharacter, "wires: [openai-chat]\n" + WEATHER + HELLO.partition("\n")[2])

    assert "answers" not in [finding.id for finding in verdict.findings]
    assert "half a surrogate pair" in verdict.narrative


class WaitsInSend(PlainAgent):
    entered = threading.Event()
    closed = False

    def send(self, message: str) -> Any:
        self.entered.set()
        OVER.wait(30)

    def close(self) -> None:
        type(self).closed = True


def test_ctrl_c_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wait = Driver.wait

    def pressed(self: Driver, job: Job, timeout: float, *more: Any, limit: float) -> bool:
        if not job.wait(0.0) and WaitsInSend.entered.wait(0.2):
            monkeypatch.setattr(Job, "wait", lambda self, timeout: pytest.fail("something is waited for"))
            raise KeyboardInterrupt
        return wait(self, job, timeout, *more, limit=limit)

    monkeypatch.setattr(Driver, "wait", pressed)
    agent = checked_agent("trying", WaitsInSend)
    session = CaseSession(agent, timeout=30)
    with session, pytest.raises(KeyboardInterrupt):
        session.run(cases_of(scenario(HELLO), agent, RunOptions())[0])

    assert session.has_stuck_thread
    assert not WaitsInSend.closed


def test_warning_of_an_agent_is_shown_and_not_raised() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("error")
        with process_restored():
            warnings.warn("old", DeprecationWarning, stacklevel=1)

    assert [str(warning.message) for warning in shown] == ["old"]


def test_warnings_that_a_project_ignores_stay_ignored_within_an_agent() -> None:
    """As the thousands of a client that leaves its sockets open: Python itself ignores these."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ResourceWarning)
        with process_restored():
            warnings.warn("unclosed <socket.socket fd=17>", ResourceWarning, stacklevel=1)

        with pytest.raises(UserWarning):
            warnings.warn("of the project's own code", UserWarning, stacklevel=1)

    assert shown == []
