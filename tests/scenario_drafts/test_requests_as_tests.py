"""What no scenario can have is said, and the request itself becomes the test."""

import json
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.scenario_drafts.incident import Refusal

NAMED = {
    "model": "gpt-4.1",
    "messages": [{"role": "user", "content": "Hi."}, {"role": "user", "name": "a b", "content": "I am Maria Gomez."}],
}
OPEN = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "user", "content": "Hi."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "go", "arguments": "{}"}}],
        },
        {"role": "user", "content": "And?"},
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def draft(folder: Path, body: object, *options: str) -> int:
    (folder / "body.json").write_text(json.dumps(body))
    return main(["new", "--from=body.json", "--provider=openai", *options])


def test_field_that_no_scenario_has_is_said(folder, capsys):
    assert draft(folder, NAMED) == 0

    said = capsys.readouterr()
    assert "NOT IN IT     What was refused, `messages[1].name`" in said.err
    assert "--to requests/NAME.json" in said.err
    assert "so this one cannot find it again" in said.out
    assert "never breaks openai/message-name-pattern" not in said.out


def test_field_that_scenarios_have_needs_no_word(folder, capsys):
    assert draft(folder, OPEN) == 0

    said = capsys.readouterr()
    assert "NOT IN IT" not in said.err
    assert "never breaks openai/tool-calls-unanswered" in said.out


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        ("messages[4].name", False),
        ("messages[1].tool_calls[0].function.name", True),
        ("tools[0].function.name", True),
        ("tools[0].function.parameters.properties.x.pattern", True),
        ("contents[2].parts[0].functionResponse.name", True),
        ("messages.1.content.0.text", True),
        ("messages.1.content.0.cache_control", False),
        ("response_format", False),
        ("model", False),
        ("", True),
    ],
)
def test_places_are_told_apart(at, expected):
    assert Refusal(400, "", "openai", "openai/x", at).is_in_scenarios == expected


def test_request_is_written_without_names_and_still_refused(folder, capsys):
    assert draft(folder, NAMED, "--to=requests/named.json", "--source=https://example.com/7") == 0

    written = json.loads((folder / "requests" / "named.json").read_text())
    assert written["provider"] == "openai"
    assert written["source"] == "https://example.com/7"
    assert written["body"]["messages"][1] == {"role": "user", "name": "a b", "content": "I am Ada Example."}
    assert "Now openai/message-name-pattern refuses it" in capsys.readouterr().err


def test_request_that_nobody_refuses_is_no_test(folder, capsys):
    right = {**NAMED, "messages": NAMED["messages"][:1]}

    assert draft(folder, right, "--to=requests/right.json") == 2
    assert "no provider refuses the request" in capsys.readouterr().err
    assert not (folder / "requests").exists()


def test_links_of_the_provider_stay(folder, capsys):
    link = "https://platform.openai.com/docs/guides/function-calling"
    (folder / "answer.json").write_text(json.dumps({"error": {"code": 400, "message": f"See {link}. http://me.io/x"}}))

    assert draft(folder, OPEN, "--answer=answer.json") == 0

    said = capsys.readouterr()
    assert link in " ".join(said.out.replace("\n# ", " ").split())
    assert "http://me.io/x" not in said.out
