"""Scenario documents made up by Hypothesis, and the search for findings with them.

Of each new kind of finding, the search looks for the smallest document that has it; others are known.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.fuzz.templates import documents
from agent_conformance.minimise import Document, Kind, Trials, TrialTarget, yaml_text
from agent_conformance.minimise.edits import Shrinking
from agent_conformance.scenario.base_model import REMARK, WEIGHT
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.scenario.model import fields_of
from agent_conformance.transcripts.finding import Finding, Level, Verdict
from agent_conformance.transcripts.redaction import redacted
from fake_providers.provider_facts import own_provider

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Known:
    """What need not be found again: kinds of findings, and laws and rules that are known wherever they are broken."""

    kinds: frozenset[Kind] = frozenset()
    causes: frozenset[str] = frozenset()

    def __contains__(self, kind: Kind) -> bool:
        return kind in self.kinds or kind[0] in self.causes

    def __or__(self, other: "Known") -> "Known":
        return Known(self.kinds | other.kinds, self.causes | other.causes)


def findings_by_kind(verdict: Verdict | str, level: Level) -> Mapping[Kind, Finding]:
    """The first finding of each kind at this level: `should` has those at `must` too."""
    if isinstance(verdict, str):
        return {}
    found: dict[Kind, Finding] = {}
    for finding in verdict.at_level(level):
        found.setdefault(kind_without_numbers(finding.code, finding.detail), finding)
    return found


def kind_without_numbers(code: str, detail: str) -> Kind:
    """The kind, wherever in its list a message stands: Anthropic writes `messages.1.content.0`."""
    return code, _NUMBER.sub("N", detail)


NOTHING = Known()
REPEATS = 2
"""How often a finding has to come again before it counts."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """A finding of a new kind: the smallest document that has it, on which target, and the document it comes from.

    Where it did not come again each time, `unsteady` says what was tried, and the document is whole.
    """

    number: int
    document: Document
    target: TrialTarget
    kind: Kind
    finding: Finding
    runs: int
    is_smallest: bool = True
    unsteady: str = ""


@dataclass(slots=True)
class Counts:
    """The counts of a search so far; `of_the_reference` has the documents that the reference agent fails too."""

    documents: int = 0
    without_a_case: int = 0
    of_the_reference: dict[int, None] = field(default_factory=dict)
    known: Counter[Kind] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)


class Search:
    """Tries the agent on documents 0, 1, ... of a seed, or from `start` on.

    What the `reference` has as well is no finding, but a mistake of the document.
    """

    def __init__(
        self,
        agent: Trials,
        reference: Trials,
        seed: int,
        *,
        known: Known = NOTHING,
        level: Level = "must",
        shrink_runs: int = 200,
        start: int = 0,
    ) -> None:
        self._agent = agent
        self._reference = reference
        self._seed = seed
        self._known = known
        self._level = level
        self._shrink_runs = shrink_runs
        self._start = start
        self._seen: set[Kind] = set()
        self.counts = Counts()

    def discoveries(self, goes_on: Callable[[int], bool]) -> Iterator[Discovery]:
        """Until `goes_on`, which gets the count of documents so far, says no."""
        while goes_on(self.counts.documents):
            number = self._start + self.counts.documents
            self.counts.documents += 1
            made = drawn(self._seed, number)
            targets = self._agent.targets(made.document)
            if not targets:
                self.counts.without_a_case += 1
                continue
            target = targets[made.choice % len(targets)]
            verdict = self._agent.verdict(made.document, target)
            if isinstance(verdict, str) or verdict.outcome == "error":
                self.counts.errors[verdict if isinstance(verdict, str) else verdict.reason] += 1
            for kind, finding in findings_by_kind(verdict, self._level).items():
                if kind in self._known:
                    self.counts.known[kind] += 1
                elif kind not in self._seen:
                    found = self._examined(number, made.document, target, kind, finding)
                    if found is not None:
                        self._seen.add(kind)
                        yield found

    def _examined(
        self, number: int, document: Document, target: TrialTarget, kind: Kind, finding: Finding
    ) -> Discovery | None:
        """The finding in the smallest document; None if the reference agent has it too: then the document is wrong."""
        if not self._reference_passes(document, target):
            self.counts.of_the_reference[number] = None
            return None
        before = self._agent.runs
        again = sum(kind in self._kinds(document, target) for _ in range(REPEATS))
        if again < REPEATS:
            said = f"it came again in {again} of {REPEATS} more runs of the same document"
            return Discovery(number, document, target, kind, finding, REPEATS, unsteady=said)
        kinds = self._kinds(document, target)

        def holds(smaller: Document) -> bool:
            found = self._kinds(smaller, target)
            return kind in found and found <= kinds and self._reference_passes(smaller, target)

        shrinking = Shrinking(holds, self._shrink_runs)
        smallest = pinned(shrinking.smallest(document), target)
        if not holds(smallest):
            said = (
                "it comes again in the whole document, and not each time in a smaller one, which is the whole one here"
            )
            return Discovery(number, document, target, kind, finding, self._agent.runs - before, unsteady=said)
        last = findings_by_kind(self._agent.verdict(smallest, target), self._level).get(kind, finding)
        runs = self._agent.runs - before
        return Discovery(number, smallest, target, kind, last, runs, is_smallest=shrinking.is_whole)

    def _kinds(self, document: Document, target: TrialTarget) -> frozenset[Kind]:
        return frozenset(findings_by_kind(self._agent.verdict(document, target), self._level))

    def _reference_passes(self, document: Document, target: TrialTarget) -> bool:
        """Without a finding at the level of the search: on the target or, as it does not speak every wire, on the first
        of its own. It must have a case there: else nothing would be known."""
        reference = self._reference
        if target not in reference.targets(document):
            document = {key: value for key, value in document.items() if key not in PLACES}
            target = next(iter(reference.targets(document)), target)
        verdict = reference.verdict(document, target)
        return isinstance(verdict, Verdict) and verdict.outcome == "pass" and not verdict.at_level(self._level)


PLACES = ("wires", "modes", "providers")
"""Members of a document that say where it is tried."""


def pinned(document: Document, target: TrialTarget) -> Document:
    """The document for this target alone, where the finding is known to be."""
    where: Document = {"wires": [target.wire], "modes": [target.mode]}
    if target.provider != own_provider(target.wire):
        where["providers"] = [target.provider]
    head: Document = {key: document[key] for key in fields_of(REMARK, WEIGHT) if key in document}
    return {**head, **where, **{key: value for key, value in document.items() if key not in head and key not in where}}


BYTES = 16_384
"""Of randomness for one document: several times what the largest needs."""
CHOICES = 2**16
TRIES = 3


@dataclass(frozen=True, slots=True)
class Drawn:
    """A document, and a number by which one of its cases is chosen."""

    document: Document
    choice: int


def drawn(seed: int, number: int) -> Drawn:
    """By Hypothesis, from bytes and not from its own randomness, which depends on the modules that are loaded."""
    for attempt in range(TRIES):
        found = _reader()(random.Random(f"{seed}/{number}/{attempt}").randbytes(BYTES))
        if found is not None:
            return found
    raise AssertionError(f"document {number} of seed {seed} needs more than {BYTES} random bytes, please report it")


@cache
def _reader() -> Callable[[bytes], Drawn | None]:
    """Makes a document of bytes; None where they are too few."""
    found: list[Drawn] = []

    @settings(database=None, deadline=None)
    @given(document=documents(), choice=st.integers(0, CHOICES - 1))
    def keep(document: Document, choice: int) -> None:
        found.append(Drawn(document, choice))

    make = keep.hypothesis.fuzz_one_input  # type: ignore[attr-defined]

    def read(data: bytes) -> Drawn | None:
        found.clear()
        make(data)
        return found[0] if found else None

    return read


def known_of_scenarios(
    trials: Trials,
    agent: DeclaredAgent,
    files: Iterable[ScenarioFile],
    *,
    level: Level,
    progress: Callable[[str], None],
) -> Known:
    """The kinds of findings that the agent has in the cases of these files."""
    kinds: set[Kind] = set()
    for file in files:
        progress(f"the corpus first: {file.id}, {len(kinds)} kinds of findings so far")
        for case in cases_of(file, agent, RunOptions()):
            if not case.missing:
                kinds |= findings_by_kind(trials.verdict_on(case), level).keys()
    return Known(frozenset(kinds))


# The file of a discovery: the smallest scenario that has the finding, with how it was found


FOLDER = Path("scenarios", "fuzzed")
"""In the project, where nothing else is said."""
LARGEST_SEED = 2**32


def write_scenario(found: Discovery, folder: Path, *, agent: str, seed: int, about: str) -> Path:
    """In a file of its own: those of earlier searches stay. `about` is the finding's cause in words."""
    again = f"--seed={seed} --start={found.number} --examples=1"
    comment = redacted(f"Found by agent-conformance fuzz --agent={agent} {again}.\nThe finding: {about}")
    short = "\n".join(line if len(line) <= 122 else f"{line[:118]} ..." for line in comment.splitlines())
    path = _free(folder, found.kind[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(redacted(yaml_text(found.document, short)), encoding="utf-8")
    return path


def _free(folder: Path, cause: str) -> Path:
    """A name after the cause that no file has yet."""
    name = re.sub(r"[^a-z0-9]+", "-", cause.lower()).strip("-") or "finding"
    number = 1
    while (path := folder / (f"{name}.yaml" if number == 1 else f"{name}-{number}.yaml")).exists():
        number += 1
    return path
