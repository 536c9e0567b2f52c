"""An agent over ACP that behaves rightly in unusual ways, by hand, without the SDK; its arguments say in which.

`searches` offers tools after a search alone, and with `forgets` forgets them once a turn is over; `loses` finds them,
and does not offer them, `finds-none` finds none, `codes` runs them by code, and `codes-only` says so. `withholds` takes
tools and offers none; `writes` describes them in its instructions, for calls that are text. `login` says that nobody is
logged in. Beside the conversation `guards` asks whether each call may run, `delegates` to an explorer with tools of its
own, `remembers` with another, `names` the conversation in the form of a schema, and `sums-up` each turn. `notes`
notifies of what the protocol does not have. `wants-capabilities` refuses an `initialize` without them, and `wants-much`
asks for answers that are longer than most models give.
"""

import contextlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request
from typing import Any

WAYS = {*sys.argv[1:]}
SEARCHING = {"searches", "loses", "finds-none", "codes", "codes-only"}
SYSTEM = "You are a careful assistant with tools."


def function(name: str, description: str, **properties: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {key: {"type": "string"} for key in properties},
        "required": [*properties],
    }
    return {"type": "function", "function": {"name": name, "description": description, "parameters": schema}}


BASH = function("bash", "Runs a command.", command="")
TITLE_SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}},
    "required": ["title"],
    "additionalProperties": False,
}
TITLE = {"type": "json_schema", "json_schema": {"name": "title", "strict": True, "schema": TITLE_SCHEMA}}
FOR = " for run_script" if "codes-only" in WAYS else ""
SEARCH = function("search_tools", f"Finds tools by words of their names{FOR}.", query="")
CODE = function("run_script", "Runs JavaScript that calls the tools which search_tools has found.", code="")


def say(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


class ToolServer:
    def __init__(self, server: dict[str, Any]) -> None:
        command = [server["command"], *server["args"]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        about = {"name": "unusual", "version": "1"}
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=about)
        self.write({"method": "notifications/initialized"})

    def write(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        self.write({"id": 1, "method": method, "params": params})
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())["result"]


class Session:
    def __init__(self, server: dict[str, Any]) -> None:
        self.server = ToolServer(server)
        listed = self.server.ask("tools/list")["tools"]
        self.tools = {
            tool["name"]: {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters": tool["inputSchema"],
                },
            }
            for tool in listed
        }
        self.found: set[str] = set()
        text = "; ".join(map(json.dumps, listed)) if "writes" in WAYS else ""
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": SYSTEM + text}]

    def offered(self) -> list[dict[str, Any]]:
        if "writes" in WAYS:
            return []
        if "withholds" in WAYS:
            return [BASH]
        if WAYS & SEARCHING:
            found = [self.tools[name] for name in self.tools if name in self.found]
            return [BASH, SEARCH, *([CODE] if WAYS & {"codes", "codes-only"} else []), *found]
        return [BASH, *self.tools.values()]

    def result(self, name: str, arguments: dict[str, Any]) -> str:
        if name == "search_tools":
            matches = [one for one in self.tools if any(part in one for part in arguments["query"].split())]
            matches = [] if "finds-none" in WAYS else matches
            self.found |= {*matches} if "searches" in WAYS else set()
            return json.dumps([self.tools[one]["function"] for one in matches]) if matches else "Nothing was found."
        if name not in self.tools:
            return f"Error: there is no tool {name}."
        content = self.server.ask("tools/call", name=name, arguments=arguments)["content"]
        return "\n".join(part["text"] for part in content)

    def turn(self, text: str) -> str:
        if "login" in WAYS:
            return "You are not logged in: run `unusual login`."
        if "delegates" in WAYS:
            grep = function("grep", "Searches files.", pattern="")
            beside("You explore files for another agent.", f"The task of the user: {text}", grep)
        self.messages.append({"role": "user", "content": text})
        answer = ask(self.messages, self.offered())
        if "names" in WAYS:
            grep = function("grep", "Searches files.", pattern="")
            beside("You name conversations.", text, grep, response_format=TITLE)
        while answer.get("tool_calls"):
            self.messages.append(answer)
            for call in answer["tool_calls"]:
                name, arguments = call["function"]["name"], call["function"]["arguments"]
                may = "guards" not in WAYS or beside("Is this call safe? Answer yes or no.", f"{name}({arguments})")
                denied = isinstance(may, str) and not may.lower().startswith("yes")
                content = "Error: it is not safe." if denied else self.result(name, json.loads(arguments))
                self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
            answer = ask(self.messages, self.offered())
        self.messages.append({"role": "assistant", "content": answer["content"]})
        if "remembers" in WAYS:
            save = function("save_memory", "Saves a memory.", text="")
            beside("Extract memories of this exchange.", f"User: {text}\nAssistant: {answer['content']}", save)
        if "sums-up" in WAYS:
            with contextlib.suppress(urllib.error.HTTPError):
                ask(
                    [*self.messages, {"role": "user", "content": "Summarize the turn in one line."}],
                    [],
                )
        if "forgets" in WAYS:
            self.found = set()
        return str(answer["content"])


def beside(system: str, text: str, *tools: dict[str, Any], **more: Any) -> Any:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
    try:
        return ask(messages, [*tools], **more)["content"]
    except urllib.error.HTTPError:
        return None


def ask(messages: list[dict[str, Any]], tools: list[dict[str, Any]], **more: Any) -> Any:
    body = {"model": os.environ["OPENAI_MODEL"], "messages": messages, **({"tools": tools} if tools else {}), **more}
    body |= {"max_tokens": 65536} if "wants-much" in WAYS else {}
    headers = {"content-type": "application/json", "authorization": f"Bearer {os.environ['OPENAI_API_KEY']}"}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)["choices"][0]["message"]


def answer(method: str, params: dict[str, Any], sessions: dict[str, Session]) -> dict[str, Any]:
    if method == "initialize":
        if "wants-capabilities" in WAYS and not isinstance(params.get("clientCapabilities"), dict):
            return {"error": {"code": -32602, "message": "clientCapabilities must be a JSON object"}}
        return {"result": {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "odd", "version": "1"}}}
    if method == "session/new":
        sessions["s"] = Session(params["mcpServers"][0])
        return {"result": {"sessionId": "s"}}
    if "notes" in WAYS:
        say({"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "odd_status"}}})
        say({"method": "odd/note", "params": {"text": "a turn begins"}})
    try:
        text = sessions["s"].turn("".join(block.get("text", "") for block in params["prompt"]))
    except urllib.error.HTTPError as error:
        return {"error": {"code": -32603, "message": f"the provider answered {error.code}"}}
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    say({"method": "session/update", "params": {"sessionId": "s", "update": chunk}})
    return {"result": {"stopReason": "end_turn"}}


if __name__ == "__main__":
    opened: dict[str, Session] = {}
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked:
            say({"id": asked["id"], **answer(asked["method"], asked.get("params", {}), opened)})
