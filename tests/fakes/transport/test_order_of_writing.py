"""The application alone, with a server that notes the order of things: what a race would show only sometimes."""

import asyncio
import threading
from typing import Any

import pytest
from transport_doubles import Answering

from fakes import Response
from fakes.http import json_response
from fakes.transport import Mounts
from fakes.transport.answering import Answerer
from fakes.transport.app import App


class Noting:
    """A listener, the connection and the server in one; `notes` is what happened, in order."""

    def __init__(self, *, leaves_after: int = 99) -> None:
        self.notes: list[Any] = []
        self._leaves_after = leaves_after

    def hold(self, chunk: int) -> threading.Event | None:
        self.notes.append(f"hold {chunk}")
        return None

    def done(self, *, complete: bool) -> None:
        self.notes.append("complete" if complete else "incomplete")

    def cork(self) -> None:
        self.sent: list[int] = []

    def flush(self) -> None:
        self.sent.append(sum(isinstance(note, bytes) for note in self.notes))

    uncork = flush

    def is_closing(self) -> bool:
        return sum(isinstance(note, bytes) for note in self.notes) > self._leaves_after

    async def receive(self) -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(self, message: dict[str, Any]) -> None:
        self.notes.append(message["body"] if "body" in message else message["status"])


def write(response: Response, noting: Noting) -> list[Any]:
    mounts = Mounts()
    scope = {
        "method": "POST",
        "raw_path": f"/{mounts.mount(Answering(response))}/v1".encode(),
        "query_string": b"",
        "headers": [],
        "extensions": {"connection": {"transport": noting}},
    }
    asyncio.run(App(Answerer(mounts))(scope, noting.receive, noting.send))
    return noting.notes


def test_measured_body_is_told_as_complete_before_its_last_byte() -> None:
    noting = Noting()
    body = json_response(200, {})

    assert write(Response(200, body.headers, body.chunks, listener=noting), noting) == [
        200,
        "hold 0",
        "complete",
        b"{}",
        b"",
    ]


def test_stream_is_told_as_complete_before_its_final_chunk() -> None:
    noting = Noting()
    stream = Response(200, (), (b"a", b"b"), listener=noting)

    assert write(stream, noting) == [200, "hold 0", b"a", "hold 1", b"b", "complete", b""]


@pytest.mark.parametrize("chunks", [(b"a",), (b"a", b"b")])
def test_cut_stream_is_told_and_not_ended(chunks: tuple[bytes, ...]) -> None:
    noting = Noting()
    notes = write(Response(200, (), chunks, cut=True, listener=noting), noting)

    assert notes[-2:] == [chunks[-1], "complete"]


def test_nothing_is_written_to_a_client_that_has_left() -> None:
    noting = Noting(leaves_after=1)
    stream = Response(200, (), (b"a", b"b", b"c", b"d"), listener=noting)

    assert write(stream, noting) == [200, "hold 0", b"a", "hold 1", b"b", "incomplete"]


def test_first_chunk_goes_out_at_once_and_the_others_together() -> None:
    noting = Noting()
    write(Response(200, (), (b"a", b"b", b"c")), noting)

    assert noting.sent == [1, 4]


class Holding(Noting):
    """Holds the third chunk for ever; the client leaves meanwhile."""

    def hold(self, chunk: int) -> threading.Event | None:
        return threading.Event() if chunk == 2 else None


def test_chunks_before_a_held_one_go_out() -> None:
    noting = Holding()
    write(Response(200, (), (b"a", b"b", b"c"), listener=noting), noting)

    assert noting.sent == [1, 2]
