"""The official SDK in front of this fake, without a socket."""

from functools import cache
from typing import Any

import httpx2
from anthropic import Anthropic, AsyncAnthropic
from anthropic_requests import WIRE

from fake_providers import Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Split
from fake_providers.serving.conversation_store import ConversationStore
from tests.fakes.without_socket import Httpx2Transport


class FakeProvider:
    """Checks each request, then sends the next reply; `refusals` stays empty if the client is correct.

    `sent` has the requests as they arrived, `requests` the same with the contents of their threads.
    """

    def __init__(self, *replies: Reply, split: Split = "provider") -> None:
        self._replies = list(replies)
        self._split = split
        self._ids = Ids("sdk")
        self._store = ConversationStore(WIRE)
        self.sent: list[Request] = []
        self.requests: list[Request] = []
        self.refusals: list[str] = []

    def __call__(self, request: Request) -> Response:
        self.sent.append(request)
        full_request = self._store.resolve(request)
        self.requests.append(full_request)
        response = self._respond(full_request, ReplyContext(full_request, "anthropic", self._ids, self._split))
        self._store.keep(full_request, response)
        return response

    def _respond(self, request: Request, context: ReplyContext) -> Response:
        assert WIRE.route(request) is not None
        violation = WIRE.missing_key(request) or WIRE.judge(request, provider="anthropic")
        if violation is not None:
            self.refusals.append(violation.rule)
            return WIRE.refuse(violation, context)
        return WIRE.encode(self._replies.pop(0), context)


def client(fake_provider: FakeProvider, *, max_retries: int = 0, **options: Any) -> Anthropic:
    http = httpx2.Client(transport=Httpx2Transport(fake_provider), verify=unverified())
    return Anthropic(api_key="k", base_url="http://fake", http_client=http, max_retries=max_retries, **options)


def async_client(fake_provider: FakeProvider, *, max_retries: int = 0, **options: Any) -> AsyncAnthropic:
    http = httpx2.AsyncClient(transport=Httpx2Transport(fake_provider), verify=unverified())
    return AsyncAnthropic(api_key="k", base_url="http://fake", http_client=http, max_retries=max_retries, **options)


@cache
def unverified() -> Any:
    """One TLS context for all clients, because loading the root certificates is most of the cost of a client."""
    import ssl

    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
