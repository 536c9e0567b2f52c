"""`agent-conformance new`: what an incident left becomes a scenario that the agent with the bug fails."""

from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.commands.new.command import described
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario_drafts.drafting import Draft
from agent_conformance.scenario_drafts.neutral import Neutral
from tests.scenario_drafts.incidents import INCIDENTS, cassette, log, pruned_body


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def new(folder: Path, text: str, *options: str) -> int:
    (folder / "source").write_text(text)
    return main(["new", "--from=source", "--to=scenarios/incidents/new.yaml", *options])


def written(folder: Path) -> ScenarioFile:
    file = load_file(folder / "scenarios" / "incidents" / "new.yaml", root=folder / "scenarios")
    assert isinstance(file, ScenarioFile)
    return file


@pytest.mark.parametrize("name", INCIDENTS)
def test_source_becomes_a_scenario_that_the_mutant_fails_and_the_reference_passes(folder, capsys, name):
    text, mutant, rule = INCIDENTS[name]

    assert new(folder, text, f"--agent=agent_conformance.mutants:{mutant}") == 0

    said = capsys.readouterr().err
    assert f"{mutant} fails it on" in said
    assert "reference     passes it" in said
    assert rule in said.partition("finding")[2]
    written(folder)


def test_scenario_of_a_provider_without_a_wire_of_its_own_runs_there(folder, capsys):
    """Also after it was made smaller: on the wire's own provider the agent would pass it."""
    blank = (
        '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}, {"role": "user", "content": "Hm?"}]'
    )

    assert (
        new(folder, blank, "--agent=agent_conformance.mutants:M2k_blanks_left", "--minimise", "--provider=mistral") == 0
    )

    assert "accepted:mistral/assistant-empty" in capsys.readouterr().err
    assert written(folder).rows[None].providers == ["mistral"]


def test_agent_that_lacks_a_feature_of_the_draft_is_not_said_to_pass(folder, capsys):
    lines = ("class Adapter:", "    wires = ('openai-chat',)", "    __init__ = send = lambda self, given: None")
    (folder / "short.py").write_text("\n".join(lines))

    assert new(folder, pruned_body(), "--agent=short:Adapter") == 1

    said = capsys.readouterr().err
    assert "THE AGENT WAS NOT JUDGED BY IT" in said
    assert "plain: not judged, needs history" in said
    assert "short:Adapter was not judged by it: needs" in written(folder).comment


def test_agent_without_the_bug_is_said_to_pass(folder, capsys):
    assert new(folder, pruned_body(), "--agent=agent_conformance.reference:Adapter") == 1

    assert "THE AGENT PASSES IT: the incident was not found again" in capsys.readouterr().err
    assert "agent_conformance.reference:Adapter passes it" in written(folder).comment


def test_smaller_scenario_has_the_same_finding(folder, capsys):
    agent = "--agent=agent_conformance.mutants:M8a_one_result_each"
    assert new(folder, cassette(), agent, "--minimise", "--source=https://example.org/7") == 0

    file = written(folder)
    assert "the reference agent passes it" in capsys.readouterr().err
    assert file.rows[None].source == "https://example.org/7"
    assert len(file.rows[None].conversation[0].model) <= 2


def test_without_an_agent_no_finding_is_claimed(folder, capsys):
    assert new(folder, cassette()) == 0

    assert "run with no agent, so no finding is known" in capsys.readouterr().err
    assert "without running an agent" in written(folder).comment


def test_addresses_and_keys_are_in_neither_file_nor_output(folder, capsys):
    new(folder, cassette(), "--replace=Oslo", "--rename-tools")

    text = (folder / "scenarios/incidents/new.yaml").read_text() + capsys.readouterr().err
    assert not [word for word in ("jane.doe", "sk-proj", "Oslo", "get_weather") if word in text]
    assert "user1@example.com" in text
    assert "{name: tool_1, arguments: {city: word-1}}" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", "it is empty", id="empty"),
        pytest.param("Dear all, it broke.", "it begins with 'Dear all", id="prose"),
        pytest.param('{"a": 1}', "found an object with `a`", id="other-json"),
        pytest.param(pruned_body()[:200], "the file was cut", id="cut-body"),
        pytest.param(log()[:-20], "source:3: this line is not JSON", id="cut-log"),
        pytest.param(
            log() + '\n{"role": "model", "parts": [{"text": "x"}]}', "is Gemini's, and those before", id="mixed"
        ),
        pytest.param(cassette()[:-300], "1 entry was read before it", id="cut-cassette"),
    ],
)
def test_source_that_cannot_be_read_leaves_no_file(folder, capsys, text, expected):
    assert new(folder, text) == 2

    said = capsys.readouterr().err
    assert expected in said
    assert "Nothing was written." in said
    assert not (folder / "scenarios").exists()


def test_file_of_100_megabytes_is_not_read(folder, capsys):
    with (folder / "large").open("wb") as file:
        file.truncate(100 * 1024 * 1024)

    assert main(["new", "--from=large"]) == 2
    assert "At most 64 MB are read" in capsys.readouterr().err


def test_scenario_that_is_there_is_kept(folder, capsys):
    new(folder, cassette())
    before = (folder / "scenarios/incidents/new.yaml").read_text()

    assert new(folder, log()) == 2
    assert "is there already" in capsys.readouterr().err
    assert (folder / "scenarios/incidents/new.yaml").read_text() == before


@pytest.mark.parametrize(
    ("finding", "fact"),
    [
        ("sent-arguments", "keeps the law sent-arguments"),
        ("1.reply", "meets its expectation reply"),
        ("accepted:openai/tools-empty", "never breaks openai/tools-empty"),
    ],
)
def test_description_names_what_was_found(finding, fact):
    draft = Draft("restored whole", {"description": "a restored conversation goes on to its end"})

    assert described(draft, finding).document == {"description": f"a restored conversation {fact}"}
    assert described(draft, "") == draft


def test_table_has_no_long_text_of_a_draft_that_was_thrown_away():
    neutral = Neutral()
    kept = neutral.shortened({"user": "x" * 3000})
    neutral.shortened({"user": "y" * 3000})
    neutral.keep_rows_of(kept)

    assert neutral.lines() == ["long text  3000 characters  text 1, repeated  once"]
