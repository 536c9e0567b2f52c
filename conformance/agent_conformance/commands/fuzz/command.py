"""What `fuzz` does: load the agent, collect what is known, search, write each discovery at once. Judges nothing."""

import argparse
import os
import random
import sys
import time
from importlib.util import find_spec

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.agents.loading import AgentNotFound
from agent_conformance.commands.fuzz.known import CannotFuzz, baseline_of, known_of_baseline, known_of_reports
from agent_conformance.commands.fuzz.output import say_discovery, say_summary
from agent_conformance.commands.shared.agents_to_try import named_agent, reference_trials
from agent_conformance.commands.shared.progress import progress
from agent_conformance.minimise.trials import Trials
from agent_conformance.scenario.corpus import bundled_scenarios
from agent_conformance.scenario.loading import load_folder

LARGEST_SEED = 2**32


def fuzz(options: argparse.Namespace) -> int:
    if find_spec("hypothesis") is None:
        print("fuzz needs Hypothesis: pip install 'pytest-agent-conformance[fuzz]'", file=sys.stderr)
        return 2
    try:
        agent = named_agent(options.agent)
    except AgentNotFound as error:
        print(error, file=sys.stderr)
        return 4
    try:
        return _fuzz(agent, options)
    except CannotFuzz as problem:
        print(problem, file=sys.stderr)
        return 2


def _fuzz(agent: DeclaredAgent, options: argparse.Namespace) -> int:
    from agent_conformance.fuzz.known import known_of_scenarios
    from agent_conformance.fuzz.search import Search

    baseline = baseline_of(options.baseline)
    known = known_of_baseline(baseline) | known_of_reports(options.known)
    seed = random.randrange(LARGEST_SEED) if options.seed is None else options.seed
    tolerated = baseline.tolerated
    right = reference_trials(timeout=options.timeout, tolerated=tolerated)
    trials = Trials(agent, timeout=options.timeout, tolerated=tolerated)
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
    if trials.has_stuck_thread:
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
