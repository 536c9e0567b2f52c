"""A temporary project in which a document comes true: its titled blocks are files, its commands are run in order."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.scenario.files import bundled_scenarios
from tests.docs.documents import ROOT, Block, Command, blocks_of, commands_of, fitted
from tests.patience import PATIENCE

CHANGING = (
    (re.compile(r"\bin \d+\.\d+s\b"), "in 0.00s"),
    (re.compile(r"\b\d+ deselected\b"), "0 deselected"),
    (re.compile(r", \d+ s$", re.MULTILINE), ", 0 s"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00"), "2026-11-22T00:00:00+00:00"),
)
"""What differs from run to run, or with everything that is added elsewhere, and how it is compared."""

PORT = re.compile(r"127\.0\.0\.1:\d+")
NOTICE = re.compile(r"^agent-conformance: still importing the agent.*\n?", re.MULTILINE)
"""What a run says where the import of an agent takes long, as it does on a busy machine."""
INSTALLED = ".venv/.../_scenarios"
"""Where a reader has the bundled scenarios, with the usual environment in the project's folder; shortened."""
MANY_LINES = "..."
"""A line of this alone stands for any number of lines."""
AS_IN = re.compile(r"<!-- (?P<file>\S+) as in (?P<document>\S+) -->")
"""In a document whose commands need a file that another one shows; the document's path is that in the project."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A command whose output is not what the document says."""

    command: Command
    output: str

    def __str__(self) -> str:
        command = self.command
        return f"{command.place}: $ {command.command}\n--- written\n{command.output}\n--- got\n{self.output}"


def run_document(document: Path, folder: Path) -> Iterator[Difference]:
    """Write and run the blocks of a document in this folder, in order, for CONTRIBUTING.md in a copy of the project."""
    if document.name == "CONTRIBUTING.md":
        copy_checkout(folder)
    for block in files_of_others(document):
        write(block, folder)
    for block in blocks_of(document):
        if block.title or block.at_the_end_of:
            write(block, folder)
        for command in commands_of(block) if block.language == "console" else ():
            output = run(command.command, folder)
            if not agrees(command.output, output):
                yield Difference(command, output)


def files_of_others(document: Path) -> list[Block]:
    """The files of other documents that this one names in comments: what is shown there is not shown twice."""
    named = AS_IN.findall(document.read_text(encoding="utf-8"))
    return [block for file, other in named for block in blocks_of(ROOT / other) if block.title == file]


def write(block: Block, folder: Path) -> Path:
    path = folder / (block.title or block.at_the_end_of)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w" if block.title else "a", encoding="utf-8") as file:
        file.write(block.text)
    return path


def copy_checkout(folder: Path) -> None:
    """A copy of this project to change, whose `./dev` finds its environment made: the one of this interpreter."""
    for name in ("constraints", "fakes", "conformance", "mutants", "scenarios", "tests", "tools"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    folder.joinpath("docs").mkdir()
    for name in ("dev", "pyproject.toml", "docs/dialects.yaml"):
        shutil.copy(ROOT / name, folder / name)
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name in ("python", "pytest", "agent-conformance"):
        tools.joinpath(name).symlink_to(Path(sys.executable).parent / name)
    stamp = b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", "constraints/dev.txt"))
    folder.joinpath(".venv", "installed").write_bytes(stamp)


def run(command: str, folder: Path) -> str:
    """What the command prints, as documents show it. The tools are those of this interpreter's environment."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return fitted(normal(done.stdout, folder))


DROPPED = ("PYTEST_", "COV_", "CI", "BUILD_NUMBER", "GITHUB_")
"""Beginnings of variables that a reader has not: under CI pytest shortens nothing, and looks otherwise."""


WITHOUT = "-p no:hypothesispytest"
"""A reader has Hypothesis only for fuzzing. Its plugin loads it in every run: half the time of a short one."""


def environment(folder: Path) -> dict[str, str]:
    """As a reader has it: a terminal of 80 columns, and no settings of the run that these tests belong to.

    The packages that count are those of this checkout; in a copy of it, the copy's.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(DROPPED)}
    tools = str(Path(sys.executable).parent)
    checkout = folder if (folder / "dev").exists() else ROOT
    own = os.pathsep.join(str(checkout / part) for part in ("conformance", "fakes", "mutants", "."))
    path = f"{tools}{os.pathsep}{kept.get('PATH', '')}"
    return kept | {"PYTHONPATH": own, "PATH": path, "COLUMNS": "80", "NO_COLOR": "1", "PYTEST_ADDOPTS": WITHOUT}


def normal(text: str, folder: Path) -> str:
    """Without what differs from machine to machine and from run to run: folders, ports, notices, final spaces."""
    text = text.replace(str(bundled_scenarios()), INSTALLED).replace(f"{folder}/", "").replace(str(folder), ".")
    text = NOTICE.sub("", text)
    text = PORT.sub("127.0.0.1:41873", text)
    return "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))


def agrees(written: str, output: str) -> bool:
    """Whether an output is as written, but for what is `CHANGING`; a line `...` of the document is any lines."""
    lines = [re.escape(line) for line in steady(written).split("\n")]
    pattern = "".join(r"(?:.*\n)*?" if line == re.escape(MANY_LINES) else f"{line}\n" for line in lines)
    return re.fullmatch(pattern, f"{steady(output)}\n") is not None


def steady(text: str) -> str:
    for pattern, replacement in CHANGING:
        text = pattern.sub(replacement, text)
    return text
