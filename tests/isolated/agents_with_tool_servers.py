"""Agents that serve their tools to a program, of which one asks for them and then calls one over its server."""

import json
import urllib.request

from agent_conformance import Setup
from agent_conformance.adapter.mcp import serve_http


class Unasked:
    """Its program has a typo in its configuration of MCP servers, so that its requests offer another tool."""

    wires = ("openai-chat",)
    tool_is_read = False

    def __init__(self, setup: Setup) -> None:
        self.setup, self.served = setup, serve_http(setup.tools)

    def send(self, message: str) -> str:
        if self.tool_is_read:
            self.rpc("tools/list")
        parameters = {"type": "object", "properties": {}}
        own = {"type": "function", "function": {"name": "own", "description": "Own.", "parameters": parameters}}
        body = {"model": self.setup.model, "messages": [{"role": "user", "content": message}], "tools": [own]}
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.setup.api_key}"}
        return str(self.post(f"{self.setup.base_url}/chat/completions", body, headers)["choices"])

    def rpc(self, method: str) -> None:
        accepted = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self.post(self.served.url, {"jsonrpc": "2.0", "id": 1, "method": method}, accepted)

    def post(self, url: str, body: object, headers: dict[str, str]) -> dict[str, object]:
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            found: dict[str, object] = json.load(response)
        return found

    def close(self) -> None:
        self.served.close()


class Asked(Unasked):
    """It has read its tools, and offers others: that is the agent's own fault."""

    tool_is_read = True
