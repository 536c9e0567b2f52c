"""Server-sent events, however the bytes are cut. Knows no provider."""

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
