"""The process in which cases run: kept as it was, on this machine, and alive.

Garbage of agents is collected on its agent's thread, at the end of each case: a collection runs finalisers, in
whichever thread happens to begin it. Within the fake they would hold its lock, and in the thread that judges nothing
limits them.

A default client of an SDK loads all trusted certificates when it is built, which took most of a case's CPU time. Cases
use plain http on loopback and need none. The shipped one is self-signed and its key was deleted: no server can use it.
"""

import contextlib
import gc
from collections.abc import Iterator, Mapping
from pathlib import Path

from agent_conformance.run.process.isolation import environment_with


@contextlib.contextmanager
def collections_held() -> Iterator[None]:
    """No collection begins by itself."""
    was_enabled, thresholds = gc.isenabled(), gc.get_threshold()
    gc.disable()
    try:
        yield
    finally:
        if gc.get_threshold() != thresholds:
            gc.set_threshold(*thresholds)
        if was_enabled:
            gc.enable()
        else:
            gc.disable()


def hold_collections() -> None:
    """Once more, should the agent have enabled them."""
    if gc.isenabled():
        gc.disable()


def old_collections() -> int:
    """How often all objects were collected so far; after that, what a case has left is among the old ones."""
    return int(gc.get_stats()[2]["collections"])


def collect_garbage(*, old_before: int) -> None:
    """Call it on the agent's thread. What a case has left is young, unless the agent itself has collected."""
    gc.collect(0 if old_collections() == old_before else 2)


FILE = Path(__file__).parent / "certificate.pem"

VARIABLES: Mapping[str, str] = {"SSL_CERT_FILE": str(FILE)}
"""What `one_certificate` sets, for child processes that get an environment of their own."""


@contextlib.contextmanager
def one_certificate() -> Iterator[None]:
    """Points OpenSSL, httpx and httpx2 at the shipped certificate; clients built inside trust no https server.

    The environment is the process's: do not use it while other threads need https.
    """
    with environment_with(VARIABLES):
        yield
