"""However an agent ends, its case ends in a verdict, and the next case is not affected."""

import asyncio
import contextlib
import json
import os
import threading
import urllib.request
import warnings
from pathlib import Path
from typing import Any
from unittest import SkipTest

import pytest

from agent_conformance import AgentError, CannotRestore
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.agents.plain import CLIENT, PlainAgent
from tests.trying import ONE_CALL, WEATHER, only_findings, scenario, verdicts

ONE_WIRE = "wires: [openai-chat]\n" + ONE_CALL
HELLO = "wires: [openai-chat]\nconversation:\n  - user: Say hello.\n    model:\n      - text: Hello.\n"


class Hangs(PlainAgent):
    release = threading.Event()

    def send(self, message: str) -> Any:
        super().send(message)
        self.release.wait(30)
        return "late"


class WaitsForever(PlainAgent):
    async def send(self, message: str) -> Any:
        super().send(message)
        await asyncio.Event().wait()


class Floods(PlainAgent):
    features = PlainAgent.features | {"deltas"}

    def send(self, message: str) -> Any:
        while True:
            yield "x" * 100_000


class Leaves(PlainAgent):
    def send(self, message: str) -> Any:
        raise SystemExit("bye")


class FailsInTasks(PlainAgent):
    async def send(self, message: str) -> Any:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.fail())

    async def fail(self) -> None:
        raise ValueError("no such city")


class NeverStops(PlainAgent):
    """Sends its request again whatever the response, refusals and the suite's own stop included."""

    def send(self, message: str) -> Any:
        self.begin(message)
        for _ in range(200):
            body = self.shape.body([*self.messages], self.tools())
            CLIENT.post(self.setup.base_url + self.shape.path, json=body, headers=self.shape.headers)
        return "done"


class LeavesATask(PlainAgent):
    async def send(self, message: str) -> Any:
        self.task = asyncio.get_running_loop().create_task(asyncio.sleep(3600))
        return super().send(message)


class Misreads(PlainAgent):
    def send(self, message: str) -> Any:
        return json.loads("{")


@pytest.fixture(autouse=True)
def released() -> Any:
    Hangs.release.clear()
    yield
    Hangs.release.set()


@pytest.mark.parametrize(
    ("agent", "law", "timeout"),
    [
        (Hangs, "answers", 0.2),
        (WaitsForever, "answers", 0.2),
        (Floods, "answers", 10.0),
        (Leaves, "answers", 10.0),
        (NeverStops, "bounded", 10.0),
    ],
)
def test_agent_that_does_not_end_gets_a_verdict(agent: Any, law: str, timeout: float) -> None:
    found = only_findings(agent, HELLO, timeout=timeout)

    assert found == {"openai-chat+plain": [law]}


def test_crash_inside_a_library_names_the_agents_own_line() -> None:
    [verdict] = verdicts(Misreads, HELLO)

    [finding] = verdict.findings
    assert f"test_case_run.py:{Misreads.send.__code__.co_firstlineno + 1}" in finding.got


def test_crash_in_a_task_group_names_the_line_of_the_first_exception() -> None:
    [verdict] = verdicts(FailsInTasks, HELLO)

    [finding] = verdict.findings
    message = "ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception); the first is ValueError: no such city"
    place = f"tests/run/test_case_run.py:{FailsInTasks.fail.__code__.co_firstlineno + 1}"
    assert finding.got == f"{message} at {place}"


def test_task_that_still_runs_ends_with_its_case() -> None:
    assert only_findings(LeavesATask, HELLO) == {"openai-chat+plain": []}


def test_stuck_thread_is_reported_so_that_the_process_can_end() -> None:
    agent = checked_agent("trying", Hangs)
    with CaseSession(agent, timeout=0.1) as runner:
        for case in cases_of(scenario(HELLO), agent, RunOptions()):
            runner.run(case)

        assert runner.has_stuck_thread


class Vandal(PlainAgent):
    """Changes the working directory and the environment, and prints."""

    def send(self, message: str) -> Any:
        os.chdir("/")
        os.environ["VANDAL"] = "was here"
        os.environ.pop("PATH", None)
        print("noise")
        return super().send(message)


def test_process_is_restored_after_a_case() -> None:
    before = (Path.cwd(), dict(os.environ))

    assert only_findings(Vandal, HELLO) == {"openai-chat+plain": []}
    assert (Path.cwd(), dict(os.environ)) == before


