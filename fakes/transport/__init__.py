"""Thin transports around the sans-I/O fakes: a socket on loopback, a hook inside httpx, a respx route. Knows no wire.

A case is judged the same on each of them, so everything but the last step is shared: `mounts` finds the handler,
`answering` gives its response or one of ours, `framing` says which headers it goes out with, `playback` in which steps.
"""

from fakes.transport.answering import OnError
from fakes.transport.hook import InProcessHook
from fakes.transport.mounts import Mounts
from fakes.transport.server import LoopbackServer

__all__ = ["InProcessHook", "LoopbackServer", "Mounts", "OnError"]
