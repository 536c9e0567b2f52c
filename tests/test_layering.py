"""Which room may import which: one direction, no circles, and what judges and what is judged share no code."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.joinpath("fakes").rglob("*.py"), *ROOT.joinpath("conformance").rglob("*.py")])
VENDORS = ("openai", "anthropic", "google", "mistralai", "ollama", "groq")

# Besides its own modules, the fakes and other distributions, a room imports only these rooms.
ROOMS: Mapping[str, tuple[str, ...]] = {
    "conformance.adapter": (),
    "conformance.scenario": ("conformance.adapter",),
    "conformance.record": ("conformance.scenario",),
    "conformance.cassettes": ("conformance.record", "conformance.scenario"),
    "conformance.judge": ("conformance.adapter", "conformance.record", "conformance.scenario"),
    "conformance.run": ("conformance.adapter", "conformance.judge", "conformance.record", "conformance.scenario"),
    "conformance.report": ("conformance.record", "conformance.scenario"),
    "conformance.explain": (
        "conformance.agents.mutants",
        "conformance.judge",
        "conformance.record",
        "conformance.scenario",
    ),
    "conformance.github": ("conformance.results",),
    "conformance.results": (
        "conformance.explain",
        "conformance.record",
        "conformance.report",
        "conformance.scenario",
    ),
    "conformance.page": ("conformance.explain", "conformance.results"),
    "conformance.agents.reference": ("conformance.adapter",),
    "conformance.agents.mutants": ("conformance.adapter", "conformance.agents.reference"),
    "conformance.agents.programs": (),
    "conformance.agents.node_client": (),
    "conformance.agents.acp": ("conformance.adapter", "conformance.agents.programs"),
    "conformance.agents.ready_made": (
        "conformance.adapter",
        "conformance.agents.acp",
        "conformance.agents.node_client",
        "conformance.agents.programs",
    ),
    "conformance.agents.command": ("conformance.adapter",),
    "conformance.agents.loading": (
        "conformance.adapter",
        "conformance.agents.acp",
        "conformance.agents.command",
        "conformance.agents.ready_made",
        "conformance.record",
        "conformance.scenario",
    ),
    "conformance.agents.isolated": (
        "conformance.adapter",
        "conformance.agents.command",
        "conformance.agents.loading",
        "conformance.record",
        "conformance.run",
    ),
    "conformance.pytest": (
        "conformance.adapter",
        "conformance.agents.isolated",
        "conformance.agents.loading",
        "conformance.playback",
        "conformance.record",
        "conformance.relations",
        "conformance.report",
        "conformance.page",
        "conformance.results",
        "conformance.run",
        "conformance.scenario",
    ),
    "conformance.relations": (
        "conformance.adapter",
        "conformance.record",
        "conformance.run",
        "conformance.scenario",
    ),
    "conformance.minimise": (
        "conformance.adapter",
        "conformance.record",
        "conformance.run",
        "conformance.scenario",
    ),
    "conformance.fuzz": (
        "conformance.adapter",
        "conformance.minimise",
        "conformance.record",
        "conformance.scenario",
    ),
    "conformance.drafts": (
        "conformance.cassettes",
        "conformance.minimise",
        "conformance.record",
        "conformance.results",
        "conformance.scenario",
    ),
    "conformance.playback": (
        "conformance.adapter",
        "conformance.cassettes",
        "conformance.drafts",
        "conformance.scenario",
    ),
    "conformance.commands": (
        "conformance.adapter",
        "conformance.agents.command",
        "conformance.agents.isolated",
        "conformance.agents.loading",
        "conformance.agents.mutants",
        "conformance.agents.node_client",
        "conformance.agents.ready_made",
        "conformance.cassettes",
        "conformance.drafts",
        "conformance.explain",
        "conformance.fuzz",
        "conformance.github",
        "conformance.judge",
        "conformance.minimise",
        "conformance.playback",
        "conformance.record",
        "conformance.report",
        "conformance.page",
        "conformance.results",
        "conformance.run",
        "conformance.scenario",
    ),
    "conformance.reference": ("conformance.agents.reference",),
    "conformance.mutants": ("conformance.agents.mutants",),
}
# The same of the fakes: besides its own modules and the values, which are all modules in no room, a room imports these.
# A wire imports no provider; the registry joins the two, by name and not by import.
OWN_WIRES = tuple(f"fakes.wires.{path.name}" for path in sorted(ROOT.glob("fakes/wires/*_*")))
FAKE_ROOMS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(OWN_WIRES, ()),
    "fakes.wires.openai_chat": ("fakes.wires.openai_shared",),
    "fakes.wires.openai_responses": ("fakes.wires.openai_shared",),
    "fakes.providers": OWN_WIRES,
    "fakes.registry": (),
    "fakes.judging": ("fakes.registry",),
    "fakes.wire_capabilities": ("fakes.registry",),
    "fakes.transport_faults": ("fakes.wire_capabilities",),
    "fakes.serving": ("fakes.registry", "fakes.transport", "fakes.transport_faults"),
    "fakes.transport": (),
    "fakes": ("fakes.registry", "fakes.judging", "fakes.serving"),
}
VALUES = "values"

PUBLIC_NAMES = "conformance"
"""`from conformance import Setup`: the adapter's types under their public name."""