@pytest.mark.parametrize(
    "raised",
    [pytest.skip.Exception("flaky"), pytest.xfail.Exception("known"), pytest.exit.Exception("bye"), SkipTest("no")],
    ids=lambda raised: type(raised).__name__,
)
def test_outcome_of_a_test_that_an_agent_raises_is_a_crash(raised: BaseException) -> None:
    class Raises(PlainAgent):
        def send(self, message: str) -> Any:
            super().send(message)
            raise raised

    assert only_findings(Raises, HELLO) == {"openai-chat+plain": ["answers"]}


class Warns(PlainAgent):
    def send(self, message: str) -> Any:
        warnings.warn("old model", DeprecationWarning, stacklevel=1)
        return super().send(message)


@pytest.mark.filterwarnings("error")
def test_warning_of_the_agent_stays_a_warning_where_the_project_makes_them_errors() -> None:
    with warnings.catch_warnings(record=True):
        assert only_findings(Warns, HELLO) == {"openai-chat+plain": []}


class Forks(PlainAgent):
    def send(self, message: str) -> Any:
        child = os.fork()
        if child == 0:
            return "from the child"
        os.waitpid(child, 0)
        return super().send(message)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_child_does_not_continue_the_session() -> None:
    assert only_findings(Forks, HELLO) == {"openai-chat+plain": []}


class CannotHold(PlainAgent):
    def __init__(self, setup: Any) -> None:
        if setup.history:
            raise CannotRestore("sessions begin empty")
        super().__init__(setup)


class CannotStart(PlainAgent):
    def __init__(self, setup: Any) -> None:
        raise FileNotFoundError("config.toml")


class SendsNothing(PlainAgent):
    def send(self, message: str) -> Any:
        return "I know it all."


class GoesElsewhere(PlainAgent):
    def send(self, message: str) -> Any:
        try:
            urllib.request.urlopen("https://api.openai.com/v1/models", timeout=5)
        except OSError:
            raise AgentError("no connection") from None


class PhonesHome(PlainAgent):
    def send(self, message: str) -> Any:
        with contextlib.suppress(OSError):
            urllib.request.urlopen("https://telemetry.example.org/", timeout=5)
        return super().send(message)


def test_connection_to_another_host_is_advice() -> None:
    (verdict,) = verdicts(PhonesHome, HELLO)

    assert verdict.outcome == "pass"
    assert [(finding.id, finding.level) for finding in verdict.findings] == [("foreign-host", "should")]
    assert "telemetry.example.org:443" in verdict.findings[0].got


class YieldsNumbers(PlainAgent):
    def send(self, message: str) -> Any:
        yield 7


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        (CannotStart, "error: the adapter's __init__ raised FileNotFoundError: config.toml"),
        (SendsNothing, "error: the fake received no request in turn 1"),
        (GoesElsewhere, "error: the agent tried to reach a model at api.openai.com:443 instead of its base URL"),
        (YieldsNumbers, "error: send yielded a int; yield text, or agent_conformance.Reply(text) last"),
    ],
)
def test_failure_of_adapter_or_setup_is_an_error(agent: Any, reason: str) -> None:
    assert only_findings(agent, HELLO) == {"openai-chat+plain": [reason]}


def test_history_that_cannot_be_restored_is_not_verified() -> None:
    text = "wires: [openai-chat]\nhistory:\n  - user: Hi.\n  - assistant: Hello.\n" + HELLO.partition("\n")[2]

    assert only_findings(CannotHold, text) == {
        "openai-chat+plain": ["not-verified: cannot restore the history: sessions begin empty"]
    }


def test_missing_feature_is_not_verified() -> None:
    class Forgets(PlainAgent):
        features = frozenset({"native-tools"})

    text = WEATHER + ONE_CALL.removeprefix(WEATHER) + "  - user: And now?\n    model:\n      - text: Sun.\n"
    found = only_findings(Forgets, text)

    assert set(map(tuple, found.values())) == {("not-verified: needs conversation",)}


def test_case_gets_the_same_verdict_over_the_socket() -> None:
    in_process = [(v.case, v.outcome, v.narrative, v.findings) for v in verdicts(PlainAgent, ONE_CALL)]
    over_socket = [
        (v.case, v.outcome, v.narrative, v.findings) for v in verdicts(PlainAgent, ONE_CALL, transport="socket")
    ]

    assert in_process == over_socket
    assert [outcome for _, outcome, _, _ in in_process] == ["pass"] * len(PlainAgent.wires)
