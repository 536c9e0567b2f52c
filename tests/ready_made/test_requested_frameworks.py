"""A framework that is not installed is red where it was requested, and CI requests the light ones."""

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from agent_conformance.attach.ready_made import READY, Ready
from tests.ready_made.requested_frameworks import LeftOut, Missing, check

ROOT = Path(__file__).parents[2]
HEAVY = {
    "langchain",
    "google-adk",
    "agno",
    "llama-index",
    "litellm",
    "haystack",
    "smolagents",
    "crewai",
    "agent-framework",
    "strands",
    "vercel-ai",
    "openai-agents-js",
    "langgraph-js",
    "mastra",
    "codex",
    "gemini-cli",
    "pi",
    "qwen-code",
    "opencode",
    "kilo",
    "cline",
    "claude-code",
    "codex-acp",
    "copilot",
    "nanobot",
    "openhands",
    "continue-cli",
    "inspect-ai",
    "agentscope",
    "camel-ai",
    "magentic",
    "genai-processors",
    "chatlas",
    "llm",
    "mirascope",
    "semantic-kernel",
}
BY_NAME = {ready.name: ready for ready in READY}


def _nothing_is_installed(name: str) -> str:
    raise PackageNotFoundError(name)


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.attach.ready_made.version", _nothing_is_installed)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("name", "requested"), [("pydantic-ai", "light"), ("pydantic-ai", "all"), ("agno", "all")])
def test_missing_framework_fails_if_it_was_requested(name: str, requested: str) -> None:
    with pytest.raises(Missing, match=f"is not installed: pip install '{name}"):
        check(BY_NAME[name], requested)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(("name", "requested"), [("pydantic-ai", ""), ("agno", ""), ("agno", "light")])
def test_framework_that_was_not_requested_is_left_out(name: str, requested: str) -> None:
    with pytest.raises(LeftOut, match="pytest tests/ready_made --frameworks"):
        check(BY_NAME[name], requested)


@pytest.mark.usefixtures("nothing_installed")
def test_framework_that_excludes_others_is_left_to_its_own_environment() -> None:
    alone = Ready("alone", "alone", requirements=("alone",))

    with pytest.raises(LeftOut, match="python -m tools leaderboard alone"):
        check(alone, "all")


@pytest.mark.parametrize("requested", ["", "light", "all"])
def test_installed_framework_runs(requested: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.attach.ready_made.version", lambda name: "1.0")

    check(BY_NAME["pydantic-ai"], requested)


def test_ci_runs_all_but_the_heavy_ones() -> None:
    assert {ready.name for ready in READY if not ready.light} == HEAVY
    assert "--frameworks=light" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
