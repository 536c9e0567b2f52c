"""Server-sent events of a provider on either wire: one with JSON, and the last one. Knows no members."""

from typing import Any

from fake_providers.http import AS_ESCAPE, compact

DONE = b"data: [DONE]\n\n"


Chunk = dict[str, Any] | bytes
"""The JSON of one event, or bytes that are sent unchanged."""


def event(chunk: Chunk) -> bytes:
    return chunk if isinstance(chunk, bytes) else f"data: {compact(chunk)}\n\n".encode(errors=AS_ESCAPE)
