"""Which room may import which: one direction, no circles, and what judges and what is judged share no code."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    [
        *ROOT.joinpath("fakes/fake_providers").rglob("*.py"),
        *ROOT.joinpath("conformance").rglob("*.py"),
        *ROOT.joinpath("mutants/agent_mutants").rglob("*.py"),
        *ROOT.joinpath("action/github_steps").rglob("*.py"),
    ]
)
VENDORS = ("openai", "anthropic", "google", "mistralai", "ollama", "groq")

# From the bottom up. Besides its own modules, the fakes and other distributions, a room imports only these rooms, which
# stand before it; and the rooms of a folder stand together, so that folders are in order as well.
ROOMS: Mapping[str, tuple[str, ...]] = {
    "pytest_agent_conformance_options": (),
    "agent_conformance.machine": (),
    "agent_conformance.adapter": ("agent_conformance.machine",),
    "agent_conformance.scenario": ("agent_conformance.adapter",),
    "agent_conformance.transcripts": ("agent_conformance.adapter", "agent_conformance.scenario"),
    "agent_conformance.cassettes": ("agent_conformance.scenario", "agent_conformance.transcripts"),
    "agent_conformance.judge": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
    ),
    "agent_conformance.baseline": (
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.judge",
    ),
    "agent_conformance.run": (
        "agent_conformance.adapter",
        "agent_conformance.machine",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.judge",
    ),
    "agent_conformance.attach.programs": ("agent_conformance.machine",),
    "agent_conformance.attach.ready_made": (
        "agent_conformance.machine",
        "agent_conformance.attach.programs",
    ),
    "agent_conformance.attach.acp": (
        "agent_conformance.machine",
        "agent_conformance.adapter",
        "agent_conformance.transcripts",
        "agent_conformance.attach.programs",
    ),
    "agent_conformance.attach.command": (
        "agent_conformance.adapter",
        "agent_conformance.machine",
        "agent_conformance.transcripts",
    ),
    "agent_conformance.attach.loading": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.attach.ready_made",
        "agent_conformance.attach.acp",
        "agent_conformance.attach.command",
    ),
    "agent_conformance.attach.isolated": (
        "agent_conformance.adapter",
        "agent_conformance.machine",
        "agent_conformance.transcripts",
        "agent_conformance.run",
        "agent_conformance.attach.command",
        "agent_conformance.attach.loading",
    ),
    "agent_conformance.agents.reference": ("agent_conformance.adapter",),
    "agent_conformance.agents.ready_made": (
        "agent_conformance.adapter",
        "agent_conformance.attach.programs",
        "agent_conformance.attach.acp",
    ),
    "agent_conformance.explain": (
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.judge",
    ),
    "agent_conformance.report_data": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.judge",
        "agent_conformance.baseline",
        "agent_conformance.explain",
    ),
    "agent_conformance.html_report": (
        "agent_conformance.scenario",
        "agent_conformance.explain",
        "agent_conformance.report_data",
    ),
    "agent_conformance.relations": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.run",
    ),
    "agent_conformance.minimise": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.run",
    ),
    "agent_conformance.fuzz": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.minimise",
    ),
    "agent_conformance.scenario_drafts": (
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.cassettes",
        "agent_conformance.report_data",
        "agent_conformance.minimise",
    ),
    "agent_conformance.recorded_cases": (
        "agent_conformance.adapter",
        "agent_conformance.scenario",
        "agent_conformance.cassettes",
        "agent_conformance.scenario_drafts",
    ),
    "agent_conformance.pytest": (
        "pytest_agent_conformance_options",
        "agent_conformance.adapter",
        "agent_conformance.machine",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.baseline",
        "agent_conformance.run",
        "agent_conformance.attach.loading",
        "agent_conformance.attach.isolated",
        "agent_conformance.report_data",
        "agent_conformance.html_report",
        "agent_conformance.relations",
        "agent_conformance.minimise",
        "agent_conformance.fuzz",
        "agent_conformance.recorded_cases",
    ),
    "agent_conformance.commands": (
        "agent_conformance.adapter",
        "agent_conformance.machine",
        "agent_conformance.scenario",
        "agent_conformance.transcripts",
        "agent_conformance.cassettes",
        "agent_conformance.judge",
        "agent_conformance.baseline",
        "agent_conformance.run",
        "agent_conformance.attach.programs",
        "agent_conformance.attach.ready_made",
        "agent_conformance.attach.command",
        "agent_conformance.attach.loading",
        "agent_conformance.attach.isolated",
        "agent_conformance.explain",
        "agent_conformance.report_data",
        "agent_conformance.html_report",
        "agent_conformance.minimise",
        "agent_conformance.fuzz",
        "agent_conformance.scenario_drafts",
        "agent_conformance.recorded_cases",
    ),
    "agent_conformance.reference": ("agent_conformance.agents.reference",),
    "agent_conformance.mutants": ("agent_conformance.adapter", "agent_conformance.agents.reference"),
    # Only in a checkout. What is installed finds the mutants by name, and does without them.
    "github_steps": ("agent_conformance.adapter", "agent_conformance.transcripts", "agent_conformance.report_data"),
    "agent_mutants": ("agent_conformance.adapter", "agent_conformance.agents.reference", "agent_conformance.mutants"),
    "agent_mutants.command": (
        "agent_conformance.scenario",
        "agent_conformance.run",
        "agent_conformance.attach.loading",
        "agent_conformance.commands",
        "agent_mutants",
    ),
    "pytest_agent_conformance": (
        "pytest_agent_conformance_options",
        "agent_conformance.attach.loading",
        "agent_conformance.pytest",
    ),
}
# The same of the fakes: besides its own modules and the values, which are all modules in no room, a room imports these.
# A wire imports no provider; the registry joins the two, by name and not by import.
OWN_WIRES = tuple(f"fake_providers.wires.{path.name}" for path in sorted(ROOT.glob("fakes/fake_providers/wires/*_*")))
FAKE_ROOMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(OWN_WIRES, ()),
    "fake_providers.wires.openai_chat": ("fake_providers.wires.openai_shared",),
    "fake_providers.wires.openai_responses": ("fake_providers.wires.openai_shared",),
    # What Bedrock hands on to Claude, Claude judges by Anthropic's own rules.
    "fake_providers.wires.bedrock_converse": (
        "fake_providers.wires.anthropic_messages",
        "fake_providers.wires.openai_chat",
        "fake_providers.wires.openai_responses",
    ),
    "fake_providers.providers": OWN_WIRES,
    "fake_providers.registry": (),
    "fake_providers.serving": ("fake_providers.registry", "fake_providers.transport"),
    "fake_providers.transport": (),
    "fake_providers": ("fake_providers.registry", "fake_providers.serving"),
}
VALUES = "values"

ENTRY = ("pytest_agent_conformance", "pytest_agent_conformance_options")
"""What pytest loads first, and its table of options."""
PUBLIC_NAMES = "agent_conformance"
"""`from agent_conformance import Setup`: the adapter's types under their public name."""

