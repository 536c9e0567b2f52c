"""An agent whose process has one open call, whatever session it belongs to: right with one user, wrong with two."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Setup, Tool
from agent_conformance.agents.reference import Adapter as Reference

OPEN: dict[str, Mapping[str, Any]] = {}


class Adapter(Reference):
    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, tools=tuple(_with_the_open_call(tool) for tool in setup.tools)))


def _with_the_open_call(tool: Tool) -> Tool:
    async def arun(arguments: Mapping[str, Any]) -> Any:
        OPEN["arguments"] = arguments
        until = time.monotonic() + 2
        while OPEN["arguments"] is arguments and time.monotonic() < until:  # until the other turn is here
            await asyncio.sleep(0.01)
        return await tool.acall(OPEN["arguments"])

    return Tool(tool.name, tool.description, tool.parameters, run=tool.call, arun=arun, is_enabled=lambda: tool.enabled)
