"""Memory that a long command gives back to the system."""

import ctypes
import gc
from functools import cache
from typing import Any


def give_memory_back() -> None:
    """The C library keeps what was freed, in case it is needed again. Elsewhere than on Linux nothing happens."""
    gc.collect()
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
