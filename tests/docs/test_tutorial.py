"""The tutorial's code lies in `examples/node-agent/` too: each section of the document is the folder of its number."""

import re
import shutil
from pathlib import Path

import pytest

from agent_conformance.attach.loading import load_agent
from agent_conformance.attach.programs import client_folder
from agent_conformance.commands.doctor.command import make_report
from tests.docs.documents import ROOT, blocks_of

TUTORIAL = ROOT / "docs" / "tutorial-node.md"
SECTIONS = sorted((ROOT / "examples" / "node-agent").glob("[0-9]-*"))


def line_of(place: str) -> int:
    return int(place.rpartition(":")[2])


def shown_by_section() -> list[dict[str, str]]:
    """The files of each numbered section: those it shows, and those that earlier sections showed."""
    lines = TUTORIAL.read_text(encoding="utf-8").splitlines()
    begins = [number for number, line in enumerate(lines, 1) if re.match(r"## \d", line)]
    files: dict[str, str] = {}
    sections = []
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        shown = [block for block in blocks_of(TUTORIAL) if block.title and begin < line_of(block.place) < end]
        files |= {block.title: block.text for block in shown}
        sections.append(dict(files))
    return sections


def test_every_section_is_a_folder() -> None:
    assert [int(section.name[0]) for section in SECTIONS] == list(range(1, len(shown_by_section()) + 1))


@pytest.mark.parametrize("section", [pytest.param(section, id=section.name) for section in SECTIONS])
def test_section_has_the_files_that_the_tutorial_shows(section) -> None:
    shown = shown_by_section()[int(section.name[0]) - 1]

    assert {path.name: path.read_text(encoding="utf-8") for path in section.glob("*.mjs")} == shown


def test_last_section_can_do_what_it_declares(tmp_path: Path) -> None:
    shutil.copytree(SECTIONS[-1], tmp_path, dirs_exist_ok=True)
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "agent-conformance-client").symlink_to(client_folder())

    report = make_report(load_agent("cmd:node agent.mjs", cwd=tmp_path))

    assert report.is_clean
    assert not report.with_status("works, not declared")
