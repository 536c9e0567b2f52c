"""A real socket on loopback, for agents in any language.

One daemon thread with an event loop of its own serves every case.

Handlers run in the loop's thread: they are pure computation of about a millisecond, which the interpreter's lock would
not let run in parallel anyway, and handing them to another thread costs a tenth of that. So a handler must not
wait: what is to be waited for goes into `Response.delay` and `Listener.hold`.
"""

import asyncio
import concurrent.futures
import contextlib
import os
import select
import socket
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fake_providers.transport.answerer import Answerer, Mounts, OnError, ignore_error
from fake_providers.transport.bounds import Beside, Bounds, sweep

if TYPE_CHECKING:
    from fake_providers.transport.connection import Connection

BACKLOG = 512
READ_BYTES = 256 * 1024
STOP_SECONDS = 5.0
CATCH_UP_SECONDS = 5.0
QUIET_ROUNDS = 5
"""Of the event loop, which takes two from accepting a connection to reading it."""


OWN_FOLDERS = tuple(f"{folder}{os.sep}" for folder in (Path(__file__).parents[1], Path(asyncio.__file__).parent))
"""Where the code of the server's own tasks is."""


class LoopbackServer:
    """Serves `mounts` at `http://127.0.0.1:<port>`, a free one unless it is named, or at another host.

    The port is bound from the constructor on; connections queue there, and are answered between `start` and `stop`.
    `on_error` is called with the fakes' own exceptions, in the server's thread. With `bounds`, it is for clients of any
    kind: large bodies are judged in threads of their own, and what is too slow or too much is ended.
    """

    def __init__(
        self,
        mounts: Mounts,
        on_error: OnError = ignore_error,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        bounds: Bounds | None = None,
    ) -> None:
        self._bounds = bounds
        self._answerer = Answerer(mounts, on_error)
        self._on_error = on_error
        self._socket = _listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: asyncio.Server | None = None
        self._connections: set[Connection] = set()

    @property
    def url(self) -> str:
        """Without a slash at the end; a mount is below it, at `/<token>`."""
        return f"http://{self.host}:{self.port}"

    @property
    def is_running(self) -> bool:
        """Whether it was started, not stopped, and its thread has not ended in an exception."""
        return self._thread is not None and self._thread.is_alive()

    def __enter__(self) -> "LoopbackServer":
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def start(self) -> None:
        """Returns at once. Raises `RuntimeError` when called twice."""
        if self._thread is not None:
            raise RuntimeError("a LoopbackServer is started once")
        # Not the policy's loop: frameworks under test install policies of their own.
        self._loop = asyncio.SelectorEventLoop()
        self._loop.set_debug(False)
        self._loop.set_exception_handler(self._report)
        self._loop.add_reader(self._socket, self._accept_first)
        self._thread = threading.Thread(target=self._run, name="fakes-loopback", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Closes every connection, also in the middle of a response; returns when the thread has ended."""
        if self._loop is not None and self._thread is not None and self._thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(STOP_SECONDS)
        if self._loop is not None and not self._loop.is_closed() and not self.is_running:
            self._finish(self._loop)
        self._socket.close()

    def catch_up(self) -> None:
        """Returns when every request is handled that was sent before the call, also by clients that have left since.

        Call it from any thread but the server's.
        """
        if self._loop is None or self._thread is None or not self._thread.is_alive():
            return
        caught_up = asyncio.run_coroutine_threadsafe(self._read_all(), self._loop)
        with contextlib.suppress(concurrent.futures.TimeoutError, concurrent.futures.CancelledError):
            caught_up.result(CATCH_UP_SECONDS)

    async def _read_all(self) -> None:
        quiet = 0
        while quiet < QUIET_ROUNDS:
            await asyncio.sleep(0)
            quiet = 0 if self._has_unread() else quiet + 1

    def _has_unread(self) -> bool:
        """Whether a connection waits to be accepted, to be read or for its turn. One that waits for its response is not
        read."""
        if any(one.has_turn for one in self._connections):
            return True
        reading = [one.transport for one in self._connections if one.transport.is_reading()]
        waited_for = [self._socket, *(transport.get_extra_info("socket") for transport in reading)]
        if not hasattr(select, "poll"):  # Windows
            return bool(select.select(waited_for, [], [], 0)[0])
        poll = select.poll()
        for end in waited_for:
            poll.register(end, select.POLLIN)
        return bool(poll.poll(0))

    def _run(self) -> None:
        loop = self._loop
        assert loop is not None
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
            self._finish(loop)
        except Exception as error:  # what asyncio calls was broken in this process: `stop` closes the rest
            self._on_error("", error)
        finally:
            asyncio.set_event_loop(None)

    def _finish(self, loop: asyncio.AbstractEventLoop) -> None:
        loop.run_until_complete(self._close())
        loop.close()

    def _accept_first(self) -> None:
        loop = self._loop
        assert loop is not None
        loop.remove_reader(self._socket)
        loop.create_task(self._listen())

    async def _listen(self) -> None:
        try:
            # Only now: most runs answer everything in process.
            from fake_providers.transport.connection import Connection

            loop = asyncio.get_running_loop()
            beside = None
            if self._bounds is not None:
                beside = Beside(self._bounds)
                self._sweeping = loop.create_task(sweep(self._connections, self._bounds))
            buffer = bytearray(READ_BYTES)
            make = partial(Connection, self._answerer, self._connections, buffer, self._bounds, beside)
            self._server = await loop.create_server(make, sock=self._socket, backlog=BACKLOG, start_serving=False)
            await self._server.start_serving()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            # No client will ever be answered: refuse connections rather than let them wait.
            self._on_error("/", error)
            self._socket.close()

    async def _close(self) -> None:
        """What is accepted meanwhile is closed too, and a connection is lost one round after it was aborted."""
        ours, quiet = asyncio.current_task(), 0
        while quiet < QUIET_ROUNDS:
            if self._server is not None:
                self._server.close()
            for connection in list(self._connections):
                connection.transport.abort()
            tasks = [task for task in asyncio.all_tasks() if task is not ours]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)
            quiet = 0 if tasks else quiet + 1

    def _report(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """In place of asyncio's own handler, which logs it: that is for tasks of others alone."""
        if _is_foreign(context.get("task") or context.get("future")):
            loop.default_exception_handler(context)
            return
        self._on_error("/", context.get("exception") or RuntimeError(context["message"]))


def _is_foreign(future: Any) -> bool:
    """Whether it is a task of a client. Garbage may be collected in this thread, and some clients start a task in their
    finaliser, on the loop that happens to run there: google-genai closes its connections so.
    """
    code = getattr(future.get_coro(), "cr_code", None) if isinstance(future, asyncio.Task) else None
    return code is not None and not code.co_filename.startswith(OWN_FOLDERS)


def _listen(host: str, port: int) -> socket.socket:
    """The protocol is named, unlike by `socket.create_server`, as asyncio sets TCP_NODELAY only on a socket that says
    it is TCP. Without, a body waits 40 ms for the client to acknowledge its headers.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    listening.setblocking(False)
    return listening
