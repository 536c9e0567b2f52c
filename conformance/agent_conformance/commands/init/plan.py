"""What `init` does in a project: which files, which keys of the pytest configuration, which commands come next.

Reads the project and decides; writes nothing.
"""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.attach.ready_made import BY_NAME
from agent_conformance.commands.init.kinds import KINDS, READY_MADE, WRITTEN, About, Kind, adapter_text, filled
from agent_conformance.commands.init.manifests import (
    Imports,
    Manifests,
    can_be_installed,
    names_in,
    read_imports,
    read_manifests,
    setuptools_guesses,
)
from agent_conformance.commands.shared.settings import CannotAdd, Settings, Value, find_settings, lines_of, with_keys
from agent_conformance.machine.installation import DISTRIBUTION, ELSEWHERE, suite_for_pip
from agent_conformance.scenario.files import bundled_scenarios

# Where things go in a project: its package, the adapter, the folder of scenarios. Writes nothing.

SCENARIOS, OWN_NAME, SCHEMA = "scenarios", "agent-scenarios", "scenario.schema.json"
_OURS = re.compile(rb"^conversation\s*:|scenario\.schema\.json", re.MULTILINE)
_NO_PACKAGE = frozenset(
    {
        "tests",
        "test",
        "docs",
        "scripts",
        "tools",
        "examples",
        "benchmarks",
        "migrations",
        SCENARIOS,
        "setup",
        "conftest",
    }
    | {Path(name).stem for name in WRITTEN}
)


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths are relative to the project's folder. `notes` say why something is not where it usually is.

    `package` is what the adapter would import; `python_path` what pytest must add to find it.
    """

    package: str
    python_path: tuple[str, ...]
    adapter: Path
    scenarios: Path
    notes: tuple[str, ...]

    @property
    def must_name_scenarios(self) -> bool:
        """Whether the configuration has to name the folder: pytest finds only `scenarios/` by itself."""
        return self.scenarios != Path(SCENARIOS)


def lay_out(folder: Path, manifests: Manifests, *, adapter: str, configured: Mapping[str, Any]) -> Layout:
    """`adapter` is the file's name, `configured` what the pytest configuration says."""
    package, source = _package(folder, manifests)
    guessing = setuptools_guesses(folder, manifests.pyproject) and source == "."
    scenarios, note = _scenarios_folder(folder, configured, guessing=guessing)
    notes = [note] if note else []
    place = Path(adapter)
    if guessing and adapter.endswith(".py") and not _packages_in(folder):
        place = Path("tests", adapter)
        notes.append("the adapter is in tests/: setuptools refuses a second module beside yours")
    return Layout(package, () if source == "." else (source,), place, scenarios, tuple(notes))


def _package(folder: Path, manifests: Manifests) -> tuple[str, str]:
    """The name to import, and the folder that it is imported from: `src`, or the project itself."""
    named = re.sub(r"\W+", "_", manifests.name.lower())
    for source in ("src", "."):
        found = [*_packages_in(folder / source), *_modules_in(folder / source)]
        if found:
            return (named if named in found else found[0]), source
    return named or "my_agent", "."


def _packages_in(folder: Path) -> list[str]:
    """The folders with modules in them, those with an `__init__.py` first."""
    found = {path.parent for path in folder.glob("*/*.py") if path.parent.name.isidentifier()}
    packages = sorted(found, key=lambda path: (not (path / "__init__.py").is_file(), path.name))
    return [path.name for path in packages if path.name not in _NO_PACKAGE]


def _modules_in(folder: Path) -> list[str]:
    names = (path.stem for path in folder.glob("*.py"))
    return sorted(name for name in names if name.isidentifier() and name not in _NO_PACKAGE)


def _scenarios_folder(folder: Path, configured: Mapping[str, Any], *, guessing: bool) -> tuple[Path, str]:
    """The folder, and the reason where it is another than `scenarios/`."""
    named = configured.get("agent_scenarios")
    for given in named.split() if isinstance(named, str) else named or ():
        return Path(str(given)), f"{given}/ is the folder that agent_scenarios names"
    if (folder / SCENARIOS).exists() and not _is_ours(folder / SCENARIOS):
        return Path(OWN_NAME), f"{SCENARIOS}/ holds something else, so the scenarios are in {OWN_NAME}/"
    if guessing:
        return Path(OWN_NAME), f"the folder is {OWN_NAME}/: setuptools would take one called {SCENARIOS} for a package"
    return Path(SCENARIOS), ""


