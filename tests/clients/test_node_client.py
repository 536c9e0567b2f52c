"""The client for agents in Node: its own tests, its histories beside those of Python, and how it is found."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent_conformance import Message, ToolCall
from agent_conformance.adapter.history import (
    anthropic_messages,
    cohere_messages,
    gemini_contents,
    ollama_messages,
    openai_chat_messages,
    openai_responses_items,
)
from agent_conformance.adapter.types import CannotRestore
from agent_conformance.attach.command.messages import _history_message
from agent_conformance.attach.programs import client_folder
from agent_conformance.commands.main import main
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")

TRANSLATIONS: dict[str, Callable[[Any], Any]] = {
    "openaiChatMessages": openai_chat_messages,
    "openaiResponsesItems": openai_responses_items,
    "anthropicMessages": anthropic_messages,
    "geminiContents": gemini_contents,
    "ollamaMessages": ollama_messages,
    "cohereMessages": cohere_messages,
}
LOOK = ToolCall("a", "look_up", {"word": "pear", "n": [1, None, True]})
HISTORIES = {
    "nothing": (),
    "texts": (Message("user", "Hi"), Message("assistant", ""), Message("assistant", "Hello")),
    "system": (Message("system", "Be brief."), Message("user", "Hi"), Message("system", "Be kind.")),
    "a batch": (
        Message("user", "Look"),
        Message("assistant", "I look.", thinking="hm", tool_calls=(LOOK, ToolCall("b", "look_up", {}))),
        Message("tool", "a fruit", tool_call_id="a", name="look_up"),
        Message("tool", "broken", tool_call_id="b", name="look_up", is_error=True),
        Message("assistant", "A fruit.", thinking="so"),
    ),
    "no ids": (Message("assistant", tool_calls=(ToolCall(None, "look_up", {}),)), Message("tool", "a fruit")),
    "a list": (Message("assistant", tool_calls=(ToolCall("a", "look_up", arguments_text="[1]"),)),),
    "no JSON": (Message("assistant", tool_calls=(ToolCall("a", "look_up", arguments_text='{"word'),)),),
}
TRANSLATE = """
import * as client from '{client}/src/index.mjs'
const histories = {histories}
const translated = (translate, history) => {{
  try {{ return translate(history) }} catch (error) {{
    if (!(error instanceof client.CannotRestore)) throw error
    return 'cannot restore'
  }}
}}
const all = {names}.map(name => histories.map(history => translated(client[name], history)))
console.log(JSON.stringify(all))
"""


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def in_python(translate: Callable[[Any], Any], history: tuple[Message, ...]) -> Any:
    try:
        return readable(translate(history))
    except CannotRestore:
        return "cannot restore"


def readable(value: Any) -> Any:
    """With argument texts as JSON, whose spaces differ between the languages."""
    if isinstance(value, list):
        return [readable(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: json_or_text(item) if key == "arguments" else readable(item) for key, item in value.items()}


def json_or_text(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError):
        return value


@pytest.mark.slow
def test_the_package_passes_its_own_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("FAKE_URL", raising=False)
    run("node", "--test", cwd=client_folder())


def test_histories_are_those_of_python(tmp_path: Path) -> None:
    histories = json.dumps([[_history_message(message) for message in history] for history in HISTORIES.values()])
    script = tmp_path / "translate.mjs"
    script.write_text(
        TRANSLATE.format(client=client_folder(), histories=histories, names=json.dumps(list(TRANSLATIONS)))
    )
    in_node = json.loads(run("node", str(script), cwd=tmp_path))

    for (name, translate), translated in zip(TRANSLATIONS.items(), in_node, strict=True):
        for (history, messages), got in zip(HISTORIES.items(), translated, strict=True):
            assert readable(got) == in_python(translate, messages), f"{name} of {history}"


def test_package_needs_no_other_and_says_its_version() -> None:
    package = json.loads((client_folder() / "package.json").read_text(encoding="utf-8"))

    assert package["name"] == "agent-conformance-client"
    assert "dependencies" not in package
    assert (client_folder() / package["exports"]["."]).is_file()


def test_node_client_prints_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["node-client"]) == 0
    assert (Path(capsys.readouterr().out.strip()) / "package.json").is_file()
