"""What `minimise` does: find the case, keep its finding, print what is left."""

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.isolated.eligible import load_isolated_agent
from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.commands.shared import CommandEnds, ends_command
from agent_conformance.commands.shared.settings import python_path
from agent_conformance.minimise import Document, Kind, Trials, TrialTarget, kinds_of, one_row, yaml_text
from agent_conformance.minimise.edits import Shrinking, size
from agent_conformance.scenario.cases import Case, RunOptions, cases_of
from agent_conformance.scenario.files import bundled_scenarios, is_cassette
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files import did_you_mean
from agent_conformance.scenario.yaml_files.reading import read, read_data
from agent_conformance.transcripts.finding import Verdict
from agent_conformance.transcripts.redaction import redacted

_CASE = re.compile(r"(?P<id>[^\[@]+)(?:\[(?P<row>[^\]]+)\])?(?:@(?P<target>[^+]+))?(?:\+(?P<mode>plain|stream))?")
"""`area/name[row]@wire+mode`, of which all but the scenario may be missing."""


@dataclass(frozen=True, slots=True)
class Start:
    """What is to be made smaller: the document of one case, its finding, and all that it had."""

    document: Document
    target: TrialTarget
    kind: Kind
    shown: str
    kinds: frozenset[Kind]


def minimise(options: argparse.Namespace) -> int:
    agent = named_agent(options.agent)
    file, options = _file_of(options)
    return _minimise(file, agent, options)


def _file_of(options: argparse.Namespace) -> tuple[ScenarioFile, argparse.Namespace]:
    """The file, and the options with what the id of a case says."""
    path = Path(options.scenario)
    if not path.is_file():
        named = _CASE.fullmatch(options.scenario)
        path = bundled_scenarios() / f"{named['id'] if named else options.scenario}.yaml"
        if named is None or not path.is_file():
            known = [f"{file.parent.name}/{file.stem}" for file in bundled_scenarios().glob("*/*.yaml")]
            near = did_you_mean(named["id"] if named else options.scenario, known)
            raise CommandEnds(f"there is no file and no bundled scenario `{options.scenario}`.{near}", 2)
        wire = named["target"] and named["target"].partition(":")[0]
        chosen: dict[str, Any] = {"row": named["row"], "wire": wire, "mode": named["mode"]}
        options = argparse.Namespace(**{**vars(options), **{key: value for key, value in chosen.items() if value}})
    if is_cassette(path):
        instead = f"agent-conformance new --from={path} --agent={options.agent} --minimise"
        raise CommandEnds(
            f"{path} is a cassette. A scenario can be made smaller, and this makes one of it: {instead}", 2
        )
    loaded = load_file(path, root=None)
    if isinstance(loaded, ScenarioFile):
        return loaded, options
    raise CommandEnds("\n".join(map(str, loaded)), 2)


def cases_named(text: str, agent: DeclaredAgent) -> Iterator[Case]:
    """The agent's cases of a file, or of a scenario or a case as a report names it. Raises `CommandEnds`."""
    named = argparse.Namespace(scenario=text, agent=agent.spec, row=None, wire=None, mode=None)
    file, options = _file_of(named)
    yield from _cases(file, agent, options)


def _minimise(file: ScenarioFile, agent: DeclaredAgent, options: argparse.Namespace) -> int:
    right = reference_trials(timeout=options.timeout)
    with Trials(agent, timeout=options.timeout, is_quiet=not options.verbose) as trials, right:
        start = _start(file, agent, trials, options)
        before = trials.runs
        has_right = right.passes(start.document, start.target)

        def holds(document: Document) -> bool:
            if has_right and not right.passes(document, start.target):
                return False
            verdict = trials.verdict(document, start.target)
            found = kinds_of(verdict) if isinstance(verdict, Verdict) else {}
            return start.kind in found and found.keys() <= start.kinds

        if not (holds(start.document) and holds(start.document)):
            raise CommandEnds(f"{start.shown} is not found again in the same case: three runs differ", 1)
        shrinking = Shrinking(holds, options.runs)
        smallest = shrinking.smallest(start.document)
        if not holds(smallest):
            raise CommandEnds(f"{start.shown} is not found each time in what is left: the agent is not steady", 1)
    _print(start, smallest, trials.runs - before, shrinking, file, options, has_right=has_right)
    if trials.session.has_stuck_thread:
        sys.stdout.flush()
        os._exit(0)
    return 0


def _start(file: ScenarioFile, agent: DeclaredAgent, trials: Trials, options: argparse.Namespace) -> Start:
    """The first case with a finding, or with the one that the options name."""
    document = read(read_data(file.path)).value
    tried = []
    for case in _cases(file, agent, options):
        tried.append(case.id)
        row = one_row(document, case.row)
        target = TrialTarget(case.wire, case.mode, case.provider)
        verdict = trials.verdict(row, target)
        kinds = kinds_of(verdict) if isinstance(verdict, Verdict) else {}
        kind = next((kind for kind, id in kinds.items() if options.finding in (None, id, kind[0])), None)
        if kind is not None:
            return Start(row, target, kind, f"{case.id}#{kinds[kind]}", frozenset(kinds))
    if not tried:
        raise CommandEnds(f"{file.shown}: the agent has no such case; see --row, --wire and --mode", 2)
    what = f"the finding {options.finding}" if options.finding else "a finding"
    raise CommandEnds(f"no case has {what}; tried were {', '.join(tried)}", 1)


def _cases(file: ScenarioFile, agent: DeclaredAgent, options: argparse.Namespace) -> Iterator[Case]:
    if options.row is not None and options.row not in file.rows:
        near = did_you_mean(options.row, [row for row in file.rows if row])
        raise CommandEnds(f"{file.shown}: `examples` has no row `{options.row}`.{near}", 2)
    chosen = RunOptions(wires=(options.wire,) if options.wire else ())
    for case in cases_of(file, agent, chosen):
        if options.row in (None, case.row) and options.mode in (None, case.mode) and not case.missing:
            yield case


def _print(
    start: Start,
    smallest: Document,
    runs: int,
    shrinking: Shrinking,
    file: ScenarioFile,
    options: argparse.Namespace,
    *,
    has_right: bool,
) -> None:
    text = redacted(yaml_text(smallest, file.comment))
    if options.to is None:
        print(text, end="")
    else:
        options.to.parent.mkdir(parents=True, exist_ok=True)
        options.to.write_text(text, encoding="utf-8")
    before, after = size(start.document), size(smallest)
    end = "" if shrinking.is_whole else f"; --runs={options.runs} ended it, and it may become smaller"
    passes = "the reference agent passes it" if has_right else "the reference agent does not pass it, nor the whole one"
    print(f"{start.shown}", file=sys.stderr)
    print(f"  {before} characters before, {after} now, {runs} runs of the agent{end}", file=sys.stderr)
    print(f"  {passes}", file=sys.stderr)


REFERENCE = "agent_conformance.reference:Adapter"


def named_agent(spec: str) -> DeclaredAgent:
    """In a process of its own, found where pytest finds it. Raises `CommandEnds`."""
    sys.path[:0] = map(str, python_path(Path.cwd()))
    with ends_command(4, AgentNotFound):
        return load_isolated_agent(spec, cwd=Path.cwd())


def reference_trials(*, timeout: float, tolerated: Iterable[str] = ()) -> Trials:
    """Of a right agent: what it has too is no finding."""
    return Trials(load_agent(REFERENCE, cwd=Path.cwd()), timeout=timeout, tolerated=tolerated)
