"""Lines of JSON, however the bytes are cut. Knows no provider."""

import codecs
from collections.abc import AsyncIterable, AsyncIterator


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
