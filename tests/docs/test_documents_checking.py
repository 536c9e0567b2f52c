"""The checks of the documents find what is wrong in one."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from agent_conformance.scenario.files import bundled_scenarios
from tests.docs import documents, regenerate
from tests.docs.figures import rounded_below, with_figures, with_site_figures
from tests.docs.projects import agrees, run_document


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def write(text: str) -> Path:
        monkeypatch.setattr(documents, "ROOT", tmp_path)
        path = tmp_path / "guide.md"
        path.write_text(text)
        return path

    return write


def test_output_that_is_not_what_happens_is_named_with_its_line(written, tmp_path: Path) -> None:
    guide = written("# Guide\n\n```console\n$ echo one\none\n$ echo two\nthree\n```\n")

    [difference] = run_document(guide, tmp_path)

    assert str(difference) == "guide.md:4: $ echo two\n--- written\nthree\n--- got\ntwo"


def test_titled_blocks_are_files_for_the_commands_below(written, tmp_path: Path) -> None:
    guide = written(
        '```python title="deep/hello.py"\nprint("hi")\n```\n\n```console\n$ python deep/hello.py\nhi\n```\n'
    )

    assert list(run_document(guide, tmp_path)) == []


def test_added_block_stands_at_the_end_of_its_file(written, tmp_path: Path) -> None:
    first = '```python title="hello.py"\nprint("hi")\n```\n'
    then = '```python at-the-end-of="hello.py"\nprint("bye")\n```\n'
    guide = written(f"{first}{then}```console\n$ python hello.py\nhi\nbye\n```\n")

    assert list(run_document(guide, tmp_path)) == []


def test_folder_of_the_run_is_not_shown(written, tmp_path: Path) -> None:
    guide = written("```console\n$ pwd\n.\n$ echo $PWD/x\nx\n```\n")

    assert list(run_document(guide, tmp_path)) == []


def test_notice_of_a_busy_machine_is_not_shown(written, tmp_path: Path) -> None:
    notice = "agent-conformance: still importing the agent (at a.py:1)"
    guide = written(f"```console\n$ echo one; echo '{notice}' >&2; echo two\none\ntwo\n```\n")

    assert list(run_document(guide, tmp_path)) == []


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("1 passed in 0.10s", "1 passed in 12.34s"),
        ("1 passed, 7 deselected in 0.10s", "1 passed, 800 deselected in 0.10s"),
        ("a\n...\nd", "a\nb\nc\nd"),
        ("a\n...\nd", "a\nd"),
        ("...\nd", "a.c (x) [y]\nd"),
    ],
)
def test_output_agrees(text: str, output: str) -> None:
    assert agrees(text, output)


@pytest.mark.parametrize(
    ("text", "output"),
    [("1 passed in 0.10s", "2 passed in 0.10s"), ("a\n...\nd", "a\nb"), ("a.c", "abc"), ("a", "a\nb"), ("", "a")],
)
def test_output_does_not_agree(text: str, output: str) -> None:
    assert not agrees(text, output)


def test_stale_figure_is_written_anew() -> None:
    text = "x\n<!-- figures: counts -->\n1 law\n<!-- end -->\ny\n"
    fifties = rounded_below(len(list(bundled_scenarios().rglob("*.yaml"))), 50)

    assert "\n1 law\n" not in with_figures(text)
    assert with_figures(with_figures(text)) == with_figures(text)
    assert with_figures(text).startswith(f"x\n<!-- figures: counts -->\nMore than {fifties} scenarios, ")


def test_figure_of_the_site_replaces_what_the_repository_says() -> None:
    text = "x\n<!-- on the site: commands -->\n`--help` lists them.\n<!-- end -->\ny\n"

    assert with_figures(text) == text
    assert "\n| `doctor` | " in with_site_figures(text)
    assert "lists them" not in with_site_figures(text)
    with pytest.raises(KeyError, match="weather"):
        with_site_figures("<!-- on the site: weather -->\n<!-- end -->")


@pytest.mark.parametrize(("number", "shown"), [(99, 50), (100, 50), (101, 100)])
def test_more_than_the_rounded_number_is_true(number: int, shown: int) -> None:
    assert rounded_below(number, 50) == shown


def test_figure_of_no_such_name_is_an_error() -> None:
    with pytest.raises(KeyError, match="weather"):
        with_figures("<!-- figures: weather -->\n<!-- end -->")


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("--figures", ["rules", "mutants"]),
        ("--figures=documents", []),
        ("--figures=rules", ["rules"]),
        ("--figures=mutants", ["mutants"]),
    ],
)
def test_what_takes_minutes_is_written_where_it_is_named(
    typed: str, written: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All else is written in seconds, and no command of a document runs."""
    found: list[str] = []
    writers = {name: (SimpleNamespace(write=partial(found.append, name)),) for name in regenerate.IN_MINUTES}
    monkeypatch.setattr(regenerate, "IN_MINUTES", writers)
    monkeypatch.setattr(regenerate, "write_in_seconds", lambda: None)
    monkeypatch.setattr(regenerate, "run_document", lambda *arguments: found.append("document"))

    assert regenerate.main([typed]) == 0
    assert found == written
