"""google-genai in front of this fake, without a socket."""

from functools import cache
from typing import Any

from google import genai
from google.genai import types
from google.oauth2.credentials import Credentials

from fake_providers import Fault, Reply, ReplyContext, Request, Response
from fake_providers.ids import Ids
from fake_providers.registry import wire_for
from fake_providers.reply import Split
from tests.fakes.without_socket import Httpx2Transport


class FakeProvider:
    """Checks each request, then sends the next reply; `refusals` stays empty if the client is correct."""

    def __init__(self, *replies: Reply | Fault, split: Split = "provider", provider: str = "gemini") -> None:
        self._replies = list(replies)
        self._split = split
        self.provider = provider
        self._ids = Ids("sdk")
        self.requests: list[Request] = []
        self.refusals: list[str] = []

    def __call__(self, request: Request) -> Response:
        self.requests.append(request)
        return self._respond(request, ReplyContext(request, self.provider, self._ids, self._split))

    def _respond(self, request: Request, context: ReplyContext) -> Response:
        wire = wire_for(self.provider, "gemini-generate")
        violation = wire.missing_key(request) or wire.judge(request, provider=self.provider)
        if violation is not None:
            self.refusals.append(violation.rule)
            return wire.refuse(violation, context)
        reply = self._replies.pop(0)
        return wire.fail(reply, context) if isinstance(reply, Fault) else wire.encode(reply, context)


class Relay:
    """The transport of the one client that all tests of a provider share, because making a client takes a tenth of a
    second."""

    def __init__(self) -> None:
        self.fake_provider = FakeProvider()

    def __call__(self, request: Request) -> Response:
        return self.fake_provider(request)


@cache
def shared_client(provider: str) -> tuple[genai.Client, Relay]:
    relay = Relay()
    transport = Httpx2Transport(relay)
    options = types.HttpOptions(
        base_url="http://fake.invalid",
        client_args={"transport": transport},
        async_client_args={"transport": transport},
        retry_options=types.HttpRetryOptions(attempts=1),
    )
    if provider == "vertex":
        token = Credentials("token")  # type: ignore[no-untyped-call]
        return genai.Client(
            vertexai=True, project="p", location="global", credentials=token, http_options=options
        ), relay
    return genai.Client(api_key="key", http_options=options), relay


def client_of(fake_provider: FakeProvider) -> genai.Client:
    client, relay = shared_client(fake_provider.provider)
    relay.fake_provider = fake_provider
    return client


async def generate(
    fake_provider: FakeProvider, *, asynchronous: bool, streamed: bool, contents: Any = "Rain?"
) -> list[Any]:
    """The responses of one request: one if it is plain, one per chunk if it is streamed."""
    client, model = client_of(fake_provider), "gemini-3-flash-preview"
    if asynchronous and streamed:
        return [
            chunk async for chunk in await client.aio.models.generate_content_stream(model=model, contents=contents)
        ]
    if asynchronous:
        return [await client.aio.models.generate_content(model=model, contents=contents)]
    if streamed:
        return list(client.models.generate_content_stream(model=model, contents=contents))
    return [client.models.generate_content(model=model, contents=contents)]
