"""Unusual HTTP requests: answered like a web server would, and never with a 500."""

import gzip
import json
import zlib

import pytest
from load_requests import OWN, OWN_NAMES, LoadRequest
from load_site import Site, connect, is_served, path_of, read_all, request_bytes
from separate_server_process import Constant, FreshFake

from fake_providers import Request, Response
from fake_providers.http import json_response

OK = Constant(json_response(200, {}))


class Echo:
    """Sends back the request that it received."""

    def handle(self, request: Request) -> object:
        headers = {name: len(value) for name, value in request.headers.items()}
        return json_response(200, [request.method, request.path, request.body.decode(), headers])


def send(url: str, raw: bytes) -> bytes:
    with connect(url) as connection:
        connection.sendall(raw)
        return read_all(connection)


def status_of(received: bytes) -> int:
    assert received.startswith(b"HTTP/1.")
    return int(received.split(b" ", 2)[1])


def echo_of(received: bytes) -> list[object]:
    assert status_of(received) == 200, received[:300]
    found: list[object] = json.loads(received.partition(b"\r\n\r\n")[2])
    return found


CLOSE = "connection: close\r\n"


def test_many_and_huge_headers_arrive(loopback: Site) -> None:
    url = loopback.place(Echo())
    many = (
        "".join(f"x-{number}: y\r\n" for number in range(2000))
        + f"x-long: {'y' * 100_000}\r\n"
        + "x-same: y\r\n" * 50_000
    )
    headers = echo_of(send(url, request_bytes(url, headers=many + CLOSE)))[3]

    assert isinstance(headers, dict)
    assert len(headers) >= 2002
    assert headers["x-long"] == 100_000
    assert headers["x-same"] == 50_000 * len("y, ") - 2


def test_chunked_body_is_joined(loopback: Site) -> None:
    url = loopback.place(Echo())
    head = f"POST {path_of(url)} HTTP/1.1\r\nhost: x\r\n{CLOSE}transfer-encoding: chunked\r\n\r\n".encode()
    body = (
        b"".join(b"%x;extension=1\r\n%s\r\n" % (size, b"a" * size) for size in (1, 15, 70_000))
        + b"0\r\nx-trailer: y\r\n\r\n"
    )

    assert echo_of(send(url, head + body))[2] == "a" * 70_016


def test_trailer_after_a_large_body_is_ignored(loopback: Site) -> None:
    url = loopback.place(OK)
    head = f"POST {path_of(url)} HTTP/1.1\r\nhost: x\r\n{CLOSE}transfer-encoding: chunked\r\n\r\n".encode()

    assert status_of(send(url, head + (b"%x\r\n%s\r\n" % (9**6, b"a" * 9**6)) * 3 + b"0\r\nx: y\r\n\r\n")) == 200


@pytest.mark.parametrize("chunk", [b"zz\r\n", b"-1\r\n", b"1\r\naa\r\n", b"f" * 40 + b"\r\n", b"5\n\nabc"])
def test_malformed_chunks_get_a_400(chunk: bytes, loopback: Site) -> None:
    url = loopback.place(OK)
    head = f"POST {path_of(url)} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n".encode()

    assert status_of(send(url, head + chunk)) == 400
    assert is_served(url)
    assert loopback.errors == []


def test_endless_trailers_are_refused(loopback: Site) -> None:
    url = loopback.place(OK)
    head = f"POST {path_of(url)} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n".encode()
    with connect(url) as connection, pytest.raises(ConnectionError):
        connection.sendall(head + (b"x: " + b"y" * 1000 + b"\r\n") * 20_000)

    assert is_served(url)


@pytest.mark.parametrize("length", ["-1", "x", "1, 2", "99999999999999999999999", "5\r\ncontent-length: 6"])
def test_malformed_length_gets_a_400(length: str, loopback: Site) -> None:
    url = loopback.place(OK)

    assert (
        status_of(send(url, f"POST {path_of(url)} HTTP/1.1\r\nhost: x\r\ncontent-length: {length}\r\n\r\n".encode()))
        == 400
    )
    assert is_served(url)


