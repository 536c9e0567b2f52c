"""Which package may import which: one direction, and what judges and what is judged share nothing."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MODULES = sorted([*ROOT.joinpath("fakes").rglob("*.py"), *ROOT.joinpath("conformance").rglob("*.py")])
VENDORS = ("openai", "anthropic", "google", "mistralai", "ollama", "groq")
JUDGING = (
    "conformance.judge",
    "conformance.run",
    "conformance.record.narrative",
    "conformance.record.transcript",
    "conformance.record.finding",
)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[str]:
    """Every module that the file imports when it runs, lazily imported ones as well."""
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


def forbidden(importer: str) -> tuple[str, ...]:
    """What this module must not import."""
    rules: list[str] = []
    if within(importer, "fakes"):
        rules += ["conformance", "pytest", "_pytest", "yaml", *VENDORS]
    if within(importer, "conformance") and not within(importer, "conformance.pytest"):
        rules += ["pytest", "_pytest"]
    if within(importer, "conformance.agents.reference"):
        rules += [
            "fakes",
            *JUDGING,
            "conformance.scenario",
            "conformance.scenario.cases",
            "conformance.agents.loading",
            "conformance.agents.mutants",
        ]
    if any(within(importer, package) for package in (*JUDGING, "conformance.scenario", "conformance.pytest")):
        rules += ["conformance.agents.reference", "conformance.agents.mutants", "conformance.agents.ready_made"]
    if within(importer, "conformance.judge"):
        rules += ["conformance.run", "fakes.transport"]
    if within(importer, "conformance.agents.mutants"):
        rules += ["fakes", *JUDGING, "conformance.scenario", "conformance.scenario.cases"]
    return tuple(rules)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    importer = name_of(path)
    wrong = [module for module in imports(path) for package in forbidden(importer) if within(module, package)]

    assert not wrong, f"{importer} imports {wrong}"


def test_the_check_sees_a_wrong_import(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.py"
    wrong.write_text("def f():\n    from conformance.judge import judge_case\n")

    assert list(imports(wrong)) == ["conformance.judge.judge_case"]
    assert "conformance.judge" in forbidden("conformance.agents.reference.loop")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_room_is_crowded(path: Path) -> None:
    lines = path.read_text().count("\n")

    assert lines <= 400, f"{path.name} has {lines} lines: two jobs have met; split it"
