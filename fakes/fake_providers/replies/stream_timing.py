"""When the pieces of a reply are sent: after how long the first one, and how fast the others. Knows no clock."""

import math
import random
from dataclasses import dataclass

MOST_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTiming:
    """How fast a model replies; by default at once.

    `ttft` is the time to the first token, in seconds. Each further piece of a stream takes the time of its share of the
    tokens, more or less by the share `jitter`: 0.2 is 80 to 120 %. After `stall_after` tokens nothing is sent for
    `stall` seconds; a shorter reply does not stall. What is not streamed is sent when its last token would be.

    Raises `ValueError` for what no stream can be.
    """

    ttft: float = 0.0
    tokens_per_second: float | None = None
    jitter: float = 0.0
    stall: float = 0.0
    stall_after: int = 1

    def __post_init__(self) -> None:
        _check("ttft", self.ttft, least=0, most=MOST_SECONDS)
        _check("stall", self.stall, least=0, most=MOST_SECONDS)
        _check("jitter", self.jitter, least=0, most=1)
        _check("stall_after", self.stall_after, least=1, most=math.inf)
        if self.tokens_per_second is not None:
            _check("tokens_per_second", self.tokens_per_second, least=0.1, most=math.inf)


def _check(name: str, value: float, *, least: float, most: float) -> None:
    if least <= value <= most:
        return
    bounds = f"from {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
    raise ValueError(f"`{name}` is {value:g}; expected a number {bounds}.")


def moments(timing: StreamTiming, *, chunks: int, tokens: int, draw: random.Random) -> tuple[float, ...]:
    """When each chunk is sent, in seconds after the request. The tokens are spread evenly over the chunks."""
    if chunks < 1:
        return ()
    seconds = tokens / timing.tokens_per_second if timing.tokens_per_second else 0.0
    stalls = timing.stall > 0 and tokens > timing.stall_after
    if chunks == 1:
        return (timing.ttft + seconds + (timing.stall if stalls else 0.0),)
    stalled = max(1, math.ceil(timing.stall_after * (chunks - 1) / tokens)) if stalls else 0
    found = [timing.ttft]
    for chunk in range(1, chunks):
        taken = seconds / (chunks - 1) * draw.uniform(1 - timing.jitter, 1 + timing.jitter)
        found.append(found[-1] + taken + (timing.stall if chunk == stalled else 0.0))
    return tuple(found)
