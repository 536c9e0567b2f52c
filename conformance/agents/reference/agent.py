"""The adapter: a conversation, kept on disk, whose steps can be cancelled. Knows the loop and nothing of wires."""

import asyncio
from collections.abc import AsyncGenerator
from typing import ClassVar

import httpx2

from conformance.adapter.types import AgentError, Cancelled, CannotRestore, Setup
from conformance.agents.reference import state
from conformance.agents.reference.completion import Asker
from conformance.agents.reference.loop import Step
from conformance.agents.reference.parts import Parts
from conformance.agents.reference.provider import Provider
from conformance.agents.reference.turns import Turns, restored
from conformance.agents.reference.wires import WIRES, wire_of


class Adapter:
    """One conversation. `parts` are its defences; `tool_names` maps the tools' own names to those on the wire."""

    wires: ClassVar[tuple[str, ...]] = tuple(WIRES)
    modes: ClassVar[tuple[str, ...]] = ("plain", "stream")
    features: ClassVar[frozenset[str]] = frozenset(
        {
            "deltas",
            "history",
            "conversation",
            "native-tools",
            "request-limit",
            "context-limit",
            "tool-filter",
            "restart",
            "cancel",
            "observer",
        }
    )
    parts: ClassVar[Parts] = Parts()

    def __init__(self, setup: Setup, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        if setup.wire not in WIRES:
            raise CannotRestore(f"the wire {setup.wire} is not spoken here")
        wire = wire_of(setup.wire, setup.provider)
        self._setup = setup
        provider = Provider(
            setup,
            wire,
            transport,
            every_piece=self.parts.every_piece,
            every_event=self.parts.every_event,
            ended=self.parts.ended,
        )
        self._asker = Asker(setup, self.parts, wire, provider)
        self._turns: Turns = restored(setup.history) if setup.history else self.parts.load(setup.state_dir) or ()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[object] | None = None
        self._cancelled = False
        self.tool_names = self._asker.names

    async def send(self, message: str) -> AsyncGenerator[str, None]:
        """Deltas, and at the end the `Reply`. Raises `AgentError`, and `Cancelled` after `cancel()`."""
        self._cancelled = False
        self._loop = asyncio.get_running_loop()
        step = Step(self._setup, self.parts, self._asker, self._turns, message)
        pieces = step.run()
        try:
            while not self._cancelled:
                try:
                    self._task = asyncio.current_task()
                    piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                finally:
                    self._task = None
                yield piece
            raise Cancelled("the step was cancelled")
        except (AgentError, asyncio.CancelledError) as error:
            await pieces.aclose()
            step.turns = self.parts.ended_early(step.turns, len(self._turns))
            if isinstance(error, asyncio.CancelledError) and self._cancelled:
                _take_back_cancellation()
                raise Cancelled("the step was cancelled") from None
            raise
        finally:
            self._turns = step.turns
            state.save(self._turns, self._setup.state_dir)

    def cancel(self) -> None:
        """End the step that is running; may be called from any thread."""
        self._cancelled = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._interrupt)

    async def close(self) -> None:
        await self._asker.close()

    def _interrupt(self) -> None:
        """Runs on the step's own loop, and only stops the step, never who drives it."""
        if self._cancelled and self._task is not None:
            self._task.cancel()


def _take_back_cancellation() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