# Other distributions that a room, or a package, does not know.
FOREIGN: Mapping[str, tuple[str, ...]] = {
    "fake_providers": ("agent_conformance", "pytest", "_pytest", "yaml", *VENDORS),
    "agent_conformance.judge": ("pytest", "_pytest", "fake_providers.transport"),
    "agent_conformance.agents.reference": ("pytest", "_pytest", "fake_providers"),
    "agent_mutants": ("pytest", "_pytest", "fake_providers"),
    "github_steps": ("pytest", "_pytest", "fake_providers"),
    "agent_conformance.pytest": (),
    "agent_conformance": ("pytest", "_pytest"),
    "pytest_agent_conformance": ("fake_providers",),
    "pytest_agent_conformance_options": ("fake_providers", "pytest", "_pytest"),
}

JUDGING = (
    "agent_conformance.judge",
    "agent_conformance.run",
    "agent_conformance.transcripts",
    "agent_conformance.scenario",
)
JUDGED = (
    "agent_conformance.agents.reference",
    "agent_conformance.mutants",
    "agent_mutants",
    "agent_conformance.agents.ready_made",
)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts[1:]).removesuffix(".__init__")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module that the file imports when it runs, lazily imported ones as well."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import; write the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def room_of(module: str) -> str:
    """The room of the table that holds this module; `PUBLIC_NAMES` for a name that the package itself gives."""
    holding = [room for room in ROOMS if within(module, room)]
    return max(holding, key=len, default=PUBLIC_NAMES)


