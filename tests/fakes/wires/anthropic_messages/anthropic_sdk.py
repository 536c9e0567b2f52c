"""The official SDK in front of this fake, without a socket."""

from functools import cache
from typing import Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic
from anthropic_requests import WIRE

from fakes import Reply, ReplyContext, Request, Response
from fakes.ids import Ids
from fakes.reply import Split
from fakes.serving.conversation_store import ConversationStore
from tests.fakes.without_socket import Httpx2Transport


class Served:
    """Judges each request, then tells the next reply; `refusals` stays empty where the client is right.

    `sent` are the requests as they came, `requests` the same with what their threads hold.
    """

    def __init__(self, *replies: Reply, split: Split = "provider") -> None:
        self._replies = list(replies)
        self._split = split
        self._ids = Ids("sdk")
        self._held = ConversationStore(WIRE)
        self.sent: list[Request] = []
        self.requests: list[Request] = []
        self.refusals: list[str] = []

    def __call__(self, request: Request) -> Response:
        self.sent.append(request)
        whole = self._held.whole(request)
        self.requests.append(whole)
        response = self._respond(whole, ReplyContext(whole, "anthropic", self._ids, self._split))
        self._held.keep(whole, response)
        return response

    def _respond(self, request: Request, context: ReplyContext) -> Response:
        assert WIRE.route(request) is not None
        violation = WIRE.missing_key(request) or WIRE.judge(request, provider="anthropic")
        if violation is not None:
            self.refusals.append(violation.rule)
            return WIRE.refuse(violation, context)
        return WIRE.encode(self._replies.pop(0), context)


def client(served: Served, *, max_retries: int = 0, **options: Any) -> Anthropic:
    http = httpx2.Client(transport=Httpx2Transport(served), verify=unverified())
    return Anthropic(api_key="k", base_url="http://fake", http_client=http, max_retries=max_retries, **options)


def async_client(served: Served, *, max_retries: int = 0, **options: Any) -> AsyncAnthropic:
    http = httpx2.AsyncClient(transport=Httpx2Transport(served), verify=unverified())
    return AsyncAnthropic(api_key="k", base_url="http://fake", http_client=http, max_retries=max_retries, **options)


@cache
def unverified() -> Any:
    """One TLS context for all clients: loading the roots is most of what a client costs."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
