"""The bridges to frameworks for Node: how one is started, and where it finds its framework and the client."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.attach.ready_made import BY_NAME, NODE_FOLDER, READY
from tests.ready_made.stand_ins import setup_in

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")

BRIDGES = [ready for ready in READY if ready.bridge]
FRAMEWORK = """
export class AISDKError extends Error { static isInstance(error) { return error instanceof AISDKError } }
export const isStepCount = () => () => true, jsonSchema = schema => schema, tool = tool => tool
export const streamText = () => { throw new AISDKError('no stream') }
export const generateText = async ({ messages }) =>
  ({ steps: [], finishReason: 'stop', text: `You said ${messages.at(-1).content}`, responseMessages: [] })
"""
PROVIDERS = {
    "openai": "createOpenAI",
    "anthropic": "createAnthropic",
    "google": "createGoogleGenerativeAI",
    "amazon-bedrock": "createAmazonBedrock",
}


def package(folder: Path, name: str, text: str) -> None:
    place = folder / "node_modules" / name
    place.mkdir(parents=True)
    (place / "package.json").write_text(json.dumps({"name": name, "version": "7.0.0", "exports": "./index.mjs"}))
    (place / "index.mjs").write_text(text)


@pytest.fixture
def framework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with packages that stand in for the AI SDK."""
    package(tmp_path, "ai", FRAMEWORK)
    for name, function in PROVIDERS.items():
        package(tmp_path, f"@ai-sdk/{name}", f"export const {function} = () => ({{ chat: () => ({{}}) }})")
    monkeypatch.setenv(NODE_FOLDER, str(tmp_path))
    return tmp_path


async def replies(adapter: Any) -> list[str]:
    return [piece async for piece in adapter.send("hello")]


def test_each_framework_for_node_has_a_bridge() -> None:
    assert {"vercel-ai", "openai-agents-js", "langgraph-js", "mastra"} <= {ready.name for ready in BRIDGES}
    assert all(ready.bridge and ready.bridge.is_file() for ready in BRIDGES)
    assert all(ready.spec.startswith("cmd:node --import file://") for ready in BRIDGES)


def test_bridge_finds_its_framework_in_the_folder(framework: Path, tmp_path: Path) -> None:
    agent = load_agent("vercel-ai", cwd=Path("/"))
    adapter = agent.adapter(setup_in(tmp_path / "state", wire="openai-chat", stream=False))

    assert agent.spec == "vercel-ai"
    assert BY_NAME["vercel-ai"].version == "7.0.0"
    assert asyncio.run(replies(adapter)) == ["You said hello"]
    adapter.close()


def test_missing_framework_is_one_line_that_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(NODE_FOLDER, str(tmp_path))

    with pytest.raises(AgentNotFound) as raised:
        load_agent("mastra", cwd=tmp_path)

    assert "Cannot find package '@ai-sdk/anthropic' imported from" in str(raised.value)
    assert "; install it: npm install @mastra/core @ai-sdk/openai" in str(raised.value)
    assert "\n" not in str(raised.value)
