"""The command line `agent-conformance`: what is not a test run. The test run itself is `pytest --agent=...`."""

import argparse
import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.corpus import bundled_scenarios
from conformance.scenario.loading import ScenarioFile, load_folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: all is well; 1: something was found; 2: the call's words are off."""
    options = _parser().parse_args(arguments)
    run: int = options.run(options)
    return run


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agent-conformance", description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    mutants = commands.add_parser("mutants", help="run the historic bugs over scenarios: which dies of what")
    mutants.add_argument("names", nargs="*", metavar="MUTANT", help="names or globs; all without any")
    mutants.add_argument("--scenarios", type=Path, metavar="PATH", help="a folder of your own, to grade it")
    mutants.add_argument("--named", action="store_true", help="only the scenarios that a mutant names as its killers")
    mutants.set_defaults(run=_mutants)

    check = commands.add_parser("check", help="read scenario files and say what is wrong with them")
    check.add_argument("path", type=Path, nargs="?", default=Path("scenarios"))
    check.set_defaults(run=_check)

    schema = commands.add_parser("schema", help="print the JSON Schema of scenario files, for editors")
    schema.set_defaults(run=_schema)
    return parser


def _mutants(options: argparse.Namespace) -> int:
    from conformance.grading import grade, rows
    from conformance.mutants import MUTANTS, mutant_adapter

    files = _files(options.scenarios or bundled_scenarios())
    grades = []
    for mutant in MUTANTS:
        if options.names and not any(fnmatchcase(mutant.name, name) for name in options.names):
            continue
        if not mutant.reachable:
            print(f"{mutant.name:34} not reached: {mutant.reason}")
            continue
        globs = [scenario for scenario, _ in mutant.kill]
        chosen = [f for f in files if any(fnmatchcase(f.id, glob) for glob in globs)] if options.named else files
        grades.append(grade(mutant.name, mutant_adapter(mutant), chosen))
    for name, scenario, findings in rows(grades):
        print(f"{name:34} {scenario:52} {findings}")
    for given in grades:
        if not options.named and given.is_broken:
            print(f"{given.mutant}: broken; it fails {len(given.killers)} of {given.scenarios} scenarios")
    survivors = [given.mutant for given in grades if not given.kills]
    print(f"{len(grades) - len(survivors)} of {len(grades)} mutants die" + _listed(survivors))
    return 1 if survivors else 0


def _listed(survivors: list[str]) -> str:
    return f"; {', '.join(survivors)} survive" if survivors else ""


def _check(options: argparse.Namespace) -> int:
    files, problems = load_folder(options.path)
    for problem in problems:
        print(problem)
    rows = sum(len(file.rows) for file in files)
    print(f"files: {len(files)}, scenarios with their examples: {rows}, problems: {len(problems)}")
    return 1 if problems or not files else 0


def _schema(options: argparse.Namespace) -> int:
    print((bundled_scenarios() / "scenario.schema.json").read_text(), end="")
    return 0


def _files(folder: Path) -> list[ScenarioFile]:
    files, problems = load_folder(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return list(files)


if __name__ == "__main__":
    sys.exit(main())
