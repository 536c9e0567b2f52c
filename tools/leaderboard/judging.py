"""Judging one ready-made adapter in a process of its own, a JSON line for each case, so that it can be resumed.

Knows how cases run; nothing of rows, tables or how environments are made.
"""

import atexit
import hashlib
import json
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.programs import client_folder
from agent_conformance.attach.ready_made import Ready
from agent_conformance.machine.platform_features import apart
from agent_conformance.machine.process_trees import ProcessTree
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.files.selection import smoke_ids
from agent_conformance.scenario.loading import ScenarioFile, load_folder
from agent_conformance.transcripts.redaction import redacted
from tools.leaderboard.environments import CHECKOUT, HERE, AgentEnvironment
from tools.leaderboard.runs_of_verdicts import not_compared
from tools.leaderboard.table import PROFILES, SMOKE, example_of, scenario_of

SECONDS = 7200.0
"""For one adapter over the whole corpus; on two idle cores the slowest takes a quarter of it."""
SILENCE, SILENCE_OF_PROGRAMS = 30.0, 60.0
"""Seconds until a turn counts as a hang: several agents may be judged at once, and may wait before they retry."""
JUDGED_WITH = (
    "conformance/agent_conformance/**/*.py",
    "fakes/fake_providers/**/*.py",
    "fakes/fake_providers/**/*.json",
    "scenarios/**/*.yaml",
)
"""The files that a verdict depends on."""
NOT_JUDGED_WITH = (
    "conformance/agent_conformance/agents/",
    "conformance/agent_conformance/attach/",
    "conformance/agent_conformance/commands/",
    "conformance/agent_conformance/baseline/",
    "conformance/agent_conformance/pytest/",
)


class NotJudged(Exception):
    """The process that judged an adapter failed, or took too long."""


def judge(ready: Ready, options: Namespace) -> None:
    """Judge one adapter in this process, and end it: a thread may still be running.

    Cases that the file has already, judged with the same version of everything, are not run again.
    """
    from agent_conformance.attach.loading import load_agent
    from agent_conformance.run.case_session import CaseSession

    silence = SILENCE_OF_PROGRAMS if ready.program else SILENCE
    agent = load_agent(ready.name, cwd=Path.cwd(), declaring=silence)
    files, problems = load_folder(bundled_scenarios())
    if problems:
        raise SystemExit("\n".join(map(str, problems)))
    head = {"wires": agent.wires, "version": ready.version, "fingerprint": fingerprint(ready)}
    kept = kept_lines(options.judge, head)
    known = {json.loads(line)["case"] for line in kept}
    with options.judge.open("w", encoding="utf-8") as out, CaseSession(agent, timeout=silence) as runner:
        out.writelines([json.dumps(head) + "\n", *kept])
        for case in chosen_cases(ready, agent, files, options):
            if case.id not in known:
                verdict = runner.run(case)
                findings = [to_builtins(finding) | {"id": finding.id} for finding in verdict.findings]
                result = to_builtins(verdict) | {"profile": case.scenario.profile, "findings": findings}
                out.write(json.dumps(result) + "\n")
                out.flush()
        out.write(END + "\n")
    sys.stdout.flush()
    atexit._run_exitfuncs()  # agents that serve many cases end at exit
    os._exit(0)


def chosen_cases(
    ready: Ready, agent: DeclaredAgent, files: Iterable[ScenarioFile], options: Namespace
) -> Iterator[Case]:
    """The cases of the chosen profiles and areas, or of verdicts. Agents that are slow run a sample of `hardened`."""
    if options.verdicts:
        wanted = not_compared(ready.name)
        yield from (case for file in files for case in cases_of(file, agent, RunOptions()) if case.id in wanted)
        return
    is_smoke = options.profile == [SMOKE]
    smoke = smoke_ids(bundled_scenarios()) if is_smoke else frozenset()
    profiles = PROFILES[: 1 if ready.part == "core" else None] if is_smoke else tuple(options.profile or PROFILES)
    for file in files:
        cases = cases_of(file, agent, RunOptions(profiles=profiles, brief=is_smoke))
        if is_smoke:
            yield from (case for case in cases if smoke & {scenario_of(case.id), example_of(case.id)})
        elif not options.area or file.area in options.area:
            yield from sampled(cases) if ready.part else cases


