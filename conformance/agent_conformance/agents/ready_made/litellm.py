"""LiteLLM with a plain loop as an adapter: `pip install litellm mcp`.

The loop is the shortest that LiteLLM's guide to function calling leads to; what it lacks, LiteLLM does not bring.
"""

# mypy: disable-error-code="import-not-found"
import json
import os
from importlib.util import find_spec
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else it is fetched at import

import litellm
from openai import OpenAIError

from agent_conformance import AgentError, Setup, Tool, ToolError
from agent_conformance.adapter.history import openai_chat_messages

PROVIDERS = {"openai-chat": "openai", "anthropic-messages": "anthropic", "gemini-generate": "gemini"}
PROVIDERS["bedrock-converse"] = "bedrock/converse"
MOST_REQUESTS = 50


class Adapter:
    wires = ("openai-chat", "anthropic-messages", "gemini-generate")
    features = frozenset({"history", "conversation", "native-tools", "request-limit", "tool-filter"})
    errors = (OpenAIError,)  # the base of all its exceptions

    def __init__(self, setup: Setup) -> None:
        litellm.telemetry = False
        self.setup = setup
        self.tools = {tool.name: tool for tool in setup.tools}
        self.messages: list[Any] = openai_chat_messages(setup.history, setup.system)
        base = setup.base_url if setup.wire != "gemini-generate" else f"{setup.base_url}/v1beta"
        self.where = {"api_base": base, "api_key": setup.api_key}
        if setup.wire == "bedrock-converse":
            keys = {"aws_access_key_id": setup.api_key, "aws_secret_access_key": setup.api_key}
            self.where = {"aws_bedrock_runtime_endpoint": base, "aws_region_name": "us-east-1", **keys}

    async def send(self, message: str) -> str:
        self.messages.append({"role": "user", "content": message})
        for _ in range(self.setup.limits.requests or MOST_REQUESTS):
            answer = await self.answer()
            self.messages.append(answer.model_dump(exclude_none=True))
            if not answer.tool_calls:
                return answer.content or ""
            for call in answer.tool_calls:
                result = {"role": "tool", "tool_call_id": call.id, "content": await self.result(call.function)}
                self.messages.append(result)
        raise AgentError("the run reached its limit of requests")

    async def answer(self) -> Any:
        offered = [declaration(tool) for tool in self.setup.tools if tool.enabled]
        response = await litellm.acompletion(
            f"{PROVIDERS[self.setup.wire]}/{self.setup.model}", self.messages, tools=offered or None, **self.where
        )
        return response.choices[0].message

    async def result(self, function: Any) -> str:
        tool = self.tools.get(function.name)
        if tool is None or not tool.enabled:
            return f"Error: there is no tool {function.name}"
        try:
            return Tool.text(await tool.acall(json.loads(function.arguments or "{}")))
        except (ToolError, ValueError) as error:
            return f"Error: {error}"


if find_spec("boto3"):
    Adapter.wires += ("bedrock-converse",)  # type: ignore[assignment]


def declaration(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}