def _is_ours(folder: Path) -> bool:
    """Whether a folder of this name has scenarios of ours in it, or nothing."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    texts = (path.read_bytes() for path in files if path.suffix in (".yaml", ".yml"))
    return not files or (folder / SCHEMA).is_file() or any(_OURS.search(text) for text in texts)


FRAMEWORKS = ("pydantic-ai", *READY_MADE, "langchain", "strands")
VENDORS = ("openai", "anthropic", "google-genai")

PROVIDERS = ("openai", "anthropic", "google")
"""Whose models the agent of a framework may use."""

_PACKAGES = {
    **{name: (BY_NAME[name].distribution,) for name in READY_MADE},
    "pydantic-ai": ("pydantic-ai", "pydantic-ai-slim"),
    "langchain": ("langchain", "langgraph", "langchain-core"),
    "strands": ("strands-agents",),
    "openai": ("openai",),
    "anthropic": ("anthropic",),
    "google-genai": ("google-genai",),
}
_SERVICES = ("fastapi", "flask", "django", "starlette", "litestar", "aiohttp", "quart", "sanic", "tornado", "falcon")
_OTHER_LANGUAGES = {
    "go.mod": "Go",
    "Cargo.toml": "Rust",
    "pom.xml": "Java",
    "build.gradle": "Java",
    "build.gradle.kts": "Kotlin",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "mix.exs": "Elixir",
    "Package.swift": "Swift",
}


@dataclass(frozen=True, slots=True)
class Detected:
    """A kind, and the reason for it in words."""

    kind: str
    reason: str


def detect_kind(folder: Path, manifests: Manifests, imports: Imports) -> Detected:
    """The best evidence wins: imports, then declared packages, then locked ones, then other files."""
    return (
        _by_imports(imports)
        or _by_packages(manifests.declared)
        or _by_packages(manifests.locked)
        or _by_service(manifests.declared)
        or _by_files(folder, manifests)
        or Detected("openai", "nothing here says which API the agent calls, and this is the most common one")
    )


def detect_provider(manifests: Manifests, imports: Imports) -> str:
    """Whose models a framework's agent uses; OpenAI's where nothing says."""
    named = dict.fromkeys(PROVIDERS, 0) | dict(imports.providers)
    for provider in PROVIDERS:
        beginnings = (f"langchain-{provider}", f"pydantic-ai-slim[{provider}")
        named[provider] += sum(package.startswith(beginnings) for package in manifests.declared)
    return max(PROVIDERS, key=lambda provider: named[provider])


def _by_imports(imports: Imports) -> Detected | None:
    """A framework before the SDK that it brings; of SDKs the one in most files."""
    vendors = sorted(VENDORS, key=lambda kind: -len(imports.files[kind]))
    found = [kind for kind in (*FRAMEWORKS, *vendors, "boto3") if imports.files[kind]]
    if not found:
        return None
    first, *others = imports.files[found[0]]
    more = f" and {len(others)} more" if others else ""
    besides = f"; there is {' and '.join(found[1:])} too" if found[0] in VENDORS and found[1:] else ""
    return Detected(found[0], f"imported in {first}{more}{besides}")


def _by_packages(packages: Mapping[str, str]) -> Detected | None:
    for kind in (*FRAMEWORKS, *VENDORS):
        for package in _PACKAGES[kind]:
            if package in packages:
                return Detected(kind, f"{packages[package]} has {package}")
    return None


def _by_service(packages: Mapping[str, str]) -> Detected | None:
    for service in _SERVICES:
        if service in packages:
            return Detected("http", f"{packages[service]} has {service}, and nothing that calls a model")
    return None


def _by_files(folder: Path, manifests: Manifests) -> Detected | None:
    if manifests.package_json is not None:
        return Detected("node", "there is a package.json")
    for name, language in _OTHER_LANGUAGES.items():
        if (folder / name).is_file():
            return Detected("cmd", f"{name}: the agent is written in {language}")
    return None


NAME = "agent-conformance"
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
    needed = [shlex.quote(package) for package in job.packages if not manifests.declared.keys() & names_in(package)]
    if DISTRIBUTION not in manifests.declared:
        needed.insert(0, suite_for_pip() or ELSEWHERE)
    if (folder / "uv.lock").is_file():
        others = " ".join(f"--with {package}" for package in needed)
        return ["pip install uv", " ".join(part for part in ("uv run", others, job.command) if part)]
    return [" ".join(("pip install", *_project_words(folder, manifests), *needed)), job.command]


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


FIRST_SCENARIO = Path("incidents", "order-is-looked-up.yaml")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to write where there is none. `instead` is why it is not wanted, and `outdated` what to do about a kept
    one with another text.
    """

    path: Path
    text: str
    purpose: str
    instead: str = ""
    outdated: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """`settings_text` is the pytest configuration with the new keys in it, or None where nothing is added."""

    folder: Path
    detected: Detected
    kind: Kind
    files: tuple[NewFile, ...]
    settings: Settings
    settings_text: str | None
    keys: dict[str, Value]
    notes: tuple[str, ...]
    agent: str
    pytest_command: str

    @property
    def doctor_command(self) -> str:
        return f"agent-conformance doctor --agent={_quoted(self.agent)}"


