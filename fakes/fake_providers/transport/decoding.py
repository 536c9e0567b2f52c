"""Request bodies as they were before the client compressed them. Knows content encodings, not what is inside."""

import zlib

LIMIT = 50 * 1024 * 1024
"""Bytes a request body may have, before and after decoding."""


class UnreadableRequest(Exception):
    """The request cannot be read; `status` is the 4xx that says so."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def decode_body(body: bytes, encoding: str) -> bytes:
    """The body without its content encodings, of which `encoding` is the header's value.

    Knows `identity`, `gzip` and `deflate` (with and without the zlib header, as servers on the web take both). Raises
    `UnreadableRequest`: 415 for another encoding, 400 for a damaged body, 413 for one beyond `LIMIT`.
    """
    if len(body) > LIMIT:
        raise too_large()
    if not encoding:
        return body
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        if name in ("", "identity"):
            continue
        if name in ("gzip", "x-gzip"):
            body = _inflate(body, 16 + zlib.MAX_WBITS, name)
        elif name == "deflate":
            body = _inflate(body, zlib.MAX_WBITS if _has_zlib_header(body) else -zlib.MAX_WBITS, name)
        else:
            raise UnreadableRequest(415, f"The request's content-encoding is {name}; understood are gzip and deflate.")
    return body


def too_large() -> UnreadableRequest:
    return UnreadableRequest(413, f"The request's body is larger than {LIMIT} bytes.")


def _has_zlib_header(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _inflate(body: bytes, window_bits: int, name: str) -> bytes:
    inflater = zlib.decompressobj(window_bits)
    try:
        plain = inflater.decompress(body, LIMIT + 1)
    except zlib.error as error:
        raise UnreadableRequest(
            400, f"The request's body is not {name}, as its content-encoding says: {error}."
        ) from None
    if len(plain) > LIMIT:
        raise too_large()
    if not inflater.eof:
        raise UnreadableRequest(400, f"The request's {name} body ends too early.")
    return plain
