"""Which historic bugs a search finds: `./dev python -m tests.fuzz.power --seed 1 --mutants 30 --seconds 60`.

Each mutant is searched until its first finding or for so many seconds of processor time, which other programs on the
machine do not shorten. No scenario of the corpus is read.
"""

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.attach.loading import checked_agent, load_agent
from agent_conformance.fuzz import Search
from agent_conformance.minimise import Trials
from agent_mutants import MUTANTS, Mutant, mutant_adapter


@dataclass(frozen=True, slots=True)
class Searched:
    """What came of one mutant: its first finding, or none."""

    mutant: str
    documents: int
    seconds: float
    finding: str = ""
    level: str = ""


def drawn_mutants(seed: int, count: int) -> list[Mutant]:
    """Of those that some scenario can reach."""
    reachable = [mutant for mutant in MUTANTS if mutant.reachable]
    return random.Random(seed).sample(reachable, min(count, len(reachable)))


def searched(mutant: Mutant, seed: int, *, seconds: float = 60.0, examples: int | None = None) -> Searched:
    """The first finding, advice included. With `examples`, it ends after so many documents instead."""
    agent = checked_agent(mutant.name, mutant_adapter(mutant))
    right = load_agent("agent_conformance.reference:Adapter", cwd=Path.cwd())
    begin = time.process_time()

    def goes_on(count: int) -> bool:
        return count < examples if examples is not None else time.process_time() - begin < seconds

    with Trials(agent) as trials, Trials(right) as reference:
        search = Search(trials, reference, seed, level="should", shrink_runs=0)
        steady = (found for found in search.discoveries(goes_on) if not found.unsteady)
        found = next(steady, None)
        spent = time.process_time() - begin
    if found is None:
        return Searched(mutant.name, search.counts.documents, spent)
    return Searched(mutant.name, search.counts.documents, spent, found.finding.id, found.finding.level)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.power", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutants", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--name", action="append", help="this mutant instead of some that are drawn")
    parser.add_argument("--part", default="1/1", help="of the drawn ones, to run parts beside each other: 1/2, 2/2")
    options = parser.parse_args(arguments)
    if options.name:
        mutants = [mutant for mutant in MUTANTS if mutant.name.startswith(tuple(options.name))]
    else:
        mutants = drawn_mutants(options.seed, options.mutants)
    part, parts = map(int, options.part.split("/"))
    results = []
    print(f"seed {options.seed}, {options.seconds:.0f} s of processor time each")
    for place, mutant in enumerate(mutants):
        if place % parts != part - 1:
            continue
        result = searched(mutant, options.seed + place, seconds=options.seconds)
        results.append(result)
        found = f"{result.finding}{' (advice)' if result.level == 'should' else ''}" or "nothing"
        print(f"{result.mutant:36} {result.documents:6} {result.seconds:6.1f} s  {found}", flush=True)
    count = sum(bool(result.finding) for result in results)
    print(f"{count} of {len(results)} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
