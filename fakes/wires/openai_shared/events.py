"""The server-sent events of a provider on either wire: the last one, and one of JSON. Knows no member."""

from typing import Any

from fakes.http import compact

DONE = b"data: [DONE]\n\n"


Chunk = dict[str, Any] | bytes
"""The JSON of one event, or bytes that stand for themselves."""


def event(chunk: Chunk) -> bytes:
    return chunk if isinstance(chunk, bytes) else f"data: {compact(chunk)}\n\n".encode(errors="replace")
