"""The program Continue CLI as an adapter: `npm install -g @continuedev/cli`, and the extra `mcp`.

A turn is one run of `cn -p`; the next one resumes its session.
"""

import json

from agent_conformance import AgentError, Setup
from agent_conformance.adapter.mcp import serve_stdio
from agent_conformance.attach.programs import environment, installed, program_folders_in, started

PROGRAM = installed("cn", "@continuedev/cli")


class Adapter:
    takes_half_characters = False
    wires = ("openai-chat",)
    modes = ("stream",)
    features = frozenset({"conversation", "native-tools", "tool-filter", "cancel", "own-tools"})

    def __init__(self, setup: Setup) -> None:
        self.place = program_folders_in(setup.state_dir)
        self.tools = serve_stdio(setup.tools)
        program, *arguments = self.tools.command
        model = {"name": "suite", "provider": "openai", "model": setup.model, "roles": ["chat"]}
        where = {"apiBase": setup.base_url, "apiKey": setup.api_key}
        self.config = self.place.home / "config.yaml"
        config = {
            "name": "suite",
            "version": "1.0.0",
            "schema": "v1",
            "models": [model | where],
            "mcpServers": [{"name": "suite", "command": program, "args": arguments}],
            **({"rules": [setup.system]} if setup.system else {}),
        }
        self.config.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        self.environment = environment(self.place.home, CONTINUE_CLI_ENABLE_TELEMETRY="0")
        self.goes_on = False
        self.log_tail = ""

    async def send(self, message: str) -> str:
        command = [PROGRAM, "-p", "--silent", "--auto", "--config", str(self.config)]
        command += ["--resume"] if self.goes_on else []
        run = await started([*command, message], environment=self.environment, folder=self.place.project)
        self.goes_on = True
        self.kill = run.kill
        try:
            reply = (await run.streams[0].read()).decode(errors="replace")
            await run.ended()
        finally:
            await run.end()
            self.log_tail = run.stderr
        if run.code:
            raise AgentError(run.stderr or reply or f"cn ended with {run.code}")
        return reply.removesuffix("\n")

    def close(self) -> None:
        self.tools.close()
