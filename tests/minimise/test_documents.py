"""Documents of scenarios: out of a file, and back into one that says the same."""

from pathlib import Path

import pytest

from agent_conformance.minimise.documents import one_row, yaml_text
from agent_conformance.scenario.files.corpus import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files.reading import read, read_data

FILES = sorted(bundled_scenarios().glob("*/*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_row_of_the_corpus_written_as_a_file_says_the_same(path: Path, tmp_path: Path) -> None:
    file = load_file(path, root=None)
    assert isinstance(file, ScenarioFile)
    document = read(read_data(path)).value
    copy = tmp_path / "scenarios" / path.parent.name / path.name
    copy.parent.mkdir(parents=True)
    for row, scenario in file.rows.items():
        copy.write_text(yaml_text(one_row(document, row), file.comment), encoding="utf-8")

        written = load_file(copy, root=tmp_path / "scenarios")

        assert isinstance(written, ScenarioFile), f"{row}: {written}"
        assert written.rows[None].changed({"formerly": scenario.formerly}) == scenario
        assert written.comment == file.comment


def test_short_parts_stand_in_one_line_and_turns_do_not() -> None:
    tool = {"name": "look_up", "parameters": {"word": "string"}}
    turn = {"user": "a", "model": [{"calls": [{"name": "look_up", "arguments": {"word": "b"}}]}]}

    assert yaml_text({"description": "d", "tools": [tool], "conversation": [turn]}, "Why.\n\nMore.") == (
        "# yaml-language-server: $schema=../scenario.schema.json\n# Why.\n#\n# More.\ndescription: d\n\n"
        "tools:\n  - name: look_up\n    parameters: {word: string}\n\n"
        "conversation:\n  - user: a\n    model:\n      - {calls: [{name: look_up, arguments: {word: b}}]}\n"
    )


def test_row_is_put_in_place_and_a_text_like_a_key_is_kept() -> None:
    document = {"system": "$text", "user": "$$text", "examples": {"a": {"text": {"repeat": "x", "times": 3}}}}

    assert one_row(document, "a") == {"system": {"repeat": "x", "times": 3}, "user": "$$text"}
