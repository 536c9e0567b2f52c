"""Mutants of what runs only when a module is imported: the tests run in a new process, which imports the mutant.

`python -m tools.mutation.new_process FILE NUMBER TEST...` is that process. It ends as pytest does.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from functools import cache

import pytest

from tools.mutation.applying import import_with
from tools.mutation.mutants import ROOT, Mutant, mutants_of
from tools.mutation.targets import module_of

FOREVER = 3600.0
FAILED = re.compile(r"^FAILED (\S+)", re.MULTILINE)
IMPORTED = """
import coverage, importlib, json, sys
watch = coverage.Coverage(data_file=None, include=sys.argv[1:2], config_file=False)
with watch.collect():
    importlib.import_module(sys.argv[2])
    if sys.argv[2].startswith("fake_providers"):
        from fake_providers.registry import PROVIDERS, provider_wires
        for provider in PROVIDERS:
            provider_wires(provider)
print(json.dumps(watch.get_data().lines(sys.argv[1]) or []))
"""


def runs_at_import(mutant: Mutant) -> bool:
    """Whether a line of the statement is executed when its module is imported, or one that makes rules by it."""
    return not _lines_at_import(mutant.file).isdisjoint(mutant.lines)


@cache
def _lines_at_import(file: str) -> frozenset[int]:
    command = [sys.executable, "-c", IMPORTED, str(ROOT / file), module_of(file)]
    environment = os.environ | {"COVERAGE_CORE": "ctrace"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=True)
    return frozenset(json.loads(done.stdout))


def failing_with(mutant: Mutant, tests: Sequence[str]) -> str | None:
    """The first of these tests that fails with the mutant, None if none does. Raises `ImportError` if it is broken."""
    command = [sys.executable, "-m", "tools.mutation.new_process", mutant.file, str(mutant.number), *tests]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=FOREVER, check=False)
    except subprocess.TimeoutExpired:
        return "time limit"
    if done.returncode == pytest.ExitCode.OK:
        return None
    if failed := FAILED.search(done.stdout):
        return failed[1]
    raise ImportError(f"pytest ended with {done.returncode}")


class ImportsFirst:
    """A plugin: once pytest has put its finder in front, which rewrites tests, the mutant's goes in front of that."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def pytest_configure(self) -> None:
        import_with(self._mutant)


def main(file: str, number: str, *tests: str) -> int:
    mutant = next(mutant for mutant in mutants_of([file]) if mutant.number == int(number))
    import_with(mutant)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*options, *tests], plugins=[ImportsFirst(mutant)]))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