def plan_for(folder: Path, chosen: str | None) -> Plan:
    """The plan for the project in `folder`; `chosen` is the kind from the command line. Raises `BrokenManifest`."""
    manifests = read_manifests(folder)
    imports = read_imports(folder, leave_out=WRITTEN)
    detected = Detected(chosen, "as --for says") if chosen else detect_kind(folder, manifests, imports)
    kind = KINDS[detected.kind]
    settings = find_settings(folder)
    layout = lay_out(folder, manifests, adapter=kind.file, configured=settings.own)
    agent = str(settings.own.get("agent") or kind.spec(layout.adapter))
    keys = dict(_missing_keys(settings, layout, kind, agent))
    text, notes = _settings_text(settings, keys)
    # The line that runs everything; it says what the configuration does not
    unset = {} if text is not None else keys
    words = ["pytest", f"--agent={_quoted(agent)}"]
    words += [f"--agent-scenarios={shlex.quote(path)}" for path in unset.get("agent_scenarios", ())]
    words += [f"-o pythonpath={shlex.quote(path)}" for path in unset.get("pythonpath", ())]
    command = " ".join(words)
    instead = "" if agent == kind.spec(layout.adapter) else f"the configured agent is {agent}"
    entry = str((manifests.package_json or {}).get("main") or "src/agent.mjs")
    provider = detect_provider(manifests, imports)
    about = About(layout.package, provider, entry.removeprefix("./"), imports.only_streams, imports.foreign_tools)
    # In CI an agent in Python gets a process of its own; others have one.
    # GitHub looks into the root of a repository only: from a folder below, the workflow changes into it.
    job = Job(kind.name, command + ("" if agent.startswith(("cmd:", "acp:")) else " --agent-isolate"), kind.packages)
    root = next((here for here in (folder, *folder.parents) if (here / ".git").exists()), folder)
    job = Job(job.kind, job.command, job.packages, folder.relative_to(root))
    workflow = NewFile(root / job.path, workflow_text(job, folder, manifests), "the same run in CI")
    files = (
        NewFile(
            folder / layout.adapter,
            adapter_text(kind, about),
            "the adapter: put your agent in at YOUR AGENT",
            instead,
        ),
        *_scenario_files(folder / layout.scenarios),
        workflow,
    )
    notes = (*layout.notes, *notes, *_advice(settings, layout, kind, keys, manifests), *_unknown_address(workflow))
    return Plan(folder, detected, kind, files, settings, text, keys, notes, agent, command)


def _missing_keys(settings: Settings, layout: Layout, kind: Kind, agent: str) -> Iterator[tuple[str, Value]]:
    wanted: dict[str, Value] = {"agent": agent}
    if layout.must_name_scenarios:
        wanted["agent_scenarios"] = [layout.scenarios.as_posix()]
    if layout.python_path and not kind.command:
        wanted["pythonpath"] = list(layout.python_path)
    return ((key, value) for key, value in wanted.items() if key not in settings.own)


def _settings_text(settings: Settings, keys: dict[str, Value]) -> tuple[str | None, tuple[str, ...]]:
    """The configuration with the keys, or None and why it stays as it is."""
    if not keys:
        return None, ()
    if settings.inherited:
        above = "configures pytest for this folder too, and a file of its own would replace that"
        return None, (f"{settings.path} {above}: the options stand in the commands",)
    try:
        with settings.path.open(encoding="utf-8", newline="") as file:
            before = file.read()
    except FileNotFoundError:
        before = ""
    try:
        return with_keys(settings, before, keys), ()
    except CannotAdd:
        where = f"{'.'.join(settings.section)} of {settings.path.name}"
        lines = ", ".join(lines_of(settings, keys))
        return None, (f"{where} is not written as a section of its own, so nothing is added; add yourself: {lines}",)


def _quoted(agent: str) -> str:
    return agent if shlex.quote(agent) == agent else f'"{agent}"'


def _scenario_files(folder: Path) -> Iterator[NewFile]:
    schema = (bundled_scenarios() / SCHEMA).read_text(encoding="utf-8")
    renew = "of another version; `agent-conformance schema` prints today's"
    yield NewFile(folder / SCHEMA, schema, "completes scenarios in editors", outdated=renew)
    first = folder / FIRST_SCENARIO
    others = [path for path in folder.glob("*/*.yaml") if path != first] if not first.exists() else []
    text = filled("first-scenario.yaml", {})
    yield NewFile(first, text, "a first scenario", instead="there are scenarios already" if others else "")


def _advice(
    settings: Settings, layout: Layout, kind: Kind, keys: dict[str, Value], manifests: Manifests
) -> Iterator[str]:
    python_path = settings.own.get("pythonpath", layout.python_path)
    if not kind.command and any(path not in python_path for path in layout.python_path):
        yield f"pythonpath of {settings.path.name} lacks {' '.join(layout.python_path)}, where the package is"
    if keys and DISTRIBUTION not in manifests.declared:
        yield "add the suite to what your tests install: without it pytest does not know these options"


def _unknown_address(workflow: NewFile) -> Iterator[str]:
    """What to fill in where the suite was installed from a file of this machine, as long as it is not filled in."""
    text = workflow.path.read_text(encoding="utf-8", errors="replace") if workflow.path.is_file() else workflow.text
    if ELSEWHERE in text:
        yield (
            f"no package index has the suite: in {workflow.path.name}, put the address of its repository in place of "
            f"{ELSEWHERE}"
        )
