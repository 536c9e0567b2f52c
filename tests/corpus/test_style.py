"""The corpus keeps its own house rules, which CONTRIBUTING.md states for those who add to it."""

import ast
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from msgspec.structs import fields

import agent_conformance
import fake_providers
from agent_conformance.scenario import model
from agent_conformance.scenario.base_model import Strict, default_of
from agent_conformance.scenario.loading import AREAS, ScenarioFile, load_file
from agent_conformance.scenario.model import ReplySpec
from agent_conformance.scenario.versions import version_names
from tests.bundled import bundled
from tests.tables import rows

CORPUS = Path(__file__).parents[2] / "scenarios"
FILES, PROBLEMS = bundled()
EACH = rows("file", FILES, ids=lambda file: file.id, group=lambda file: file.area)

FIRST_LINE = "# yaml-language-server: $schema=../scenario.schema.json"
MOST_LINES = 46
"""Below the line for editors."""
MOST_COLUMNS = 124
"""Of a comment; a line of data is as long as what the model wrote."""
NO_FACT = re.compile(r"\b(should|shall|must|will|would|ought|may not)\b", re.IGNORECASE)
SECRET = re.compile(r"sk-[A-Za-z0-9]{8}|AKIA[A-Z0-9]{8}|ghp_[A-Za-z0-9]{8}")


def lines_of(file: ScenarioFile) -> list[str]:
    return file.path.read_text(encoding="utf-8").split("\n")


def replies_of(file: ScenarioFile) -> list[ReplySpec]:
    return [reply for row in file.rows.values() for turn in row.conversation for reply in turn.model]


def test_every_file_is_right():
    assert not PROBLEMS, "\n".join(map(str, PROBLEMS))


def test_every_area_has_scenarios():
    assert {file.area for file in FILES} == set(AREAS)


def test_every_file_but_scenarios_is_known():
    others = {path.name for path in CORPUS.rglob("*") if path.is_file() and path.suffix != ".yaml"}

    named = {"README.md", "scenario.schema.json", "smoke.txt", "default.txt"}
    assert others == {*named, *(f"{name}.txt" for name in version_names())}


def test_descriptions_are_unique():
    owners: dict[str, str] = {}
    for file in FILES:
        description = next(iter(file.rows.values())).description.lower()
        assert owners.setdefault(description, file.id) == file.id


MODELS = [one for one in vars(model).values() if isinstance(one, type) and issubclass(one, Strict)]
FIELDS_OF_OTHERS = {
    *(
        "ServerCallSpec.server",
        "ReplySpec.id",
        "ReplySpec.item_ids",
        "ReplySpec.alternatives",
        "SourceSpec.file",
    ),
    *("UsageSpec.output", "UsageSpec.reasoning", "Scenario.served_model"),
    *("Expectations.narration", "Expectations.approvals", "LimitSpec.seconds", "Scenario.format"),
}
"""What only cassettes, other suites or files with versions say; and what bundled scenarios say under `should`, or in
the classes that have these fields as well."""


def written_fields(value: object) -> Iterator[str]:
    """The class and name of each field with another value than that which it has without being written."""
    if isinstance(value, Strict):
        for field in fields(value):
            if (inner := getattr(value, field.name)) != default_of(field):
                yield f"{type(value).__name__}.{field.name}"
                yield from written_fields(inner)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ():
        yield from written_fields(inner)


def test_every_field_is_used_by_a_scenario():
    written = {name for file in FILES for row in file.rows.values() for name in written_fields(row)}

    unused = {f"{one.__name__}.{name}" for one in MODELS for name in one.__struct_fields__} - written
    assert sorted(unused - FIELDS_OF_OTHERS) == []
    assert sorted(FIELDS_OF_OTHERS - unused) == []


