"""The entry point of `agent-conformance`: finds the subcommand and runs it.

Every other module and folder here, except `shared`, is a subcommand. Only the one in use is imported. A checkout has a
second program of this kind, `python -m tools`.
"""

import argparse
import importlib
import io
import os
import pkgutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agent_conformance.commands.shared import CommandEnds, unknown_name
from agent_conformance.machine import Terminated, raise_at_terminations


@dataclass(frozen=True, slots=True)
class Program:
    """A program of subcommands: `commands` has the module of each, by the name that users type."""

    name: str
    description: str
    examples: str
    commands: Mapping[str, str]


def commands_in(package: str, folder: Path, *others: str) -> Mapping[str, str]:
    """The subcommands of a package, which are its modules and folders but for `others`."""
    names = [module.name for module in pkgutil.iter_modules([str(folder)]) if module.name not in others]
    return {name.replace("_", "-"): f"{package}.{name}" for name in names}


DESCRIPTION = """\
Companion tools. To run the suite use `pytest --agent=...`."""

EXAMPLES = """\
examples:
  agent-conformance init
  agent-conformance doctor --agent=mymodule:Adapter
  agent-conformance check scenarios

`agent-conformance COMMAND --help` shows a command's options, with examples."""

NAMES = commands_in("agent_conformance.commands", Path(__file__).parent, "main", "shared")
AGENT_CONFORMANCE = Program("agent-conformance", DESCRIPTION, EXAMPLES, NAMES)
INTERRUPTED = 130
"""The exit code of shells for a command that Ctrl-C has ended."""


class Subcommand(Protocol):
    """What the module of a subcommand has. It imports what `run` needs when `run` is called."""

    SUMMARY: str
    """One line for the list of commands."""
    DESCRIPTION: str
    """What the command does, at the top of its help."""
    EXAMPLES: str
    """Below the options in its help."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, options: argparse.Namespace) -> int:
        """Returns the exit code. 0: nothing was found; 1: something was found; 2: usage error; 4: no such agent."""


def main(arguments: Sequence[str] | None = None, program: Program = AGENT_CONFORMANCE) -> int:
    """Run one subcommand and return its exit code, 130 after Ctrl-C, 143 after SIGTERM. Raises `SystemExit` for
    `--help` and for a usage error.
    """
    from agent_conformance.transcripts.printing import make_streams_printable
    from agent_conformance.transcripts.redaction import NOT_HIDDEN, SECRETS

    # A file or pipe gets UTF-8, as scenarios are read, also on Windows; a terminal that cannot show a character,
    # its code.
    for stream in (sys.stdout, sys.stderr):
        encoding = str(getattr(stream, "encoding", "utf-8")).lower().replace("_", "-")
        if encoding != "utf-8" and isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")
    restore_streams = make_streams_printable()
    try:
        return _run(sys.argv[1:] if arguments is None else list(arguments), program)
    finally:
        for bound in SECRETS.bounds:
            print(f"{NOT_HIDDEN}: {bound}", file=sys.stderr)
        if arguments is not None:  # else what is still printed is what an agent has left for the end of the process
            restore_streams()


def _run(words: list[str], program: Program) -> int:
    first = words[0] if words else ""
    names = program.commands
    parser = parser_of(program, [first] if first in names else [] if first == "--version" else names)
    if first and first not in names and not first.startswith("-"):
        parser.error(unknown_name("command", first, names))
    options = parser.parse_args(words)
    let_signals_end = raise_at_terminations()
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has stopped reading, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except CommandEnds as end:
        from agent_conformance.transcripts.redaction import redacted

        print(redacted(str(end)), file=sys.stderr)
        return end.code
    except KeyboardInterrupt as interrupt:
        print("\ninterrupted", file=sys.stderr)
        return interrupt.code if isinstance(interrupt, Terminated) else INTERRUPTED
    finally:
        let_signals_end()
    return code


def parser_of(program: Program = AGENT_CONFORMANCE, names: Iterable[str] | None = None) -> argparse.ArgumentParser:
    """The parser with the subcommands of these names, or with all: from it `shtab` makes the completion of a shell."""
    parser = argparse.ArgumentParser(
        prog=program.name,
        description=program.description,
        epilog=program.examples,
        formatter_class=_HelpFormatter,
    )
    vars(parser)["color"] = False  # from Python 3.14 on: no escape is printed, and ours are none to a terminal
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version of agent-conformance")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name in program.commands if names is None else names:
        _add(name, program.commands[name], commands)
    return parser


def _add(name: str, path: str, commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    module: Subcommand = importlib.import_module(path)
    parser = commands.add_parser(
        name,
        help=module.SUMMARY,
        description=module.DESCRIPTION,
        epilog=module.EXAMPLES,
        formatter_class=_HelpFormatter,
    )
    vars(parser)["color"] = False
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Fits a description to the terminal's width, and leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if text.startswith("examples:"):
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class _Version(argparse.Action):
    """Prints the version. Looking it up takes longer than most commands need to start."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(parser.prog, version("pytest-agent-conformance"))
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())
