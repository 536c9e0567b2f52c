"""How the project's own tests are run: on all cores, and without those marked `slow`, unless something is chosen.

Without paths the run is about everything: then there is a worker for each core, and slow tests are left out. With a
path, an id, `-k`, `-m` or `--lf` it is about what was chosen, in this process, slow or not.
"""

import os
import sys
from collections.abc import Iterator

import pytest

from tests.tables import has_row

DURATION = "about two minutes on two cores"
"""Measured on an idle machine; `--slow` takes about three times as long."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked `slow` as well")
    parser.addoption("--row", default="", metavar="TEXT", help="run only the rows of tables whose id has this text")


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
    left_out = [item for item in items if is_left_out(item, config)]
    if left_out:
        unwanted = set(left_out)
        items[:] = [item for item in items if item not in unwanted]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(autouse=True)
def own_secrets() -> Iterator[None]:
    """A test knows no secrets of the tests before it. Nothing is imported for it."""
    yield
    if (redaction := sys.modules.get("conformance.record.redaction")) is not None:
        redaction.SECRETS.forget()


def is_left_out(item: pytest.Item, config: pytest.Config) -> bool:
    if config.option.row:
        return not has_row(item, config.option.row)
    return is_about_everything(config) and not config.option.slow and item.get_closest_marker("slow") is not None


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
