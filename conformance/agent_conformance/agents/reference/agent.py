"""The adapter: a conversation, kept on disk, whose turns can be cancelled."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from typing import Any, ClassVar

import httpx2
import jsonschema_rs

from agent_conformance.adapter.types import AgentError, Cancelled, Part, Setup
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.completion import CompletionClient
from agent_conformance.agents.reference.defences import Defences
from agent_conformance.agents.reference.history import Entry, History, restored_history, text_and_pictures
from agent_conformance.agents.reference.loop import Turn
from agent_conformance.agents.reference.provider import Provider
from agent_conformance.agents.reference.wires import WIRES, wire_of

SUMMARY_REQUEST: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "pattern": f"^{prompts.SUMMARISE}$"},
        {"type": "array", "contains": {"$ref": "#"}},
        {"not": {"additionalProperties": {"not": {"$ref": "#"}}}},
    ]
}
"""A JSON Schema of the agent's own requests: any value of the body is the request for a summary."""
IS_SUMMARY_REQUEST = jsonschema_rs.validator_for(SUMMARY_REQUEST)


class Adapter:
    """One conversation. `tool_names` maps the tools' own names to their names on the wire."""

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
            "idle-limit",
            "tool-filter",
            "restart",
            "cancel",
            "observer",
            "server-tools",
            "structured-output",
            "tool-choice",
            "approval",
            "images",
            "user-images",
            "steering",
            "sessions",
            "model-switch",
            "compaction",
            "fallback",
            "open-models",
            "tool-search",
        }
    )
    side_requests: ClassVar = SUMMARY_REQUEST
    defences: ClassVar[Defences] = Defences()

    def __init__(self, setup: Setup, *, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        self._setup = setup
        self._transport = transport
        self._completions = self._client(setup)
        self._history_entries: History = (
            restored_history(setup.history) if setup.history else self.defences.load(setup.state_dir) or ()
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[object] | None = None
        self._said: deque[str] = deque()
        self._sessions: dict[str, Adapter] = {}
        self._running = self
        self.tool_names = self._completions.names

    async def send(self, message: str | list[Part], session: str | None = None) -> AsyncGenerator[str, None]:
        """Deltas, and at the end the `Reply`. Raises `AgentError`, and `Cancelled` after `cancel()`."""
        if session is not None:
            self._running = self._session(session)
            try:
                async for piece in self._running.send(message):
                    yield piece
            finally:
                self._running = self
            return
        self._cancelled = False
        self._loop = asyncio.get_running_loop()
        text, pictures = (message, ()) if isinstance(message, str) else text_and_pictures(message)
        user = Entry("user", text, pictures=pictures)
        turn = Turn(self._setup, self.defences, self._completions, self._history_entries, user, self._said)
        pieces = turn.run()
        try:
            while True:
                try:
                    self._task = asyncio.current_task()
                    piece = await (pieces.athrow(asyncio.CancelledError) if self._cancelled else anext(pieces))
                except StopAsyncIteration:
                    return
                finally:
                    self._task = None
                yield piece
        except (AgentError, asyncio.CancelledError) as error:
            await pieces.aclose()
            turn.history = self.defences.history_on_abort(turn.history, len(self._history_entries))
            if isinstance(error, asyncio.CancelledError) and self._cancelled:
                _clear_cancellation()
                raise Cancelled("the turn was cancelled") from None
            raise
        finally:
            self._history_entries = turn.history + self.defences.said_at_the_end(self._said)
            self.defences.save(self._history_entries, self._setup.state_dir)

    def cancel(self) -> None:
        """End the turn that is running; may be called from any thread."""
        running = self._running
        running._cancelled = True
        if running._loop is not None and not running._loop.is_closed():
            running._loop.call_soon_threadsafe(running._interrupt)

    async def switch(self, setup: Setup) -> None:
        """Go on with another model, or with another provider. The conversation stays."""
        await self._completions.close()
        self._setup = self.defences.switched_setup(self._setup, setup)
        self._completions = self._client(self._setup)
        self.tool_names = self._completions.names

    async def compact(self, session: str | None = None) -> None:
        """Put a summary in place of the conversation, if the model makes a good one."""
        if session is not None:
            await self._session(session).compact()
            return
        turn = Turn(self._setup, self.defences, self._completions, self._history_entries, Entry("user", ""), self._said)
        self._history_entries = await turn.compacted_before()
        self.defences.save(self._history_entries, self._setup.state_dir)

    def steer(self, message: str) -> None:
        """What the user says while a turn runs; may be called from any thread. The next request has it."""
        self._running._said.append(message)

    def _client(self, setup: Setup) -> CompletionClient:
        wire = wire_of(setup.wire, setup.provider)
        provider = Provider(
            setup,
            wire,
            self._transport,
            stream_bytes=self.defences.stream_bytes,
            stream_events=self.defences.stream_events,
            answer_at_end=self.defences.answer_at_end,
            body_bytes=self.defences.body_bytes,
            join_calls=self.defences.join_calls,
            patience=self.defences.patience(setup.limits),
        )
        second = self.defences.fallback_setup(setup)
        return CompletionClient(setup, self.defences, wire, provider, self._client(second) if second else None)

    @staticmethod
    def side_request(body: Mapping[str, Any]) -> bool:
        """Whether this is the agent's own request for a summary."""
        return IS_SUMMARY_REQUEST.is_valid(body)

    def _session(self, name: str) -> "Adapter":
        """Another conversation, which shares nothing with this one but what it was started with."""
        if name not in self._sessions:
            self._sessions[name] = type(self)(self.defences.session_setup(self._setup, name))
        return self._sessions[name]

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.close()
        await self._completions.close()

    def _interrupt(self) -> None:
        """Runs on the turn's own event loop, and cancels only the turn, not its caller."""
        if self._cancelled and self._task is not None:
            self._task.cancel()


def _clear_cancellation() -> None:
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
