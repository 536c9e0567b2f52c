"""How the project's own tests are run: on all cores, and without those marked `slow`, unless something is chosen.

Without paths the run is about everything: then there is a worker for each core, and slow tests are left out. With a
path, an id, `-k`, `-m` or `--lf` it is about what was chosen, in this process, slow or not.
"""

import os

import pytest

DURATION = "about two minutes on two cores"
"""Measured on an idle machine; `--slow` takes about three times as long."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked `slow` as well")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes seconds; left out of a run of everything, unless --slow is given")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """A worker for each core, before xdist reads its options."""
    option = config.option
    if not is_about_everything(config) or hasattr(config, "workerinput") or option.usepdb or option.collectonly:
        return
    if getattr(option, "numprocesses", 0) is None:
        option.numprocesses = os.cpu_count()
        option.dist = "worksteal"


def pytest_report_header(config: pytest.Config) -> str | None:
    if not is_about_everything(config):
        return None
    return "everything, slow tests too" if config.option.slow else f"{DURATION}; slow tests are left out, see --slow"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.slow or not is_about_everything(config):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    items[:] = [item for item in items if not item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)


def is_about_everything(config: pytest.Config) -> bool:
    """Whether nothing was chosen. A run with `--agent` is none of the project's own tests."""
    option = config.option
    chosen = (option.file_or_dir, option.keyword, option.markexpr, getattr(option, "lf", False))
    return not any(chosen) and not getattr(option, "agent", None)
