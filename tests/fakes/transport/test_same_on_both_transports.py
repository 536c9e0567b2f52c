"""A response is the same for each client, whether it came through a socket or through the hook."""

import pytest
from transport_doubles import CLIENTS, Answering, Client, Gate, Received, Site, open_site

from fake_providers import Request, Response
from fake_providers.http import json_response

STREAM = (("content-type", "text/event-stream"), ("x-request-id", "req_1"))
RESPONSES = {
    "json": json_response(200, {"text": "grüß dich"}, [("X-Request-ID", "req_1"), ("retry-after-ms", "1")]),
    "error": json_response(529, {"error": {"type": "overloaded_error"}}),
    "stream": Response(200, STREAM, (b"data: a\n\n", b"data: \xc3", b"\xa4\n\n", b"data: [DONE]\n\n")),
    "stream-of-one": Response(200, STREAM, (b"data: a\n\n",)),
    "stream-of-many": Response(200, STREAM, tuple(b"data: %d\n\n" % number for number in range(200))),
    "empty-chunks": Response(200, STREAM, (b"", b"a", b"", b"b", b"")),
    "empty": Response(200, (("content-type", "application/json"),), ()),
    "no-content": Response(204, (), ()),
    "two-cookies": Response(200, (("set-cookie", "a=1"), ("set-cookie", "b=2")), (b"x",)),
    "cut-at-once": Response(200, STREAM, (), cut=True),
    "cut-stream": Response(200, STREAM, (b"data: a\n\n", b"data: b"), cut=True),
    "cut-body": Response(200, (("content-type", "application/json"),), (b'{"text": "gr',), cut=True),
    "cut-short-of-its-length": Response(200, (("content-length", "20"),), (b'{"text": "gr',), cut=True),
    "large": Response(200, (("content-type", "application/json"),), (b"x" * 5_000_000,)),
}


def all_received(response: Response, client: Client, **request: object) -> list[Received]:
    received = []
    for transport in ("loopback", "process"):
        with open_site(transport) as site:
            received.append(client.send(f"{site.place(response)}/v1/messages", **request))
    return received


@pytest.mark.parametrize("name", [name for name in RESPONSES if name != "large"])
def test_chunks_headers_and_ending_are_the_same(name: str, client: Client) -> None:
    socket, hook = all_received(RESPONSES[name], client)

    assert socket == hook
    assert hook.status == RESPONSES[name].status
    assert hook.chunks == tuple(chunk for chunk in RESPONSES[name].chunks if chunk)
    assert bool(hook.error) is RESPONSES[name].cut


def test_five_megabytes_arrive_unchanged(client: Client) -> None:
    socket, hook = all_received(RESPONSES["large"], client)

    assert socket.body == hook.body == RESPONSES["large"].body
    assert socket.headers == hook.headers


def test_head_request_gets_headers_without_a_body(client: Client) -> None:
    socket, hook = all_received(RESPONSES["json"], client, method="HEAD")

    assert socket.body == hook.body == b""
    assert socket.status == hook.status == 200
    assert socket.error == hook.error == ""


@pytest.mark.parametrize("name", ["cut-stream", "cut-body", "cut-at-once"])
def test_cut_is_the_client_s_remote_protocol_error(name: str, site: Site, client: Client) -> None:
    received = client.send(site.place(RESPONSES[name]))

    assert received.error == (
        "RemoteProtocolError: peer closed connection without sending complete message body (incomplete chunked read)"
    )


def test_cut_response_is_complete(site: Site, client: Client) -> None:
    gate = Gate()
    client.send(site.place(Response(200, STREAM, (b"a", b"b"), cut=True, listener=gate)))

    assert gate.endings == [True]


def test_request_arrives_the_same(client: Client) -> None:
    requests: list[Request] = []
    for transport in ("loopback", "process"):
        handler = Answering(json_response(200, {}))
        with open_site(transport) as site:
            url = f"{site.place(handler)}/v1beta/models/m%3AgenerateContent?alt=sse&q=a%26b"
            client.send(url, content=b'{"a": 1}', headers={"X-Api-Key": "k", "host": "example.test"})
        requests += handler.requests

    socket, hook = requests
    assert socket == hook
    assert hook.method == "POST"
    assert hook.path == "/v1beta/models/m:generateContent?alt=sse&q=a%26b"
    assert hook.headers["x-api-key"] == "k"
    assert hook.body == b'{"a": 1}'


def test_streamed_request_body_is_joined(site: Site) -> None:
    handler = Answering(json_response(200, {}))
    CLIENTS["httpx2"].send(site.place(handler), content=iter([b'{"a"', b": 1}"]))

    assert handler.requests[0].body == b'{"a": 1}'


def test_header_sent_twice_is_joined(site: Site, client: Client) -> None:
    handler = Answering(json_response(200, {}))
    client.send(site.place(handler), headers=[("anthropic-beta", "a"), ("anthropic-beta", "b")])

    assert handler.requests[0].headers["anthropic-beta"] == "a, b"
