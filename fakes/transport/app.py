"""The ASGI application behind the socket: reads a request, writes its response step by step. Knows no server."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import Any

from fakes.http import Response
from fakes.transport import losing, waiting
from fakes.transport.answering import Answerer
from fakes.transport.decoding import LIMIT, too_large
from fakes.transport.framing import Framed
from fakes.transport.playback import CHECKPOINT, Playback

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class App:
    """Answers HTTP. A cut is a return before the end of the body, upon which uvicorn closes the connection."""

    def __init__(self, answerer: Answerer) -> None:
        self._answerer = answerer

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        body, size = await _read(receive)
        if body is None:
            return
        method = scope["method"]
        target = _target(scope)
        if size > LIMIT:
            framed = self._answerer.refuse(method, too_large())
        else:
            framed = self._answerer.answer(method, target, scope["headers"], body)
        client = _Client(scope["extensions"]["connection"]["transport"], receive, send)
        playback = Playback(framed.response, lambda error: self._answerer.on_error(target, error))
        try:
            await _write(framed, playback, client)
        finally:
            client.release()
            playback.done(complete=False)


def _target(scope: Message) -> str:
    path: bytes = scope["raw_path"]
    query: bytes = scope["query_string"]
    return (path + b"?" + query if query else path).decode("latin-1")


async def _read(receive: Receive) -> tuple[bytes | None, int]:
    """The body and its size, None when the client left. One beyond the limit is read to its end, and not kept:
    a client that still writes would see a reset instead of the refusal.
    """
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None, size
        size += len(message["body"])
        if size <= LIMIT:
            parts.append(message["body"])
        else:
            parts.clear()
        if not message["more_body"]:
            return b"".join(parts), size


async def _write(framed: Framed, playback: Playback, client: "_Client") -> None:
    response = framed.response
    if response.delay and not await client.stays(waiting.sleep(response.delay)):
        return
    if response.headless:
        _tell_end(playback, client)
        await client.lose(response)
        return
    client.connection.cork()
    await client.send({"type": "http.response.start", "status": response.status, "headers": list(framed.headers)})
    written = 0
    for step in playback.steps():
        if isinstance(step, bytes):
            if playback.at_last_chunk and framed.is_measured:
                _tell_end(playback, client)
            await client.send({"type": "http.response.body", "body": step, "more_body": True})
            if written % CHECKPOINT == 0:
                # The first chunk at once, as a model's would come; the others together up to here.
                client.connection.flush()
                if written:
                    await asyncio.sleep(0)
            written += 1
        elif not step.is_set():
            client.connection.flush()
            if not await client.stays(waiting.wait_for(step, None)):
                return
        if client.has_left:
            return
    if written > 1:
        # Lets the loop notice that the client has closed the connection.
        await asyncio.sleep(0)
    _tell_end(playback, client)
    if not playback.is_cut:
        await client.send({"type": "http.response.body", "body": b"", "more_body": False})
    client.connection.uncork()
    if playback.is_cut and response.loss != "closed":
        await client.lose(response)


def _tell_end(playback: Playback, client: "_Client") -> None:
    """Before the client can see the end: its next request must not come before the listener knows of it."""
    playback.done(complete=not client.has_left)


class _Client:
    """The other end of one exchange, and whether it is still there."""

    def __init__(self, connection: Any, receive: Receive, send: Send) -> None:
        self.connection = connection
        """A `protocol.Corked`."""
        self._receive = receive
        self.send = send
        self._leaving: asyncio.Future[Message] | None = None

    @property
    def has_left(self) -> bool:
        """True from the first write that failed, before uvicorn is told: asyncio complains about the fifth one on."""
        return bool(self.connection.is_closing())

    async def stays(self, wait: Coroutine[Any, Any, object]) -> bool:
        """Waits for `wait`, or until the client leaves; False if it has left."""
        if self._leaving is None:
            self._leaving = asyncio.ensure_future(self._receive())
        waiting_for = asyncio.create_task(wait)
        try:
            both: set[asyncio.Future[Any]] = {self._leaving, waiting_for}
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not waiting_for.done():
                waiting_for.cancel()
        return not self._leaving.done() and not self.has_left

    async def lose(self, response: Response) -> None:
        await losing.lose(self.connection, response.loss, stays=self.stays, release=response.release)

    def release(self) -> None:
        """Stops listening for the client's departure."""
        if self._leaving is not None:
            self._leaving.cancel()
