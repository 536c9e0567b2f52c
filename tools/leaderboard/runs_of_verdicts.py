"""Whether verdicts quote a run of their case, and nobody's memory.

Reads docs/verdicts and the judged cases of an agent, of which each line of the narrative and of the findings may be
quoted, without the instructions that programs send. Writes docs/verdicts/compared.txt.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

VERDICTS = Path(__file__).parents[2] / "docs" / "verdicts"
COMPARED = VERDICTS / "compared.txt"
"""A mark for each verdict whose quotations were found in a run of its case. The runs themselves are not kept."""
CONTINUED = "      |"
"""Before each further line of a text in a narrative."""
LONGEST = 300
SAID = ("expected", "got", "refused")


def verdicts() -> list[dict[str, Any]]:
    """Of all agents; `several.yaml` has those that are about more than one."""
    return [
        verdict
        for path in sorted(VERDICTS.glob("*.yaml"))
        for verdict in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    ]


def case_of(verdict: Mapping[str, Any]) -> str:
    """The case that its transcript is of."""
    return str(verdict["case"]).partition("#")[0]


def mark_of(verdict: Mapping[str, Any]) -> str:
    """Another one for another agent, case or quotation."""
    said = [verdict["agents"][0], verdict["case"], *verdict["transcript"]]
    return hashlib.sha256("\n".join(said).encode()).hexdigest()[:16]


def compared() -> frozenset[str]:
    """The marks of the verdicts that were found in a run."""
    return frozenset(COMPARED.read_text(encoding="utf-8").split())


def not_compared(agent: str) -> frozenset[str]:
    """The cases of this agent that verdicts on what fails today quote, and of which no run was compared with them."""
    return frozenset(case_of(verdict) for verdict in _of_today(agent) if mark_of(verdict) not in compared())


def compare(agent: str, cases: Iterable[Mapping[str, Any]]) -> list[str]:
    """Write down which verdicts about the agent quote these runs. Returns the lines that the run does not have."""
    runs = {case["case"]: [*_lines(case)] for case in cases}
    marks, made_up = set(compared()), []
    for verdict in _of_today(agent):
        run = runs.get(case_of(verdict))
        if run is None:
            continue
        wrong = [line for line in verdict["transcript"] if not is_quoted(line, run)]
        made_up += [f"{agent}: {case_of(verdict)}: no line of the run is `{line}`" for line in wrong]
        marks = marks - {mark_of(verdict)} if wrong else marks | {mark_of(verdict)}
    known = {mark_of(verdict) for verdict in verdicts()}
    COMPARED.write_text("".join(f"{mark}\n" for mark in sorted(marks & known)), encoding="utf-8")
    return made_up


def _of_today(agent: str) -> Iterator[dict[str, Any]]:
    return (verdict for verdict in verdicts() if agent in verdict["agents"][:1] and "covers" in verdict)


def _lines(case: Mapping[str, Any]) -> Iterator[str]:
    for line in (case["narrative"] or "").splitlines():
        if not line.startswith(CONTINUED):
            yield _shortened(line.strip())
    for finding in case["findings"]:
        yield from (f"{word} {_shortened(' '.join(finding[word].split()))}" for word in SAID if finding[word])


def _shortened(line: str) -> str:
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}..."


def is_quoted(line: str, recorded: Iterable[str]) -> bool:
    """Whether the run has this line; `...` stands for what the verdict leaves out, and any space for any other."""
    parts = (re.escape(" ".join(part.split())) for part in line.split("..."))
    pattern = re.compile(r".*?".join(parts).replace(r"\ ", r"\s+"))
    return any(pattern.search(one) for one in recorded)
