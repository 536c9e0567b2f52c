"""smolagents' `ToolCallingAgent` as an adapter: `pip install "smolagents[openai]"`.

It documents no approval of calls, no message amid a run, no second model to fall back to, and no way to load a stored
memory. Results go back as user messages, so that scenarios of native results are
not verified: of the area `turns`, only an end of a run and sessions are.
"""

# mypy: disable-error-code="import-not-found,misc"
from typing import Any

from openai import OpenAIError
from smolagents import OpenAIServerModel, ToolCallingAgent
from smolagents import Tool as SmolTool
from smolagents.utils import AgentError as FrameworkError

from agent_conformance import AgentError, Cancelled, CannotRestore, Setup, Tool
from agent_conformance.adapter.functions import identifier

STEPS = 20
"""smolagents' default for the steps of a run."""


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain", "stream")
    features = frozenset({"conversation", "request-limit", "own-tools", "cancel", "sessions", "model-switch"})
    errors = (FrameworkError, OpenAIError)
    reply_tool = ("final_answer", "answer")  # a run ends by a call of this tool, and by nothing else

    def __init__(self, setup: Setup) -> None:
        self.tool_names = {tool.name: identifier(tool.name) for tool in setup.tools}
        self.setup = setup
        self.model = model_of(setup)
        self.agents: dict[str, ToolCallingAgent] = {}

    def switch(self, setup: Setup) -> None:
        self.model = model_of(setup)
        for agent in self.agents.values():
            agent.model = self.model

    def cancel(self) -> None:
        self.is_cancelled = True
        for agent in self.agents.values():
            agent.interrupt()

    def send(self, message: str, session: str = "conversation") -> str:
        agent = self.agents.setdefault(session, self.new_agent())
        self.is_cancelled = False
        try:
            result = agent.run(message, reset=False, return_full_result=True)
        except FrameworkError as error:
            if self.is_cancelled:
                raise Cancelled from error
            raise
        if result.state != "success":
            raise AgentError(f"the run ended in {result.state}")
        return str(result.output)

    def new_agent(self) -> ToolCallingAgent:
        limit = self.setup.limits.requests
        return ToolCallingAgent(
            [framework_tool(tool) for tool in self.setup.tools],
            self.model,
            instructions=self.setup.system or None,
            max_steps=limit - 1 if limit else STEPS,  # then it requests a last answer
            stream_outputs=self.setup.stream,
            verbosity_level=0,
        )


def model_of(setup: Setup) -> OpenAIServerModel:
    if setup.wire != "openai-chat":
        raise CannotRestore("smolagents asks Anthropic and Gemini through LiteLLM, or in OpenAI's form")
    return OpenAIServerModel(setup.model, api_base=setup.base_url, api_key=setup.api_key)


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
