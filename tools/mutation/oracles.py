"""What kills mutants: all cases and the agent's tests for the reference agent, the project's tests for what judges."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, Protocol

import pytest

from fake_providers import PROVIDERS
from tools.mutation.applying import Functions, functions_of_process, import_again, put_in_place
from tools.mutation.mutants import Mutant
from tools.mutation.tests_of_agent import PATHS as PATHS_OF_AGENT
from tools.mutation.tests_of_agent import TestsOfTheAgent

REFERENCE = "agent_conformance.agents.reference"
ON_OTHER_PROVIDERS = {
    "round-trip/": (tuple(PROVIDERS), ("core",)),
    "reasoning/": (tuple(PROVIDERS), ("core",)),
    "parallel/": (tuple(PROVIDERS), ("core",)),
    "history/": (("mistral",), ("core", "hardened")),
}
"""The areas that are also run on other providers, for what only these require, and which profiles of them. Mistral
refuses a message of the user after a result, which only damaged histories have."""

PATHS = ("tests/judge", "tests/fakes", "tests/run", "tests/mutants")
LEFT_OUT = ("tests/fakes/load/", "tests/fakes/test_body_slices.py")
"""They measure memory and time, or send all samples after each other: a third of the time that the others take."""


class Oracle(Protocol):
    """Its units are cases or tests. `apply` puts a mutant into this process; `passes` runs one unit in it.

    `apply` raises for a mutant that cannot even be imported: nobody would ever run it. The first units, `cases` in
    number, are cases; the others are tests. Those of `tried_first` that may notice a mutant are run before the others.
    """

    name: str
    units: Sequence[str]
    cases: int
    tried_first: range
    tests_anew: Sequence[str]
    """What pytest is given in a new process, for what runs at import alone. Nothing where `apply` imports it."""

    def apply(self, mutant: Mutant) -> None: ...

    def passes(self, unit: int) -> bool: ...


Use = Callable[[Oracle], None]


class CasesOfTheReference:
    """Every case of every scenario. A finding kills, advice too: the agent has none. Or only a verdict kills.

    Some areas are also run on all other providers, for what only these require.
    """

    def __init__(self, *, verdicts_only: bool = False, by: Sequence[str] = ("",)) -> None:
        from agent_conformance.agents.reference import Adapter
        from agent_conformance.attach.loading import checked_agent
        from agent_conformance.scenario.cases import RunOptions, cases_of
        from agent_conformance.scenario.files import bundled_scenarios
        from agent_conformance.scenario.loading import load_folder

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
        self._cases = [
            case
            for case in (*cases, *(case for case in more if case.id not in known))
            if any(text in case.id for text in by)
        ]
        self._stack = ExitStack()
        self._session: Any = None
        self._verdicts_only = verdicts_only
        self.units = [case.id for case in self._cases]

    def apply(self, mutant: Mutant) -> None:
        import_again(REFERENCE, mutant)
        from agent_conformance.agents.reference import Adapter
        from agent_conformance.attach.loading import checked_agent

        self._agent = checked_agent(REFERENCE, Adapter)

    def passes(self, unit: int) -> bool:
        from agent_conformance.run.case_session import CaseSession

        if self._session is None:
            self._session = self._stack.enter_context(CaseSession(self._agent))
        verdict = self._session.run(self._cases[unit])
        return verdict.outcome == "pass" and (self._verdicts_only or not verdict.findings)


class Reference:
    """Every case, and the tests of the agent. The cases come first, unless it is only asked whether anything kills."""

    name = "reference"
    tests_anew = ()

    def __init__(
        self,
        paths: Sequence[str] = PATHS_OF_AGENT,
        *,
        verdicts_only: bool = False,
        tests_first: bool = False,
        by: Sequence[str] = ("",),
    ) -> None:
        self._cases = CasesOfTheReference(verdicts_only=verdicts_only, by=by)
        self._tests = TestsOfTheAgent(paths, by=by)
        self.units = [*self._cases.units, *self._tests.units]
        self.cases = len(self._cases.units)
        self.tried_first = range(self.cases, len(self.units)) if tests_first else range(self.cases)

    def apply(self, mutant: Mutant) -> None:
        self._cases.apply(mutant)
        self._tests.forget()

    def passes(self, unit: int) -> bool:
        return self._cases.passes(unit) if unit < self.cases else self._tests.passes(self.units[unit])


class TestsOfTheJudge:
    """The tests that pytest has collected. One that fails kills."""

    __test__ = False
    cases = 0

    def __init__(self, items: Sequence[pytest.Item], name: str) -> None:
        self.name = name
        others = [path for path in PATHS if path != "tests/fakes" and name == "judge"]
        self.tests_anew = ("tests/fakes", *others, "--ignore=tests/fakes/load")
        self._items = items
        self._functions: Functions = functions_of_process()
        self.units = [item.nodeid for item in items]
        self.tried_first = range(len(items))

    def apply(self, mutant: Mutant) -> None:
        put_in_place(mutant, self._functions)

    def passes(self, unit: int) -> bool:
        from _pytest.runner import runtestprotocol

        item = self._items[unit]
        item._initrequest()  # type: ignore[attr-defined]  # as pytest-rerunfailures does, to run a test again
        return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def with_tests_of_the_judge(
    use: Use, paths: Sequence[str] = PATHS, by: Sequence[str] = ("",), *, name: str = "judge"
) -> int:
    """Collect the tests once and hand those to `use` that have one of `by` in their ids. Returns pytest's exit code."""
    options = ["-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*options, *paths], plugins=[_Collected(use, by, name)]))


class _Collected:
    def __init__(self, use: Use, by: Sequence[str], name: str) -> None:
        self._use = use
        self._by = by
        self._name = name

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = [
            item
            for item in session.items
            if not item.nodeid.startswith(LEFT_OUT) and any(text in item.nodeid for text in self._by)
        ]
        self._use(TestsOfTheJudge(items, self._name))
        return True
