"""The comparison with the vendors' API documents names a field that the fakes refuse, and no other."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.documented.api_documents import BODIES, differences_of, main


def openapi(**schemas: Any) -> str:
    return json.dumps({"openapi": "3.1.0", "components": {"schemas": schemas}})


def discovery(name: str, **schemas: Any) -> str:
    written = {schema: {"properties": {field: {} for field in fields}} for schema, fields in schemas.items()}
    return json.dumps({"kind": "discovery#restDescription", "name": name, "schemas": written})


@pytest.mark.parametrize("schema", BODIES)
def test_documented_field_that_is_refused_as_unknown_is_named(schema: str, tmp_path: Path) -> None:
    shared = {"Shared": {"properties": {"metadata": {}, "unheard_of": {}}}}
    written = openapi(**shared, **{schema: {"allOf": [{"$ref": "#/components/schemas/Shared"}]}})
    (tmp_path / "openapi.json").write_text(written)

    count, found = differences_of(tmp_path / "openapi.json")

    assert count == 2
    assert [(one.place, one.refused) for one in found] == [(f"{schema}.unheard_of", True)]


@pytest.mark.parametrize(("name", "prefix"), [("generativelanguage", ""), ("aiplatform", "GoogleCloudAiplatformV1")])
def test_field_of_google_is_compared_by_its_name(name: str, prefix: str, tmp_path: Path) -> None:
    fields = {f"{prefix}FunctionDeclaration": ("name", "unheardOf")}
    (tmp_path / "discovery.json").write_text(discovery(name, **fields))

    _, found = differences_of(tmp_path / "discovery.json")

    assert [one.place for one in found if one.refused] == ["FunctionDeclaration.unheard_of"]
    assert "FunctionDeclaration.description" in [one.place for one in found if not one.refused]


def test_folder_is_searched_and_the_end_says_what_is_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "no API document" in capsys.readouterr().out

    folder = tmp_path / "openai"
    folder.mkdir()
    (folder / "openapi.yml").write_text(openapi(CreateResponse={"properties": {"metadata": {}}}))
    assert main([str(tmp_path)]) == 0

    (folder / "openapi.yml").write_text(openapi(CreateResponse={"properties": {"unheard_of": {}}}))
    assert main([str(tmp_path)]) == 1
    assert "CreateResponse.unheard_of: documented, and refused as unknown" in capsys.readouterr().out


def test_other_files_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")

    with pytest.raises(ValueError, match="neither an OpenAPI document nor a discovery document"):
        differences_of(tmp_path / "a.json")
