"""What kills mutants: the cases of all scenarios for the reference agent, the project's tests for what judges."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Protocol

import pytest

from fakes import PROVIDERS
from tests.mutation.applying import Functions, functions_of_process, import_again, put_in_place
from tests.mutation.mutants import Mutant

REFERENCE = "conformance.agents.reference"
ON_OTHER_PROVIDERS = {
    "round-trip/": (tuple(PROVIDERS), ("core",)),
    "reasoning/": (tuple(PROVIDERS), ("core",)),
    "parallel/": (tuple(PROVIDERS), ("core",)),
    "history/": (("mistral",), ("core", "hardened")),
}
"""The areas that are also run on other providers, for what only these require, and which profiles of them. Mistral
refuses a message of the user after a result, which only damaged histories have."""

PATHS = ("tests/judge", "tests/fakes", "tests/run", "tests/mutants")
LEFT_OUT = ("tests/fakes/load/",)
"""They measure memory and time."""


class Oracle(Protocol):
    """Its units are cases or tests. `apply` puts a mutant into this process; `passes` runs one unit in it.

    `apply` raises for a mutant that cannot even be imported: nobody would ever run it.
    """

    name: str
    units: Sequence[str]

    def apply(self, mutant: Mutant) -> None: ...

    def passes(self, unit: int) -> bool: ...


Use = Callable[[Oracle], None]


class CasesOfTheReference:
    """Every case of every scenario. A finding kills, advice too: the agent has none. Or only a verdict kills.

    Some areas are also run on all other providers, for what only these require.
    """

    name = "reference"

    def __init__(self, *, verdicts_only: bool = False) -> None:
        from conformance.agents.loading import checked_agent
        from conformance.agents.reference import Adapter
        from conformance.scenario.cases import RunOptions, cases_of
        from conformance.scenario.corpus import bundled_scenarios
        from conformance.scenario.loading import load_folder

        files, problems = load_folder(bundled_scenarios())
        assert not problems, problems
        self._agent = checked_agent(REFERENCE, Adapter)
        cases = [case for file in files for case in cases_of(file, self._agent, RunOptions())]
        known = {case.id for case in cases}
        choices = {
            area: RunOptions(providers=providers, profiles=profiles)
            for area, (providers, profiles) in ON_OTHER_PROVIDERS.items()
        }
        more = [
            case
            for file in files
            for area, choice in choices.items()
            if file.id.startswith(area)
            for case in cases_of(file, self._agent, choice)
        ]
        self._cases = [*cases, *(case for case in more if case.id not in known)]
        self._stack = ExitStack()
        self._session: Any = None
        self._verdicts_only = verdicts_only
        self.units = [case.id for case in self._cases]

    def apply(self, mutant: Mutant) -> None:
        import_again(REFERENCE, mutant)
        from conformance.agents.loading import checked_agent
        from conformance.agents.reference import Adapter

        self._agent = checked_agent(REFERENCE, Adapter)

    def passes(self, unit: int) -> bool:
        from conformance.run.session import Session

        if self._session is None:
            self._session = self._stack.enter_context(Session(self._agent))
        verdict = self._session.run(self._cases[unit])
        return verdict.outcome == "pass" and (self._verdicts_only or not verdict.findings)


class TestsOfTheJudge:
    """The tests that pytest has collected. One that fails kills."""

    __test__ = False
    name = "judge"

    def __init__(self, items: Sequence[pytest.Item]) -> None:
        self._items = items
        self._functions: Functions = functions_of_process()
        self.units = [item.nodeid for item in items]

    def apply(self, mutant: Mutant) -> None:
        put_in_place(mutant, self._functions)

    def passes(self, unit: int) -> bool:
        from _pytest.runner import runtestprotocol

        item = self._items[unit]
        item._initrequest()  # type: ignore[attr-defined]  # as pytest-rerunfailures does, to run a test again
        return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def with_tests_of_the_judge(use: Use, paths: Sequence[str] = PATHS) -> int:
    """Collect the tests once and hand them to `use`. Returns pytest's exit code."""
    return int(pytest.main(["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", *paths], plugins=[_Collected(use)]))


class _Collected:
    def __init__(self, use: Use) -> None:
        self._use = use

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._use(TestsOfTheJudge([item for item in session.items if not item.nodeid.startswith(LEFT_OUT)]))
        return True
