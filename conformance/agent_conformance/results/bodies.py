"""The bodies of requests and responses, each kept once under an id of its content, within bounds."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from agent_conformance.results.model import Body
from agent_conformance.results.texts import TextCleaner
from fake_providers import Request, Response

MOST_OF_BODY = 200_000
"""Characters of one body."""
MOST_OF_CASE = 1_000_000
"""Characters of all bodies of one case."""


@dataclass(slots=True)
class Bodies:
    """What one case sent and got. `left_out` counts what came after the bound was reached."""

    text: TextCleaner
    kept: dict[str, Body] = field(default_factory=dict)
    left_out: int = 0
    _characters: int = 0

    def request(self, request: Request) -> str:
        """The id of this request's body."""
        text, cut = self._text(request.body)
        path = self.text.line(request.path)
        return self._keep(Body(text, self._headers(request.headers.items()), request.method, path, cut=cut))

    def response(self, response: Response | None) -> str:
        if response is None:
            return ""
        text, cut = self._text(response.body)
        return self._keep(Body(text, self._headers(response.headers), status=response.status, cut=cut))

    def _text(self, body: bytes) -> tuple[str, int]:
        return self.text.body(body.decode("utf-8", "backslashreplace"), MOST_OF_BODY)

    def _headers(self, headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
        return tuple((self.text.line(name), self.text.line(value)) for name, value in headers)

    def _keep(self, body: Body) -> str:
        id = hashlib.sha256(repr(body).encode(errors="backslashreplace")).hexdigest()[:16]
        if id in self.kept:
            return id
        if self._characters > MOST_OF_CASE:
            self.left_out += 1
            return ""
        self._characters += len(body.text)
        self.kept[id] = body
        return id