# Other distributions that a room, or a package, does not know.
FOREIGN: Mapping[str, tuple[str, ...]] = {
    "fakes": ("conformance", "pytest", "_pytest", "yaml", *VENDORS),
    "conformance.judge": ("pytest", "_pytest", "fakes.transport"),
    "conformance.agents.reference": ("pytest", "_pytest", "fakes"),
    "conformance.agents.mutants": ("pytest", "_pytest", "fakes"),
    "conformance.pytest": (),
    "conformance": ("pytest", "_pytest"),
}

JUDGING = ("conformance.judge", "conformance.run", "conformance.record", "conformance.scenario")
JUDGED = ("conformance.agents.reference", "conformance.agents.mutants", "conformance.agents.ready_made")


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Every module that the file imports when it runs, lazily imported ones as well."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
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


def forbidden_by_table(importer: str, module: str) -> bool:
    """Whether a module of `conformance` imports from a room that its own room does not name."""
    room, other = room_of(importer), room_of(module)
    allowed = ROOMS.get(room, ("conformance.adapter",))
    return other not in (room, *allowed) and not (other == PUBLIC_NAMES and "conformance.adapter" in allowed)


def fake_room_of(module: str) -> str:
    """The room of the fakes that holds this module; `VALUES` for one in none."""
    holding = [room for room in FAKE_ROOMS if module == room or (room != "fakes" and within(module, room))]
    return max(holding, key=len, default=VALUES)


def forbidden_in_fakes(importer: str, module: str) -> bool:
    """Whether a module of the fakes imports from a room that its own room does not name."""
    room, other = fake_room_of(importer), fake_room_of(module)
    return other not in (VALUES, room, *FAKE_ROOMS.get(room, ()))


def forbidden(importer: str, module: str) -> bool:
    if within(importer, "fakes") and within(module, "fakes") and forbidden_in_fakes(importer, module):
        return True
    if within(importer, "conformance") and within(module, "conformance") and forbidden_by_table(importer, module):
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
    loose = [name for name in map(name_of, MODULES) if within(name, "conformance") and room_of(name) == PUBLIC_NAMES]

    assert loose == ["conformance", "conformance.agents"]


def test_there_is_no_circle_between_rooms() -> None:
    assert circle_in({room: set(others) for room, others in ROOMS.items()}) == []


def test_there_is_no_circle_between_modules() -> None:
    assert circle_in(module_graph()) == []


def test_a_circle_is_found() -> None:
    assert circle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert circle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("judged", JUDGED)
def test_what_judges_and_what_is_judged_share_no_code(judged: str) -> None:
    assert {room for room in ROOMS if judged in ROOMS[room]} <= {
        "conformance.agents.mutants",
        "conformance.agents.loading",
        "conformance.commands",
        "conformance.explain",
        "conformance.reference",
        "conformance.mutants",
    }
    assert not set(ROOMS[judged]) & set(JUDGING)


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f():\n    from conformance.judge import judge_case\n")

    assert list(imports(wrong)) == ["conformance.judge.judge_case"]
    assert forbidden("conformance.agents.reference.loop", "conformance.judge.judge_case")
    assert forbidden("conformance.agents.reference.loop", "fakes.view.View")
    assert forbidden("fakes.view", "conformance.record")
    assert forbidden("fakes.view", "fakes.registry.PROVIDERS")
    assert forbidden("fakes.wires.openai_responses.errors", "fakes.wires.openai_chat.errors.fail")
    assert forbidden("fakes.wires.openai_chat.wire", "fakes.providers.groq.chat_answers")
    assert forbidden("fakes.wires.openai_responses.wire", "fakes.serving.conversation_store")
    assert forbidden("fakes.registry", "fakes.providers.groq.chat_answers")
    assert not forbidden("fakes.providers.groq.chat_answers", "fakes.wires.openai_shared.events.event")
    assert forbidden("conformance.report.baseline", "pytest")
    assert not forbidden("conformance.pytest.plugin", "pytest")
    assert not forbidden("conformance.agents.ready_made.codex", "conformance.Setup")


def test_no_module_is_crowded() -> None:
    """Where a module has more than 400 lines, two jobs have met: split it."""
    lines = {name_of(path): path.read_text().count("\n") for path in MODULES}

    assert {name: count for name, count in lines.items() if count > 400} == {}
