"""`--agent-fuzz`: after the cases of a run, made-up conversations; what they find is a case of the same run.

Each discovery is written to a file as `agent-conformance fuzz` does, and its smallest scenario runs as a case like any
other. What the run's own cases have found is known, and so are the laws and rules of the baseline.
"""

import gc
import random
import re
import sys
import time
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from msgspec import Struct, field

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import load_agent
from agent_conformance.baseline.baseline import Baseline, Entry, today
from agent_conformance.baseline.run_record import RunRecord, label
from agent_conformance.machine.installation import install_command
from agent_conformance.pytest.collection import Catalogue, ScenarioNode, register_mark
from agent_conformance.run.exceptions import described_error
from agent_conformance.scenario.files.selection import scenario_path_at
from agent_conformance.transcripts.finding import Level

REFERENCE = "agent_conformance.reference:Adapter"
TITLE = "made-up conversations (--agent-fuzz)"
MOST_ERRORS = 3
_LENGTH = re.compile(r"(?P<number>[1-9]\d{0,5})(?P<unit>s|m|h)?(?:,seed=(?P<seed>\d{1,10}))?")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


class FuzzLength(Struct, frozen=True):
    """How long to search: so many `seconds`, or so many `documents`. `seed` is None for another one each time."""

    seconds: float | None
    documents: int | None
    seed: int | None


def fuzz_length(text: str) -> FuzzLength:
    """Of `30s`, `5m`, `200` documents, `200,seed=7`. Raises `pytest.UsageError`, also where Hypothesis is missing."""
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise pytest.UsageError(
            f"--agent-fuzz={text}: write how long to search, such as 30s or 5m, or how many documents, such as 200; "
            "`,seed=7` behind it repeats a search"
        )
    if find_spec("hypothesis") is None:
        raise pytest.UsageError(f"--agent-fuzz needs Hypothesis: {install_command('fuzz')}")
    number, seed = int(found["number"]), int(found["seed"]) if found["seed"] else None
    if found["unit"]:
        return FuzzLength(float(number * _SECONDS[found["unit"]]), None, seed)
    return FuzzLength(None, number, seed)


def load_hypothesis(config: pytest.Config) -> None:
    """Its plugin does so in any case, for the summary or a line of the header. It warns unless the collector finds who
    holds trio's random numbers, so nothing is frozen meanwhile. Then all but today's garbage is frozen again.
    """
    if config.pluginmanager.hasplugin("hypothesispytest") and "hypothesis" not in sys.modules:
        gc.collect()
        gc.unfreeze()
        import_module("hypothesis")
        gc.freeze()


class Fuzzing(Struct):
    """One search. `lines` say at the end of the run what it was; `cases` are those that it has added."""

    length: FuzzLength
    agent: DeclaredAgent
    baseline: Baseline
    tolerated: Mapping[str, Entry]
    timeout: float
    level: Level
    lines: list[str] = field(default_factory=list)
    cases: set[str] = field(default_factory=set)

    def run(self, session: pytest.Session, record: RunRecord, catalogue: Catalogue) -> None:
        """After the last of the run's own cases, whose verdicts stand where the search itself fails."""
        try:
            self._run(session, record, catalogue)
        except (pytest.exit.Exception, pytest.Session.Failed):
            raise
        except Exception as error:
            record.failures.append(f"the search of --agent-fuzz failed, please report it: {described_error(error)}")

    def _run(self, session: pytest.Session, record: RunRecord, catalogue: Catalogue) -> None:
        for path in self._found(session, record, catalogue):
            # Run the scenario as a case, through pytest's own protocol, so that every report has it
            scenario = scenario_path_at(path.resolve(), None)
            node = ScenarioNode.from_parent(
                session, path=path, name=scenario.id, nodeid=scenario.id, scenario=scenario, catalogue=catalogue
            )
            register_mark(session.config, path.parent.name, "scenarios that a search has found")
            for case in catalogue.cases(scenario):
                item = catalogue.item(node, name=case.id, nodeid=case.id, case=case, place=str(path))
                self.cases.add(case.id)
                session.items.append(item)
                session.testscollected += 1
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _found(self, session: pytest.Session, record: RunRecord, catalogue: Catalogue) -> Iterator[Path]:
        """The file of each new kind of finding, as it is found."""
        from agent_conformance.fuzz import (
            FOLDER,
            LARGEST_SEED,
            Known,
            Search,
            kind_without_numbers,
            write_scenario,
        )
        from agent_conformance.minimise import Trials

        found = (finding for report in record.reports.values() for finding in report.findings)
        kinds = frozenset(kind_without_numbers(finding.code, finding.detail) for finding in found)
        seed = random.SystemRandom().randrange(LARGEST_SEED) if self.length.seed is None else self.length.seed
        reference = load_agent(REFERENCE, cwd=session.config.rootpath)
        right = Trials(reference, timeout=self.timeout, tolerated=self.tolerated)
        trials = Trials(
            self.agent, timeout=self.timeout, tolerated=self.tolerated, is_quiet=True, choice=catalogue.choice
        )
        with trials, right:
            known = Known(kinds, self.baseline.known_causes(today()))
            search = Search(trials, right, seed, known=known, level=self.level)
            began, unsteady = time.monotonic(), 0
            for discovery in search.discoveries(lambda count: self._goes_on(count, began)):
                if discovery.unsteady:
                    unsteady += 1
                else:
                    about = label(discovery.finding.subject.kind, *discovery.kind, 2)
                    folder = session.config.rootpath / FOLDER
                    yield write_scenario(discovery, folder, agent=self.agent.spec, seed=seed, about=about)
            counts = search.counts
            new = f"{len(self.cases)} new kind{'' if len(self.cases) == 1 else 's'} of findings" if self.cases else ""
            self.lines.append(f"seed {seed}: {counts.documents} documents, {new or 'nothing new'}")
            for reason, times in counts.errors.most_common(MOST_ERRORS):
                self.lines.append(f"no verdict, {times} times: {reason.partition(chr(10))[0]}")
            if counts.known:
                self.lines.append(f"{len(counts.known)} kinds that were known came {counts.known.total()} times")
            if unsteady:
                self.lines.append(f"{unsteady} findings did not come again in the same document")
            if counts.of_the_reference:
                numbers = ", ".join(map(str, counts.of_the_reference))
                self.lines.append(f"left out, the reference agent has findings there too: documents {numbers}")

    def _goes_on(self, count: int, began: float) -> bool:
        if self.length.documents is not None:
            return count < self.length.documents
        return time.monotonic() - began < (self.length.seconds or 0)
