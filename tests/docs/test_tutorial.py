"""The tutorial's code lies in `examples/node-agent/` too: each section of the document is the folder of its number."""

import re

import pytest

from conformance.agents.loading import load_agent
from conformance.commands.doctor.report import make_report
from tests.docs.documents import ROOT, blocks_of

TUTORIAL = ROOT / "docs" / "tutorial-node.md"
STAGES = sorted((ROOT / "examples" / "node-agent").glob("[0-9]-*"))


def line_of(place: str) -> int:
    return int(place.rpartition(":")[2])


def shown_by_stage() -> list[dict[str, str]]:
    """The files of each numbered section: those it shows, beside those that are still there from before."""
    lines = TUTORIAL.read_text(encoding="utf-8").splitlines()
    begins = [number for number, line in enumerate(lines, 1) if re.match(r"## \d", line)]
    files: dict[str, str] = {}
    stages = []
    for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        shown = [block for block in blocks_of(TUTORIAL) if block.title and begin < line_of(block.place) < end]
        files |= {block.title: block.text for block in shown}
        stages.append(dict(files))
    return stages


def test_every_stage_is_a_folder() -> None:
    assert [int(stage.name[0]) for stage in STAGES] == list(range(1, len(shown_by_stage()) + 1))


@pytest.mark.parametrize("stage", [pytest.param(stage, id=stage.name) for stage in STAGES])
def test_stage_has_the_files_that_the_tutorial_shows(stage) -> None:
    shown = shown_by_stage()[int(stage.name[0]) - 1]

    assert {path.name: path.read_text(encoding="utf-8") for path in stage.glob("*.mjs")} == shown


def test_last_stage_can_do_what_it_declares() -> None:
    report = make_report(load_agent(f"cmd:node {STAGES[-1].relative_to(ROOT)}/agent.mjs", cwd=ROOT))

    assert report.is_clean
    assert not report.with_status("works, not declared")
