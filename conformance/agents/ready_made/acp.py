"""The client's side of the Agent Client Protocol, over the standard streams of a program that is the agent.

Knows the protocol's messages; no program and no wire. Of what a client can offer it offers nothing: no files, no
terminals, and no permission for what would need one.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any

from conformance import AgentError
from conformance.agents.ready_made.programs import Run

VERSION = 1
UNFINISHED = ("refusal", "max_turn_requests", "max_tokens")
"""Stop reasons without an answer; clients of the protocol show them as errors."""
CANCELLING = 0.5
"""Seconds for the agent to end a prompt that was cancelled: less than the suite waits for that."""


class Client:
    """One connection to an agent. Errors that the agent reports are `AgentError`, and so is its end."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._asked = 0

    async def begin(self) -> None:
        await self.call("initialize", protocolVersion=VERSION, clientCapabilities={})

    async def call(self, method: str, **parameters: Any) -> Mapping[str, Any]:
        """The result of a request; what is reported meanwhile is left out."""
        self._ask(method, parameters)
        while True:
            message = await self._message()
            if self._is_answer(message):
                return _result(message)

    async def prompt(self, session: str, text: str) -> AsyncGenerator[str, None]:
        """One turn: the pieces of text as they come. A cancelled one notifies the agent and waits for it a moment."""
        self._ask("session/prompt", {"sessionId": session, "prompt": [{"type": "text", "text": text}]})
        try:
            async with aclosing(self._pieces()) as pieces:
                async for piece in pieces:
                    yield piece
        except asyncio.CancelledError:
            self._write({"method": "session/cancel", "params": {"sessionId": session}})
            await asyncio.wait_for(self._rest(), CANCELLING)
            raise

    async def _pieces(self) -> AsyncGenerator[str, None]:
        while True:
            message = await self._message()
            if self._is_answer(message):
                reason = _result(message).get("stopReason")
                if reason in UNFINISHED:
                    raise AgentError(f"the agent stopped: {reason}")
                return
            update = message.get("params", {}).get("update", {})
            if update.get("sessionUpdate") == "agent_message_chunk" and update["content"]["type"] == "text":
                yield update["content"]["text"]

    async def _rest(self) -> None:
        while not self._is_answer(await self._message()):
            pass

    async def _message(self) -> Mapping[str, Any]:
        message = await self._run.event()
        if message is None:
            raise AgentError(self._run.stderr or f"the agent ended with {self._run.code}")
        if "method" in message and "id" in message:
            self._write({"id": message["id"], **_refusal(message["method"])})
        return message

    def _is_answer(self, message: Mapping[str, Any]) -> bool:
        return "method" not in message and message.get("id") == self._asked

    def _ask(self, method: str, parameters: Mapping[str, Any]) -> None:
        self._asked += 1
        self._write({"id": self._asked, "method": method, "params": parameters})

    def _write(self, message: Mapping[str, Any]) -> None:
        self._run.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def _result(message: Mapping[str, Any]) -> Mapping[str, Any]:
    if error := message.get("error"):
        raise AgentError(f"{error.get('message')} {json.dumps(error['data'])}" if "data" in error else error["message"])
    return message.get("result") or {}


def _refusal(method: str) -> Mapping[str, Any]:
    if method == "session/request_permission":
        return {"result": {"outcome": {"outcome": "cancelled"}}}
    return {"error": {"code": -32601, "message": f"{method} is not offered"}}
