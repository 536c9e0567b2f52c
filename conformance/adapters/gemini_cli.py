"""The program Gemini CLI behind the adapter's contract: `npm install -g @google/gemini-cli`, and the extra `mcp`.

A step is one run of `gemini` without a terminal; the next one resumes its session. Knows the program's documented
surface, the form of its recorded sessions and the adapter's types; nothing of fakes or laws.
"""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

from conformance import AgentError, Setup
from conformance.adapters.programs import environment, installed, place_in, running
from conformance.history import gemini_contents, leading_system
from conformance.mcp import serve_stdio

PROGRAM = installed("gemini", "@google/gemini-cli")
SERVER = "suite"


class Adapter:
    wires = ("gemini-generate",)
    modes = ("stream",)
    features = frozenset(
        {
            "deltas",
            "history",
            "conversation",
            "native-tools",
            "exchange-limit",
            "tool-filter",
            "restart",
            "cancel",
            "own-tools",
        }
    )

    def __init__(self, setup: Setup) -> None:
        self.place = place_in(setup.state_dir)
        self.tool_names = {tool.name: offered(tool.name) for tool in setup.tools}
        system, history = leading_system(setup.history)
        self.imported = setup.state_dir / "history.jsonl"
        if history and not self.place.resumed:
            self.imported.write_text(recorded(gemini_contents(history), self.tool_names), encoding="utf-8")
        self.tools = serve_stdio(setup.tools)
        own = self.place.home / ".gemini"
        own.mkdir(exist_ok=True)
        (own / "GEMINI.md").write_text("\n\n".join(text for text in (setup.system, system) if text), encoding="utf-8")
        (own / "settings.json").write_text(json.dumps(settings(setup, self.tools.command)), encoding="utf-8")
        self.command = [PROGRAM, "--model", setup.model, "--output-format", "stream-json", "--skip-trust"]
        self.environment = environment(
            self.place.home,
            GEMINI_API_KEY=setup.api_key,
            GOOGLE_GEMINI_BASE_URL=setup.base_url,
            GEMINI_CLI_NO_RELAUNCH="true",  # it would start itself again, with more memory
        )

    async def send(self, message: str) -> AsyncIterator[str]:
        problem = ""
        command = [*self.command, *self.session()]
        async with running(command, told=message, environment=self.environment, folder=self.place.project) as run:
            async for event in run.events():
                kind = event.get("type")
                if kind == "init":
                    self.place.session.write_text(event["session_id"])
                elif kind == "message" and event.get("role") == "assistant":
                    yield event["content"]
                elif kind == "result" and event.get("status") == "error":
                    problem = event["error"]["message"]
        if run.code:
            raise AgentError(problem or run.stderr or f"gemini ended with {run.code}")

    def session(self) -> list[str]:
        """The arguments that say where the conversation goes on."""
        if session := self.place.resumed:
            return ["--resume", session]
        return ["--session-file", str(self.imported)] if self.imported.exists() else []

    def close(self) -> None:
        self.tools.close()


def offered(name: str) -> str:
    """Under which name Gemini CLI offers a tool of this MCP server."""
    valid = re.sub(r"[^a-zA-Z0-9_.:-]", "_", f"mcp_{SERVER}_{name}")
    return valid if len(valid) < 64 else f"{valid[:30]}...{valid[-30:]}"


def settings(setup: Setup, server: list[str]) -> dict[str, Any]:
    """Gemini CLI's `settings.json`: the tools, a limit, and that nobody else is asked for anything."""
    program, *arguments = server
    return {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "model": {"maxSessionTurns": setup.limits.exchanges or -1},
        "mcpServers": {SERVER: {"command": program, "args": arguments, "trust": True}},
    }


def recorded(contents: list[dict[str, Any]], names: dict[str, str]) -> str:
    """Contents as a recorded session for `--session-file`, calls and results under the names that tools have there."""
    stamp = "2026-01-01T00:00:00.000Z"
    head = {"sessionId": "imported", "projectHash": "imported", "startTime": stamp, "lastUpdated": stamp}
    lines: list[dict[str, Any]] = [head]
    for number, content in enumerate(contents):
        kind = "user" if content["role"] == "user" else "gemini"
        parts = [_renamed(part, names) for part in content["parts"]]
        lines.append({"id": f"message-{number}", "timestamp": stamp, "type": kind, "content": parts})
    return "".join(json.dumps(line) + "\n" for line in lines)


def _renamed(part: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        key: {**value, "name": names[value["name"]]}
        if isinstance(value, dict) and value.get("name") in names
        else value
        for key, value in part.items()
    }