def is_of_conformance(module: str) -> bool:
    return any(within(module, top) for top in ("agent_conformance", "agent_mutants", "github_steps", *ENTRY))


def forbidden_by_table(importer: str, module: str) -> bool:
    """Whether a module of the suite or of its mutants imports from a room that its own room does not name."""
    room, other = room_of(importer), room_of(module)
    allowed = ROOMS.get(room, ("agent_conformance.adapter",))
    return other not in (room, *allowed) and not (other == PUBLIC_NAMES and "agent_conformance.adapter" in allowed)


def fake_room_of(module: str) -> str:
    """The room of the fakes that holds this module; `VALUES` for one in none."""
    holding = [room for room in FAKE_ROOMS if module == room or (room != "fake_providers" and within(module, room))]
    return max(holding, key=len, default=VALUES)


def forbidden_in_fakes(importer: str, module: str) -> bool:
    """Whether a module of the fakes imports from a room that its own room does not name."""
    room, other = fake_room_of(importer), fake_room_of(module)
    return other not in (VALUES, room, *FAKE_ROOMS.get(room, ()))


def forbidden(importer: str, module: str) -> bool:
    if within(importer, "fake_providers") and within(module, "fake_providers") and forbidden_in_fakes(importer, module):
        return True
    if is_of_conformance(importer) and is_of_conformance(module) and forbidden_by_table(importer, module):
        return True
    package = max((package for package in FOREIGN if within(importer, package)), key=len)
    return any(within(module, other) for other in FOREIGN[package])


def circle_in(graph: Mapping[str, set[str]]) -> list[str]:
    """A way from some node back to itself, or nothing."""
    done: set[str] = set()

    def walk(node: str, way: list[str]) -> list[str]:
        if node in way:
            return [*way[way.index(node) :], node]
        if node in done:
            return []
        found = next((circle for other in sorted(graph.get(node, ())) if (circle := walk(other, [*way, node]))), [])
        done.add(node)
        return found

    return next((circle for node in sorted(graph) if (circle := walk(node, []))), [])


def module_graph() -> dict[str, set[str]]:
    """Each module of ours with those of ours that it imports."""
    names = {name_of(path) for path in MODULES}
    graph: dict[str, set[str]] = {}
    for path in MODULES:
        importer = name_of(path)
        found = {module if module in names else module.rpartition(".")[0] for module in imports(path)}
        graph[importer] = (found & names) - {importer}
    return graph


def test_imports_run_one_way() -> None:
    wrong = [
        f"{name_of(path)} imports {module}"
        for path in MODULES
        for module in imports(path)
        if forbidden(name_of(path), module)
    ]

    assert wrong == []


def test_every_module_of_conformance_is_in_a_room() -> None:
    loose = [
        name for name in map(name_of, MODULES) if within(name, "agent_conformance") and room_of(name) == PUBLIC_NAMES
    ]

    assert loose == ["agent_conformance", "agent_conformance.agents", "agent_conformance.attach"]


def upward(rooms: Mapping[str, tuple[str, ...]]) -> list[str]:
    """What a room may import that does not stand before it."""
    order = list(rooms)
    return [
        f"{room} imports {other}"
        for place, room in enumerate(order)
        for other in rooms[room]
        if other not in order[:place]
    ]


