"""A small agent on the agent's side of the ACP SDK: tools over MCP, permissions, cancel, sessions that can be loaded.

Its arguments say what it does wrong, for the tests that name a fault: `forgets`, `drops-arguments`, `exits`,
`asks-for-its-own`, `asks-for-ever`, `gives-up`, `cannot-load`, `runs-what-is-refused`. With `asks-about-all` only its
updates name what it asks about, and with `asks-by-id` only the call that it announced before. With `own-tool` it has
one with the name of the case's; with `has-tools` it has one of another name, and asks for a title and for its quota
beside its first request. With `only-http` it takes MCP servers over HTTP alone, with `no-servers` none, and with
`forgets-servers` that of `servers.json` in its home instead. With `prints` it says something where only messages
belong, and it ends at once with `leaves`. With `renames` it offers tools under plain names, with `ends-late` all
takes it a second, also the end of a cancelled turn, and with `says-more` a piece of that comes after its response.
With `stores-at-the-end` it writes its sessions once its client has gone, and with `stays` it goes on running then. A
session uses the model of `model.json` in its home, if there is one. The file that `NOTES` names gets a line for each
process.
"""

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import urllib.error
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from acp import (
    PROTOCOL_VERSION,
    InitializeResponse,
    LoadSessionResponse,
    NewSessionResponse,
    PromptResponse,
    RequestError,
    run_agent,
    start_tool_call,
    update_agent_message_text,
    update_agent_thought_text,
    update_user_message_text,
)
from acp.schema import AgentCapabilities, Implementation, McpCapabilities, PermissionOption, ToolCallUpdate

WRONG = {*sys.argv[1:]}
SESSIONS = Path.home() / "sessions"
SETTINGS = Path.home() / "model.json"
if "NOTES" in os.environ:
    with open(os.environ["NOTES"], "a", encoding="utf-8") as notes:
        notes.write(f"{os.getpid()}\n")
OPTIONS = [
    PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]
BASH = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object", "properties": {}}}}
OWN_TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}}}


if "prints" in WRONG:
    print("A newer version is out.", flush=True)
if "leaves" in WRONG:
    sys.exit("prints" not in WRONG)


class ToolServer:
    """A client of an MCP server that the agent has started. The official SDK would take a second to import."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.number = 0

    async def request(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.write({"id": self.number, "method": method, "params": params})
        assert self.process.stdout is not None
        while (answer := json.loads(await self.process.stdout.readline())).get("id") != self.number:
            pass
        return answer["result"]

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


class HttpToolServer:
    """A client of an MCP server over streamable HTTP."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        self.number = 0

    async def request(self, method: str, **params: Any) -> Any:
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        return (await asyncio.to_thread(self.write, message))["result"]

    def write(self, message: dict[str, Any]) -> Any:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url, body, self.headers)) as answer:
            if session := answer.headers.get("mcp-session-id"):
                self.headers["mcp-session-id"] = session
            text = answer.read().decode()
        lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith(("data: {", "{"))]
        return json.loads(lines[0]) if lines else None


async def tool_server(server: Any) -> ToolServer | HttpToolServer:
    pipe = asyncio.subprocess.PIPE
    started: Any
    if hasattr(server, "url"):
        started = HttpToolServer(server.url)
    else:
        process = await asyncio.create_subprocess_exec(server.command, *server.args, stdin=pipe, stdout=pipe)
        started = ToolServer(process)
    about = {"name": "small", "version": "1.0"}
    await started.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
    started.write({"method": "notifications/initialized"})
    return started  # type: ignore[no-any-return]


