"""How the project's own tests are run: on all cores, and without the `slow` and `weekly` ones unless they are chosen.

Without paths the run is about everything: then there are two workers more than cores, since many tests wait, and
slow tests are left out, as are those marked `browser` where there is no browser; with `--slow`, as in `.ci/run`, only
those that run once a week, and without a browser the tests fail, as they do wherever CI is set. Slow tests come first,
so that at the end no worker is left with one. With a path, an id, `-k`, `-m` or `--lf` it is about what was chosen, in
this process, slow or not.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

if "tests" not in sys.modules:  # before helpers are imported: their asserts say what they compared, too
    pytest.register_assert_rewrite("tests")

from tests.html_report.browser import chromium, has_to_be_there
from tests.platforms.simulated import NAMES, simulate
from tests.tables import has_row

if find_spec("hypothesis") is not None:  # environments of other suites may not have it
    from hypothesis import HealthCheck, settings

    # On a busy machine everything is slow, and a failure that comes once helps nobody.
    settings.register_profile(
        "tests", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("tests")

DURATION = "ten minutes on two idle cores"
"""Measured, and said in README.md and CONTRIBUTING.md too; `--slow` takes about three times as long."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked `slow` as well")
    parser.addoption("--row", default="", metavar="TEXT", help="run only the rows of tables whose id has this text")
    parser.addoption(
        "--fuzz-requests", type=int, default=100, metavar="N", help="made-up requests to each provider (default: 100)"
    )
    parser.addoption("--fuzz-seed", type=int, default=2026, metavar="N", help="of the made-up requests (default: 2026)")

    parser.addoption(
        "--as-platform", choices=NAMES, help="run the tests, and what they start, as if on this system, simulated"
    )


@pytest.fixture(scope="session")
def fuzzing(request: pytest.FixtureRequest) -> tuple[int, int]:
    """The seed, and how many requests each provider gets."""
    return request.config.getoption("fuzz_seed"), request.config.getoption("fuzz_requests")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.as_platform:
        simulate(config.option.as_platform)
    config.addinivalue_line("markers", "slow: takes seconds; left out of a run of everything, unless --slow is given")
    config.addinivalue_line(
        "markers", "weekly: one more of a kind; left out of every run of everything, for .ci/weekly"
    )
    config.addinivalue_line("markers", "browser: needs Chromium; left out of a run of everything where there is none")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Two workers more than cores, before xdist reads its options."""
    option = config.option
    if not is_about_everything(config) or hasattr(config, "workerinput") or option.usepdb or option.collectonly:
        return
    if getattr(option, "numprocesses", 0) is None:
        option.numprocesses = available_cores() + 2
        option.dist = "worksteal"


def available_cores() -> int:
    """Those that this process may use: a container or `taskset` may give fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pytest_report_header(config: pytest.Config) -> list[str]:
    option = config.option
    made_up = f"made-up requests: {option.fuzz_requests} to each provider, --fuzz-seed={option.fuzz_seed}"
    if not is_about_everything(config):
        return [made_up]
    without = "" if chromium() or has_to_be_there() else "; without Chromium, so are the tests marked browser"
    rest = f"{DURATION}; slow tests are left out, see --slow{without}"
    return ["everything, slow tests too" if option.slow else rest, made_up]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    left_out = [item for item in items if is_left_out(item, config)]
    if left_out:
        unwanted = set(left_out)
        items[:] = [item for item in items if item not in unwanted]
        config.hook.pytest_deselected(items=left_out)
    if is_about_everything(config):
        items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def own_secrets() -> Iterator[None]:
    """A test knows no secrets of the tests before it. Nothing is imported for it."""
    yield
    if (redaction := sys.modules.get("agent_conformance.transcripts.redaction")) is not None:
        redaction.SECRETS.forget()


def is_left_out(item: pytest.Item, config: pytest.Config) -> bool:
    if config.option.row:
        return not has_row(item, config.option.row)
    if not is_about_everything(config):
        return False
    if item.get_closest_marker("weekly") is not None:
        return True
    if config.option.slow:
        return False
    if item.get_closest_marker("browser") is not None and chromium() is None and not has_to_be_there():
        return True
    return item.get_closest_marker("slow") is not None


def is_about_everything(config: pytest.Config) -> bool:
    """Whether nothing was chosen. A run with `--agent` is none of the project's own tests."""
    option = config.option
    chosen = (
        getattr(option, "file_or_dir", ()),
        option.keyword,
        option.markexpr,
        option.row,
        getattr(option, "lf", False),
    )
    return not any(chosen) and not getattr(option, "agent", None)
