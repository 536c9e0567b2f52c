"""The mutation score: `./dev python -m tools.mutation reference --sample 60 --seed 1`."""

import argparse
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tools.mutation.coverage_map import CoverageMap, known_map
from tools.mutation.equivalents import equivalent_mutants, listed
from tools.mutation.killing import Fated, fates
from tools.mutation.known_killers import are_enough, found_again, known_killers, remember
from tools.mutation.mutants import Mutant, drawn
from tools.mutation.oracles import PATHS, Oracle, Reference, Use, with_tests_of_the_judge
from tools.mutation.score import Score
from tools.mutation.targets import fakes_mutants, judge_mutants, reference_mutants
from tools.mutation.tests_of_agent import PATHS as PATHS_OF_AGENT

DESCRIPTION = """\
Draw mutants of our own code, run what must notice each, and print those that nothing notices. `reference`: the
reference agent, noticed by a finding in a case, which may be advice, or else by a test of the agent. `judge`: laws,
expectations and rules, noticed by the project's own tests. `fakes`: rules and the transport, noticed by tests/fakes
alone. Exit code 1 if the score is below the bar by more than
chance."""
BAR = 0.9
LEAST_KNOWN = 20
MODULE = "tools.mutation"


MUTANTS_OF = {"reference": reference_mutants, "judge": judge_mutants, "fakes": fakes_mutants}


