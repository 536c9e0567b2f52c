"""Server-sent events, however the bytes are cut."""

import codecs
from collections.abc import AsyncIterable, AsyncIterator


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    """The data of each event, as soon as its blank line arrives; a last event that was cut off is left out.

    Lines end in LF, CR LF or CR; comments, event names and ids are skipped; characters may be cut anywhere.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    data: list[str] = []
    async for chunk in chunks:
        rest += decoder.decode(chunk)
        lines, rest = _complete_lines(rest)
        for line in lines:
            if line.startswith("data:"):
                data.append(line[5:].removeprefix(" "))
            elif not line and data:
                yield "\n".join(data)
                data = []


def _complete_lines(text: str) -> tuple[list[str], str]:
    """The finished lines and what is left; a CR at the very end may still be half of a line end."""
    held = "\r" if text.endswith("\r") else ""
    text = text.removesuffix("\r")
    *lines, rest = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines, rest + held


async def lines(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    """Each line that is not blank, as soon as its end arrives; the last line also without an end."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    async for chunk in chunks:
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        for line in whole:
            if line.strip():
                yield line
    if rest.strip():
        yield rest


SHORTEST = 16
"""Two lengths, their checksum, and that of the whole frame, four bytes each."""


async def frames(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    """Each event or exception as JSON, `{"<name>": payload}`, as soon as its frame is whole.

    A last frame that was cut off is left out. Checksums are not looked at: the connection has its own.
    """
    rest = b""
    async for chunk in chunks:
        rest += chunk
        while len(rest) >= (length := max(SHORTEST, int.from_bytes(rest[:4], "big"))):
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
