"""Documents of scenarios: out of a file, and back into one that says the same."""

import io
from pathlib import Path

import pytest
import yaml

from agent_conformance.minimise import one_row, yaml_text
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files.reading import read, read_data
from agent_conformance.transcripts.printing import PrintableStream

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


@pytest.mark.parametrize(
    "text",
    [
        "\u202eright to left\u202c",
        "family \U0001f468\u200d\U0001f469 and a tag \U000e0001",
        "Grüße, 東京",
        "one\n::error::two",
        f"{'word ' * 21}::error::two {'word ' * 21}",
        "##[error]one",
        "a\r\nb\x1b[2J",
        "\x85\u2028\ufeff",
    ],
)
def test_text_that_is_printed_means_the_same(text: str) -> None:
    below = io.StringIO()
    document = {"description": text, "conversation": [{"user": text, "model": [{"calls": [{text[:9]: {"a": text}}]}]}]}

    print(yaml_text(document), file=PrintableStream(below))

    assert yaml.safe_load(below.getvalue()) == document
    assert ("東京" in text) is ("東京" in below.getvalue())


def test_row_is_put_in_place_and_a_text_like_a_key_is_kept() -> None:
    document = {"system": "$text", "user": "$$text", "examples": {"a": {"text": {"repeat": "x", "times": 3}}}}

    assert one_row(document, "a") == {"system": {"repeat": "x", "times": 3}, "user": "$$text"}
