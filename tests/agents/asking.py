"""Right agents that ask the model for more than a tool takes, as OpenHands does with the risk of each call.

The parameters are required, are taken out before the tool runs, and a call without them runs nothing.
"""

from dataclasses import replace
from typing import Any

from agent_conformance import Setup, Tool
from agent_conformance.reference import Adapter as Reference
from tests.agents.plain import PlainAgent

RISK = {"type": "string", "enum": ["low", "high"]}
ADDED = {"risk": RISK, "summary": {"type": "string", "minLength": 3}}


def asking_for_more(tool: Tool, *, hands_all_on: bool) -> Tool:
    parameters = {
        **tool.parameters,
        "properties": {**ADDED, **tool.parameters.get("properties", {})},
        "required": [*ADDED, *tool.parameters.get("required", [])],
    }

    def given(arguments: Any) -> Any:
        if hands_all_on or not isinstance(arguments, dict):
            return arguments
        return {name: value for name, value in arguments.items() if name not in ADDED}

    def lacks(arguments: Any) -> str:
        missing = ADDED.keys() - arguments.keys() if isinstance(arguments, dict) else set()
        return f"Error: the call lacks {', '.join(missing)}." if missing else ""

    def run(arguments: Any) -> Any:
        return lacks(arguments) or tool.content(given(arguments))

    async def arun(arguments: Any) -> Any:
        return lacks(arguments) or await tool.acontent(given(arguments))

    return Tool(
        tool.name,
        tool.description,
        parameters,
        run=run,
        arun=arun,
        is_enabled=lambda: tool.enabled,
        approval=tool.approval,
        gives_parts=tool.gives_parts,
    )


class Asking:
    """In front of an agent: its tools ask for more."""

    hands_all_on = False

    def __init__(self, setup: Setup) -> None:
        tools = [
            tool if ADDED.keys() <= tool.parameters.get("properties", {}).keys() else self.asking(tool)
            for tool in setup.tools  # those of another session ask already
        ]
        super().__init__(replace(setup, tools=tools))  # type: ignore[call-arg]

    def asking(self, tool: Tool) -> Tool:
        return asking_for_more(tool, hands_all_on=self.hands_all_on)


class AskingAgent(Asking, PlainAgent):
    pass


class AskingReference(Asking, Reference):
    pass
