"""Something served from a thread of its own, beside whatever the agent does. Knows asyncio; not what is served."""

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
"""Seconds that a server may take to start, and to end; then it is left to end with the process."""


class Background:
    """Serves until `close`. `serve` is entered on the thread's own loop; what it yields is the address.

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
        """Stop serving: connections are closed. May be called twice, and from any thread."""
        loop, closing = self._loop, self._closing
        if loop is None or closing is None or not self._thread.is_alive():
            return
        try:
            loop.call_soon_threadsafe(closing.set)
        except RuntimeError:  # the loop ended just now
            return
        self._thread.join(STOPPING)

    def _run(self) -> None:
        # Not the policy's loop: frameworks under test install policies of their own.
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
    """Serves every connection to a free port on loopback, which is what it yields. At the end open ones are cut.

    `limit` is the longest line in bytes. That a client has gone is no error.
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
