"""Both ways of running an agent, compared: `python -m tests.isolated.parity agent_conformance.reference:Adapter
[CASES...]`.

Judges every case in process and in a process of its own, prints what differs and what each cost, and ends with 1 where
a verdict differs. Without cases it takes the whole corpus.
"""

import resource
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.isolated.eligible import load_isolated_agent
from agent_conformance.attach.loading import load_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from tests.bundled import bundled_files

HANGS = ("; its process was killed", "; it was cancelled", "; its thread still runs", "; it ignores cancellation")


def cases_for(agent: DeclaredAgent, chosen: Sequence[str], options: RunOptions | None = None) -> list[Case]:
    files = bundled_files()
    named = [file for file in files if not chosen or file.id.startswith(tuple(chosen))]
    return [case for file in named for case in cases_of(file, agent, options or RunOptions())]


def judged(agent: DeclaredAgent, cases: Sequence[Case], cwd: Path) -> Iterator[Verdict]:
    with CaseSession(agent, start=cwd) as runner:
        for case in cases:
            yield comparable(runner.run(case))


def comparable(verdict: Verdict) -> Verdict:
    """Without how a hang was ended, which is the only thing that differs."""
    return replace(
        verdict,
        reason=without_end(verdict.reason),
        findings=tuple(
            replace(finding, expected=without_end(finding.expected), got=without_end(finding.got))
            for finding in verdict.findings
        ),
    )


def without_end(text: str) -> str:
    for end in HANGS:
        text = text.replace(end, "")
    return text


def cpu_seconds() -> float:
    """Of this process and of those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def differences(within: Sequence[Verdict], beside: Sequence[Verdict]) -> Iterator[str]:
    for one, other in zip(within, beside, strict=True):
        if one != other:
            yield f"{one.case}\n  in process  {one}\n  isolated    {other}"


def main(spec: str, chosen: Sequence[str]) -> int:
    cwd = Path.cwd()
    begun = cpu_seconds()
    agent = load_agent(spec, cwd=cwd)
    cases = cases_for(agent, chosen)
    within = list(judged(agent, cases, cwd))
    between = cpu_seconds()
    isolated = load_isolated_agent(spec, cwd=cwd)
    beside = list(judged(isolated, cases, cwd))
    processes: Any = isolated.adapter.processes  # type: ignore[attr-defined]
    processes.close()
    ended = cpu_seconds()
    found = list(differences(within, beside))
    print(*found, sep="\n")
    passed = sum(verdict.outcome == "pass" for verdict in within)
    print(f"{len(cases)} cases, {passed} passed in process; {len(found)} differ")
    print("workers replaced:", dict(processes.replaced) or "none")
    used = (between - begun, ended - between)
    print(f"CPU: {used[0]:.1f} s in process, {used[1]:.1f} s isolated, {used[1] / used[0]:.2f} times")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
