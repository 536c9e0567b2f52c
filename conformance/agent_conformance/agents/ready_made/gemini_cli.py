"""The program Gemini CLI as an adapter: `npm install -g @google/gemini-cli`, and the extra `acp`.

A case is one process in ACP mode, the mode for other programs; a restart loads its session.
"""

import json
import re
import uuid
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from agent_conformance import CannotRestore, Setup
from agent_conformance.adapter.history import gemini_contents, leading_system
from agent_conformance.adapter.mcp import serve_stdio
from agent_conformance.attach.acp import ConnectedProgram, Connection
from agent_conformance.attach.programs import environment, installed, program_folders_in, started

PROGRAM = installed("gemini", "@google/gemini-cli")
SERVER = "suite"
IN_CIRCLES = json.dumps({"unproductive_state_analysis": "In circles.", "unproductive_state_confidence": 1.0})
"""The answer that a model would give after so many rounds of a scenario."""


class Adapter(ConnectedProgram):
    wires = ("gemini-generate",)
    modes = ("stream",)
    features = frozenset({"deltas", "history", "conversation", "native-tools", "cancel", "own-tools"})
    scrub = (r"(?<=Today's date is )[^(\n]+",)

    def __init__(self, setup: Setup) -> None:
        if any(message.role == "tool" and not message.name for message in setup.history):
            raise CannotRestore("Gemini CLI records no function response without the name of its function")
        self.place = program_folders_in(setup.state_dir)
        self.tool_names = {tool.name: offered(tool.name) for tool in setup.tools}
        system, history = leading_system(setup.history)
        own = self.place.home / ".gemini"
        own.mkdir(exist_ok=True)
        if history and not self.place.resumed:
            session = str(uuid.uuid4())
            record(session, gemini_contents(history), self.tool_names, own=own, project=self.place.project)
            self.place.session.write_text(session, encoding="utf-8")
        self.tools = serve_stdio(setup.tools)
        (own / "GEMINI.md").write_text("\n\n".join(text for text in (setup.system, system) if text), encoding="utf-8")
        (own / "settings.json").write_text(json.dumps(settings(self.tools.command)), encoding="utf-8")
        self.command = [PROGRAM, "--acp", "--model", setup.model, "--skip-trust"]
        self.environment = environment(
            self.place.home,
            GEMINI_API_KEY=setup.api_key,
            GOOGLE_GEMINI_BASE_URL=setup.base_url,
            GEMINI_CLI_NO_RELAUNCH="true",  # it would start itself again, with more memory
        )
        self.run = None

    def side_request(self, body: dict[str, Any]) -> str:
        """After thirty rounds Gemini CLI sends requests on whether it is in a loop, until the answer is JSON."""
        schema = body.get("generationConfig", {}).get("responseJsonSchema", {})
        return IN_CIRCLES if "unproductive_state_confidence" in schema.get("properties", {}) else ""

    async def start(self) -> None:
        self.run = await started(self.command, environment=self.environment, folder=self.place.project)
        self.connection = Connection(self.run)
        await self.connection.begin()
        folder = str(self.place.project)
        if session := self.place.resumed:
            self.session = session
            await self.connection.load_session(session, folder)
            # It still sends the old messages while it answers; it stops with the next answer.
            await self.connection.set_mode(session, "default")
        else:
            self.session = await self.connection.new_session(folder)
            self.place.session.write_text(self.session, encoding="utf-8")


def offered(name: str) -> str:
    """Under which name Gemini CLI offers a tool of this MCP server."""
    valid = re.sub(r"[^a-zA-Z0-9_.:-]", "_", f"mcp_{SERVER}_{name}")
    return valid if len(valid) < 64 else f"{valid[:30]}...{valid[-30:]}"


def settings(server: list[str]) -> dict[str, Any]:
    """Gemini CLI's `settings.json`: the tools, and no other server."""
    program, *arguments = server
    return {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        "mcpServers": {SERVER: {"command": program, "args": arguments, "trust": True}},
    }


def record(session: str, contents: list[dict[str, Any]], names: dict[str, str], *, own: Path, project: Path) -> None:
    """Write contents as a recorded session of this project, calls and results under the names that tools have there."""
    then = datetime.now(UTC) - timedelta(
        hours=1
    )  # one of this minute is overwritten when it is loaded, an old one deleted
    stamp = then.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    head = {"sessionId": session, "projectHash": "restored", "startTime": stamp, "lastUpdated": stamp, "kind": "main"}
    lines: list[dict[str, Any]] = [head]
    for number, content in enumerate(contents):
        kind = "user" if content["role"] == "user" else "gemini"
        parts = [_renamed(part, names) for part in content["parts"]]
        lines.append({"id": f"message-{number}", "timestamp": stamp, "type": kind, "content": parts})
    (own / "projects.json").write_text(json.dumps({"projects": {str(project): "project"}}), encoding="utf-8")
    chats = own / "tmp" / "project" / "chats"
    chats.mkdir(parents=True)
    (chats.parent / ".project_root").write_text(str(project), encoding="utf-8")
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (chats / f"session-{then:%Y-%m-%dT%H-%M}-{session[:8]}.jsonl").write_text(text, encoding="utf-8")


def _renamed(part: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    return {
        key: {**value, "name": names[value["name"]]}
        if isinstance(value, dict) and value.get("name") in names
        else value
        for key, value in part.items()
    }
