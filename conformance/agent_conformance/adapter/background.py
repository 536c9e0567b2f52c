"""A server in a thread of its own, which runs next to the agent."""

import asyncio
import contextlib
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Self

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

STARTING = 10.0
STOPPING = 5.0
"""Seconds that a server may take to start and to stop; after that it stops with the process."""


class Background:
    """Serves until `close`. `serve` is entered on the thread's own event loop and yields the address.

    Raises what `serve` raises before it yields.
    """

    def __init__(self, serve: Callable[[], AbstractAsyncContextManager[str]], *, name: str) -> None:
        self._serve = serve
        self._address: Future[str] = Future()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self.address = self._address.result(STARTING)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving and close connections. May be called twice, and from any thread."""
        loop, closing = self._loop, self._closing
        if loop is None or closing is None or not self._thread.is_alive():
            return
        try:
            loop.call_soon_threadsafe(closing.set)
        except RuntimeError:  # the loop has just ended
            return
        self._thread.join(STOPPING)

    def _run(self) -> None:
        # Not the loop of the policy: frameworks under test install their own policies.
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            self._loop = runner.get_loop()
            runner.run(self._until_closed())

    async def _until_closed(self) -> None:
        self._closing = asyncio.Event()
        try:
            async with self._serve() as address:
                self._address.set_result(address)
                await self._closing.wait()
        except BaseException as error:
            if self._address.done():
                raise
            self._address.set_exception(error)


@asynccontextmanager
async def connections_to(
    handle: Handle, *, limit: int = 2**16, context: ssl.SSLContext | None = None
) -> AsyncIterator[str]:
    """Serve every connection to a free loopback port; yields the port. Open connections are closed at the end.

    `limit` is the longest line in bytes. A client that disconnects is not an error.
    """
    running: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.get_running_loop().create_task(_handled(handle, reader, writer))
        running[task] = writer
        task.add_done_callback(lambda done: running.pop(done).close())

    server = await asyncio.start_server(accept, "127.0.0.1", 0, limit=limit, ssl=context)
    try:
        yield str(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task, writer in running.items():
            task.cancel()
            writer.transport.abort()
        await asyncio.gather(*running, return_exceptions=True)


async def _handled(handle: Handle, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        await handle(reader, writer)
