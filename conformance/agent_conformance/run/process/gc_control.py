"""When garbage of agents is collected: on its agent's thread, at the end of each case.

A collection runs finalisers, in whichever thread happens to begin it: within the fake they would hold its lock, and in
the thread that judges nothing limits them.
"""

import contextlib
import gc
from collections.abc import Iterator


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
