"""Setups and tools to start a command with, and one turn of it."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from agent_conformance import Limits, Message, Reply, Setup, Tool
from fake_providers.models import default_model


def a_setup(
    *, tools: tuple[Tool, ...] = (), history: tuple[Message, ...] = (), base_url: str = "http://127.0.0.1:9/v1"
) -> Setup:
    return Setup(
        wire="openai-chat",
        provider="openai",
        base_url=base_url,
        api_key="key",
        model=default_model("openai-chat"),
        stream=False,
        system="Be brief.",
        tools=tools,
        history=history,
        limits=Limits(requests=20),
        state_dir=Path("/nowhere"),
    )


def a_tool(
    name: str,
    answer: Any,
    *,
    enabled: bool = True,
    approval: Literal["ask"] | None = None,
    deferred: bool = False,
    output_schema: Mapping[str, Any] | None = None,
) -> Tool:
    """A tool whose async run is `answer(arguments)`, awaited where that gives an awaitable."""

    async def arun(arguments: Any) -> Any:
        value = answer(arguments)
        return await value if asyncio.iscoroutine(value) else value

    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    more = {"is_enabled": lambda: enabled, "approval": approval, "deferred": deferred}
    return Tool(name, "A tool.", schema, run=answer, arun=arun, output_schema=output_schema, **more)  # type: ignore[arg-type]


def turn(agent: Any, message: str, *, seconds: float = 20) -> tuple[list[str], str | None]:
    """The deltas of one turn, and the reply where the agent reported one."""

    async def collect() -> tuple[list[str], str | None]:
        deltas: list[str] = []
        reply = None
        async with asyncio.timeout(seconds):
            async for item in agent.send(message):
                if isinstance(item, Reply):
                    reply = str(item)
                else:
                    deltas.append(item)
        return deltas, reply

    return asyncio.run(collect())
