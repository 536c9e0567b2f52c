"""What was recorded of the cases that verdicts are about, so that a verdict quotes a run and nobody's memory.

Reads docs/verdicts and the judged cases of an agent; writes docs/verdicts/runs.json: for each agent and case what the
run's narrative and its findings say, each line once, without the instructions that programs send.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

VERDICTS = Path(__file__).parents[2] / "docs" / "verdicts"
RUNS = VERDICTS / "runs.json"
CONTINUED = "      |"
"""Before each further line of a text in a narrative."""
LONGEST = 300
SAID = ("expected", "got", "refused")

Runs = dict[str, dict[str, list[str]]]


def recorded_runs() -> Runs:
    runs: Runs = json.loads(RUNS.read_text(encoding="utf-8"))
    return runs


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


def without_run(agent: str) -> frozenset[str]:
    """The cases of this agent that verdicts on what fails today quote, and of which no run is kept."""
    named = (verdict for verdict in verdicts() if agent in verdict["agents"][:1] and "covers" in verdict)
    return frozenset(map(case_of, named)) - recorded_runs().get(agent, {}).keys()


def remember(agent: str, cases: Iterable[Mapping[str, Any]]) -> None:
    """Put what these cases say into the file, where a verdict about the agent names them."""
    named = {case_of(verdict) for verdict in verdicts() if agent in verdict["agents"] and "covers" in verdict}
    runs = recorded_runs()
    new = {one["case"]: [*dict.fromkeys(_lines(one))] for one in cases if one["case"] in named}
    runs[agent] = runs.get(agent, {}) | new
    runs[agent] = {case: lines for case, lines in sorted(runs[agent].items()) if case in named}
    kept = {name: runs[name] for name in sorted(runs) if runs[name]}
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    RUNS.write_text(text, encoding="utf-8", errors="backslashreplace")  # some texts have half a character


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
