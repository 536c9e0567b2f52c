"""smolagents' `ToolCallingAgent` as an adapter: `pip install "smolagents[openai]"`.

Knows the framework's documented surface and the adapter's types; nothing of fakes or laws.
"""

# mypy: disable-error-code="import-not-found,misc"
from typing import Any

from openai import OpenAIError
from smolagents import OpenAIServerModel, ToolCallingAgent
from smolagents import Tool as SmolTool
from smolagents.utils import AgentError as FrameworkError

from agent_conformance import AgentError, Setup, Tool
from agent_conformance.adapter.functions import identifier

STEPS = 20
"""smolagents' default for the steps of a run."""


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain", "stream")
    features = frozenset({"conversation", "request-limit", "own-tools"})  # results go back as user messages
    errors = (FrameworkError, OpenAIError)
    reply_tool = ("final_answer", "answer")  # a run ends by a call of this tool, and by nothing else

    def __init__(self, setup: Setup) -> None:
        self.tool_names = {tool.name: identifier(tool.name) for tool in setup.tools}
        self.agent = ToolCallingAgent(
            [framework_tool(tool) for tool in setup.tools],
            OpenAIServerModel(setup.model, api_base=setup.base_url, api_key=setup.api_key),
            instructions=setup.system or None,
            max_steps=setup.limits.requests - 1 if setup.limits.requests else STEPS,  # then it requests a last answer
            stream_outputs=setup.stream,
            verbosity_level=0,
        )

    def send(self, message: str) -> str:
        result = self.agent.run(message, reset=False, return_full_result=True)
        if result.state != "success":
            raise AgentError(f"the run ended in {result.state}")
        return str(result.output)


def framework_tool(tool: Tool) -> SmolTool:
    """A tool with the signature that a tool of this framework has: its arguments have names, and come by place too."""
    function = tool.function()
    required = set(tool.parameters.get("required", ()))
    fields = {
        key: {"type": "any", "description": key} | dict(part) | {"nullable": key not in required}
        for key, part in tool.parameters.get("properties", {}).items()
    }

    class Wrapped(SmolTool):
        name, description = identifier(tool.name), tool.description
        inputs, output_type = fields, "any"
        skip_forward_signature_validation = True

        def forward(self, *arguments: Any, **named: Any) -> str:
            return Tool.text(function(*arguments, **named))

    return Wrapped()
