"""The command line `agent-conformance`: what is not a test run. The test run itself is `pytest --agent=...`."""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from conformance.commands.fakes import add_commands
from conformance.commands.init import add_command as add_init
from conformance.commands.leaderboard.command import add_options
from conformance.commands.leaderboard.command import run as run_leaderboard
from conformance.scenario.corpus import bundled_scenarios
from conformance.scenario.loading import ScenarioFile, load_folder
from conformance.scenario.problems import Problem, shown_path


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0: all is well; 1: something was found; 2: the call's words are off; 4: there is no such agent."""
    options = _parser().parse_args(arguments)
    try:
        run: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads has enough, as `| head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return run


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="agent-conformance", description=__doc__.splitlines()[0])
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version of agent-conformance")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    add_init(commands)

    mutants = commands.add_parser("mutants", help="run the historic bugs over scenarios: which dies of what")
    mutants.add_argument("names", nargs="*", metavar="MUTANT", help="names or globs; all without any")
    mutants.add_argument("--scenarios", type=Path, metavar="PATH", help="a folder of your own, to grade it")
    mutants.add_argument("--named", action="store_true", help="only the scenarios that a mutant names as its killers")
    mutants.set_defaults(run=_mutants)

    check = commands.add_parser("check", help="read scenario files and say what is wrong with them")
    check.add_argument("path", type=Path, nargs="?", default=Path("scenarios"))
    check.set_defaults(run=_check)

    schema = commands.add_parser("schema", help="print the JSON Schema of scenario files, or of the lines of `cmd:`")
    schema.add_argument("of", nargs="?", choices=("scenario", "protocol"), default="scenario")
    schema.set_defaults(run=_schema)

    doctor = commands.add_parser("doctor", help="try an adapter: what works, what does not, what to change in it")
    doctor.add_argument("--agent", required=True, metavar="SPEC", help="module:Attribute, or cmd:COMMAND")
    doctor.add_argument("--timeout", type=float, default=10.0, metavar="SECONDS", help="silence that is a hang (10)")
    doctor.set_defaults(run=_doctor)

    leaderboard = commands.add_parser("leaderboard", help="run the corpus over the ready-made adapters")
    add_options(leaderboard)
    leaderboard.set_defaults(run=run_leaderboard)

    add_commands(commands)
    return parser


class _Version(argparse.Action):
    """Looked up only when it is asked for: that takes longer than most commands need to start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(parser.prog, version("agent-conformance"))
        parser.exit()


def _mutants(options: argparse.Namespace) -> int:
    """Each must die of some bundled scenario. Scenarios of a project only say which they find."""
    from conformance.agents.mutants import MUTANTS, mutant_adapter
    from conformance.commands.mutants.results import grade, rows

    files = _files(options.scenarios or bundled_scenarios())
    unknown = [name for name in options.names if not any(_is_meant(mutant.name, [name]) for mutant in MUTANTS)]
    if unknown or not files:
        print(f"{', '.join(unknown)}: no such mutant" if unknown else "there is no scenario to run", file=sys.stderr)
        return 2
    grades = []
    for mutant in MUTANTS:
        if options.names and not _is_meant(mutant.name, options.names):
            continue
        if not mutant.reachable:
            if not options.scenarios:
                print(f"{mutant.name:34} not reached: {mutant.reason}")
            continue
        globs = [scenario for scenario, _ in mutant.kill]
        chosen = [f for f in files if any(fnmatchcase(f.id, glob) for glob in globs)] if options.named else files
        grades.append(grade(mutant.name, mutant_adapter(mutant), chosen))
    dead = [given for given in grades if given.kills]
    for name, scenario, findings in rows(dead if options.scenarios else grades):
        print(f"{name:34} {scenario:52} {findings}")
    for given in grades:
        if given.is_broken and not (options.named or options.scenarios):
            print(f"{given.mutant}: broken; it fails {len(given.killers)} of {given.scenarios} scenarios")
    print(f"mutants: {len(grades)}, of which die: {len(dead)}")
    return 0 if options.scenarios or len(dead) == len(grades) else 1


def _is_meant(mutant: str, names: Sequence[str]) -> bool:
    """By a glob, or by its name up to the first `_`."""
    return any(fnmatchcase(mutant, name) or mutant.partition("_")[0] == name for name in names)


def _check(options: argparse.Namespace) -> int:
    if not options.path.exists():
        print(f"{options.path}: no such file or folder", file=sys.stderr)
        return 2
    files, broken = load_folder(options.path)
    problems = [*broken, *_taken_ids(files)]
    for problem in problems:
        print(problem)
    rows = sum(len(file.rows) for file in files)
    print(f"files: {len(files)}, scenarios with their examples: {rows}, problems: {len(problems)}")
    return 1 if problems or not files else 0


def _taken_ids(files: Sequence[ScenarioFile]) -> Iterator[Problem]:
    """A run takes a project's scenarios with the bundled ones: an id can stand for one of them only."""
    corpus = bundled_scenarios()
    for file in files:
        taken = corpus / f"{file.id}.yaml"
        if taken.is_file() and not taken.samefile(file.path):
            said = f"the id {file.id} is already that of {shown_path(taken)}. Rename this file."
            yield Problem(shown_path(file.path), 1, said)


def _schema(options: argparse.Namespace) -> int:
    from conformance.agents.command.schema import PATH

    path = PATH if options.of == "protocol" else bundled_scenarios() / "scenario.schema.json"
    print(path.read_text(encoding="utf-8"), end="")
    return 0


def _doctor(options: argparse.Namespace) -> int:
    from conformance.commands.doctor.command import run_doctor

    return run_doctor(options.agent, timeout=options.timeout)


def _files(folder: Path) -> list[ScenarioFile]:
    files, problems = load_folder(folder)
    for problem in problems:
        print(problem, file=sys.stderr)
    return list(files)


if __name__ == "__main__":
    sys.exit(main())
