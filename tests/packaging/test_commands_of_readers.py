"""A reader on a fresh machine can type what the documents say: no command needs a package that no index has.

The suite itself is on no package index, so it is installed by the path of a clone, or by its address.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from agent_conformance.attach.ready_made import READY
from agent_conformance.machine.installation import DISTRIBUTION, ELSEWHERE
from tests.docs.documents import Block, Command, blocks_of, commands_of, prose_of
from tests.docs.projects import agrees, fitted, normal, write
from tests.packaging.pins import ROOT

CLONE = "PATH-OF-THE-CLONE"
README = ROOT / "README.md"
READ = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "Containerfile", "action.yml", "*/README.md", "docs/**/*.md")
READ += ("clients/**/*.md", "clients/**/*.mjs", "examples/**/*.md", "serve/action.yml", "benchmarks/*.py")
PRINTED = ("conformance/**/*.py", "conformance/**/*.yaml", "conformance/**/*.template", "conformance/**/*.mjs")
INSTALLS = re.compile(r"(?:\bpip3? install|\buv tool install) +([^`\n]+)")
RUNS = re.compile(r"(?:\buvx --from|\bpipx run --spec|\buv run --with) +([^`\s]+)")
ENDS = re.compile(r"&&|;|\||#|[.,]\s|\.$")
WITH_A_VALUE = frozenset({"-r", "-e", "-c", "--editable", "--requirement", "--constraint", "--python"})


def files_of(patterns: tuple[str, ...]) -> list[Path]:
    found = (path for pattern in patterns for path in ROOT.glob(pattern) if "node_modules" not in path.parts)
    return sorted(set(found))


def installed_by(text: str) -> Iterator[str]:
    """The names that the commands in a text give to an index: no paths, addresses, options and gaps."""
    for said in (*INSTALLS.findall(text), *RUNS.findall(text)):
        before = ""
        for word in re.sub(r"""["'()\\]""", " ", ENDS.split(said)[0]).split():
            is_value, before = before in WITH_A_VALUE, word
            if is_value or word.startswith(("-", ".", "/", "$", "git+", "http", CLONE)) or "{" in word:
                continue
            try:
                yield canonicalize_name(Requirement(word).name)
            except InvalidRequirement:
                break  # what follows in prose is no part of the command


IN_EVIDENCE = ("ag2", "beeai-framework", "griptape")
"""Installed for pages of docs/evidence, which name the version that was seen."""


def on_an_index() -> set[str]:
    """What was resolved from the index before: the pins, and what adapters and evidence are installed with."""
    pins = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "constraints").glob("*.txt"))
    adapters = (name for ready in READY for name in (*ready.packages, *ready.tool[:1]))
    names = {*re.findall(r"^([\w.-]+)==", pins, re.MULTILINE), *(Requirement(name).name for name in adapters)}
    names |= set(IN_EVIDENCE)
    return {canonicalize_name(name) for name in names}


@pytest.mark.parametrize("path", files_of(READ), ids=lambda path: str(path.relative_to(ROOT)))
def test_document_installs_only_what_an_index_has(path: Path) -> None:
    named = set(installed_by(path.read_text(encoding="utf-8")))

    assert named - on_an_index() == set()


def test_nothing_that_is_printed_installs_the_suite_from_an_index() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in files_of(PRINTED)}

    assert [str(path.relative_to(ROOT)) for path, text in texts.items() if DISTRIBUTION in installed_by(text)] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("pip install pytest-agent-conformance\n", ["pytest-agent-conformance"]),
        ("`pip install 'Pytest_Agent.conformance[acp]'`, then", ["pytest-agent-conformance"]),
        (
            "- run: pip install openai -r more.txt pytest-agent-conformance # both",
            ["openai", "pytest-agent-conformance"],
        ),
        ("uvx --from pytest-agent-conformance agent-conformance serve", ["pytest-agent-conformance"]),
        ('pip install "PATH-OF-THE-CLONE[mcp]" openai "mcp>=2"\n', ["openai", "mcp"]),
        ("pip install . git+https://YOUR-HOST/agent-conformance.git", []),
        ("what pip installs besides the suite", []),
    ],
)
def test_names_are_found_in_commands(text: str, names: list[str]) -> None:
    assert list(installed_by(text)) == names


def test_own_name_is_on_no_index() -> None:
    """Once it is, README's sentence about it, and what the pages call `PATH-OF-THE-CLONE`, are to be changed."""
    assert DISTRIBUTION not in on_an_index()
    assert {"openai", "mcp", "langchain"} <= on_an_index()


