"""The program nanobot as an adapter: `uv tool install nanobot-ai`, and the extra `mcp`.

A turn is one run of `nanobot agent -m`; the next one finds the session of the same name. Knows the program's documented
surface and the adapter's types; nothing of fakes or laws.
"""

import json

from agent_conformance import AgentError, Setup
from agent_conformance.adapter.mcp import serve_stdio
from agent_conformance.attach.programs import environment, installed, program_folders_in, started

PROGRAM = installed("nanobot", "nanobot-ai", by="uv tool install")
ARGUMENTS = ["agent", "--classic", "--no-markdown", "--session", "cli:suite", "--message"]
BANNER = "nanobot\n"
"""The end of the line above the reply; before the first one it lists what it has created in its home."""
GAVE_UP = "Error calling LLM: "


class Adapter:
    wires = ("openai-chat",)
    modes = ("plain",)
    features = frozenset({"conversation", "native-tools", "tool-filter", "cancel", "own-tools", "restart"})

    def __init__(self, setup: Setup) -> None:
        self.place = program_folders_in(setup.state_dir)
        self.tools = serve_stdio(setup.tools)
        program, *arguments = self.tools.command
        config = {
            "agents": {"defaults": {"model": setup.model, "provider": "custom"}},
            "providers": {"custom": {"apiKey": setup.api_key, "apiBase": setup.base_url}},
            # Else they stand in front of the reply.
            "channels": {"sendProgress": False, "sendToolHints": False, "showReasoning": False},
            "tools": {"mcpServers": {"suite": {"command": program, "args": arguments}}},
        }
        own = self.place.home / ".nanobot"
        workspace = own / "workspace"
        workspace.mkdir(parents=True, exist_ok=True)
        (own / "config.json").write_text(json.dumps(config), encoding="utf-8")
        if setup.system:
            (workspace / "AGENTS.md").write_text(setup.system, encoding="utf-8")
        self.environment = environment(self.place.home)
        self.log_tail = ""

    async def send(self, message: str) -> str:
        run = await started([PROGRAM, *ARGUMENTS, message], environment=self.environment, folder=self.place.project)
        self.kill = run.kill
        try:
            printed = (await run.streams[0].read()).decode(errors="replace")
            await run.ended()
        finally:
            await run.end()
            self.log_tail = run.stderr
        if run.code:
            raise RuntimeError(f"nanobot ended with {run.code}")
        reply = printed.partition(BANNER)[2].strip("\n")
        if reply.startswith(GAVE_UP):
            raise AgentError(reply)
        return reply

    def close(self) -> None:
        self.tools.close()
