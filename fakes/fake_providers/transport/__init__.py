"""Thin transports around the sans-I/O fakes: a socket on loopback, a hook inside httpx, a respx route.

A case must get the same verdict on each of them, so they share everything but the last step: `answerer` finds
the handler and returns its response or an error of the transport, and `framing` adds the header that says where the
body ends, and orders the chunks.
"""

from fake_providers.transport.answerer import Mounts, OnError
from fake_providers.transport.hook import InProcessHook
from fake_providers.transport.server import LoopbackServer

__all__ = ["InProcessHook", "LoopbackServer", "Mounts", "OnError"]