def readme_commands() -> list[str | Command]:
    """All commands of the README: those of its blocks, and the installations that stand in its sentences."""
    blocks = blocks_of(README)
    lines = [line.partition(" #")[0] for block in blocks if block.language == "sh" for line in block.text.splitlines()]
    said = re.findall(r"`((?:\./dev|pip install) [^`]+)`", prose_of(README))
    shown = [command for block in blocks if block.language == "console" for command in commands_of(block)]
    return [*lines, *said, *shown, *(step for block in blocks if block.title.endswith(".yml") for step in steps(block))]


def steps(workflow: Block) -> Iterator[str]:
    for job in yaml.safe_load(workflow.text)["jobs"].values():
        yield from (step["run"] for step in job["steps"] if "run" in step)


def cloned(folder: Path) -> Path:
    """A fresh clone of this checkout, with what is not committed yet as a commit of its own."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a checkout: a source distribution cannot be cloned")
    subprocess.run([git, "clone", "--quiet", str(ROOT), str(folder)], check=True)
    listed = [git, "-C", str(ROOT), "ls-files", "-z", "--modified", "--others", "--deleted", "--exclude-standard"]
    for name in filter(
        None, set(subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0"))
    ):
        folder.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, folder / name)
        else:
            folder.joinpath(name).unlink(missing_ok=True)
    own = [git, "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run([*own, "add", "--all"], check=True)
    subprocess.run([*own, "commit", "--quiet", "--allow-empty", "--message=as it stands"], check=True)
    return folder


NARROWED = {
    "./dev pytest": "--collect-only -q",
    "./dev pytest --agent=agent_conformance.reference:Adapter": "--agent-profile=smoke --agent-wire=openai-chat",
    "./dev pytest --agent=mymodule:Adapter": "--agent-profile=smoke",
    "pytest --agent=mymodule:Adapter --agent-isolate": "--agent-profile=smoke",
}
"""What pytest is given beside a command that takes minutes. `.ci/run` runs the first two in full."""
FAILS = frozenset({"./dev pytest --agent=mymodule:Adapter", "pytest --agent=mymodule:Adapter --agent-isolate"})
"""README's adapter has findings, on purpose."""


@pytest.mark.slow
def test_every_command_of_the_readme_works_in_a_fresh_clone_and_a_fresh_environment(tmp_path: Path) -> None:
    """In the order of the README: the clone, an environment with the suite, the adapter, and what CI runs."""
    clone, project, set_up = cloned(tmp_path / "clone"), tmp_path / "project", tmp_path / "set up"
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    set_up.mkdir()
    for block in blocks_of(README):
        if block.title.endswith(".py"):
            write(block, clone)
            write(block, project)
    dropped = ("PYTEST_", "COV_", "CI", "BUILD_NUMBER", "GITHUB_", "PYTHON", "VIRTUAL_ENV", "PIP_", "UV_CONSTRAINT")
    reader = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    reader |= {"PATH": f"{venv / 'bin'}:{reader['PATH']}", "COLUMNS": "80", "NO_COLOR": "1", "PYTHON": sys.executable}
    reader |= {"PIP_CONSTRAINT": str(ROOT / "constraints" / "dev.txt"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    for one in readme_commands():
        command = one.command if isinstance(one, Command) else one
        folder = clone if command.startswith("./dev") else set_up if " init" in command else project
        typed = command.replace(CLONE, shlex.quote(str(clone))).replace(ELSEWHERE, f"git+file://{clone}")
        done = subprocess.run(
            ["bash", "-c", typed],
            cwd=folder,
            env=reader | {"PYTEST_ADDOPTS": NARROWED.get(command, "")},
            capture_output=True,  # standard error apart: on a slow machine it says that the import is not done yet
            text=True,
            timeout=900,
            check=False,
        )
        if isinstance(one, Command):
            assert agrees(one.output, fitted(normal(done.stdout, folder))), f"$ {command}\n{done.stdout}{done.stderr}"
        else:
            assert done.returncode == (1 if command in FAILS else 0), (
                f"$ {command}\n{done.stdout[-5000:]}{done.stderr[-5000:]}"
            )
            assert command not in FAILS or "20 cases: " in done.stdout


def test_readme_has_the_commands_that_a_reader_types_first() -> None:
    typed = [one.command if isinstance(one, Command) else one for one in readme_commands()]

    assert typed[:2] == ["./dev pytest --agent=agent_conformance.reference:Adapter", "./dev pytest"]
    assert {*NARROWED, f"pip install {CLONE}", f"pip install {ELSEWHERE}", "agent-conformance init"} <= set(typed)
