"""Files by provider: writing them anew touches those alone whose lines are others."""

from pathlib import Path

import pytest

from fake_providers import PROVIDERS
from tests.fakes import refusals_of_changes, refusals_of_rules, verdicts_of_places, whole_answers
from tests.fakes.goldens import Goldens

LINES = [("openai", {"of": "a\u2028b"}), ("anthropic", {"of": "c"}), ("openai", {"of": "d"})]


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.xz"])
def test_lines_are_read_as_they_were_written_by_provider(suffix: str, tmp_path: Path) -> None:
    files = Goldens(str(tmp_path / "new"), suffix)
    files.write(LINES)

    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [f"anthropic{suffix}", f"openai{suffix}"]
    assert files.read() == [{"of": "a\u2028b"}, {"of": "d"}, {"of": "c"}]
    assert files.read("anthropic") == [{"of": "c"}]


def test_only_files_with_other_lines_are_written(tmp_path: Path) -> None:
    files = Goldens(str(tmp_path))
    files.write([*LINES, ("groq", {"of": "e"})])
    (tmp_path / "gone.jsonl").write_text("{}\n", encoding="utf-8")
    before = files.path("openai").stat().st_mtime_ns

    files.write([*LINES[:1], ("anthropic", {"of": "other"}), *LINES[2:]])

    assert files.path("openai").stat().st_mtime_ns == before
    assert files.read() == [{"of": "a\u2028b"}, {"of": "d"}, {"of": "other"}]
    assert {path.name for path in tmp_path.iterdir()} == {"anthropic.jsonl", "openai.jsonl"}


@pytest.mark.parametrize("module", [refusals_of_rules, refusals_of_changes, verdicts_of_places, whole_answers])
def test_files_are_those_of_providers(module: object) -> None:
    files: Goldens = module.FILES  # type: ignore[attr-defined]
    there = {path.name.removesuffix(files.suffix) for path in files.path("any").parent.iterdir()}

    # On some, no changed sample says what another does not say before.
    assert there == {*PROVIDERS} if module is not refusals_of_changes else there <= {*PROVIDERS}
