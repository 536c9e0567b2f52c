"""The JSON Schema for editors is the model's, and the checked-in file is the schema."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from scenario_mistakes import RIGHT

from agent_conformance.scenario.yaml_files.reading import read
from tests.bundled import bundled_files
from tests.tables import rows
from tools.schema_of_scenarios import DESCRIPTIONS, scenario_schema, write_schema

CORPUS = Path(__file__).parents[2] / "scenarios"


def test_file_is_the_schema_of_the_model(tmp_path: Path):
    written = CORPUS / "scenario.schema.json"

    assert json.loads(written.read_text(encoding="utf-8")) == scenario_schema(), (
        "run: python -m tools.schema_of_scenarios scenarios/scenario.schema.json"
    )


def test_writing_says_whether_anything_changed(tmp_path: Path):
    path = tmp_path / "scenario.schema.json"

    assert write_schema(path)
    assert not write_schema(path)


def test_every_bundled_scenario_fits_the_schema():
    validator = jsonschema_rs.validator_for(scenario_schema())
    files = bundled_files()

    misfits = [file.id for file in files if not validator.is_valid(read(file.path.read_bytes()).value)]
    assert files
    assert not misfits


@pytest.mark.parametrize(
    ("found", "put"),
    [
        ("user: Good morning.", "user: {repeat: Good., times: 20}"),
        ("user: Good morning.", "user: $greeting"),
        ("at: 2", "at: $which"),
        ("until: answered", "times: $n"),
        ("calls: [{name: get_wether, arguments: {city: Oslo}}]", "calls: $calls"),
        ("executed: []", "executed: {any_order: [{get_weather: {city: Oslo}}]}"),
        ("reply: It is 7 degrees in Oslo.", "reply: {contains: [Oslo]}"),
        ("{city: string}", "{}"),
        ("{city: string}", "{type: object, properties: {city: {type: string}}, required: [city]}"),
    ],
)
def test_what_may_be_written_fits_the_schema(found: str, put: str):
    assert found in RIGHT
    assert jsonschema_rs.is_valid(scenario_schema(), read(RIGHT.replace(found, put, 1).encode()).value)


WORDS_OF_OTHER_PAGES = {("Scenario", "needs"), ("Scenario", "wires"), ("Scenario", "model"), ("Scenario", "waive")} | {
    ("Switch", "model"),
    ("Switch", "wire"),
    ("FallbackSpec", "wire"),
}
"""Fields whose words other pages explain: features, wires, laws."""


def fields() -> list[tuple[str, str, dict[str, Any]]]:
    schema = scenario_schema()
    owners = {"Scenario": schema, **schema["$defs"]}
    written = (
        (owner, name, field) for owner, one in owners.items() for name, field in one.get("properties", {}).items()
    )
    return [(owner, name, field) for owner, name, field in written if owner not in ("Text", "RowKey")]


def words_in(field: Any) -> Iterator[str]:
    """The values that a field names, wherever in its schema they stand."""
    for key, value in field.items() if isinstance(field, dict) else ():
        if key in ("enum", "const"):
            yield from (word for word in (value if key == "enum" else [value]) if isinstance(word, str))
        elif isinstance(value, dict | list):
            yield from (word for inner in (value if isinstance(value, list) else [value]) for word in words_in(inner))


@rows("owner name field", fields(), ids=lambda one: f"{one[0]}.{one[1]}")
def test_every_field_says_what_it_and_each_of_its_values_mean(owner: str, name: str, field: dict[str, Any]):
    assert field["description"].endswith(".")
    if (owner, name) not in WORDS_OF_OTHER_PAGES:
        assert [word for word in words_in(field) if f"`{word}`" not in field["description"]] == []


def test_no_meaning_is_left_of_a_field_that_is_gone():
    described = {(owner, name) for owner, names in DESCRIPTIONS.items() for name in names}

    assert described == {(owner, name) for owner, name, _ in fields()}


REPETITION = """\
conversation:
  - repeat:
      - user: What is the weather on day <n>?
        model:
          - calls: [{repeat: [{name: get_weather, arguments: {city: <k>}}], times: 2, counter: k}]
          - {text: It rains., times: <n>}
    times: 3
"""


def test_repetition_fits_the_schema_and_its_items_are_checked():
    text = RIGHT[: RIGHT.index("conversation:")] + REPETITION

    assert jsonschema_rs.is_valid(scenario_schema(), read(text.encode()).value)
    for found, put in (("text: It", "txt: It"), ("times: 3", "times: often"), ("    times: 3\n", "")):
        assert not jsonschema_rs.is_valid(scenario_schema(), read(text.replace(found, put).encode()).value), put
