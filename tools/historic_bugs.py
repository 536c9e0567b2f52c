"""What laws, rules and expectations cite besides their own evidence: the sources of the mutants that they catch.

No wheel has the mutants, so `explain` reads it from `historic_bugs.json`, which `./dev python -m tests.docs.regenerate
--figures=documents` writes.
"""

import json
import re
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import get_args

import agent_conformance.explain
from agent_conformance.explain import OTHER
from agent_conformance.explain.texts import expectation_texts
from agent_conformance.scenario.model import LawId
from agent_conformance.transcripts.finding import subject_of
from agent_mutants import MUTANTS

FILE = Path(agent_conformance.explain.__file__).with_name("historic_bugs.json")
MOST = 5

Bugs = dict[str, list[tuple[str, str]]]
"""By law, rule or kind of expectation: the sources, those with an address first, each with what did not hold."""


def historic_bugs() -> dict[str, Bugs]:
    findings = [finding for mutant in MUTANTS for _, finding in mutant.caught_by]
    rules = sorted({rule for finding in findings if (rule := subject_of(finding).rule)})
    return {
        "law": _bugs(get_args(LawId), lambda law, finding: subject_of(finding).law == law),
        "rule": _bugs(rules, lambda rule, finding: subject_of(finding).rule == rule),
        "expectation": _bugs([kind for kind in expectation_texts() if kind not in OTHER], _is_about),
    }


def _is_about(kind: str, finding: str) -> bool:
    """In every turn and level, which a mutant may name by a pattern: `1.requests*`."""
    return re.search(rf"(?:^|[.*]){kind}\b", finding) is not None


def _bugs(ids: Iterable[str], is_about: Callable[[str, str], bool]) -> Bugs:
    found = {id: _sources(partial(is_about, id)) for id in ids}
    return {id: sources for id, sources in found.items() if sources}


def _sources(is_about: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Of two mutants with one source, the first says what did not hold, and the last where the source stands."""
    mutants = sorted(MUTANTS, key=lambda mutant: not mutant.source.startswith("https://"))
    known = {m.source: m.breaks for m in reversed(mutants) if any(is_about(finding) for _, finding in m.caught_by)}
    return list(reversed(known.items()))[:MOST]


def text() -> str:
    """A source in each line, so that two changes do not meet in one."""
    written = json.dumps(historic_bugs(), indent=1, ensure_ascii=False)
    return re.sub(r'\[\n +("(?:[^"\\]|\\.)*"),\n +("(?:[^"\\]|\\.)*")\n +\]', r"[\1, \2]", written) + "\n"


def write() -> None:
    FILE.write_text(text(), encoding="utf-8")
