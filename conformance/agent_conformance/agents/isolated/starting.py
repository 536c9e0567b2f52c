"""The program that an isolated agent's first process runs: it takes the search path of the suite's process, and serves.

It imports nothing of the suite before that path is set.
"""

import importlib
import json
import socket
import sys
from pathlib import Path

MOST = 1 << 20
"""Bytes of a message of the suite."""
NURSERY = "agent_conformance.agents.isolated.nursery"


def start(number: int) -> None:
    """Serve the suite over the socket with this number. Its first message has the search path of its own process.

    The suite is imported before the agent's folders come first, where another copy of it may lie.
    """
    control = socket.socket(fileno=number)
    first = json.loads(control.recv(MOST))
    sys.path[:] = first["path"]
    sys.argv[:] = first["argv"]
    nursery = importlib.import_module(NURSERY)
    sys.path[:] = [*_folders_of_the_agent(first["spec"], Path(first["cwd"]), Path(first["root"])), *first["path"]]
    nursery.run(control, first)


def _folders_of_the_agent(spec: str, cwd: Path, root: Path) -> list[str]:
    """Where the agent's modules are looked for first: its working directory, and the folder of a file that is named."""
    file = Path(spec.rpartition(":")[0])
    found = [folder / file for folder in (cwd, root) if file.suffix == ".py" and (folder / file).is_file()]
    homes = [next(above for above in path.parents if not (above / "__init__.py").is_file()) for path in found[:1]]
    return [str(folder) for folder in (*homes, cwd)]


if __name__ == "__main__":
    start(int(sys.argv[1]))