def test_every_field_is_read():
    """By its name, somewhere in the suite or in the fakes: one that is only described changes nothing."""
    folders = (Path(package.__file__).parent for package in (agent_conformance, fake_providers))
    modules = (path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py"))
    read = {node.attr for text in modules for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}

    assert [f"{one.__name__}.{name}" for one in MODELS for name in one.__struct_fields__ if name not in read] == []


@EACH
def test_description_is_a_fact(file: ScenarioFile):
    description = next(iter(file.rows.values())).description

    assert not NO_FACT.search(description)
    assert not description.endswith((".", "!"))


@EACH
def test_file_begins_with_the_schema_and_argues(file: ScenarioFile):
    first, second, *_ = lines_of(file)

    assert first == FIRST_LINE
    assert second.startswith("# ")
    assert len(file.comment.split()) >= 6, "say in a sentence why this matters"


@EACH
def test_file_is_short(file: ScenarioFile):
    below = lines_of(file)[1:-1]

    is_generated = any(line.startswith("# Written by `") for line in below)
    assert is_generated or len(below) <= MOST_LINES
    assert all(len(line) <= MOST_COLUMNS for line in below if line.startswith("#"))


@EACH
def test_file_has_no_trailing_junk(file: ScenarioFile):
    lines = lines_of(file)

    assert lines[-1] == ""
    assert lines[-2] != ""
    assert not [line for line in lines if line != line.rstrip() or "\t" in line or "\r" in line]


@EACH
def test_conversation_is_in_block_style(file: ScenarioFile):
    lines = lines_of(file)
    rest = lines[lines.index("conversation:") + 1 :]
    turns = [line for line in takewhile(lambda line: line.startswith(" ") or not line, rest) if line.startswith("  - ")]

    assert turns
    assert all(line.startswith(("  - user:", "  - repeat:")) for line in turns)


@EACH
def test_head_is_in_order(file: ScenarioFile):
    keys = [line.partition(":")[0] for line in lines_of(file) if re.match(r"[a-z]", line)]

    assert keys[:2] == ["description", "profile"]
    assert keys[-1] in ("conversation", "examples", "waive")
    assert "format" not in keys, "format 1 is the default"


@EACH
def test_source_is_a_page(file: ScenarioFile):
    source = next(iter(file.rows.values())).source

    assert source is None or re.fullmatch(r"https://\S+", source)


@EACH
def test_fault_passes(file: ScenarioFile):
    """Agents back off for half a minute after a fault, so one that never ends says nothing of them.

    One with a second provider asks that instead.
    """
    failing = [reply for reply in replies_of(file) if reply.fault is not None]
    has_second = all(scenario.fallback is not None for scenario in file.rows.values())

    assert all((has_second or not reply.forever) and reply.times <= 2 for reply in failing)


@EACH
def test_no_text_looks_like_a_secret(file: ScenarioFile):
    assert not SECRET.search(file.path.read_text(encoding="utf-8"))


def test_no_demanded_text_begins_or_ends_with_white_space():
    """An agent may strip the messages of its user."""
    demanded = [
        (file.id, text)
        for file in FILES
        for row in file.rows.values()
        for turn in row.conversation
        for request in (turn.expect.requests if turn.expect else ())
        for text in request.contains
    ]

    assert [each for each in demanded if each[1] != each[1].strip()] == []
    assert len(demanded) > 40


def test_laws_are_waived_at_most_rarely():
    waived = [(file.id, law) for file in FILES for row in file.rows.values() for law in row.waive]

    assert len(waived) <= 3, waived


def test_example_of_the_readme_is_right(tmp_path: Path):
    readme = (CORPUS / "README.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)
    path = tmp_path / "tool-names" / "example.yaml"
    path.parent.mkdir()
    path.write_text(example, encoding="utf-8")

    assert isinstance(load_file(path, root=tmp_path), ScenarioFile)


def test_every_area_is_described():
    text = (CORPUS.parent / "docs" / "maintainers" / "coverage.md").read_text(encoding="utf-8")

    assert re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)[: len(AREAS)] == list(AREAS)
