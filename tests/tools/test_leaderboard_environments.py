"""The environments and the kept results of `leaderboard`: what is run to make one, and what is not run again."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent_conformance.attach.ready_made import READY, Ready
from agent_conformance.machine.installation import install_command
from tools.leaderboard import environments
from tools.leaderboard.environments import NotInstalled, environment_of
from tools.leaderboard.judging import END, fingerprint, is_complete, kept_lines, sampled

PYTHON = Ready("strands", "strands-agents", requirements=("strands-agents[openai]",))
NODE = Ready("vercel-ai", "ai", npm=("ai", "@ai-sdk/openai"))
TOOL = Ready("nanobot", "nanobot-ai", "mcp", program="nanobot", tool=("nanobot-ai",))
HEAD = {"wires": ["openai-chat"], "version": "1", "fingerprint": "f"}


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """What would have been run."""
    run: list[Sequence[str]] = []

    def note(command: Sequence[str], **more: str) -> None:
        run.append(command)
        Path(command[-1]).mkdir(parents=True, exist_ok=True) if "venv" in command else None

    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path))
    monkeypatch.setattr(environments, "_run", note)
    return run


def test_framework_gets_a_python_of_its_own_once(commands: list[Sequence[str]], tmp_path: Path) -> None:
    first = environment_of(PYTHON, "1.62.0")
    again = environment_of(PYTHON, "1.62.0")

    assert first == again
    assert first.python.startswith(str(tmp_path / "python" / "strands-"))
    assert [command[1] for command in commands] == ["venv", "pip"]
    assert commands[1][-2:] == ["strands-agents[openai]", "strands-agents==1.62.0"]
    assert f"{environments.CHECKOUT}" in commands[1]


def test_another_version_is_another_environment(commands: list[Sequence[str]]) -> None:
    assert environment_of(PYTHON, "1.62.0") != environment_of(PYTHON, None)
    assert commands[-1][-1] == "strands-agents[openai]"


def test_what_the_project_needs_itself_makes_another_environment(
    commands: list[Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = environment_of(PYTHON, "1.62.0")
    monkeypatch.setattr(environments, "requires", lambda _: ["regex"])

    assert environment_of(PYTHON, "1.62.0") != before


def test_framework_for_node_gets_a_newer_node_and_its_packages(commands: list[Sequence[str]], tmp_path: Path) -> None:
    environment = environment_of(NODE, "7.0.173")

    assert commands[-1][-3:] == ["ai@7.0.173", "@ai-sdk/openai", "node@24"]
    folder = environment.variables["CONFORMANCE_NODE_FOLDER"]
    assert folder.startswith(str(tmp_path / "node" / "vercel-ai-"))
    assert environment.variables["PATH"].startswith(f"{folder}/node_modules/node/bin:{folder}/node_modules/.bin:")


def test_program_in_python_gets_an_environment_without_the_project(
    commands: list[Sequence[str]], tmp_path: Path
) -> None:
    environment = environment_of(TOOL, "0.3.5")

    assert commands[1][-1] == f"{environments.CHECKOUT}[mcp]"
    assert commands[2][1:3] == ["tool", "install"]
    assert commands[2][-1] == "nanobot-ai==0.3.5"
    assert environment.variables["PATH"].startswith(f"{tmp_path}/tool/nanobot-")


def test_what_cannot_be_installed_is_one_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONFORMANCE_CACHE", str(tmp_path))
    monkeypatch.setattr(environments, "_uv", lambda: [sys.executable, "-c", "raise SystemExit('no such package')"])

    with pytest.raises(NotInstalled, match=r"ended with 1: no such package$"):
        environment_of(PYTHON, None)


def written(path: Path, head: Mapping[str, Any], *lines: str) -> Path:
    path.write_text("".join([json.dumps(head) + "\n", *lines]), encoding="utf-8")
    return path


def test_complete_lines_of_an_interrupted_run_are_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "one.jsonl", HEAD, '{"case": "a"}\n', '{"case": "b"}\n', '{"case": "c')

    assert kept_lines(path, HEAD) == ['{"case": "a"}\n', '{"case": "b"}\n']
    assert kept_lines(path, HEAD | {"fingerprint": "g"}) == []
    assert kept_lines(tmp_path / "none.jsonl", HEAD) == []


def test_only_what_was_judged_to_the_end_with_todays_suite_is_complete(tmp_path: Path) -> None:
    ready = READY[0]
    today = HEAD | {"fingerprint": fingerprint(ready)}

    assert is_complete(written(tmp_path / "1", today, '{"case": "a"}\n', END + "\n"), ready)
    assert not is_complete(written(tmp_path / "2", today, '{"case": "a"}\n'), ready)
    assert not is_complete(written(tmp_path / "3", HEAD, '{"case": "a"}\n', END + "\n"), ready)
    assert not is_complete(tmp_path / "none", ready)


def test_two_adapters_have_different_fingerprints() -> None:
    assert len({fingerprint(ready) for ready in READY}) == len(READY)


@pytest.mark.parametrize(
    ("name", "shared"), [("vercel-ai", "ai_sdk_messages"), ("mastra", "ai_sdk_messages"), ("pi", "pi_tools")]
)
def test_module_that_bridges_share_changes_their_results(
    name: str, shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = next(ready for ready in READY if ready.name == name)
    before = fingerprint(ready)
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: read(self) + (b"//" if self.stem == shared else b""))

    assert fingerprint(ready) != before


def test_install_line_names_everything() -> None:
    assert PYTHON.install == "pip install 'strands-agents[openai]'"
    assert NODE.install == "npm install ai @ai-sdk/openai"
    assert TOOL.install == f"uv tool install nanobot-ai, and {install_command('mcp')}"


def test_slow_agent_runs_all_of_core_and_the_first_example_that_can_be_judged_of_the_rest() -> None:
    ids = [
        ("core", "round-trip/a[one]", False),
        ("core", "round-trip/a[two]", False),
        ("hardened", "finish/b[needs-more]", True),
        ("hardened", "finish/b[one]", False),
        ("hardened", "finish/b[two]", False),
        ("hardened", "finish/c", False),
    ]
    cases: list[Any] = [
        SimpleNamespace(id=f"{name}@w+stream", scenario=SimpleNamespace(profile=profile), missing=missing)
        for profile, name, missing in ids
    ]

    assert [case.id.partition("@")[0] for case in sampled(cases)] == [
        "round-trip/a[one]",
        "round-trip/a[two]",
        "finish/b[needs-more]",
        "finish/b[one]",
        "finish/c",
    ]
