"""No agent hangs the run, fools it or harms the next case: each kind is hostile in the second of three cases."""

from pathlib import Path

import pytest

from tests.hostile import agents_errors, agents_exits, agents_finalisers, agents_members, agents_state
from tests.hostile.right_agent import KINDS, Kind
from tests.hostile.runs import HERE, OURS, Run, run, write_scenarios

MODULES = (agents_errors, agents_exits, agents_finalisers, agents_members, agents_state)
CODES = {"passed": 0, "not verified": 0, "failed": 1, "error": 3}
ENDS_THE_RUN = ("ended in the middle of", "KeyboardInterrupt", "Terminated: SIGTERM")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_scenarios(tmp_path)
    return tmp_path


def problems(kind: Kind, ran: Run) -> list[str]:
    """What is not as the kind says."""
    found = []
    if ran.code is None:
        return ["it did not end"]
    code = CODES[kind.outcome] if kind.exit is None else kind.exit
    if ran.code != code:
        found.append(f"exit code {ran.code}, expected {code}")
    if kind.says not in ran.output:
        found.append(f"nothing says {kind.says!r}")
    found += [f"the output has {text!r}" for text in OURS if text in ran.output]
    if not any(text in kind.says for text in ENDS_THE_RUN) and "-n" not in kind.options:
        passed = 3 if kind.outcome == "passed" else 2
        if ran.count("passed") != passed or (passed == 2 and ran.count(kind.outcome) != 1):
            found.append(f"expected {passed} passed and the other case {kind.outcome}")
    return found


def check(kind: Kind, project: Path) -> None:
    ran = run(project, f"{HERE}/{kind.name}", *kind.options)
    assert problems(kind, ran) == [], ran.output


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.quick], ids=lambda kind: kind.name)
def test_hostile_agent(kind: Kind, project: Path) -> None:
    check(kind, project)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.quick], ids=lambda kind: kind.name)
def test_hostile_agent_among_the_rest(kind: Kind, project: Path) -> None:
    check(kind, project)
