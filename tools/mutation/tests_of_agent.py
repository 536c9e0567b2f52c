"""The tests of the reference agent, run against the agent that this process has imported last. Knows no case."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from _pytest.config import _prepareconfig
from _pytest.runner import runtestprotocol

from tools.mutation.mutants import ROOT

PATHS = ("tests/reference",)
TEXTS = "texts_of_"
OPTIONS = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir", str(ROOT))


class TestsOfTheAgent:
    """`units` are the ids of the tests. Each file is collected when one of its tests runs for the first time."""

    __test__ = False

    def __init__(self, paths: Sequence[str] = PATHS, by: Sequence[str] = ("",)) -> None:
        self._items = _collected(paths) if paths else {}
        self.units = [unit for unit in self._items if any(text in unit for text in by)]

    def forget(self) -> None:
        """Import the files of the tests again when they run: the agent that they know is another now."""
        self._items = {}
        _forget_modules()

    def passes(self, unit: str) -> bool:
        """Whether the test passes. One that cannot be collected, because the agent cannot be imported, fails."""
        if unit not in self._items:
            self._items |= _collected([unit.partition("::")[0]])
        if unit not in self._items:
            return False
        item = self._items[unit]
        item._initrequest()  # type: ignore[attr-defined]  # as pytest-rerunfailures does, to run a test again
        return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def _collected(paths: Sequence[str]) -> dict[str, pytest.Item]:
    """The tests by their ids. Their session stays open: the process ends with it."""
    config = _prepareconfig([*OPTIONS, *(str(ROOT / path) for path in paths)])
    config._do_configure()
    session = pytest.Session.from_config(config)
    config.hook.pytest_sessionstart(session=session)
    session.perform_collect()
    return {item.nodeid: item for item in session.items}


def _forget_modules() -> None:
    """Those of the tests. Modules that only have texts stay: reading them takes longer than most tests."""
    folders = [str(ROOT / path) for path in PATHS]
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and str(Path(file).parent) in folders and not name.startswith(TEXTS):
            del sys.modules[name]