def offered(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", name)[:40] + "_0k1" if "renames" in WRONG else name


class SmallAgent:
    client_has_gone = False

    def on_connect(self, client: Any) -> None:
        self.client = client

    async def initialize(self, protocol_version: int, **_: Any) -> InitializeResponse:
        servers = McpCapabilities(http="only-http" in WRONG)
        capabilities = AgentCapabilities(load_session="cannot-load" not in WRONG, mcp_capabilities=servers)
        about = Implementation(name="small", version="1.0")
        return InitializeResponse(protocol_version=PROTOCOL_VERSION, agent_capabilities=capabilities, agent_info=about)

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_: Any) -> NewSessionResponse:
        self.messages: list[dict[str, Any]] = []
        await self.use(mcp_servers)
        return NewSessionResponse(session_id="s-1")

    async def load_session(self, cwd: str, session_id: str, mcp_servers: Any = None, **_: Any) -> LoadSessionResponse:
        if "refuses-to-load" in WRONG:
            raise RequestError.resource_not_found(session_id)
        stored = json.loads((SESSIONS / session_id).read_text())
        self.messages = [] if "forgets" in WRONG else stored
        for message in stored:
            update = update_user_message_text if message["role"] == "user" else update_agent_message_text
            await self.client.session_update(session_id, update(str(message.get("content"))))
        await self.use(mcp_servers)
        return LoadSessionResponse()

    async def use(self, mcp_servers: Any) -> None:
        self.model: dict[str, str] = {**os.environ, **(json.loads(SETTINGS.read_text()) if SETTINGS.exists() else {})}
        self.names: dict[str, dict[str, Any]] = {}
        if "forgets-servers" in WRONG:
            mcp_servers = [SimpleNamespace(**one) for one in json.loads((Path.home() / "servers.json").read_text())]
        for server in mcp_servers:
            if "no-servers" in WRONG or ("only-http" in WRONG and not hasattr(server, "url")):
                continue
            self.tools = await tool_server(server)
            listed = await self.tools.request("tools/list")
            self.names |= {f"mcp__{server.name}__{offered(tool['name'])}": tool for tool in listed["tools"]}

    async def prompt(self, session_id: str, prompt: Any, **_: Any) -> PromptResponse:
        self.messages.append({"role": "user", "content": prompt[0].text})
        self.store(session_id)
        self.turn = asyncio.ensure_future(self.answer(session_id))
        aside = asyncio.ensure_future(self.aside(prompt[0].text)) if "has-tools" in WRONG else None
        try:
            await self.turn
            if aside is not None:
                await aside
        except asyncio.CancelledError:
            answered = {message.get("tool_call_id") for message in self.messages}
            calls = [call for message in self.messages for call in message.get("tool_calls", ())]
            self.messages += [
                {"role": "tool", "tool_call_id": call["id"], "content": "The user cancelled it."}
                for call in calls
                if call["id"] not in answered
            ]
            if "ends-late" in WRONG:
                await asyncio.sleep(1.0)
                await self.client.session_update(session_id, update_agent_message_text("Once upon "))
            if "says-more" in WRONG:
                self.rest = asyncio.create_task(self.say_late(session_id))
            return PromptResponse(stop_reason="cancelled")
        except urllib.error.HTTPError as error:
            raise RequestError(500, f"the provider answered {error.code}") from None
        self.store(session_id)
        has_called = self.messages[-2]["role"] == "tool"
        return PromptResponse(stop_reason="max_turn_requests" if has_called and "gives-up" in WRONG else "end_turn")

    async def say_late(self, session_id: str) -> None:
        await asyncio.sleep(0.02)
        await self.client.session_update(session_id, update_agent_message_text("Once upon a time. "))

    def store(self, session_id: str) -> None:
        SESSIONS.mkdir(exist_ok=True)
        if "stores-at-the-end" in WRONG and not self.client_has_gone:
            return
        (SESSIONS / session_id).write_text(json.dumps(self.messages))

    async def cancel(self, session_id: str, **_: Any) -> None:
        self.turn.cancel()

    async def aside(self, text: str) -> None:
        for one in (f"Write a title of five words for this message: {text}", "quota"):
            body = {"model": self.model["OPENAI_MODEL"], "messages": [{"role": "user", "content": one}]}
            with contextlib.suppress(urllib.error.HTTPError):
                await asyncio.to_thread(self.post, body)

    async def answer(self, session_id: str) -> None:
        await self.client.session_update(session_id, update_agent_thought_text("Hm."))
        await asyncio.sleep(1.0 if "ends-late" in WRONG else 0.0)
        while "asks-for-ever" in WRONG:
            with contextlib.suppress(urllib.error.HTTPError):
                await asyncio.to_thread(self.ask)
        while (message := await asyncio.to_thread(self.ask)).get("tool_calls"):
            self.messages.append(message)
            for call in message["tool_calls"]:
                content = await self.run_tool(session_id, call)
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        self.messages.append({"role": "assistant", "content": message["content"]})
        if "answers-late" in WRONG:
            self.rest = asyncio.create_task(self.say_late(session_id))
            return
        for piece in message["content"].partition(" "):
            await self.client.session_update(session_id, update_agent_message_text(piece))

    async def run_tool(self, session_id: str, call: dict[str, Any]) -> str:
        if "exits" in WRONG:
            print("out of memory", file=sys.stderr, flush=True)
            os._exit(7)
        function = call["function"]
        title = "rm -rf /" if "asks-for-its-own" in WRONG else function["name"]
        asked = call["id"]
        if "asks-about-all" in WRONG:
            begun = start_tool_call(call["id"], title, status="pending", raw_input=json.loads(function["arguments"]))
            self.said = asyncio.create_task(self.client.session_update(session_id, begun))  # after the question
            asked, title = f"confirm-{session_id}", "Confirm what the agent does"
        if "asks-by-id" in WRONG:
            begun = start_tool_call(asked, title, status="in_progress", raw_input={"tool": title})
            await self.client.session_update(session_id, begun)
        named = None if "asks-by-id" in WRONG else title
        request = ToolCallUpdate(tool_call_id=asked, title=named)
        response = await self.client.request_permission(session_id=session_id, tool_call=request, options=OPTIONS)
        if getattr(response.outcome, "option_id", None) != "yes" and "runs-what-is-refused" not in WRONG:
            return "The user refused."
        if function["name"] not in self.names:
            return f"no tool {function['name']}"
        arguments = {} if "drops-arguments" in WRONG else json.loads(function["arguments"])
        name = self.names[function["name"]]["name"]
        result = await self.tools.request("tools/call", name=name, arguments=arguments)
        return "\n".join(block["text"] for block in result["content"])

    def ask(self) -> Any:
        offered = [
            {
                "type": "function",
                "function": {"name": n, "description": t["description"], "parameters": t["inputSchema"]},
            }
            for n, t in self.names.items()
        ]
        own = [tool for flag, tool in (("own-tool", OWN_TOOL), ("has-tools", BASH)) if flag in WRONG]
        tools = {"tools": [*own, *offered]}
        body = {"model": self.model["OPENAI_MODEL"], "messages": self.messages, **(tools if tools["tools"] else {})}
        return self.post(body)

    def post(self, body: dict[str, Any]) -> Any:
        url = self.model["OPENAI_BASE_URL"] + "/chat/completions"
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.model['OPENAI_API_KEY']}"}
        with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
            return json.load(answer)["choices"][0]["message"]


if __name__ == "__main__":
    agent = SmallAgent()
    asyncio.run(run_agent(agent))  # type: ignore[arg-type]  # it leaves out what it does not offer
    agent.client_has_gone = True
    if "stores-at-the-end" in WRONG:
        agent.store("s-1")
    if "stays" in WRONG:
        signal.pause()
