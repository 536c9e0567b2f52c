"""An agent that speaks ACP without an SDK: Anthropic's wire without streams, MCP servers over server-sent events alone.

It has a tool of its own, and leaves a daemon that keeps its standard error open.
"""

import json
import os
import queue
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

ROUNDS = 20
SHELL = {"name": "shell", "description": "Runs a command.", "input_schema": {"type": "object", "properties": {}}}
WRITING = threading.Lock()


def write(**message: Any) -> None:
    with WRITING:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def posted(url: str, body: Any, **headers: str) -> bytes:
    sent = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    with urllib.request.urlopen(sent) as answer:
        return bytes(answer.read())


class ToolServer:
    def __init__(self, url: str) -> None:
        self.number = 0
        self.answers: queue.Queue[Any] = queue.Queue()
        endpoint: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self.listen, args=(url, endpoint), daemon=True).start()
        self.url = urllib.parse.urljoin(url, endpoint.get())
        about = {"name": "over-sse", "version": "2"}
        self.request("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo=about)
        posted(self.url, {"jsonrpc": "2.0", "method": "notifications/initialized"})

    def listen(self, url: str, endpoint: "queue.Queue[str]") -> None:
        event = ""
        with urllib.request.urlopen(urllib.request.Request(url, headers={"accept": "text/event-stream"})) as stream:
            for line in stream:
                name, _, value = line.decode().strip().partition(": ")
                if name == "event":
                    event = value
                elif name == "data" and event == "endpoint":
                    endpoint.put(value)
                elif name == "data":
                    self.answers.put(json.loads(value))

    def request(self, method: str, **params: Any) -> Any:
        self.number += 1
        posted(self.url, {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while (answer := self.answers.get()).get("id") != self.number:
            pass
        return answer


class Agent:
    def new_session(self, params: Any) -> Any:
        self.messages: list[Any] = []
        self.servers: dict[str, ToolServer] = {}
        self.tools = [SHELL]
        for one in params["mcpServers"]:
            if one.get("type") == "sse":
                server = ToolServer(one["url"])
                for tool in server.request("tools/list")["result"]["tools"]:
                    self.servers[tool["name"]] = server
                    described = {"name": tool["name"], "description": tool.get("description", "")}
                    self.tools.append({**described, "input_schema": tool["inputSchema"]})
        return {"sessionId": "s"}

    def prompt(self, params: Any) -> Any:
        kept = len(self.messages)
        self.messages.append({"role": "user", "content": "".join(block.get("text", "") for block in params["prompt"])})
        try:
            for _ in range(ROUNDS):
                answer = self.ask()
                blocks = answer["content"]
                text = "".join(block["text"] for block in blocks if block["type"] == "text")
                uses = [block for block in blocks if block["type"] == "tool_use"]
                if answer["stop_reason"] == "max_tokens" or not (uses or text.strip()):
                    raise ValueError("the answer was cut off, or there was none")
                self.messages.append({"role": "assistant", "content": blocks})
                chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
                write(method="session/update", params={"sessionId": "s", "update": chunk})
                if not uses:
                    return {"stopReason": "end_turn"}
                self.messages.append({"role": "user", "content": [self.result(use) for use in uses]})
            return {"stopReason": "max_turn_requests"}
        except (ValueError, urllib.error.URLError):
            del self.messages[kept:]
            raise

    def ask(self) -> Any:
        body = {"model": os.environ["ANTHROPIC_MODEL"], "max_tokens": 2000}
        url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
        headers = {"x-api-key": os.environ["ANTHROPIC_API_KEY"], "anthropic-version": "2023-06-01"}
        return json.loads(posted(url, {**body, "messages": self.messages, "tools": self.tools}, **headers))

    def result(self, use: Any) -> Any:
        server = self.servers.get(use["name"])
        if server is None:
            content, failed = f"There is no tool {use['name']}.", True
        else:
            answer = server.request("tools/call", name=use["name"], arguments=use["input"])
            failed = "error" in answer or answer["result"].get("isError", False)
            blocks = [{"text": answer["error"]["message"]}] if "error" in answer else answer["result"]["content"]
            content = "\n".join(block.get("text", "") for block in blocks)
        return {"type": "tool_result", "tool_use_id": use["id"], "content": content, "is_error": failed}


AGENT = Agent()
CAPABILITIES = {"mcpCapabilities": {"http": False, "sse": True}}
ABOUT = {"protocolVersion": 1, "agentCapabilities": CAPABILITIES, "agentInfo": {"name": "over-sse", "version": "2"}}
METHODS = {"initialize": lambda _: ABOUT, "session/new": AGENT.new_session, "session/prompt": AGENT.prompt}


def handle(message: Any) -> None:
    if message.get("method") not in METHODS:
        return
    try:
        write(id=message["id"], result=METHODS[message["method"]](message["params"]))
    except Exception as error:
        write(id=message["id"], error={"code": -32000, "message": str(error)})


if __name__ == "__main__":
    silent = subprocess.DEVNULL
    subprocess.Popen(["sleep", "900"], start_new_session=True, stdin=silent, stdout=silent)
    for line in sys.stdin:
        threading.Thread(target=handle, args=(json.loads(line),), daemon=True).start()
