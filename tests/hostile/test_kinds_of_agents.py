"""No agent hangs the run, fools it or harms the next case: each kind is hostile in the second of three cases."""

import signal
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import pytest

from tests.hostile.right_agent import HERE, KINDS, Kind, When
from tests.hostile.runs import OURS, Run, run, write_scenarios
from tests.tables import rows

for path in sorted(HERE.glob("agents_*.py")):
    import_module(f"tests.hostile.{path.stem}")  # which adds its kinds to `KINDS`

CODES = {"passed": 0, "not verified": 0, "failed": 1, "error": 3}
ENDS_THE_RUN = ("ended in the middle of", "KeyboardInterrupt", "Terminated: SIGTERM")
AT_ONCE = 6
"""Runs at the same time: most wait for a timeout."""


def kinds(when: When) -> list[Kind]:
    return [kind for kind in KINDS if kind.when == when]


class Runs:
    """All kinds of a group are started when the first of them is asked for."""

    def __init__(self, config: pytest.Config, folders: pytest.TempPathFactory) -> None:
        self._text = config.getoption("row")
        self._folders = folders
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._begun: dict[str, Future[Run]] = {}

    def of(self, kind: Kind) -> Run:
        if kind.name not in self._begun:
            for other in kinds(kind.when):
                if group_of(other) == group_of(kind) and self._text in other.name:
                    self._begun[other.name] = self._pool.submit(self._run, other, self._folders.mktemp("kind"))
        return self._begun[kind.name].result()

    def _run(self, kind: Kind, folder: Path) -> Run:
        write_scenarios(folder)
        return run(folder, kind.agent, *kind.options)


@pytest.fixture(scope="module")
def runs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return Runs(request.config, tmp_path_factory)


def group_of(kind: Kind) -> str:
    """The test of which it is a row: those of a module, or all of every day, which wait beside each other."""
    return "daily" if kind.when == "daily" else kind.name.partition(".")[0]


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


def check(kind: Kind, runs: Runs) -> None:
    ran = runs.of(kind)
    assert problems(kind, ran) == [], ran.output


@rows("kind", kinds("daily"), ids=lambda kind: kind.name, group=group_of)
def test_hostile_agent(kind: Kind, runs: Runs) -> None:
    check(kind, runs)


@pytest.mark.slow
@rows("kind", kinds("slow"), ids=lambda kind: kind.name, group=group_of)
def test_hostile_agent_among_the_rest(kind: Kind, runs: Runs) -> None:
    check(kind, runs)


@pytest.mark.weekly
@rows("kind", kinds("weekly"), ids=lambda kind: kind.name, group=group_of)
def test_hostile_agent_once_a_week(kind: Kind, runs: Runs) -> None:
    check(kind, runs)


@pytest.mark.weekly
@pytest.mark.parametrize(
    ("number", "says", "code"),
    [(signal.SIGINT, "KeyboardInterrupt", 2), (signal.SIGTERM, "Terminated: SIGTERM", 143)],
    ids=["SIGINT", "SIGTERM"],
)
def test_signal_ends_a_run_with_what_was_judged(number: int, says: str, code: int, tmp_path: Path) -> None:
    write_scenarios(tmp_path)
    agent = f"{HERE}/agents_replies.py:BlocksItsLoop"

    ran = run(tmp_path, agent, "-v", "--snapshot-update", signals=[(number, "PASSED")])

    assert ran.code == code, ran.output
    assert says in ran.output
    assert ran.count("passed") == 1
    assert [path.name for path in tmp_path.joinpath("agent-snapshots", "area").iterdir()] == ["first.ambr"]