def test_http_1_0_gets_a_response_and_is_closed(loopback: Site) -> None:
    url = loopback.place(Echo())
    received = send(url, f"POST {path_of(url)}/a HTTP/1.0\r\ncontent-length: 2\r\n\r\nhi".encode())

    assert echo_of(received)[:3] == ["POST", "/a", "hi"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE"])
@pytest.mark.parametrize("load_request", OWN, ids=OWN_NAMES)
def test_other_methods_on_a_model_path_are_not_model_requests(
    load_request: LoadRequest, method: str, loopback: Site
) -> None:
    url = loopback.place(FreshFake(load_request.provider, load_request.wire.name)) + load_request.path
    received = send(url, request_bytes(url, headers=CLOSE, start=method))

    assert status_of(received) in (404, 405)
    assert (received.partition(b"\r\n\r\n")[2] == b"") is (method == "HEAD")


@pytest.mark.parametrize(
    "start", ["OPTIONS * HTTP/1.1", "CONNECT x:1 HTTP/1.1", "GET http://x/y HTTP/1.1", "GET x HTTP/1.1"]
)
def test_targets_that_are_not_paths_are_refused(start: str, loopback: Site) -> None:
    received = send(loopback.url, f"{start}\r\nhost: x\r\n{CLOSE}\r\n".encode())

    assert status_of(received) in (400, 404)
    assert loopback.errors == []


@pytest.mark.parametrize("size", [2, 70_000])
def test_upgrade_is_declined_and_the_request_answered(size: int, loopback: Site) -> None:
    """Java's client sends it with every request in plain text; no model server accepts it."""
    url = loopback.place(Echo())
    upgrade = "connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAAB\r\n"
    body = b"a" * size
    received = send(
        url, request_bytes(url, headers=upgrade, body=body) + request_bytes(url, headers=upgrade + CLOSE, body=body)
    )

    assert received.count(b"HTTP/1.1 200") == 2
    assert received.count(body) == 2
    assert loopback.errors == []


def test_upgrade_is_declined_with_a_chunked_body_that_waits(loopback: Site) -> None:
    url = loopback.place(Echo())
    head = f"POST {path_of(url)} HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: h2c\r\n"
    with connect(url) as connection:
        connection.sendall(f"{head}expect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n".encode())
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(b"2\r\nhi\r\n0\r\n\r\n" + request_bytes(url, headers=CLOSE))

        assert b'"hi"' in read_all(connection)


def test_absolute_target_is_understood(loopback: Site) -> None:
    url = loopback.place(Echo())
    received = send(url, request_bytes(url, headers=CLOSE).replace(b"POST /", b"POST http://127.0.0.1/", 1))

    assert echo_of(received)[1] == "/"


def test_stream_for_http_1_0_is_neither_chunked_nor_kept_open(loopback: Site) -> None:
    url = loopback.place(Constant(Response(200, (("content-type", "text/event-stream"),), (b"a", b"b"))))
    received = send(url, f"POST {path_of(url)} HTTP/1.0\r\n\r\n".encode())

    assert received.endswith(b"\r\n\r\nab")
    assert b"transfer-encoding" not in received


PATHS = {
    "/v1%2Fmessages": "/v1%2Fmessages",
    "/a%20b": "/a%20b",
    "/models/x%3AgenerateContent": "/models/x:generateContent",
    "//v1//messages": "//v1//messages",
    "/./a/../b": "/./a/../b",
    "/%": "/%25",
    "/%zz": "/%25zz",
    "/%ff%00": "/%FF%00",
    "/a?b=%zz&c#d": "/a?b=%zz&c",
    "/a;b?": "/a;b",
    "/" + "a" * 50_000: "/" + "a" * 50_000,
}


@pytest.mark.parametrize("path", PATHS, ids=[path[:20] for path in PATHS])
def test_paths_arrive_unchanged(path: str, loopback: Site) -> None:
    url = loopback.place(Echo()) + path

    assert echo_of(send(url, request_bytes(url, headers=CLOSE)))[1] == PATHS[path]


@pytest.mark.parametrize(
    "path", ["//v1/messages", "/v1//messages", "/%76%31/messages", "/v1/messages/", "/V1/MESSAGES", "/"]
)
@pytest.mark.parametrize("load_request", OWN, ids=OWN_NAMES)
def test_fakes_respond_to_odd_paths_without_a_500(load_request: LoadRequest, path: str, loopback: Site) -> None:
    url = loopback.place(FreshFake(load_request.provider, load_request.wire.name)) + path
    headers = "".join(f"{name}: {value}\r\n" for name, value in load_request.headers.items())

    assert status_of(send(url, request_bytes(url, headers=headers + CLOSE, body=load_request.content))) < 500
    assert loopback.errors == []


BODY = b'{"a": 1}'
ENCODED = {
    "gzip": (gzip.compress(BODY), 200),
    "deflate": (zlib.compress(BODY), 200),
    "br": (b"\x0b\x03\x80" + BODY + b"\x03", 415),
    "zstd": (b"\x28\xb5\x2f\xfd" + BODY, 415),
    "compress": (b"\x1f\x9d" + BODY, 415),
    "x" * 10_000: (BODY, 415),
    "gzip;q=1": (gzip.compress(BODY), 415),
    ",,,": (BODY, 200),
}


@pytest.mark.parametrize("encoding", ENCODED, ids=[encoding[:10] for encoding in ENCODED])
def test_content_encodings_are_decoded_or_refused(encoding: str, loopback: Site) -> None:
    url, (body, status) = loopback.place(Echo()), ENCODED[encoding]
    received = send(url, request_bytes(url, headers=f"content-encoding: {encoding}\r\n{CLOSE}", body=body))

    assert status_of(received) == status
    assert status != 200 or echo_of(received)[2] == BODY.decode()
    assert loopback.errors == []


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin-1", "", "x"]
)
@pytest.mark.parametrize("load_request", OWN, ids=OWN_NAMES)
def test_wrong_content_type_is_not_a_500(load_request: LoadRequest, kind: str, loopback: Site) -> None:
    url = loopback.place(FreshFake(load_request.provider, load_request.wire.name)) + load_request.path
    headers = "".join(f"{name}: {value}\r\n" for name, value in {**load_request.headers, "content-type": kind}.items())

    assert status_of(send(url, request_bytes(url, headers=headers + CLOSE, body=load_request.content))) in (
        200,
        400,
        415,
    )
    assert loopback.errors == []


@pytest.mark.parametrize("names", [[], ["localhost", "localhost"]])
def test_host_is_named_once(names: list[str], loopback: Site) -> None:
    url = loopback.place(OK)
    hosts = "".join(f"Host: {name}\r\n" for name in names)
    received = send(url, f"POST {path_of(url)} HTTP/1.1\r\n{hosts}{CLOSE}content-length: 0\r\n\r\n".encode())

    assert status_of(received) == 400
    assert f"The request has {len(names) or 'no'} Host headers; HTTP/1.1 demands one.".encode() in received


def test_host_may_be_left_out_in_the_version_that_had_none(loopback: Site) -> None:
    url = loopback.place(OK)

    assert status_of(send(url, f"POST {path_of(url)} HTTP/1.0\r\ncontent-length: 0\r\n\r\n".encode())) == 200
