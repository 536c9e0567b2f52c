"""Whether the tool servers of a case were asked for their tools, over whatever they are served."""

from collections.abc import Callable, Mapping
from typing import Any

_begun: list["ToolServer"] = []
_observers: list[Callable[[bool], None]] = []


class ToolServer:
    """One server. Call `listed` whenever a client asks for its tools, from any thread, and `unknown` with the name and
    the arguments of a call to a tool that it does not have."""

    def __init__(self, unknown: Callable[[str, Mapping[str, Any]], None] = lambda name, arguments: None) -> None:
        self.was_asked = False
        self.unknown = unknown
        _begun.append(self)
        for observer in _observers:
            observer(False)

    def listed(self) -> None:
        self.was_asked = True
        for observer in _observers:
            observer(True)


def observe_tool_servers(observer: Callable[[bool], None]) -> None:
    """From now on call this when a server begins, and with True when one is asked: in a process beside the suite."""
    _observers.append(observer)


def take_whether_unasked() -> bool:
    """Whether servers were begun since the last call, and nobody has asked any of them for its tools."""
    taken = _begun[:]
    del _begun[: len(taken)]
    return bool(taken) and not any(server.was_asked for server in taken)
