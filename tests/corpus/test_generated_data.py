"""The scenarios of `tools/data.py` are those in the corpus, and each class of characters is sent in each place."""

from agent_conformance.scenario.files import bundled_scenarios
from tests.bundled import bundled_files
from tools.data import CHARACTERS, PLACES, files


def test_files_are_as_they_are_written() -> None:
    written = {name: (bundled_scenarios() / f"{name}.yaml").read_text(encoding="utf-8") for name in files()}

    assert written == files(), "write them again: ./dev python -m tools data"


def test_each_class_is_played_in_each_place_or_is_said_not_to_be() -> None:
    corpus = bundled_files()
    rows = {(file.id, row) for file in corpus for row in file.rows}

    for place, cells in PLACES.items():
        assert set(cells) == set(CHARACTERS), place
        assert [cell for cell in cells.values() if cell is not None and cell not in rows] == [], place
