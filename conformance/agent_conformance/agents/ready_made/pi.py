"""The program Pi as an adapter: `npm install -g @earendil-works/pi-coding-agent`, and the extra `mcp`.

A case is one process in RPC mode; a restart continues its session. Pi has its documented flag for no tools of its own,
so that only the case's are there.
"""

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

from agent_conformance import AgentError, CannotRestore, Message, Reply, Setup, ToolCall, Withdrawn
from agent_conformance.adapter.mcp import serve_stdio
from agent_conformance.attach.programs import Run, environment, installed, program_folders_in, started

PROGRAM = installed("pi", "@earendil-works/pi-coding-agent")
TOOLS = Path(__file__).with_name("pi_tools.mjs")
NO_USAGE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0}
CANCELLING = 0.7
"""Seconds for Pi to end a turn that was cancelled: less than the suite waits for that."""


class Adapter:
    wires = ("openai-chat",)
    modes = ("stream",)
    features = frozenset({"deltas", "history", "conversation", "native-tools", "restart", "cancel"})
    scrub = (r"Current date: [\d-]+",)

    def __init__(self, setup: Setup) -> None:
        self.place = program_folders_in(setup.state_dir)
        self.sessions = setup.state_dir / "sessions"
        is_restarted = self.sessions.exists()
        own = self.place.home / ".pi" / "agent"
        own.mkdir(parents=True, exist_ok=True)
        (own / "models.json").write_text(json.dumps({"providers": {"suite": provider(setup)}}), encoding="utf-8")
        if setup.history and not is_restarted:
            self.sessions.mkdir()
            record(setup, self.sessions / "2026-01-01T00-00-00-000Z_restored.jsonl", self.place.project)
        self.tools = serve_stdio(setup.tools)
        self.command = [PROGRAM, "--mode", "rpc", "--no-builtin-tools", "--extension", str(TOOLS), "--offline"]
        self.command += ["--session-dir", str(self.sessions), "--provider", "suite", "--model", setup.model]
        self.command += ["--append-system-prompt", setup.system] if setup.system else []
        served = json.dumps(self.tools.command)
        self.environment = environment(self.place.home, CONFORMANCE_TOOLS=served, PI_TELEMETRY="0")
        self.ids = map(str, itertools.count(1))
        self.run: Run | None = None

    @property
    def log_tail(self) -> str:
        return self.run.stderr if self.run else ""

    async def send(self, message: str) -> AsyncIterator[str | Withdrawn]:
        if self.run is None or self.run.code is not None:
            goes_on = ["--continue"] if self.sessions.exists() else []
            self.run = await started([*self.command, *goes_on], environment=self.environment, folder=self.place.project)
        sent = self._write(type="prompt", message=message)
        try:
            async for piece in self._turn(sent):
                yield piece
        except asyncio.CancelledError:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._answer_to(self._write(type="abort")), CANCELLING)
            raise

    async def _turn(self, sent: str) -> AsyncIterator[str | Withdrawn]:
        """What is shown until Pi has settled; the text of an answer that it asks for again is withdrawn."""
        last: Mapping[str, Any] = {}
        shown = 0
        async for event in self._events():
            kind, update = event["type"], event.get("assistantMessageEvent") or {}
            if kind == "response" and event.get("id") == sent and not event["success"]:
                raise RuntimeError(f"Pi took no prompt: {event['error']}")
            if kind == "message_update" and update["type"] == "text_delta":
                shown += len(update["delta"])
                yield update["delta"]
            elif kind == "message_start":
                shown = 0
            elif kind == "message_end" and event["message"]["role"] == "assistant":
                last = event["message"]
            elif kind == "auto_retry_start" and shown:
                yield Withdrawn(shown)
            elif kind == "agent_settled" or (kind == "agent_end" and "willRetry" not in event):  # releases before 0.80
                break
        if last.get("stopReason") == "error":
            raise AgentError(last.get("errorMessage") or "the model's answer is an error")
        yield Reply("".join(block["text"] for block in last.get("content", ()) if block["type"] == "text"))

    def _write(self, **command: str) -> str:
        assert self.run is not None
        number = next(self.ids)
        self.run.write(json.dumps({"id": number, **command}) + "\n")
        return number

    async def _events(self) -> AsyncIterator[Mapping[str, Any]]:
        assert self.run is not None
        async for event in self.run.events():
            yield event
        raise RuntimeError(f"Pi ended with {self.run.code}")

    async def _answer_to(self, number: str) -> None:
        async for event in self._events():
            if event["type"] == "response" and event.get("id") == number:
                return

    def kill(self) -> None:
        if self.run is not None:
            self.run.kill()

    async def close(self) -> None:
        if self.run is not None:
            await self.run.end()
        self.tools.close()


def provider(setup: Setup) -> dict[str, Any]:
    """The model's entry in Pi's `models.json`."""
    models = [{"id": setup.model}]
    return {"baseUrl": setup.base_url, "api": "openai-completions", "apiKey": setup.api_key, "models": models}


def record(setup: Setup, path: Path, project: Path) -> None:
    """Write the history as a session of this project, which Pi continues."""
    now = "2026-01-01T00:00:00.000Z"
    lines: list[dict[str, Any]] = [{"type": "session", "version": 3, "id": "restored", "timestamp": now}]
    lines[0]["cwd"] = str(project)
    for number, message in enumerate(messages(setup)):
        parent = f"{number - 1:08x}" if number else None
        entry = {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": now, "message": message}
        lines.append(entry)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def messages(setup: Setup) -> Iterator[dict[str, Any]]:
    for message in setup.history:
        fields: dict[str, Any] = {"role": message.role, "content": message.text, "timestamp": 1767225600000}
        if message.role == "system":
            raise CannotRestore("Pi's sessions have system messages for its own prompt only")
        if message.role == "assistant":
            stop = "toolUse" if message.tool_calls else "stop"
            about = {"api": "openai-completions", "provider": "suite", "model": setup.model, "usage": NO_USAGE}
            fields |= {"content": [*blocks(message)], "stopReason": stop, **about}
        if message.role == "tool":
            name, id = known(message.name, "a result without a name"), known(message.tool_call_id, "no id")
            text = [{"type": "text", "text": message.text}]
            fields |= {"role": "toolResult", "toolCallId": id, "toolName": name, "content": text}
            fields |= {"isError": bool(message.is_error)}
        yield fields


def blocks(message: Message) -> Iterator[dict[str, Any]]:
    if message.text:
        yield {"type": "text", "text": message.text}
    for call in message.tool_calls:
        id = known(call.id, "a call without an id")
        yield {"type": "toolCall", "id": id, "name": call.name, "arguments": arguments(call)}


def arguments(call: ToolCall) -> Any:
    try:
        return json.loads(call.text)
    except ValueError:
        raise CannotRestore("Pi's sessions cannot hold arguments that are no JSON") from None


def known(value: str | None, what: str) -> str:
    if value is None:
        raise CannotRestore(f"Pi's sessions cannot hold {what}")
    return value
