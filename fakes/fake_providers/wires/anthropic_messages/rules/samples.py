"""Small requests for the samples of the rules, and citations that many rules share."""

from typing import Any

from fake_providers.rule import Citation

PROBES = "kangminlee-maker/local-OAuth-CLI-API-adapter test/anthropic-messages-validation-parity.test.mjs"
TOOL_PROBES = "live probes of tool use, claude-haiku-4-5, 2026-08-28 (scripts/dev/probe_anthropic_tools.py)"
DOCS = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"

TOOL: dict[str, Any] = {"name": "f", "input_schema": {"type": "object"}}
USER: dict[str, Any] = {"role": "user", "content": "a"}
SMALL = "claude-haiku-4-5"
"""A model that still accepts a prefill."""


def measured(quote: str) -> tuple[Citation, ...]:
    """Evidence from probes of the live API on 2026-08-31 and 2026-09-01 against claude-sonnet-5."""
    return (Citation(PROBES, quote),)


def sample_request(*said: Any, **fields: Any) -> dict[str, Any]:
    """A request in which the user and the assistant take turns, or with one user message.

    What is said is a text, a block, a list of blocks, or a whole message. A field that is `...` is left out.
    """
    turns = [_message(("user", "assistant")[i % 2], one) for i, one in enumerate(said)] or [USER]
    body = {"model": "claude-sonnet-5", "max_tokens": 16, "messages": turns, **fields}
    return {name: value for name, value in body.items() if value is not ...}


def sample_with_tool(*said: Any, **fields: Any) -> dict[str, Any]:
    return sample_request(*said, tools=[TOOL], **fields)


def text_block(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value}


def tool_use(id: Any = "toolu_1", **members: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}, **members}


def tool_result(id: Any = "toolu_1", **members: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": "x", **members}


def _message(role: str, said: Any) -> Any:
    if isinstance(said, dict):
        return said if "role" in said else {"role": role, "content": [said]}
    return {"role": role, "content": said}
