"""The doctor on a program for which nobody wrote an adapter: what it cannot be told is said, and all else is tried."""

from collections.abc import Callable

import pytest

from agent_conformance.attach.acp import AcpAgent
from agent_conformance.attach.loading import checked_agent
from agent_conformance.commands.doctor.command import make_report
from agent_conformance.commands.doctor.probe_runner import Check

Small = Callable[..., type[AcpAgent]]
pytestmark = pytest.mark.slow  # each probe starts a process, which imports an SDK


def checks(adapter: type[AcpAgent]) -> dict[str, Check]:
    report = make_report(checked_agent("acp:small", adapter))
    return {check.topic: check for check in report.checks}


def test_program_that_reads_no_system_prompt_is_probed_without(small: Small) -> None:
    found = checks(small("has-tools"))

    assert {topic for topic, check in found.items() if check.status == "not working"} == set()
    assert (found["system"].status, found["side requests"].status) == ("advice", "ok")
    assert "It cannot be told one" in found["system"].got[:1].upper() + found["system"].got[1:]
    assert "acp:instructions=AGENTS.md" in found["system"].got
    assert "answered apart" in found["side requests"].got


def test_nothing_is_said_about_an_adapter_that_nobody_wrote(small: Small) -> None:
    found = checks(small("drops-arguments", "has-tools"))

    assert found["executed"].status == "not working"
    said = "\n".join(check.fix for check in found.values())
    assert not any(word in said for word in ("setup", "`features`", "`errors`", "__init__", "side_request("))
