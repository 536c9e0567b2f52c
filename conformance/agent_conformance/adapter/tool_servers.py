"""Whether the tool servers of a case were asked for their tools, over whatever they are served. Knows no protocol."""

from collections.abc import Callable

_begun: list["ToolServer"] = []


class ToolServer:
    """One server. Call `listed` whenever a client asks for its tools, from any thread."""

    def __init__(self) -> None:
        self.was_asked = False
        self.on_asked: Callable[[], None] | None = None
        _begun.append(self)

    def listed(self) -> None:
        self.was_asked = True
        if self.on_asked is not None:
            self.on_asked()


def take_whether_unasked() -> bool:
    """Whether servers were begun since the last call, and nobody has asked any of them for its tools."""
    taken = _begun[:]
    del _begun[: len(taken)]
    return bool(taken) and not any(server.was_asked for server in taken)
