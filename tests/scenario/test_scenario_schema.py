"""The JSON Schema for editors is the model's, and the checked-in file is the schema."""

import json
from pathlib import Path

import jsonschema_rs
import pytest
from scenario_mistakes import RIGHT

from conformance.scenario.loading import load_folder
from conformance.scenario.reading import read
from conformance.scenario.schema import scenario_schema, write_schema

CORPUS = Path(__file__).parents[2] / "scenarios"


def test_file_is_the_schema_of_the_model(tmp_path: Path):
    written = CORPUS / "scenario.schema.json"

    assert json.loads(written.read_text(encoding="utf-8")) == scenario_schema(), (
        "run: python -m conformance.scenario.schema scenarios/scenario.schema.json"
    )


def test_writing_says_whether_anything_changed(tmp_path: Path):
    path = tmp_path / "scenario.schema.json"

    assert write_schema(path)
    assert not write_schema(path)


def test_every_bundled_scenario_fits_the_schema():
    validator = jsonschema_rs.validator_for(scenario_schema())
    files, _ = load_folder(CORPUS)

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
