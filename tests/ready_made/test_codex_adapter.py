"""The adapter of Codex, with a script in the program's place: what it is started with, and what its events come to."""

import asyncio
import importlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from stand_ins import runs_of, setup_in, stand_in, weather

from agent_conformance import AgentError, CannotRestore, Message, ToolCall

STARTED = {"type": "thread.started", "thread_id": "t-1"}
TURN = {"type": "turn.started"}


def said(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}}


@pytest.fixture
def codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Gives the adapter's module with this script as the program, and the notes of its runs."""

    def module(*events: Any, then: str = "") -> tuple[Any, Path]:
        script, notes = stand_in(tmp_path, "codex", *events, then=then)
        monkeypatch.setenv("CONFORMANCE_CODEX", str(script))
        name = "agent_conformance.agents.ready_made.codex"
        monkeypatch.delitem(__import__("sys").modules, name, raising=False)
        return importlib.import_module(name), notes

    return module


def test_second_turn_resumes_the_session_of_the_first(codex: Any, tmp_path: Path) -> None:
    module, notes = codex(STARTED, TURN, said("Let me see."), said("It is 7 degrees."))
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    replies = [asyncio.run(adapter.send(text)) for text in ("What is the weather?", "--help")]
    adapter.close()

    assert replies == ["It is 7 degrees."] * 2
    assert [run["stdin"] for run in runs_of(notes)] == ["What is the weather?", "--help"]
    first, second = (run["argv"] for run in runs_of(notes))
    assert first == ["exec", "--json", "--skip-git-repo-check", "-"]
    assert second == ["exec", "--json", "--skip-git-repo-check", "resume", "t-1", "-"]


def test_session_continues_after_a_restart(codex: Any, tmp_path: Path) -> None:
    module, notes = codex(STARTED, said("Hello."))
    for _ in range(2):
        adapter = module.Adapter(setup_in(tmp_path / "state"))
        asyncio.run(adapter.send("Hello."))
        adapter.close()

    assert runs_of(notes)[1]["argv"][-3:] == ["resume", "t-1", "-"]


def test_program_has_a_home_of_its_own_with_model_key_and_tools(
    codex: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a secret of the user's")
    module, notes = codex(STARTED)
    adapter = module.Adapter(setup_in(tmp_path / "state", system='Say "ä".', tools=(weather(),)))
    asyncio.run(adapter.send("Hello."))
    command = adapter.tools.command
    adapter.close()

    (run,) = runs_of(notes)
    home = tmp_path / "state" / "home"
    config = tomllib.loads((home / "config.toml").read_text())
    assert run["environ"]["CODEX_HOME"] == run["environ"]["HOME"] == str(home)
    assert run["cwd"] == str(tmp_path / "state" / "project")
    assert "a secret of the user's" not in run["environ"].values()
    provider = config["model_providers"][config["model_provider"]]
    assert (config["model"], provider["base_url"]) == ("gpt-5.4", "http://127.0.0.1:1/v1")
    assert run["environ"][provider["env_key"]] == "conformance-key"
    assert config["developer_instructions"] == 'Say "ä".'
    server = config["mcp_servers"]["suite"]
    assert [server["command"], *server["args"]] == command


def test_failed_turn_is_a_controlled_failure_in_its_words(codex: Any, tmp_path: Path) -> None:
    failed = {"type": "turn.failed", "error": {"message": "Quota exceeded."}}
    module, _ = codex(STARTED, failed, then="sys.exit(1)")
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    with pytest.raises(AgentError, match=r"^Quota exceeded\.$"):
        asyncio.run(adapter.send("Hello."))
    adapter.close()


def test_program_that_only_fails_is_a_controlled_failure_with_its_last_lines(codex: Any, tmp_path: Path) -> None:
    module, _ = codex(then="sys.exit('unknown variant `chat`')")
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    with pytest.raises(AgentError, match="unknown variant `chat`"):
        asyncio.run(adapter.send("Hello."))
    adapter.close()


def test_error_that_codex_got_over_is_none(codex: Any, tmp_path: Path) -> None:
    warned = {"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found."}}
    module, _ = codex(STARTED, warned, {"type": "error", "message": "Reconnecting... 1/5"}, said("Hello."))
    adapter = module.Adapter(setup_in(tmp_path / "state"))

    assert asyncio.run(adapter.send("Hello.")) == "Hello."
    adapter.close()


def test_history_is_a_recorded_session_that_the_first_turn_resumes(codex: Any, tmp_path: Path) -> None:
    module, notes = codex(STARTED, said("Hello."))
    call = ToolCall("c1", "look_up", {"word": "pear"})
    history = (
        Message("system", "Be brief."),
        Message("user", "What is a pear?"),
        Message("assistant", tool_calls=(call,)),
        Message("tool", "a fruit", tool_call_id="c1", name="look_up"),
        Message("assistant", "A fruit."),
    )
    adapter = module.Adapter(setup_in(tmp_path / "state", history=history))
    asyncio.run(adapter.send("Hello."))
    adapter.close()

    (record,) = (tmp_path / "state" / "home" / "sessions").rglob("*.jsonl")
    head, *items = [json.loads(line) for line in record.read_text().splitlines()]
    session = head["payload"]["id"]
    assert record.name.endswith(f"-{session}.jsonl")
    assert runs_of(notes)[0]["argv"][-3:] == ["resume", session, "-"]
    got = [item["payload"] for item in items]
    assert [item.get("role") or item["type"] for item in got] == [
        "developer",
        "user",
        "function_call",
        "function_call_output",
        "assistant",
    ]
    assert (got[2]["namespace"], got[2]["name"], got[2]["call_id"]) == ("mcp__suite", "look_up", "c1")
    assert got[4]["content"] == [{"type": "output_text", "text": "A fruit."}]


def test_history_with_a_result_without_id_cannot_be_restored(codex: Any, tmp_path: Path) -> None:
    module, _ = codex()

    with pytest.raises(CannotRestore, match="a function_call_output without an id"):
        module.Adapter(setup_in(tmp_path / "state", history=(Message("tool", "a fruit"),)))


def test_names_are_those_that_codex_offers(codex: Any) -> None:
    module, _ = codex()

    assert module.offered(["look_up", "notion.search", "notion_search", "辞書"]) == {
        "look_up": "look_up",
        "notion.search": "notion_search_34844b472097",
        "notion_search": "notion_search_6d53535701f2",
        "辞書": "__",
    }
