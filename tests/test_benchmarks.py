"""Each benchmark runs, at its smallest size, and prints its figures. What they are is for an idle machine."""

import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from benchmarks.against_aimock import SHAPES, Client, Server, command, cpu_of, ours, refusals_of, requests_of
from benchmarks.judging import FORMS

ROOT = Path(__file__).parents[1]
ONE = ("--only", "tool-names/invented-name")
SMALLEST = {
    "abandoned.py": ("--cases", "3", "--kind", "ReturnsLater"),
    "case_cost.py": ONE,
    "growth.py": ("--only", "ollama-chat ollama messages.*.content", "--least", "0.1", "--all"),
    "isolation.py": (
        "--agent",
        "agent_conformance.reference:Adapter",
        "--rounds",
        "1",
        "--",
        "--agent-case=tool-names/invented-name",
    ),
    "judging.py": ("--requests", "2", "--rounds", "1", "--only", "ollama"),
    "long_session.py": ("--rounds", "10", "20"),
    "many_requests.py": ("--requests", "40"),
    "many_secrets.py": ("--cases", "2", "--rounds", "1"),
    "over_the_loop.py": ("Httpx", "--rounds", "1", *ONE),
    "serving.py": ("--requests", "2", "--megabytes", "0.01", "--provider", "openai"),
    "snapshots.py": ("--counts", "2"),
    "starting.py": ("--rounds", "0", *ONE),
    "transports.py": ("--calls", "1", "--rounds", "1"),
}
LONG = {"case_cost.py", "isolation.py", "over_the_loop.py", "snapshots.py"}
"""Together a minute, at their smallest."""
NO_COMMAND = {"against_aimock.py", "sdk_agents.py"}
"""One needs npm and a network; the other is what is measured."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.weekly] if name in LONG else []) for name in SMALLEST]
)
def test_benchmark_prints_its_figures(name: str) -> None:
    command = [sys.executable, f"benchmarks/{name}", *SMALLEST[name]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900)

    assert (done.returncode, done.stderr) == (0, "")
    assert len(re.findall(r"\d+\.\d", done.stdout)) >= 3, done.stdout


@pytest.mark.parametrize(
    ("of_four_times", "beyond"),
    [((40, 20, 16), False), ((64, 20, 40), False), ((100, 80, 16), True), ((80, 20, 16), True), ((40, 2, 16), False)],
    ids=["linear", "the parser alone", "the fake's own", "a parser of the fake's own", "too little to count"],
)
def test_growth_is_that_of_what_the_fakes_do(of_four_times: tuple[float, ...], beyond: bool) -> None:
    from benchmarks.growth import Cost, is_beyond

    few = Cost(10, 0.1 if of_four_times[1] == 2 else 5, 4)

    assert is_beyond(few, Cost(*of_four_times)) is beyond


@pytest.mark.parametrize("start", [lambda: ours(list(FORMS)), command], ids=["serve", "command"])
def test_fake_that_is_compared_with_aimock_answers(start: Callable[[], AbstractContextManager[Server]]) -> None:
    with start() as server:
        for form in (form for form in FORMS if form.wire in server.urls):
            with Client(server.urls[form.wire]) as client:
                for shape in SHAPES:
                    client.ask(requests_of(form, shape, 1))

        assert cpu_of(server.pid) > 0


def test_fake_that_is_compared_with_aimock_refuses_every_breaking_request() -> None:
    with ours(list(FORMS)) as server:
        for form in FORMS:
            found = refusals_of(form, server.urls[form.wire])

            assert found.refused == found.sent > 20, form.wire


def test_every_benchmark_is_tried_and_in_the_readme() -> None:
    files = {path.name for path in ROOT.joinpath("benchmarks").glob("*.py")}
    readme = ROOT.joinpath("benchmarks", "README.md").read_text(encoding="utf-8")

    assert files == SMALLEST.keys() | NO_COMMAND
    assert set(re.findall(r"`python benchmarks/(\w+\.py)`", readme)) == files - {"sdk_agents.py"}
