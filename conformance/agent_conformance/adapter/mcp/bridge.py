"""The MCP server that the agent starts: copies bytes between its standard streams and the suite.

A script that needs only the standard library, started with `-I -S`, so that it starts in 20 ms in any environment.
Arguments: port on loopback, token.
"""

import os
import socket
import sys
import threading

CHUNK = 65536


def main() -> None:
    port, token = sys.argv[1:]
    try:
        suite = socket.create_connection(("127.0.0.1", int(port)))
    except OSError as error:
        sys.exit(f"the conformance suite has stopped ({error}): this server belongs to one case")
    suite.sendall(f"{token}\n".encode())
    threading.Thread(target=_send, args=(suite,), daemon=True).start()
    while data := _received(suite):
        _write(data)
    os._exit(0)  # the other thread may wait for standard input for ever


def _send(suite: socket.socket) -> None:
    """Until the agent closes standard input; then the session ends, and this process too."""
    try:
        while data := os.read(0, CHUNK):
            suite.sendall(data)
        suite.shutdown(socket.SHUT_WR)
    except OSError:
        os._exit(1)


def _received(suite: socket.socket) -> bytes:
    try:
        return suite.recv(CHUNK)
    except OSError:
        return b""


def _write(data: bytes) -> None:
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:  # the agent has gone
        os._exit(1)


if __name__ == "__main__":
    main()
