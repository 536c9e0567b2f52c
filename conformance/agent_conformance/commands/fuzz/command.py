"""What `fuzz` does: load the agent, collect what is known, search, write each discovery at once."""

import argparse
import os
import random
import shlex
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from agent_conformance.baseline.baseline import Baseline, BrokenBaseline, load_baseline, today
from agent_conformance.baseline.run_record import label
from agent_conformance.commands.shared import CommandEnds, ends_command, fitted
from agent_conformance.commands.shared.minimising import named_agent, reference_trials
from agent_conformance.commands.shared.served import progress
from agent_conformance.fuzz import (
    LARGEST_SEED,
    Counts,
    Discovery,
    Known,
    Search,
    kind_without_numbers,
    known_of_scenarios,
    write_scenario,
)
from agent_conformance.minimise import Trials
from agent_conformance.minimise.edits import size
from agent_conformance.report_data.encoding import BrokenResults
from agent_conformance.report_data.folder import read_results
from agent_conformance.report_data.summary import findings_by_cause
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import load_folder
from agent_conformance.transcripts.redaction import redacted


def fuzz(options: argparse.Namespace) -> int:
    agent = named_agent(options.agent)
    baseline = baseline_of(options.baseline)
    known = Known(causes=baseline.known_causes(today())) | known_of_reports(options.known)
    seed = random.randrange(LARGEST_SEED) if options.seed is None else options.seed
    tolerated = baseline.tolerated
    right = reference_trials(timeout=options.timeout, tolerated=tolerated)
    trials = Trials(agent, timeout=options.timeout, tolerated=tolerated, is_quiet=not options.verbose)
    with trials, right:
        print(f"seed {seed}", flush=True)
        found, clock = 0, _Clock(options)
        try:
            if options.corpus:
                files, _ = load_folder(bundled_scenarios())
                known |= known_of_scenarios(trials, agent, files, level=options.level, progress=progress)
            search = Search(
                trials,
                right,
                seed,
                known=known,
                level=options.level,
                shrink_runs=options.shrink_runs,
                start=options.start,
            )
        except KeyboardInterrupt:
            progress("")
            print("interrupted before the search began; nothing was tried", file=sys.stderr)
            return 2
        try:
            clock.start()
            for discovery in search.discoveries(clock.goes_on):
                progress("")
                found += not discovery.unsteady
                say_discovery(discovery, seed, options)
                clock.forget_until_now()
        except KeyboardInterrupt:
            progress("")
            print("interrupted; what was found is kept", file=sys.stderr)
        progress("")
        say_summary(search.counts, seed, found, clock.seconds, options)
    if trials.session.has_stuck_thread:
        sys.stdout.flush()
        os._exit(1 if found else 0)
    return 1 if found else 0


class _Clock:
    """How long the search goes on, by documents or by time. Making a finding smaller does not count as search."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._examples = options.examples
        self._minutes = options.minutes
        self.seconds = 0.0

    def start(self) -> None:
        self._since = time.monotonic()

    def goes_on(self, count: int) -> bool:
        now = time.monotonic()
        self.seconds += now - self._since
        self._since = now
        progress(f"{count} documents, {self.seconds:.0f} s")
        if self._examples is not None:
            return bool(count < self._examples)
        return bool(self.seconds < self._minutes * 60)

    def forget_until_now(self) -> None:
        self._since = time.monotonic()


# What the reports and the baseline of an agent know already.


def baseline_of(path: Path | None) -> Baseline:
    """Empty where none is named. Raises `CommandEnds`."""
    if path is None:
        return Baseline(Path(), {})
    if not path.is_file():
        raise CommandEnds(f"--baseline={path}: no such file", 2)
    with ends_command(2, BrokenBaseline):
        return load_baseline(path)


def known_of_reports(folders: Iterable[Path]) -> Known:
    """All findings of these reports, by cause and detail. Raises `CommandEnds`."""
    with ends_command(2, BrokenResults):
        kinds = (kind for folder in folders for kind in findings_by_cause(read_results(folder)))
        return Known(frozenset(kind_without_numbers(*kind) for kind in kinds))


MOST_ERRORS = 5


def say_discovery(found: Discovery, seed: int, options: argparse.Namespace) -> None:
    """Write its scenario, and say what it is, where it stands and how to run it."""
    target = f"{found.target.wire}+{found.target.mode}"
    lines = [f"{found.finding.id}   document {found.number}, {target}"]
    one = found.finding
    said = {"at": one.at, "refused": one.refused, "expected": one.expected, "got": one.got}
    lines += [f"  {name:9} {_in_a_line(text)}" for name, text in said.items() if text]
    if found.unsteady:
        lines.append(
            f"  not reproduced: {found.unsteady}. No scenario is written; --seed={seed} --start={found.number}"
        )
    else:
        about = label(found.finding.subject.kind, *found.kind, 2)
        path = write_scenario(found, options.to, agent=options.agent, seed=seed, about=about)
        more = "" if found.is_smallest else f"; --shrink-runs={options.shrink_runs} ended it, and it may become smaller"
        lines.append(f"  scenario  {path}: {size(found.document)} characters, after {found.runs} runs{more}")
        lines.append(f"  rerun     pytest --agent={shlex.quote(options.agent)} {path}")
    print(fitted(redacted("\n".join(lines))), flush=True)


def _in_a_line(text: str) -> str:
    line = " ".join(redacted(text).split())
    return line if len(line) <= 160 else f"{line[:156]} ..."


def say_summary(counts: Counts, seed: int, found: int, seconds: float, options: argparse.Namespace) -> None:
    what = f"{found} new kind{'' if found == 1 else 's'} of findings" if found else "nothing new"
    print(f"seed {seed}: {counts.documents} documents, {what}, {seconds:.0f} s")
    if counts.known:
        times = counts.known.total()
        print(f"  {len(counts.known)} kinds that were known came {times} times, and are left out")
    elif found and not (options.known or options.corpus):
        print("  what the scenarios find is not left out: --known=DIR of a run with --agent-report, or --corpus")
    if counts.without_a_case:
        print(f"  {counts.without_a_case} documents need what this agent does not declare")
    if counts.of_the_reference:
        numbers = ", ".join(map(str, counts.of_the_reference))
        print(f"  left out, since the reference agent has findings there too: documents {numbers}. Please report them")
    for reason, times in counts.errors.most_common(MOST_ERRORS):
        print(f"  no verdict, {times} times: {_in_a_line(reason)}", file=sys.stderr)
