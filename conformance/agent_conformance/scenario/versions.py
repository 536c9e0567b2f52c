"""Versions of the corpus: which cases, laws and rules there were when one was frozen.

A version is a text file beside the areas, `versions/2026.12.txt`, with a line for each law, each rule of a provider,
and each scenario or row of examples with its profile and a digest of what it sends and expects:

    law accepted
    rule openai/tools-empty
    core history/pruned-past-the-user 3f2a9c1b04de7788
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from msgspec import Struct, field

from agent_conformance.scenario.base_model import SAYS_NOTHING
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile
from agent_conformance.scenario.model import Scenario, fields_of

FOLDER = "versions"
HEAD = "# Written by `python -m tests.corpus.freeze`. What a version has is never changed.\n"

Later = Literal["added later", "changed later"]


class CorpusVersion(Struct, frozen=True):
    """`rows` has, by the id of a scenario or of a row of its examples, the profile and the digest."""

    name: str
    laws: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    rows: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def of_case(self, case: Case) -> Later | None:
        """What happened to the case since; None: it is as it was. Scenarios of a project are always as they are."""
        if not case.file.path.resolve().is_relative_to(bundled_scenarios().resolve()):
            return None
        frozen = next((self.rows[name] for name in _names(case.file, case.row) if name in self.rows), None)
        scenario = case.file.rows[case.row]
        if frozen is None or frozen[0] != scenario.profile:
            return "added later"
        return None if frozen[1] == digest_of(scenario) else "changed later"


def version_names() -> tuple[str, ...]:
    """The versions that there are, the oldest first."""
    return tuple(sorted(path.stem for path in (bundled_scenarios() / FOLDER).glob("*.txt")))


@cache
def version_named(name: str) -> CorpusVersion:
    """Raises `LookupError`, which names the versions that there are."""
    if name not in version_names():
        raise LookupError(f"there is no version {name} of the corpus; there are {', '.join(version_names()) or 'none'}")
    return parsed(name, (bundled_scenarios() / FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


def parsed(name: str, text: str) -> CorpusVersion:
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    named: dict[str, set[str]] = {"law": set(), "rule": set()}
    rows = {}
    for kind, id, *digest in lines:
        if digest:
            rows[id] = (kind, digest[0])
        else:
            named[kind].add(id)
    return CorpusVersion(name, frozenset(named["law"]), frozenset(named["rule"]), rows)


def written(files: Iterable[ScenarioFile], *, laws: Iterable[str], rules: Iterable[str]) -> str:
    """The text of a version with these. Equal corpora give equal texts."""
    lines = [*(f"law {law}" for law in sorted(laws)), *(f"rule {rule}" for rule in sorted(rules))]
    return HEAD + "\n".join([*lines, *_rows_of(files)]) + "\n"


def digest_of(scenario: Scenario) -> str:
    """Changes with what is sent or expected. The profile stands beside it in a line of a version."""
    left_out = {"profile", *fields_of(*SAYS_NOTHING, model=type(scenario))}
    effective = scenario.data(only_given=True, without=left_out)
    return hashlib.sha256(json.dumps(effective, sort_keys=True).encode()).hexdigest()[:16]


def _rows_of(files: Iterable[ScenarioFile]) -> Iterator[str]:
    for file in sorted(files, key=lambda file: file.id):
        for row, scenario in file.rows.items():
            yield f"{scenario.profile} {_names(file, row)[-1]} {digest_of(scenario)}"


def _names(file: ScenarioFile, row: str | None) -> list[str]:
    """The ids that this row of the file had, and, last, the one it has."""
    return [name if row is None else f"{name}[{row}]" for name in (*file.formerly, file.id)]
