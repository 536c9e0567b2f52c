"""What an agent has broken in the suite's own process: said, and put back before the next case."""

import builtins
import json
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.run.process.descriptors import descriptors_kept, standard_streams_kept
from agent_conformance.run.process.isolation import NEEDED_FUNCTIONS
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, scenario


def broken(*arguments: Any, **named: Any) -> Any:
    raise RuntimeError("patched")


def two_verdicts(patch: Callable[[], Any]) -> list[Verdict]:
    """Of a case in which the agent does this at the end of its turn, and of the same once more without it."""
    patches = [patch]

    class Patches(PlainAgent):
        def send(self, message: str) -> Any:
            reply = super().send(message)
            if patches:
                patches.pop()()
            return reply

    agent = checked_agent("trying", Patches)
    (case,) = cases_of(scenario(ONE_CALL), agent, RunOptions(wires=("openai-chat",)))
    with CaseSession(agent, timeout=3.0) as runner:
        return [runner.run(case), runner.run(case)]


@pytest.mark.parametrize(("owner", "name"), [(builtins, "len"), (builtins, "isinstance"), (time, "monotonic")])
def test_function_that_the_suite_trips_over_is_named(owner: Any, name: str) -> None:
    before = getattr(owner, name)

    first, second = two_verdicts(lambda: setattr(owner, name, broken))

    assert (first.outcome, second.outcome) == ("error", "pass")
    assert first.reason.startswith(
        f"the agent left the process broken: it replaced {owner.__name__}.{name}, and the suite failed with"
    )
    assert first.reason.endswith("Run it in a process of its own, with --agent-isolate")
    assert getattr(owner, name) is before


def test_failure_without_a_patch_stays_one_of_the_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.run.case_session.judge_case", broken)

    with pytest.raises(RuntimeError, match="patched"):
        two_verdicts(lambda: None)


def test_patch_that_nothing_trips_over_is_put_back() -> None:
    first, second = two_verdicts(lambda: setattr(os, "listdir", broken))

    assert (first.outcome, second.outcome) == ("pass", "pass")
    assert os.listdir is not broken


def test_patch_of_before_the_case_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fixture of a project may have made it."""
    monkeypatch.setattr("time.sleep", broken)

    two_verdicts(lambda: None)

    assert time.sleep is broken


def test_inherited_method_is_inherited_again() -> None:
    NEEDED_FUNCTIONS.accept()
    pathlib.Path.__truediv__ = broken  # type: ignore[method-assign]

    NEEDED_FUNCTIONS.restore()

    assert "__truediv__" not in vars(pathlib.Path)
    assert NEEDED_FUNCTIONS.put_back == [f"{pathlib.Path.__module__}.Path.__truediv__"]


def test_deleted_function_is_there_again() -> None:
    NEEDED_FUNCTIONS.accept()
    del json.loads

    NEEDED_FUNCTIONS.restore()

    assert json.loads("1") == 1


@pytest.fixture
def descriptor(tmp_path: Path) -> Iterator[int]:
    opened = os.open(tmp_path / "a", os.O_CREAT | os.O_RDWR)
    yield opened
    os.close(opened)


def is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def close(number: int, *, by_range: bool) -> None:
    if by_range:
        os.closerange(number, number + 1)
    else:
        os.close(number)


@pytest.mark.parametrize("by_range", [False, True])
def test_descriptor_of_the_run_stays_open(by_range: bool, descriptor: int) -> None:
    with descriptors_kept():
        own = os.dup(descriptor)
        close(descriptor, by_range=by_range)
        close(own, by_range=by_range)

        assert (is_open(descriptor), is_open(own)) == (True, False)
    other = os.dup(descriptor)
    close(other, by_range=by_range)
    assert not is_open(other)


def test_standard_stream_leads_where_it_led(descriptor: int) -> None:
    before = os.fstat(1)
    with standard_streams_kept():
        os.dup2(descriptor, 1)
    assert os.path.samestat(os.fstat(1), before)

    with standard_streams_kept():
        os.close(1)
    assert os.path.samestat(os.fstat(1), before)
