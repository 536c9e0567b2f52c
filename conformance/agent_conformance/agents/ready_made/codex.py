"""The program Codex as an adapter: `npm install -g @openai/codex`, and the extra `mcp`.

A turn is one run of `codex exec`; the next one resumes its session.
"""

import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent_conformance import AgentError, CannotRestore, Setup
from agent_conformance.adapter.history import openai_responses_items
from agent_conformance.adapter.mcp import serve_stdio
from agent_conformance.attach.programs import environment, installed, program_folders_in, running

PROGRAM = installed("codex", "@openai/codex")
KEY = "CONFORMANCE_API_KEY"
SERVER = "suite"
NAMESPACE = f"mcp__{SERVER}"
"""The namespace in which Codex offers the tools of this MCP server."""


class Adapter:
    takes_half_characters = False
    wires = ("openai-responses",)
    modes = ("stream",)
    features = frozenset({"history", "conversation", "native-tools", "tool-filter", "restart", "cancel", "own-tools"})
    scrub = (r"Wall time: [\d.]+ seconds", r"\d{4}-\d\d-\d\d(?=</current_date>)")

    def __init__(self, setup: Setup) -> None:
        self.place = program_folders_in(setup.state_dir)
        self.tool_names = offered([tool.name for tool in setup.tools])
        home = self.place.home
        if setup.history and not self.place.resumed:
            self.place.session.write_text(recorded(setup, home, self.place.project), encoding="utf-8")
        self.tools = serve_stdio(setup.tools)
        (home / "config.toml").write_text(config(setup, self.tools.command), encoding="utf-8")
        self.environment = environment(home, CODEX_HOME=str(home), **{KEY: setup.api_key})

    async def send(self, message: str) -> str:
        command = [PROGRAM, "exec", "--json", "--skip-git-repo-check"]
        if session := self.place.resumed:
            command += ["resume", session]
        reply, problem = "", ""
        async with running(
            [*command, "-"], stdin=message, environment=self.environment, folder=self.place.project
        ) as run:
            self.kill = run.kill
            async for event in run.events():
                kind, item = event.get("type"), event.get("item") or {}
                if kind == "thread.started":
                    self.place.session.write_text(event["thread_id"], encoding="utf-8")
                elif kind == "item.completed" and item.get("type") == "agent_message":
                    reply = item["text"]
                elif kind == "turn.failed":
                    problem = event["error"]["message"]
        if run.code:
            raise AgentError(problem or run.stderr or f"codex ended with {run.code}")
        return reply

    def close(self) -> None:
        self.tools.close()


def offered(names: Sequence[str]) -> dict[str, str]:
    """The names, in its namespace, under which Codex offers these tools: letters, with a hash if two are equal."""
    plain = {name: re.sub(r"[^a-zA-Z0-9_]", "_", name) for name in names}
    count = Counter(plain.values())
    return {name: f"{valid}_{_hash(name)}" if count[valid] > 1 else valid for name, valid in plain.items()}


def _hash(name: str) -> str:
    identity = "\0".join((SERVER, SERVER, "", name, name))
    return hashlib.sha1(identity.encode(), usedforsecurity=False).hexdigest()[:12]


def config(setup: Setup, server: list[str]) -> str:
    """Codex's `config.toml`: with the address of the model and of the tools, and no other server."""
    program, *arguments = server
    lines = [
        f"model = {toml(setup.model)}",
        *([f"developer_instructions = {toml(setup.system)}"] if setup.system else []),
        'model_provider = "suite"',
        'approval_policy = "never"',
        'sandbox_mode = "read-only"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        "[model_providers.suite]",
        'name = "suite"',
        f"base_url = {toml(setup.base_url)}",
        f"env_key = {toml(KEY)}",
        'wire_api = "responses"',
        f"[mcp_servers.{SERVER}]",
        f"command = {toml(program)}",
        f"args = {toml(arguments)}",
        'default_tools_approval_mode = "approve"',
    ]
    return "\n".join(lines) + "\n"


def toml(value: str | list[str]) -> str:
    """A text or a list of them: what JSON escapes, TOML escapes alike, but for halves of surrogate pairs."""
    return json.dumps(value, ensure_ascii=False)


def recorded(setup: Setup, home: Path, project: Path) -> str:
    """Write the history as a recorded session; its id. Raises `CannotRestore` for what Codex would leave out."""
    session, now = str(uuid.uuid4()), datetime.now(UTC)
    meta = {
        "id": session,
        "timestamp": now.isoformat(),
        "cwd": str(project),
        "originator": "codex_exec",
        "cli_version": "0.0.0",
        "source": "exec",
        "model_provider": "suite",
    }
    entries: list[tuple[str, Any]] = [("session_meta", meta), *(("response_item", item) for item in items(setup))]
    lines = [json.dumps({"timestamp": now.isoformat(), "type": kind, "payload": value}) for kind, value in entries]
    name = f"rollout-{now:%Y-%m-%dT%H-%M-%S}-{session}.jsonl"
    path = home / "sessions" / now.strftime("%Y/%m/%d") / name
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return session


def items(setup: Setup) -> Iterator[dict[str, Any]]:
    """The history's items as Codex keeps them: messages in parts, and calls in the namespace of the MCP server."""
    for item in openai_responses_items(setup.history):
        if "role" in item:
            role = {"system": "developer"}.get(item["role"], item["role"])
            kind = "output_text" if role == "assistant" else "input_text"
            yield {"type": "message", "role": role, "content": [{"type": kind, "text": item["content"]}]}
        elif "call_id" not in item:
            raise CannotRestore(f"Codex's sessions cannot hold a {item['type']} without an id")
        elif item["type"] == "function_call":
            yield {**item, "namespace": NAMESPACE}
        else:
            yield item
