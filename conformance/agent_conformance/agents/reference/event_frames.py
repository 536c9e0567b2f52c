"""Amazon's event stream, however the bytes are cut. Knows no provider."""

from collections.abc import AsyncIterable, AsyncIterator

SHORTEST = 16
"""Two lengths, their checksum, and that of the whole frame, four bytes each."""


async def frames(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    """Each event or exception as JSON, `{"<name>": payload}`, as soon as its frame is whole.

    A last frame that was cut off is left out. Checksums are not looked at: the connection has its own.
    """
    rest = b""
    async for chunk in chunks:
        rest += chunk
        while len(rest) >= SHORTEST and len(rest) >= (length := max(SHORTEST, int.from_bytes(rest[:4], "big"))):
            yield _event(rest[:length])
            rest = rest[length:]


def _event(frame: bytes) -> str:
    end = 12 + int.from_bytes(frame[4:8], "big")
    headers, at = {}, 12
    while at < end:
        name_end = at + 1 + frame[at]
        length = int.from_bytes(frame[name_end + 1 : name_end + 3], "big")
        headers[frame[at + 1 : name_end].decode()] = frame[name_end + 3 : name_end + 3 + length].decode()
        at = name_end + 3 + length
    kind = headers.get(":message-type", "event")
    return f'{{"{headers[f":{kind}-type"]}":{frame[end:-4].decode()}}}'