@dataclass(slots=True)
class Sample:
    """What is to be run, and what came of it."""

    target: str
    files: list[str]
    mutants: list[Mutant]
    reasons: dict[str, str]
    at_once: int
    options: argparse.Namespace
    found: list[Fated] = field(default_factory=list)
    units: Sequence[str] = ()
    cases: int = 0
    """So many of the units are cases, and the first ones. The others are tests."""

    @property
    def is_complete(self) -> bool:
        return len(self.found) == len(self.mutants)


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parse(arguments)
    mutants = [mutant for mutant in MUTANTS_OF[options.target]() if options.only in mutant.file]
    known = known_killers(options.target) if options.known else {}
    known = {name: killer for name, killer in known.items() if options.only in name.partition("|")[0]}
    killers = found_again(known, mutants)
    sample = Sample(
        options.target,
        sorted({mutant.file for mutant in mutants}),
        list(killers) if options.known else drawn(mutants, seed=options.seed, sample=options.sample),
        equivalent_mutants(mutants, listed()),
        options.jobs,
        options,
    )
    how = f"known ones of {len(known)}" if options.known else f"of {len(mutants)} mutants, --seed {options.seed}"
    print(f"{sample.target}: {len(sample.mutants)} {how}", flush=True)
    if options.known == "first":
        return _try_known(sample, killers, remembered=len(known))
    _measure(sample)
    if not sample.is_complete:
        print("the sample was not run to its end", file=sys.stderr)
        return 2
    if options.remember:
        remember(sample.target, sample.found, sample.units)
    return _report(sample)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=f"python -m {MODULE}", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", choices=tuple(MUTANTS_OF))
    parser.add_argument("--sample", type=int, default=60, metavar="N", help="so many mutants (default: 60)")
    parser.add_argument("--seed", type=int, metavar="S", help="draws the same mutants again (default: a new one)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="so many at once (default: 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only mutants of files that have this in their path")
    parser.add_argument(
        "--most",
        type=int,
        metavar="N",
        help="no more than N cases and N tests for a mutant, one of each scenario first",
    )
    parser.add_argument("--verdicts-only", action="store_true", help="advice notices nothing; for the reference agent")
    parser.add_argument(
        "--tests-first", action="store_true", help="tests of the reference agent before cases: one score, but sooner"
    )
    parser.add_argument(
        "--by", default=[""], nargs="+", metavar="TEXT", help="only cases and tests that have one of these in their id"
    )
    parser.add_argument(
        "--known",
        nargs="?",
        const="first",
        choices=("first", "anything"),
        help="those remembered, in place of a sample: by what killed each the last time, in seconds; or by anything",
    )
    parser.add_argument("--remember", action="store_true", help="write what killed each, for --known")
    options = parser.parse_args(arguments)
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(10**6)
    return options


def _try_known(sample: Sample, killers: Mapping[Mutant, str], *, remembered: int) -> int:
    """What killed each the last time. Only if one survives it, the whole sample is run in full."""
    if not are_enough(len(killers), remembered):
        again = f"python -m {MODULE} {sample.target} --sample {max(remembered, LEAST_KNOWN)} --remember"
        print(f"too few are left in the code; draw others: {again}", file=sys.stderr)
        return 1
    _with_oracle(sample, lambda oracle: _run_known(sample, killers, oracle), _paths(killers.values()))
    if sample.is_complete and not any(fated.fate == "survived" for fated in sample.found):
        return _report(sample)
    print("what killed them before is not enough: they are run in full", flush=True)
    options = sample.options
    chosen = {"--verdicts-only": options.verdicts_only, "--tests-first": options.tests_first}
    flags = ("--known", "anything", *(flag for flag, is_given in chosen.items() if is_given))
    command = [sys.executable, "-m", MODULE, sample.target, "--jobs", str(options.jobs), "--only", options.only, *flags]
    return subprocess.run(command, check=False).returncode


def _paths(units: Iterable[str]) -> list[str]:
    """The files of these tests, without the cases."""
    return sorted({unit.partition("::")[0] for unit in units if "::" in unit})


def _run_known(sample: Sample, killers: Mapping[Mutant, str], oracle: Oracle) -> None:
    sample.cases = oracle.cases
    numbers = {unit: number for number, unit in enumerate(oracle.units)}
    for mutant in sample.mutants:
        known = numbers.get(killers[mutant])
        lines = {mutant.file: dict.fromkeys(mutant.lines or (0,), [] if known is None else [known])}
        covered = CoverageMap([1.0] * len(numbers), [], lines)
        _note(sample, fates([mutant], oracle, covered, sample.reasons, at_once=1))


def _measure(sample: Sample) -> None:
    def run(oracle: Oracle) -> None:
        begun = time.monotonic()
        print(f"{len(oracle.units)} units may notice them; which executes what is measured first, once", flush=True)
        covered = known_map(oracle.name, oracle.units, oracle.passes, sample.files)
        print(f"coverage is known after {time.monotonic() - begun:.0f} s", flush=True)
        for unit in covered.failing:
            print(f"left out, it fails without a mutant: {oracle.units[unit]}")
        sample.units, sample.cases = oracle.units, oracle.cases
        most = sample.options.most
        _note(sample, fates(sample.mutants, oracle, covered, sample.reasons, at_once=sample.at_once, most=most))
        print(f"run in {time.monotonic() - begun:.0f} s")

    _with_oracle(sample, run, None)


def _with_oracle(sample: Sample, use: Use, paths: Sequence[str] | None) -> None:
    """`paths` are the tests that are needed, None for all."""
    options = sample.options
    if sample.target != "reference":
        all_paths = PATHS if sample.target == "judge" else ("tests/fakes",)
        with_tests_of_the_judge(use, all_paths if paths is None else paths, options.by, name=sample.target)
        return
    paths = PATHS_OF_AGENT if paths is None else paths
    first = options.tests_first
    use(Reference(paths, verdicts_only=options.verdicts_only, tests_first=first, by=options.by))


def _note(sample: Sample, found: Iterable[Fated]) -> None:
    for fated in found:
        sample.found.append(fated)
        number, why = len(sample.found), f"{fated.seconds:.1f} s: {fated.by}"
        print(f"{number:4}/{len(sample.mutants)} {fated.fate:10} {fated.mutant.at} ({why})", flush=True)


def _report(sample: Sample) -> int:
    found = sample.found
    survivors = [fated for fated in found if fated.fate == "survived"]
    for fated in sorted(survivors, key=lambda fated: fated.mutant.at):
        print(f"\nsurvived {fated.mutant.diff}\n    {fated.by}")
    score = _score(found)
    print(f"\nsurvivors by kind: {_counted(fated.mutant.kind for fated in survivors)}")
    print(f"survivors by folder: {_counted(fated.mutant.file.rpartition('/')[0] for fated in survivors)}")
    if sample.target == "reference" and not sample.options.tests_first:
        print(f"noticed by a finding: {_score([_without_test(fated, sample.cases) for fated in found])}")
        print(f"noticed by a finding or a test of the agent: {score}")
    else:
        print(score)
    return 0 if score.interval[1] >= BAR else 1


def _score(found: Iterable[Fated]) -> Score:
    fate_of = Counter(fated.fate for fated in found)
    return Score(fate_of["killed"], fate_of["survived"], fate_of["equivalent"], fate_of["broken"])


def _without_test(fated: Fated, cases: int) -> Fated:
    """What would have become of it without the tests of the agent."""
    is_by_test = fated.unit is not None and fated.unit >= cases
    return replace(fated, fate="survived") if is_by_test else fated


def _counted(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in Counter(names).most_common()) or "none"


if __name__ == "__main__":
    sys.exit(main())
