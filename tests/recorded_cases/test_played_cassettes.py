"""A recorded session is played again: right agents pass, an agent with the bug has a finding in it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach.loading import load_agent
from agent_conformance.recorded_cases.loading import PlayedCassette, load_cassette
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions
from agent_conformance.scenario.files.selection import ScenarioPath
from agent_conformance.transcripts.finding import Verdict
from fake_providers import Call, Reply
from tests.cassettes.recordings import INVOKE
from tests.cassettes.recordings import recorded as one_exchange
from tests.recorded_cases.recording import Recorded, har_cassette, own_cassette, recorded, vcr_cassette
from tests.scenario_drafts.incidents import fixtures

WIRES = (
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini-generate",
    "ollama-chat",
    "bedrock-converse",
    "cohere-chat",
)
FORMATS: dict[str, Callable[[list[Recorded]], str]] = {
    "session.jsonl": own_cassette,
    "session.yaml": vcr_cassette,
    "session.har": har_cassette,
}


def loaded_agent(name: str) -> DeclaredAgent:
    return load_agent(f"agent_conformance.{name}", cwd=Path.cwd())


def play(cassette: PlayedCassette, agent: str) -> list[Verdict]:
    loaded = loaded_agent(agent)
    with CaseSession(loaded) as runner:
        return [runner.run(case) for case in cassette.cases(loaded, RunOptions())]


def load(folder: Path, name: str, text: str) -> PlayedCassette:
    path = folder / "recorded" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return load_cassette(ScenarioPath(f"recorded/{path.stem}", path, folder))


@pytest.fixture(scope="module")
def batch() -> dict[tuple[str, str], list[Recorded]]:
    """A reply with several calls, on each wire in both modes."""
    modes = ("plain", "stream")
    return {(wire, mode): recorded("parallel/all-answered", f"{wire}+{mode}") for wire in WIRES for mode in modes}


@pytest.mark.parametrize("mode", ["plain", "stream"])
@pytest.mark.parametrize("wire", WIRES)
def test_right_agent_passes_and_one_that_loses_results_fails(tmp_path, batch, wire, mode):
    cassette = load(tmp_path, "session.jsonl", own_cassette(batch[wire, mode]))

    (passed,) = play(cassette, "reference:Adapter")
    (failed,) = play(cassette, "mutants:M8a_one_result_each")

    assert (cassette.problems, passed.case, passed.outcome) == ((), f"recorded/session[1]@{wire}+{mode}", "pass")
    (finding,) = failed.at_level("must")
    assert finding.id == "paired" or finding.id.startswith("accepted:")


@pytest.mark.parametrize("mode", ["plain", "stream"])
def test_claude_by_invoke_is_played_on_bedrocks_wire(tmp_path, mode):
    reply = Reply(text="I look.", calls=(Call("get_weather", {"city": "Oslo"}),))
    asked = one_exchange(INVOKE, reply, stream=mode == "stream")
    cassette = load(tmp_path, "session.jsonl", own_cassette([(asked.request, asked.response)]))

    verdicts = play(cassette, "reference:Adapter")

    assert [(one.case, one.outcome) for one in verdicts] == [(f"recorded/session[1]@bedrock-converse+{mode}", "pass")]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_scenario(tmp_path, batch, name):
    exchanges = batch["openai-chat", "plain"]
    first = load(tmp_path, "first.jsonl", own_cassette(exchanges))

    other = load(tmp_path, name, FORMATS[name](exchanges))

    assert other.problems == ()
    assert first.file is not None
    assert other.file is not None
    assert other.file.rows == first.file.rows
    assert other.file.digest == first.file.digest


def test_fixtures_are_played_on_every_wire_of_the_agent_in_both_modes(tmp_path):
    cassette = load(tmp_path, "fixtures.json", fixtures())

    verdicts = play(cassette, "reference:Adapter")

    assert len(verdicts) == 2 * len(WIRES)
    assert {verdict.outcome for verdict in verdicts} == {"pass"}


def test_agent_without_the_recorded_wire_is_not_verified(tmp_path, batch):
    cassette = load(tmp_path, "session.jsonl", own_cassette(batch["ollama-chat", "plain"]))
    loaded = loaded_agent("reference:Adapter")

    (case,) = cassette.cases(replace(loaded, wires=("openai-chat",)), RunOptions())

    assert case.missing == {"wire ollama-chat"}


def test_two_conversations_in_one_cassette_are_two_cases(tmp_path):
    both = recorded("turns/sessions-side-by-side", "openai-chat+plain")
    cassette = load(tmp_path, "session.jsonl", own_cassette(both))

    verdicts = play(cassette, "reference:Adapter")

    assert [verdict.case.partition("@")[0] for verdict in verdicts] == ["recorded/session[1]", "recorded/session[2]"]
    assert [verdict.outcome for verdict in verdicts] == ["pass", "pass"]


def test_finding_names_the_entry_of_its_own_conversation(tmp_path, batch):
    first, second = batch["openai-chat", "plain"], batch["anthropic-messages", "plain"]
    cassette = load(tmp_path, "session.jsonl", own_cassette([*first, *second]))

    sources = [
        str(finding.scenario)
        for verdict in play(cassette, "mutants:M8a_one_result_each")
        for finding in verdict.findings[:1]
    ]

    assert [source.rpartition(":")[2].split()[0] for source in sources] == ["2", str(2 + len(first))]


def test_text_that_looks_like_a_call_may_be_run_or_shown(tmp_path):
    """Nobody says of a recorded text what it is, so an agent that runs it is right, and one that shows it as well."""
    cassette = load(tmp_path, "session.jsonl", own_cassette(recorded("pseudo-calls/tagged-json", "openai-chat+plain")))

    assert [verdict.outcome for verdict in play(cassette, "reference:Adapter")] == ["pass"]
    assert cassette.file is not None
    assert "declared-only" in cassette.file.rows["1"].waive


def test_name_that_no_tool_has_may_be_run_as_a_near_one(tmp_path):
    """Nobody says of a recorded call what its name was meant to be."""
    cassette = load(tmp_path, "session.jsonl", own_cassette(recorded("tool-names/near-miss", "openai-chat+plain")))

    assert [verdict.outcome for verdict in play(cassette, "reference:Adapter")] == ["pass"]
    assert cassette.file is not None
    calls = [call for reply in cassette.file.rows["1"].conversation[0].model for call in reply.calls]
    assert calls[0].may_run == ["get_weather"]
