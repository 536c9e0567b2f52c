"""One of OpenAI's wires as its own provider serves it: requests, refusals and responses. Knows no format."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fake_providers import Reply, ReplyContext, Request, Response, Violation, Wire
from fake_providers.ids import Ids
from fake_providers.reply import Split


@dataclass(frozen=True)
class OpenAIFake:
    """`default_body` makes the body of a request where a test gives none."""

    wire: Wire
    path: str
    default_body: Callable[[], dict[str, Any]]

    def http_request(self, body: Any, headers: Mapping[str, str] | None = None) -> Request:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return Request("POST", self.path, headers or {"authorization": "Bearer sk-test"}, content)

    def violation_of(self, body: Any) -> Violation | None:
        return self.wire.judge(self.http_request(body), provider="openai")

    def refusal_error(self, body: Any) -> dict[str, Any]:
        """The `error` with which this body is refused."""
        violation = self.violation_of(body)
        assert violation is not None
        assert violation.status == 400
        error: dict[str, Any] = violation.body["error"]
        return error

    def context(self, body: Any, split: Split = "provider") -> ReplyContext:
        return ReplyContext(self.http_request(body), "openai", Ids("seed"), split)

    def encode_reply(self, reply: Reply, body: Any = None, split: Split = "provider") -> Response:
        return self.wire.encode(reply, self.context(body or self.default_body(), split))
