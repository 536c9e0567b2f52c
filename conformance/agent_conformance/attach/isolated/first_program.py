"""The program that an isolated agent's first process runs: it takes the search path of the suite's process, and serves.

It imports nothing of the suite before that path is set.
"""

import importlib
import json
import os
import socket
import sys
from pathlib import Path

FORK_SERVER = "agent_conformance.attach.isolated.forkserver"
KEY = "AGENT_CONFORMANCE_KEY"
"""The variable with what tells the suite that it is this process that connects."""


def start(how: str, number: int) -> None:
    """Serve the suite over the `socket` with this number, or over connections to this `port` of loopback.

    The first message has the search path of the suite's own process. The suite is imported before the agent's folders
    come first, where another copy of it may lie.
    """
    if how == "socket":
        control, *others = [socket.socket(fileno=number)]
    else:
        control, *others = connections(number, os.environ.pop(KEY))
    first = json.loads(control.makefile("rb").readline())
    sys.path[:] = first["path"]
    sys.argv[:] = first["argv"]
    fork_server = importlib.import_module(FORK_SERVER)
    # Where the agent's modules are looked for first: its working directory, and the folder of a file that is
    # named.
    cwd = Path(first["cwd"])
    root = Path(first["root"])
    file = Path(first["spec"].rpartition(":")[0])
    found = [folder / file for folder in (cwd, root) if file.suffix == ".py" and (folder / file).is_file()]
    homes = [next(above for above in path.parents if not (above / "__init__.py").is_file()) for path in found[:1]]
    sys.path[:] = [*[str(folder) for folder in (*homes, cwd)], *first["path"]]
    fork_server.run(control, others, first)


def connections(port: int, key: str) -> list[socket.socket]:
    """The control, the channel and the questions, as the suite accepts them one after another."""
    made = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
    for number, end in enumerate(made):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end.sendall(f"{key}{number}".encode())
    return made


if __name__ == "__main__":
    start(sys.argv[1], int(sys.argv[2]))
