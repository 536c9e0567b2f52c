"""One made-up HTTP request, and how it reaches a fake: through the transport's own code, without a socket."""

import json
from dataclasses import dataclass, replace
from typing import Any

from agent_conformance.commands.shared.served import Everywhere
from fake_providers import ScriptedFake
from fake_providers.transport.answerer import Answerer
from fake_providers.transport.framing import Framed, named

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FuzzRequest:
    """`headers` in the order in which they are sent, with every repetition; their text is Latin-1."""

    method: str
    target: str
    headers: Headers
    body: bytes

    @property
    def is_json_object(self) -> bool:
        return isinstance(self.json, dict)

    @property
    def json(self) -> Any:
        """None where the body is no JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None

    def with_json(self, body: Any) -> "FuzzRequest":
        return replace(self, body=json.dumps(body).encode())


class Served:
    """A fake behind the transport's own reading of requests. `errors` are what it raised."""

    def __init__(self, fake: ScriptedFake) -> None:
        self.fake = fake
        self.errors: list[BaseException] = []
        self._answerer = Answerer(Everywhere(fake), lambda path, error: self.errors.append(error))

    def answer(self, request: FuzzRequest) -> Framed:
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers]
        return self._answerer.answer(request.method, request.target, named(headers), request.body)
