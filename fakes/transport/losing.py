"""How a connection is lost on a socket: closed, reset, or silent. Knows asyncio's transports, and no HTTP."""

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from fakes.reply import Loss
from fakes.transport import waiting

NO_LINGER = struct.pack("ii", 1, 0)
"""A socket that is closed so sends a reset in place of a regular end."""


async def lose(
    connection: Any,
    loss: Loss,
    *,
    stays: Callable[[Coroutine[Any, Any, object]], Awaitable[bool]],
    release: threading.Event | None,
) -> None:
    """Ends `connection`, an asyncio transport; after `silent`, once the client has left or `release` is set.

    `stays` waits for something as long as the client stays. What was written before reaches the client first.
    """
    if loss == "silent":
        await stays(waiting.wait_for(release or threading.Event(), None))
    if loss == "reset":
        with contextlib.suppress(OSError):
            connection.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
        connection.abort()
    else:
        connection.close()
    # Lets the loop tell the protocol, which would answer in place of a response that never began.
    await asyncio.sleep(0)
