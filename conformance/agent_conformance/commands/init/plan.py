"""What `init` does in a project: which files, which keys of the pytest configuration, which commands come next.

Reads the project and decides; writes nothing.
"""

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.commands.init.detection import Detected, detect_kind, detect_provider
from agent_conformance.commands.init.kinds import KINDS, WRITTEN, About, Kind, adapter_text, filled
from agent_conformance.commands.init.layout import SCHEMA, Layout, lay_out
from agent_conformance.commands.init.manifests import Manifests, read_manifests
from agent_conformance.commands.init.sources import Imports, read_imports
from agent_conformance.commands.init.workflow import Job, workflow_text
from agent_conformance.commands.shared.settings import CannotAdd, Settings, Value, find_settings, lines_of, with_keys
from agent_conformance.scenario.corpus import bundled_scenarios

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
    command = _pytest_command(agent, {} if text is not None else keys)
    files = (
        _adapter(folder / layout.adapter, layout, kind, agent, _about(layout, manifests, imports)),
        *_scenario_files(folder / layout.scenarios),
        _workflow(folder, manifests, Job(kind.name, command + _isolation(agent), kind.packages)),
    )
    notes = (*layout.notes, *notes, *_advice(settings, layout, kind, keys, manifests))
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


def _pytest_command(agent: str, unset: dict[str, Value]) -> str:
    """The line that runs everything; it says what the configuration does not."""
    words = ["pytest", f"--agent={_quoted(agent)}"]
    words += [f"--agent-scenarios={shlex.quote(path)}" for path in unset.get("agent_scenarios", ())]
    words += [f"-o pythonpath={shlex.quote(path)}" for path in unset.get("pythonpath", ())]
    return " ".join(words)


def _isolation(agent: str) -> str:
    """In CI an agent in Python gets a process of its own; others have one."""
    return "" if agent.startswith(("cmd:", "acp:")) else " --agent-isolate"


def _quoted(agent: str) -> str:
    return agent if shlex.quote(agent) == agent else f'"{agent}"'


def _adapter(path: Path, layout: Layout, kind: Kind, agent: str, about: About) -> NewFile:
    instead = "" if agent == kind.spec(layout.adapter) else f"the configured agent is {agent}"
    return NewFile(path, adapter_text(kind, about), "the adapter: put your agent in where it says YOUR AGENT", instead)


def _about(layout: Layout, manifests: Manifests, imports: Imports) -> About:
    entry = str((manifests.package_json or {}).get("main") or "src/agent.mjs")
    return About(layout.package, detect_provider(manifests, imports), entry.removeprefix("./"))


def _scenario_files(folder: Path) -> Iterator[NewFile]:
    schema = (bundled_scenarios() / SCHEMA).read_text(encoding="utf-8")
    renew = "of another version; `agent-conformance schema` prints today's"
    yield NewFile(folder / SCHEMA, schema, "completes scenarios in editors", outdated=renew)
    first = folder / FIRST_SCENARIO
    others = [path for path in folder.glob("*/*.yaml") if path != first] if not first.exists() else []
    text = filled("first-scenario.yaml", {})
    yield NewFile(first, text, "a first scenario", instead="there are scenarios already" if others else "")


def _workflow(folder: Path, manifests: Manifests, job: Job) -> NewFile:
    """GitHub looks into the root of a repository only: from a folder below, the workflow changes into it."""
    root = next((here for here in (folder, *folder.parents) if (here / ".git").exists()), folder)
    job = Job(job.kind, job.command, job.packages, folder.relative_to(root))
    return NewFile(root / job.path, workflow_text(job, folder, manifests), "the same run in CI")


def _advice(
    settings: Settings, layout: Layout, kind: Kind, keys: dict[str, Value], manifests: Manifests
) -> Iterator[str]:
    python_path = settings.own.get("pythonpath", layout.python_path)
    if not kind.command and any(path not in python_path for path in layout.python_path):
        yield f"pythonpath of {settings.path.name} lacks {' '.join(layout.python_path)}, where the package is"
    if keys and "pytest-agent-conformance" not in manifests.declared:
        yield "add pytest-agent-conformance to what your tests install: without it pytest does not know these options"
