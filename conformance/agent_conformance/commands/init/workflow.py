"""The workflow for GitHub Actions: how this project is installed there, and the line that runs the agent."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.commands.init.manifests import Manifests
from agent_conformance.commands.init.packing import can_be_installed

NAME = "agent-conformance"
DISTRIBUTION = "pytest-agent-conformance"
_PYTHONS = range(11, 15)


@dataclass(frozen=True, slots=True)
class Job:
    """`packages` are what the adapter imports, `subfolder` is where the project lies in its repository."""

    kind: str
    command: str
    packages: tuple[str, ...]
    subfolder: Path = Path()

    @property
    def path(self) -> Path:
        """Below the repository's root, which is the one place where GitHub looks."""
        name = "-".join((NAME, *self.subfolder.parts))
        return Path(".github", "workflows", f"{name}.yml")


def workflow_text(job: Job, folder: Path, manifests: Manifests) -> str:
    """The whole file."""
    lines = [
        "# Runs the agent over the scenarios of agent-conformance and of this project.",
        "name: " + " ".join(("agent conformance", *job.subfolder.parts[-1:])),
        "on: [push, pull_request]",
        "jobs:",
        "  agent:",
        "    runs-on: ubuntu-latest",
    ]
    if job.subfolder.parts:
        lines += ["    defaults:", "      run:", f"        working-directory: {job.subfolder.as_posix()}"]
    lines += ["    steps:", "      - uses: actions/checkout@v5", "      - uses: actions/setup-python@v6"]
    lines.append(f'        with: {{python-version: "3.{_python(manifests)}"}}')
    lines += [f"      {line}" for line in _build_lines(job, folder)]
    lines += [f"      - run: {command}" for command in _commands(job, folder, manifests)]
    return "\n".join(lines) + "\n"


def _python(manifests: Manifests) -> int:
    """The lowest Python that both the project and the suite take."""
    return min(max(manifests.lowest_python, _PYTHONS[0]), _PYTHONS[-1])


def _build_lines(job: Job, folder: Path) -> list[str]:
    if job.kind == "cmd":
        return ["# Build the agent here, where it has to be built."]
    if job.kind != "node":
        return []
    node = ["- uses: actions/setup-node@v5", '  with: {node-version: "20"}']
    return [*node, "- run: npm ci"] if (folder / "package-lock.json").is_file() else node


def _commands(job: Job, folder: Path, manifests: Manifests) -> list[str]:
    """Install the project and the suite, then run the line that is run at home."""
    needed = [package for package in job.packages if package.partition("[")[0] not in manifests.declared]
    if DISTRIBUTION not in manifests.declared and not any(package.startswith(f"{DISTRIBUTION}[") for package in needed):
        needed.insert(0, DISTRIBUTION)
    if (folder / "uv.lock").is_file():
        others = " ".join(f"--with '{package}'" if "[" in package else f"--with {package}" for package in needed)
        return ["pip install uv", " ".join(part for part in ("uv run", others, job.command) if part)]
    words = [f"'{package}'" if "[" in package else package for package in needed]
    return [" ".join(("pip install", *_project_words(folder, manifests), *words)), job.command]


def _project_words(folder: Path, manifests: Manifests) -> list[str]:
    """What makes pip install the project itself, or its requirements."""
    if can_be_installed(folder, manifests.pyproject):
        return ["."]
    words = [word for name in _requirements(folder) for word in ("-r", name)]
    return words or [shlex.quote(line) for line in manifests.pyproject.get("project", {}).get("dependencies", ())]


def _requirements(folder: Path) -> list[str]:
    """The requirements file of the project, or whatever stands in its place."""
    if (folder / "requirements.txt").is_file():
        return ["requirements.txt"]
    others = sorted([*folder.glob("requirements*.txt"), *folder.glob("requirements/*.txt")])
    return [path.relative_to(folder).as_posix() for path in others]
