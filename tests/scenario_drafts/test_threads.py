"""Twenty sources that incidents left become scenarios: red on the mutant with the bug, green on the reference agent."""

from dataclasses import replace
from pathlib import Path

import pytest

from agent_conformance.attach.loading import load_agent
from agent_conformance.commands.new.command import chosen
from agent_conformance.scenario_drafts.drafting import drafts_of
from agent_conformance.scenario_drafts.neutral import Neutral
from agent_conformance.scenario_drafts.sources import evidence_in
from tests.docs.documents import ROOT
from tests.scenario_drafts.threads import THREADS, Thread, table


@pytest.mark.parametrize("thread", THREADS, ids=lambda one: f"{one.kind}-{one.mutant}")
def test_source_becomes_a_scenario_that_the_mutant_fails_and_the_reference_passes(tmp_path: Path, thread: Thread):
    source = tmp_path / "source"
    source.write_text(thread.source())
    neutral = Neutral()
    evidence = neutral.evidence(evidence_in(source))
    drafts = [replace(draft, document=neutral.shortened(draft.document)) for draft in drafts_of(evidence)]
    agent = load_agent(f"agent_conformance.mutants:{thread.mutant}", cwd=tmp_path)

    choice = chosen(drafts, evidence, agent, timeout=10.0)

    assert evidence.kind.replace("-", " ") in thread.kind or thread.kind.startswith("fixtures")
    assert choice.finding == thread.finding
    assert choice.lines[-1] == "reference     passes it"


def test_document_has_the_table():
    assert table() in (ROOT / "docs" / "maintainers" / "power.md").read_text()


def test_there_are_twenty_of_six_kinds():
    """A cassette and the fixtures of aimock have one format each here, and recorders have several."""
    kinds = {thread.kind.partition(" (")[0] for thread in THREADS}

    assert len(THREADS) == 20
    assert kinds == {"request", "cassette", "fixtures", "chat log", "trace", "report"}
