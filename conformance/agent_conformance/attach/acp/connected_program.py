"""The part of an adapter that every program over ACP has: its turns and its end. Knows no program."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import ClassVar

from agent_conformance.adapter.background import Background
from agent_conformance.attach.acp.connection import Connection
from agent_conformance.attach.programs import Run


class ConnectedProgram:
    """`start` starts the program with its session. It is started with the first message, and again after it ended."""

    takes_half_characters: ClassVar = False
    takes_turns_together: ClassVar = False
    run: Run | None
    connection: Connection
    session: str
    tools: Background

    async def start(self) -> None:
        raise NotImplementedError

    async def send(self, message: str) -> AsyncGenerator[str, None]:
        if self.run is None or self.run.code is not None:
            await self.start()
        async with aclosing(self.connection.prompt(self.session, message)) as pieces:
            async for piece in pieces:
                yield piece

    def kill(self) -> None:
        if self.run is not None:
            self.run.kill()

    async def close(self) -> None:
        if self.run is not None:
            await self.connection.close()
            await self.run.end()
        self.tools.close()
