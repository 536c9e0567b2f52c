"""Sends a reply as fast as its timing says. Knows replies and clocks, and no transport."""

import random
import threading
from dataclasses import dataclass, replace

from fake_providers.clock import Clock
from fake_providers.http import Response, compact
from fake_providers.replies.stream_timing import StreamTiming, moments
from fake_providers.reply import Reply
from fake_providers.values.tokens import tokens_of


@dataclass(frozen=True, slots=True)
class Pacing:
    """The moments of a response's chunks, by a clock."""

    clock: Clock
    moments: tuple[float, ...]

    def wait_before(self, chunk: int) -> threading.Event | float:
        return self.clock.until(self.moments[chunk])


def paced(response: Response, reply: Reply, timing: StreamTiming, *, clock: Clock, seed: str) -> Response:
    """The response with the moments of its chunks from now on; an error with a status is sent at once."""
    if reply.fault is not None and reply.fault.status is not None:
        return response
    found = moments(timing, chunks=len(response.chunks), tokens=_tokens(reply), draw=random.Random(seed))
    now = clock.now()
    return replace(response, pacing=Pacing(clock, tuple(now + moment for moment in found)))


def _tokens(reply: Reply) -> int:
    letters = len(reply.text or "") + len(reply.thinking or "")
    for call in reply.calls:
        text = compact(call.arguments or {}) if call.arguments_text is None else call.arguments_text
        letters += len(call.name) + len(text)
    return tokens_of(letters)
