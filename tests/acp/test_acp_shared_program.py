"""A program whose process serves many cases: they are judged as if each had its own."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent_conformance.attach.acp import AcpAgent
from tests.acp.test_acp_verdicts import CANCELLED, INVENTED, RESTART
from tests.trying import ONE_CALL, TWO_CALLS, only_findings

pytestmark = pytest.mark.slow  # each starts processes that import an SDK
Shared = Callable[..., tuple[type[AcpAgent], Path]]
TARGET = "openai-chat+plain"


def processes(notes: Path) -> int:
    return len(notes.read_text(encoding="utf-8").splitlines())


def test_process_serves_one_case_after_the_other(shared: Shared) -> None:
    agent, notes = shared()

    for scenario in (TWO_CALLS, ONE_CALL, INVENTED, TWO_CALLS):
        assert only_findings(agent, scenario) == {TARGET: []}

    assert processes(notes) == 1


def test_turn_is_cancelled_in_its_own_session(shared: Shared) -> None:
    agent, _ = shared()

    assert only_findings(agent, CANCELLED) == {TARGET: []}
    assert only_findings(agent, ONE_CALL) == {TARGET: []}


def test_restart_is_a_process_that_has_served_nothing(shared: Shared) -> None:
    agent, notes = shared()

    assert only_findings(agent, RESTART) == {TARGET: []}
    assert processes(notes) == 2


def test_session_that_is_lost_in_a_restart_is_a_finding(shared: Shared) -> None:
    agent, _ = shared("forgets")

    assert only_findings(agent, RESTART) == {TARGET: ["restored"]}


def test_process_that_crashed_is_replaced(shared: Shared) -> None:
    agent, notes = shared("exits")

    assert [only_findings(agent, ONE_CALL) for _ in range(2)] == [{TARGET: ["answers"]}] * 2
    assert processes(notes) == 2


def test_wrong_agent_gets_its_finding_in_every_case(shared: Shared) -> None:
    agent, notes = shared("drops-arguments")

    assert [only_findings(agent, ONE_CALL) for _ in range(2)] == [{TARGET: ["sent-arguments"]}] * 2
    assert processes(notes) == 1


def test_command_with_the_model_of_a_case_has_a_process_for_each(shared: Shared) -> None:
    agent, notes = shared("{model}")

    assert [only_findings(agent, ONE_CALL) for _ in range(2)] == [{TARGET: []}] * 2
    assert processes(notes) == 2
