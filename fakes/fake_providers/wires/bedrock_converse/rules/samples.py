"""Small requests for the samples of the rules, their paths, and how a rule cites its sources."""

from typing import Any
from urllib.parse import quote

from fake_providers.rule import Citation

CLAUDE = "us.anthropic.claude-sonnet-4-6"
NOVA = "us.amazon.nova-pro-v1:0"
NOVA_2 = "us.amazon.nova-2-lite-v1:0"
LLAMA = "us.meta.llama3-3-70b-instruct-v1:0"
GPT_OSS = "openai.gpt-oss-120b-1:0"
MODEL_TABLE = "pydantic/pydantic-ai#6255, a table measured on 2026-07-03"

TOOL: dict[str, Any] = {"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}
TOOLS: dict[str, Any] = {"tools": [TOOL]}
DOCUMENT: dict[str, Any] = {"document": {"name": "report", "format": "txt", "source": {"bytes": "YQ=="}}}
POINT: dict[str, Any] = {"cachePoint": {"type": "default"}}


def bedrock_path(model: str = CLAUDE, *, stream: bool = False) -> str:
    return f"/model/{quote(model, safe='')}/converse{'-stream' if stream else ''}"


def cite(*sources: str, quote: str = "") -> tuple[Citation, ...]:
    """Citations of several sources; the quote belongs to the first."""
    return tuple(Citation(source, quote if i == 0 else "") for i, source in enumerate(sources))


def user(*content: Any) -> Any:
    """A user message, for one that follows another."""
    return _message("user", list(content))


def assistant(*content: Any) -> Any:
    return _message("assistant", list(content))


def call(id: str = "a", **members: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "f", "input": {}, **members}}


def result(id: str = "a", **members: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": [{"text": "x"}], **members}}


def tool(**members: Any) -> dict[str, Any]:
    return {"toolSpec": {**TOOL["toolSpec"], **members}}


def sample_request(*said: Any, **fields: Any) -> dict[str, Any]:
    """A request in which the user and the assistant take turns, or with one user message.

    What is said is a text, a block, a list of both, or a whole message.
    """
    turns = [_message(("user", "assistant")[i % 2], one) for i, one in enumerate(said or ["a"])]
    return {"messages": turns, **fields}


def sample_with_tools(*said: Any, **fields: Any) -> dict[str, Any]:
    return sample_request(*said, toolConfig=TOOLS, **fields)


def _message(role: str, said: Any) -> Any:
    if isinstance(said, dict) and "role" in said:
        return said
    blocks = said if isinstance(said, list) else [said]
    return {"role": role, "content": [{"text": block} if isinstance(block, str) else block for block in blocks]}