def scattered(rooms: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The folders with a room of another folder between their own."""
    stretches = [folder for folder, _ in groupby(".".join(room.split(".")[:2]) for room in rooms)]
    return sorted({folder for folder in stretches if stretches.count(folder) > 1})


def test_no_room_imports_one_above_it() -> None:
    assert upward(ROOMS) == []
    assert circle_in({room: set(others) for room, others in FAKE_ROOMS.items()}) == []


def test_the_rooms_of_a_folder_stand_together() -> None:
    assert scattered(ROOMS) == []


def test_an_import_that_runs_up_is_found() -> None:
    assert upward({"a.x": (), "a.y": ("a.x", "b"), "b": ("a.x",)}) == ["a.y imports b"]
    assert scattered({"a.x.one": (), "a.y": ("a.x.one",), "a.x.two": ("a.y",)}) == ["a.x"]


def test_there_is_no_circle_between_modules() -> None:
    assert circle_in(module_graph()) == []


def test_a_circle_is_found() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("judged", JUDGED)
def test_what_judges_and_what_is_judged_share_no_code(judged: str) -> None:
    assert {room for room in ROOMS if judged in ROOMS[room]} <= {
        "agent_mutants",
        "agent_mutants.command",
        "agent_conformance.attach.loading",
        "agent_conformance.commands",
        "agent_conformance.explain",
        "agent_conformance.reference",
        "agent_conformance.mutants",
    }
    assert not set(ROOMS[judged]) & set(JUDGING)


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f():\n    from agent_conformance.judge import judge_case\n")

    assert list(imports(wrong)) == ["agent_conformance.judge.judge_case"]
    assert forbidden("agent_conformance.agents.reference.loop", "agent_conformance.judge.judge_case")
    assert forbidden("agent_conformance.agents.reference.loop", "fake_providers.view.View")
    assert forbidden("fake_providers.view", "agent_conformance.transcripts")
    assert forbidden("fake_providers.view", "fake_providers.registry.PROVIDERS")
    assert forbidden("fake_providers.wires.openai_responses.errors", "fake_providers.wires.openai_chat.errors.fail")
    assert forbidden("fake_providers.wires.openai_chat.wire", "fake_providers.providers.groq.groq_chat")
    assert forbidden("fake_providers.wires.openai_responses.wire", "fake_providers.serving.conversation_store")
    assert forbidden("fake_providers.registry", "fake_providers.providers.groq.groq_chat")
    assert not forbidden(
        "fake_providers.providers.groq.groq_chat", "fake_providers.wires.openai_shared.request_body.event"
    )
    assert forbidden("agent_conformance.baseline.baseline", "pytest")
    assert forbidden("agent_conformance.explain.texts", "agent_mutants.MUTANTS")
    assert forbidden("agent_mutants.history", "agent_conformance.judge.judge_case")
    assert forbidden("agent_conformance.attach.loading", "agent_conformance.agents.ready_made.codex.Adapter")
    assert forbidden("agent_conformance.pytest.options", "pytest_agent_conformance.start_suite")
    assert forbidden("agent_conformance.transcripts.finding", "agent_conformance.baseline.case_report.Row")
    assert forbidden("pytest_agent_conformance_options", "agent_conformance.scenario.model.WIRE_NAMES")
    assert not forbidden("agent_conformance.pytest.options", "pytest_agent_conformance_options.OPTIONS")
    assert not forbidden("agent_conformance.pytest.plugin", "pytest")
    assert not forbidden("agent_conformance.agents.ready_made.codex", "agent_conformance.Setup")


def test_no_module_is_crowded() -> None:
    """Where a module has more than 500 lines, two jobs have met: split it."""
    lines = {name_of(path): path.read_text().count("\n") for path in MODULES}

    assert {name: count for name, count in lines.items() if count > 500} == {}