def sampled(cases: Iterable[Case]) -> list[Case]:
    """All cases of `core`, and of `hardened` those of the first example of each scenario that can be judged."""
    chosen: list[Case] = []
    examples: dict[str, str] = {}
    for case in cases:
        example = example_of(case.id)
        is_whole = case.scenario.profile == "core" or bool(case.missing)
        if is_whole or examples.setdefault(scenario_of(case.id), example) == example:
            chosen.append(case)
    return chosen


END = json.dumps({"end": True})
"""The last line of an agent that was judged to the end."""


def judged(
    ready: Ready,
    folder: Path,
    *,
    profiles: Sequence[str] = PROFILES,
    areas: Sequence[str] = (),
    seconds: float = SECONDS,
    environment: AgentEnvironment = HERE,
    verdicts: bool = False,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Judge one adapter in a process of its own: what it declares, and the result of each case.

    `folder` then has the case lines and the log. Raises `NotJudged`.
    """
    lines, log = folder / f"{ready.name}.jsonl", folder / f"{ready.name}.log"
    command = [
        environment.python,
        "-m",
        "tools",
        "leaderboard",
        ready.name,
        "--judge",
        str(lines),
    ]
    command += [argument for profile in profiles for argument in ("--profile", profile)]
    command += [argument for area in areas for argument in ("--area", area)]
    command += ["--verdicts"] if verdicts else []
    with log.open("wb") as out:
        tree = ProcessTree(os.environ | {"PYTHONPATH": str(CHECKOUT)} | dict(environment.variables))
        worker = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, env=tree.environment, **apart())
        tree.begin(worker.pid)
        try:
            code = worker.wait(seconds)
        except subprocess.TimeoutExpired:
            raise NotJudged(f"not done after {seconds:g} s; run it again to go on") from None
        finally:
            tree.kill()
            worker.wait()
            tree.end_rest()
            redact_log(log)
    if code:
        last = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        raise NotJudged(f"its process ended with {code}: {last}")
    agent, *cases = map(json.loads, lines.read_text(encoding="utf-8").splitlines())
    return agent, [case for case in cases if "case" in case]


def redact_log(log: Path) -> None:
    """What programs of the agent have printed themselves is kept without secrets."""
    text = log.read_text(encoding="utf-8", errors="replace")
    log.write_text(redacted(text), encoding="utf-8")


def kept_lines(path: Path, head: Mapping[str, Any]) -> list[str]:
    """The complete lines of cases that an earlier run wrote under the same head."""
    if not path.is_file():
        return []
    first, *lines = path.read_text(encoding="utf-8").splitlines(keepends=True) or [""]
    if first != json.dumps(head) + "\n":
        return []
    return [line for line in lines if line.endswith("\n") and line.startswith('{"case"')]


def is_complete(path: Path, ready: Ready) -> bool:
    """Whether the file has all cases of this adapter, judged with today's adapter, laws, fakes and scenarios."""
    if not path.is_file():
        return False
    first, *lines = path.read_text(encoding="utf-8").splitlines() or ["{}"]
    return lines[-1:] == [END] and json.loads(first)["fingerprint"] == fingerprint(ready)


def fingerprint(ready: Ready) -> str:
    """What changes where the adapter does, or anything that a verdict depends on."""
    digest = hashlib.sha256()
    for pattern in JUDGED_WITH:
        for path in sorted(CHECKOUT.glob(pattern)):
            if not str(path.relative_to(CHECKOUT)).startswith(NOT_JUDGED_WITH):
                digest.update(path.read_bytes())
    digest.update(f"{ready.name} {ready.agent}".encode())
    for path in _adapter_files(ready):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _adapter_files(ready: Ready) -> list[Path]:
    adapters = CHECKOUT / "conformance/agent_conformance/agents/ready_made"
    attach = CHECKOUT / "conformance/agent_conformance/attach"
    own = {*adapters.glob(f"{ready.name.replace('-', '_')}.*")}
    if ready.npm:
        own |= {*adapters.glob("*.mjs")}  # bridges share modules
    if ready.bridge:
        return sorted({*own, attach / "node_resolution.mjs", *client_folder().glob("src/*.mjs")})
    return sorted({*own, *(attach.glob("acp/*.py") if ready.extra == "acp" else ())})
