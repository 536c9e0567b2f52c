"""`writing` alone, with a connection that records the order of calls, which a race would show only sometimes."""

import asyncio
import threading
from typing import Any

import pytest

from fake_providers import Response
from fake_providers.http import json_response
from fake_providers.transport import connection
from fake_providers.transport.framing import Delivery, frame


class Noting:
    """A listener, the client and its connection in one; `notes` is what happened, in order."""

    is_full = False

    def __init__(self, *, leaves_after: int = 99) -> None:
        self.notes: list[Any] = []
        self.transport: Any = self
        self._leaves_after = leaves_after

    def hold(self, chunk: int) -> threading.Event | None:
        self.notes.append(f"hold {chunk}")
        return None

    def done(self, *, complete: bool) -> None:
        self.notes.append("complete" if complete else "incomplete")

    @property
    def has_left(self) -> bool:
        return len(self.written) > self._leaves_after

    async def drained(self) -> None:
        raise AssertionError("this client is never full")

    def write(self, data: bytes) -> None:
        if data:
            self.notes.append(data)

    def close(self) -> None:
        self.notes.append("close")

    @property
    def written(self) -> list[bytes]:
        return [note for note in self.notes if isinstance(note, bytes)]


def write(response: Response, noting: Noting, **options: Any) -> list[Any]:
    """What happened after the head, up to where something has to be waited for; the client leaves then."""
    delivery = Delivery(response, noting.notes.append)
    steps = connection.steps_of(frame(response, method="POST"), delivery, noting, **{"closing": False, **options})
    wait = next(steps, None)
    if wait is not None:
        wait.close()
        steps.close()
    return [note.partition(b"\r\n\r\n")[2] if note is noting.written[0] else note for note in noting.notes]


def test_body_with_a_length_is_complete_before_it_is_written() -> None:
    noting = Noting()
    body = json_response(200, {})

    assert write(Response(200, body.headers, body.chunks, listener=noting), noting) == ["hold 0", "complete", b"{}"]


def test_stream_is_complete_before_its_end_is_written() -> None:
    noting = Noting()
    stream = Response(200, (), (b"a", b"b"), listener=noting)

    assert write(stream, noting) == [
        "hold 0",
        b"1\r\na\r\n",
        "hold 1",
        "complete",
        b"1\r\nb\r\n0\r\n\r\n",
    ]


@pytest.mark.parametrize("chunks", [(), (b"",), (b"a", b"")])
def test_stream_whose_last_chunk_is_empty_is_complete_before_its_end_is_written(chunks: tuple[bytes, ...]) -> None:
    noting = Noting()
    *before, last = write(Response(200, (), chunks, listener=noting), noting)

    assert before[-1] == "complete"
    assert isinstance(last, bytes)


@pytest.mark.parametrize("chunks", [(b"a",), (b"a", b"b")])
def test_cut_stream_is_complete_and_closed_without_an_end(chunks: tuple[bytes, ...]) -> None:
    noting = Noting()
    notes = write(Response(200, (), chunks, cut=True, listener=noting), noting)

    assert notes[-1] == "close"
    assert "complete" in notes
    assert b"".join(note for note in notes if isinstance(note, bytes)).endswith(b"1\r\n" + chunks[-1] + b"\r\n")


def test_nothing_is_written_to_a_client_that_has_left() -> None:
    noting = Noting(leaves_after=0)
    stream = Response(200, (), (b"a", b"b", b"c", b"d"), listener=noting)

    assert write(stream, noting) == ["hold 0", b"1\r\na\r\n", "incomplete"]


def test_stream_is_complete_for_a_client_that_leaves_at_its_last_chunk() -> None:
    noting = Noting(leaves_after=1)
    notes = write(Response(200, (), (b"a", b"b" * (connection.BATCH + 1)), listener=noting), noting)

    assert [note for note in notes if isinstance(note, str)] == ["hold 0", "hold 1", "complete"]


def test_first_chunk_is_written_at_once_and_the_others_together() -> None:
    assert write(Response(200, (), (b"a", b"b", b"c")), Noting()) == [
        b"1\r\na\r\n",
        b"1\r\nb\r\n1\r\nc\r\n0\r\n\r\n",
    ]


class HoldsThirdChunk(Noting):
    """Holds the third chunk forever; the client leaves meanwhile."""

    def hold(self, chunk: int) -> threading.Event | None:
        return threading.Event() if chunk == 2 else None


def test_chunks_before_a_held_one_are_written() -> None:
    noting = HoldsThirdChunk()

    assert write(Response(200, (), (b"a", b"b", b"c"), listener=noting), noting) == [
        b"1\r\na\r\n",
        b"1\r\nb\r\n",
        "incomplete",
    ]


class Pauses:
    """So many seconds before each chunk."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = seconds

    def wait_before(self, chunk: int) -> threading.Event | float:
        return self._seconds[chunk]


def test_chunks_before_a_pause_are_written() -> None:
    stream = Response(200, (), (b"a", b"b", b"c"), pacing=Pauses(0.0, 0.0, 60.0))

    assert write(stream, Noting()) == [b"1\r\na\r\n", b"1\r\nb\r\n"]


def test_head_is_written_before_a_pause() -> None:
    noting = Noting()

    assert write(Response(200, (), (b"a", b"b"), pacing=Pauses(60.0, 60.0)), noting) == [b""]
    assert noting.written[0].startswith(b"HTTP/1.1 200 OK\r\n")


class Full(Noting):
    """A client that does not read."""

    is_full = False

    async def drained(self) -> None:
        self.notes.append("drained")
        self.is_full = False


def test_client_that_does_not_read_is_waited_for_after_a_pause() -> None:
    stream = Response(200, (), (b"a", b"b"), pacing=Pauses(0.0, 0.001))
    noting = Full()

    async def run() -> None:
        delivery = Delivery(stream, lambda error: None)
        for wait in connection.steps_of(frame(stream, method="POST"), delivery, noting, closing=False):
            await wait
            noting.is_full = "drained" not in noting.notes

    asyncio.run(run())

    assert noting.notes[1:] == ["drained", b"1\r\nb\r\n0\r\n\r\n"]


def test_large_stream_lets_other_tasks_run() -> None:
    stream = Response(200, (), (b"x" * 40_000,) * 9)
    noting, turns = Noting(), 0

    async def run() -> None:
        nonlocal turns
        delivery = Delivery(stream, lambda error: None)
        for wait in connection.steps_of(frame(stream, method="POST"), delivery, noting, closing=False):
            await wait
            turns += 1

    asyncio.run(run())

    assert turns == 4
    assert b"".join(noting.written).count(b"x" * 40_000) == 9


def test_client_of_http_1_0_gets_chunks_without_lengths_and_a_close() -> None:
    stream = Response(200, (), (b"a", b"b"))

    assert write(stream, Noting(), closing=True, version="1.0") == [b"a", b"b", "close"]
