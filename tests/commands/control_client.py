"""A server of `serve` without a socket."""

import json
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.commands.serve.command import ServeOptions, server_handler, sessions_of
from agent_conformance.commands.serve.control import PREFIX
from agent_conformance.commands.serve.sessions import Sessions
from fake_providers import Handler, Request, Response

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hi."}]}


@dataclass
class Server:
    """What a client of `key` sees of it."""

    sessions: Sessions
    handler: Handler
    key: str = "sk-proj-first-0123456789"
    headers: dict[str, str] = field(default_factory=dict)

    def seen_by(self, key: str, **headers: str) -> "Server":
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        return Server(self.sessions, self.handler, key, given)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Response:
        keys = {"authorization": f"Bearer {self.key}"} if self.key else {}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.handler.handle(Request(method, path, {**keys, **self.headers, **given}, content))

    def chat(self, text: str = "Hi.", path: str = "/v1/chat/completions", **fields: Any) -> tuple[int, str]:
        """Status, and the text of the reply or the whole body of an error."""
        body = {**CHAT, "messages": [{"role": "user", "content": text}], **fields}
        response = self.send("POST", path, body)
        if response.status != 200:
            return response.status, response.body.decode()
        return 200, json.loads(response.body)["choices"][0]["message"]["content"]

    def control(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        response = self.send(method, PREFIX + path, body)
        return response.status, json.loads(response.body)

    def requests(self, query: str = "") -> list[Any]:
        status, answer = self.control("GET", f"/requests{query}")
        assert status == 200, answer
        listed: list[Any] = answer["requests"]
        return listed


def server_of(**options: Any) -> Server:
    asked = ServeOptions(**{"provider": "openai", **options})
    sessions = sessions_of(asked)
    return Server(sessions, server_handler(sessions, sessions.new_providers(), key=asked.key))
