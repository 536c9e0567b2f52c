import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import httpx2
import openai
import pytest
import respx
from transport_doubles import CLIENTS, Answering, Client, Gate

from fake_providers import Response
from fake_providers.http import json_response
from fake_providers.transport import Mounts
from fake_providers.transport.respx_route import add_route, register_httpx2
from fake_providers.transport.server import LoopbackServer

BASE = "https://api.example.test"
MESSAGE = {"role": "assistant", "content": "hi"}
COMPLETION = {
    "id": "c",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
}


@pytest.fixture
def using(client: Client) -> str:
    register_httpx2()
    return "httpx2" if client.module is httpx2 else "httpcore"


def test_client_is_answered_chunk_by_chunk(client: Client, using: str) -> None:
    gate = Gate()
    handler = Answering(Response(200, (("content-type", "text/event-stream"),), (b"a", b"b"), listener=gate))
    with respx.mock(base_url=BASE, using=using) as router:
        route = add_route(router, handler)
        received = client.send(f"{BASE}/v1/chat?x=1", content=b"{}")

    assert received.chunks == (b"a", b"b")
    assert (handler.requests[0].path, handler.requests[0].body) == ("/v1/chat?x=1", b"{}")
    assert gate.endings == [True]
    assert route.call_count == 1


def test_cut_is_the_client_s_own_error(client: Client, using: str) -> None:
    with respx.mock(base_url=BASE, using=using) as router:
        add_route(router, Answering(Response(200, (), (b"a",), cut=True)))
        received = client.send(BASE)

    assert received.chunks == (b"a",)
    assert received.error.startswith("RemoteProtocolError: peer closed connection")


def test_lookups_narrow_the_route(client: Client, using: str) -> None:
    with respx.mock(base_url=BASE, using=using, assert_all_called=False) as router:
        add_route(router, Answering(json_response(200, 1)), path="/a")
        add_route(router, Answering(json_response(200, 2)), path="/b")

        assert client.send(f"{BASE}/b").body == b"2"


def test_exception_of_the_handler_is_raised_in_the_test(client: Client, using: str) -> None:
    with respx.mock(base_url=BASE, using=using) as router:
        add_route(router, Answering(lambda request: 1 / 0))  # type: ignore[arg-type,return-value]
        with pytest.raises(ZeroDivisionError):
            client.send(BASE)


def test_streamed_request_body_is_read(client: Client, using: str) -> None:
    def sync_parts() -> Iterator[bytes]:
        yield from (b"{", b"}")

    async def async_parts() -> AsyncIterator[bytes]:
        for part in sync_parts():
            yield part

    handler = Answering(json_response(200, {}))
    content: Any = async_parts() if client.is_async else sync_parts()
    with respx.mock(base_url=BASE, using=using) as router:
        add_route(router, handler)
        client.send(BASE, content=content)

    assert handler.requests[0].body == b"{}"


def test_route_that_passes_through_sends_the_body_on(client: Client, using: str) -> None:
    mounts = Mounts()
    handler = Answering(json_response(200, {}))
    with LoopbackServer(mounts) as server, respx.mock(using=using) as router:
        router.route().pass_through()
        assert client.send(f"{server.url}/{mounts.mount(handler)}", content=b"{}").status == 200

    assert handler.requests[0].body == b"{}"


def test_vendor_sdk_is_answered_through_httpx2() -> None:
    register_httpx2()
    request: Any = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    with respx.mock(base_url="https://api.openai.com", using="httpx2") as router:
        add_route(router, Answering(json_response(200, COMPLETION)), path="/v1/chat/completions")
        with openai.OpenAI(api_key="k") as client:
            said = client.chat.completions.create(**request).choices[0].message.content

        async def send() -> str | None:
            async with openai.AsyncOpenAI(api_key="k") as aclient:
                return (await aclient.chat.completions.create(**request)).choices[0].message.content

        assert [said, asyncio.run(send())] == ["hi", "hi"]


def test_registering_again_changes_nothing() -> None:
    register_httpx2()
    before = respx.mocks.Mocker.registry["httpx2"]
    register_httpx2()

    assert respx.mocks.Mocker.registry["httpx2"] is before


def test_respx_leaves_no_patch(using: str) -> None:
    with respx.mock(base_url=BASE, using=using, assert_all_called=False) as router:
        add_route(router, Answering(json_response(200, {})))

    assert httpx2.HTTPTransport.handle_request.__module__ == "httpx2._transports.default"
    assert httpx.HTTPTransport.handle_request.__module__ == "httpx._transports.default"
    assert CLIENTS["httpx2"].send("http://127.0.0.1:9").error.startswith("ConnectError")
