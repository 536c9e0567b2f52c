"""How fast a fixture is answered: `streamingProfile` and `latency`, which are about pieces of a text. Knows no wire."""

from collections.abc import Mapping
from typing import Any

from agent_conformance.commands.serve.aimock.unmapped import Unmapped
from fake_providers.stream_timing import StreamTiming
from fake_providers.tokens import tokens_of

PIECE = 20
"""Characters of a piece in aimock, where the fixture has no `chunkSize`."""


def timing_of(entry: Mapping[str, Any], text: str | None) -> StreamTiming | None:
    """None for a fixture that is answered at once. Raises `Unmapped`."""
    profile, latency = entry.get("streamingProfile"), entry.get("latency")
    if isinstance(profile, Mapping):
        ttft, pieces_per_second = _number(profile.get("ttft")) / 1000, _number(profile.get("tps"))
        jitter = min(_number(profile.get("jitter")), 1.0)
    elif _number(latency):
        ttft, pieces_per_second, jitter = _number(latency) / 1000, 1000 / _number(latency), 0.0
    else:
        return None
    per_second = pieces_per_second * _tokens_of_piece(entry, text) or None
    try:
        return StreamTiming(ttft=ttft, tokens_per_second=per_second, jitter=jitter)
    except ValueError as error:
        raise Unmapped(f"its timing cannot be: {error}") from None


def _tokens_of_piece(entry: Mapping[str, Any], text: str | None) -> float:
    """On average, since a fake counts tokens and not pieces."""
    size = int(_number(entry.get("chunkSize"))) or PIECE
    length = len(text or "")
    pieces = -(-length // size)
    return tokens_of(length) / pieces if pieces else 1.0


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0.0
