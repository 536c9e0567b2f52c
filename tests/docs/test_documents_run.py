"""Each document is followed from top to bottom in an empty folder: what it shows is what happens."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
import yaml

from agent_conformance.baseline.baseline import load_baseline
from agent_conformance.scenario.loading import ScenarioFile, load_file
from tests.docs.documents import DOCUMENTS, ROOT, Block, blocks_of, name_of
from tests.docs.projects import files_of_others, run_document, write
from tests.tables import rows

BLOCKS = [block for document in DOCUMENTS for block in blocks_of(document)]
LANGUAGES = {"console", "sh", "text", "python", "yaml", "toml", "http", "json", "js", "go", "rust"}


def blocks(language: str, named: str = "") -> pytest.MarkDecorator:
    chosen = [b for b in BLOCKS if b.language == language and b.title.endswith(named)]
    assert chosen, f"no document shows {named or language} any more"
    return pytest.mark.parametrize("block", [pytest.param(b, id=b.place) for b in chosen])


def by_speed(document: Path) -> tuple[pytest.MarkDecorator, ...]:
    """Most documents start some ten processes."""
    return (pytest.mark.slow,) if any(block.language == "console" for block in blocks_of(document)) else ()


@pytest.mark.parametrize("document", [pytest.param(d, id=name_of(d), marks=by_speed(d)) for d in DOCUMENTS])
def test_commands_print_what_the_document_says(document: Path, tmp_path: Path) -> None:
    differences = list(run_document(document, tmp_path.resolve()))

    assert not differences, "\n\n".join(map(str, differences))


@rows("block", BLOCKS, ids=lambda block: block.place)
def test_block_says_what_it_is(block: Block) -> None:
    """An unmarked block, or one of a language that nobody checks, can rot."""
    assert block.language in LANGUAGES
    assert block.language != "console" or block.text.startswith("$ ")


@pytest.fixture
def imported_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project's folder, whose modules are forgotten afterwards: documents have some of the same names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "any")  # as readers have one
    monkeypatch.syspath_prepend(tmp_path / "src")
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name, module in list(sys.modules.items()):
        homes = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
        if any(str(home).startswith(str(tmp_path)) for home in homes):
            del sys.modules[name]


@pytest.mark.parametrize(
    "block", [pytest.param(b, id=b.place) for b in BLOCKS if b.language == "python" and not b.at_the_end_of]
)
def test_python_runs(block: Block, imported_from: Path) -> None:
    """As a module, beside its document's others: an adapter is defined, an example makes its own assertions."""
    for other in files_of_others(ROOT / block.place.partition(":")[0]):
        write(other, imported_from)
    for other in BLOCKS:
        if other.title.endswith(".py") and other.place.partition(":")[0] == block.place.partition(":")[0]:
            write(other, imported_from)

    exec(compile(block.text, block.place, "exec"), {"__name__": "example"})


@pytest.mark.parametrize(
    "block", [pytest.param(b, id=b.place) for b in BLOCKS if b.language == "yaml" and "conversation:" in b.text]
)
def test_scenario_is_right(block: Block, tmp_path: Path) -> None:
    path = tmp_path / (block.title or "scenarios/tool-names/example.yaml")
    path.parent.mkdir(parents=True)
    path.write_text(block.text)

    assert isinstance(load_file(path, root=path.parent.parent), ScenarioFile)


@blocks("yaml", "agent-baseline.yaml")
def test_baseline_is_right(block: Block, tmp_path: Path) -> None:
    baseline = load_baseline(write(block, tmp_path))

    assert baseline.entries
    assert not [entry for entry in baseline.entries.values() if entry.expired(date(2026, 11, 21))]


@blocks("yaml", ".yml")
def test_workflow_is_yaml(block: Block) -> None:
    assert yaml.safe_load(block.text)["jobs"]


@blocks("json", ".json")
def test_settings_are_json(block: Block) -> None:
    assert json.loads(block.text)


@blocks("sh", ".sh")
def test_script_is_one(block: Block, tmp_path: Path) -> None:
    assert subprocess.run(["bash", "-n", write(block, tmp_path)], check=False).returncode == 0


@blocks("toml")
def test_configuration_names_options_that_exist(block: Block, tmp_path: Path) -> None:
    from agent_conformance.attach.loading import written_in_file
    from pytest_agent_conformance_options import OPTIONS

    if block.title == "agent.toml":
        assert written_in_file(f"@{write(block, tmp_path)}", tmp_path)
        return
    configured = tomllib.loads(block.text)["tool"]["pytest"]["ini_options"]
    known = {name.replace("-", "_") for name, _, ini_type, *_ in OPTIONS if ini_type}
    assert configured.keys() <= known | {"addopts", "pythonpath"}


def test_every_file_that_documents_show_is_checked_by_its_kind() -> None:
    titles = {block.title.rpartition(".")[2] for block in BLOCKS if block.title}

    assert titles <= {"py", "yaml", "yml", "toml", "json", "mjs", "go", "rs", "sh"}
    assert (ROOT / "README.md") in DOCUMENTS
