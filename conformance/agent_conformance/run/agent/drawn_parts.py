"""The parts of a scenario as agents get them, with the pictures drawn. Knows no agent."""

import base64
import random
import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal

from agent_conformance.adapter.types import Part, Tool
from agent_conformance.scenario.base_model import ImageSpec, PartSpec, parts_of
from agent_conformance.scenario.model import Turn

MEDIA_TYPES = {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "svg": "image/svg+xml"}


def made(parts: Sequence[PartSpec], *, seed: str) -> list[Part]:
    """Texts and pictures; each of these pictures, and those of another seed, are different."""
    return [_part(part, f"{seed} {index}") for index, part in enumerate(parts)]


def message_of(turn: Turn, number: int) -> str | list[Part]:
    """What the user sends in the turn of this number: a text, or the parts that the scenario writes."""
    return turn.user if isinstance(turn.user, str) else made(turn.user, seed=f"turn {number}")


def made_result(value: Any, *, seed: str) -> Any:
    """A result as a tool returns it: `{parts: [...]}` as a list of parts, any other JSON value as it is."""
    parts = parts_of(value)
    return value if parts is None else made(parts, seed=seed)


def text_alone(value: Any) -> str:
    """A result as text, without pictures."""
    if isinstance(value, list) and any(isinstance(part, Part) for part in value):
        return "\n".join(part.text for part in value if part.type == "text")
    return Tool.text(value)


def _part(part: PartSpec, seed: str) -> Part:
    if part.image is None:
        return Part("text", part.text or "")
    return Part("image", media_type=MEDIA_TYPES[part.image.media_type], data=_data(part.image, seed))


def _data(image: ImageSpec, seed: str) -> str:
    return base64.b64encode(drawn(image.media_type, image.width, image.height, seed)).decode()


# Draws pictures: noise that is the same for the same seed.

Format = Literal["png", "jpeg", "gif", "svg"]

LEAST_BYTES = 2048
"""Every picture has at least so many bytes of noise, so that its base64 is long and like no other."""
MOST_FINE = 256 * 256
"""Pixels of a PNG in shades of grey. A larger one is black and white, with noise at the top alone."""


@lru_cache(maxsize=64)
def drawn(format: Format, width: int, height: int, seed: str) -> bytes:
    """The file of a picture."""
    noise = random.Random(seed)
    match format:
        case "png":
            return _png(width, height, noise)
        case "jpeg":
            return _jpeg(width, height, noise)
        case "gif":
            return _gif(width, height, noise)
        case "svg":
            return _svg(width, height, noise)


def _png(width: int, height: int, noise: random.Random) -> bytes:
    is_fine = width * height <= MOST_FINE
    row = width if is_fine else -(-width // 8)
    pixels = noise.randbytes(row * height if is_fine else min(LEAST_BYTES, row * height)).ljust(row * height, b"\0")
    rows = b"".join(b"\0" + pixels[start : start + row] for start in range(0, row * height, row))
    header = struct.pack(">IIBBBBB", width, height, 8 if is_fine else 1, 0, 0, 0, 0)
    comment = b"Comment\0" + noise.randbytes(LEAST_BYTES // 2).hex().encode()
    chunks = ((b"IHDR", header), (b"tEXt", comment), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _jpeg(width: int, height: int, noise: random.Random) -> bytes:
    """Grey blocks, each of one shade. The tables of codes have two codes for a shade and one for the end of a block."""
    segments = (
        (0xFE, noise.randbytes(LEAST_BYTES // 2).hex().encode()),
        (0xDB, b"\0" + b"\x10" * 64),
        (0xC0, struct.pack(">BHHBBBB", 8, height, width, 1, 1, 0x11, 0)),
        (0xC4, b"\x00" + bytes([0, 2] + [0] * 14) + b"\0\1"),
        (0xC4, b"\x10" + bytes([0, 1] + [0] * 14) + b"\0"),
        (0xDA, b"\1\1\0\0\x3f\0"),
    )
    head = b"".join(bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data for marker, data in segments)
    blocks = -(-width // 8) * -(-height // 8)
    bits = "".join(noise.choice(("0000", "01000", "01100")) for _ in range(blocks))
    bits += "1" * (-len(bits) % 8)
    scan = int(bits, 2).to_bytes(len(bits) // 8, "big").replace(b"\xff", b"\xff\0")
    return b"\xff\xd8" + head + scan + b"\xff\xd9"


def _gif(width: int, height: int, noise: random.Random) -> bytes:
    """Without compression: each code is one byte, and the table of codes begins anew before it needs nine bits."""
    pixels = bytes(value & 0x7F for value in noise.randbytes(LEAST_BYTES)) + bytes(max(0, width * height - LEAST_BYTES))
    codes = b"".join(b"\x80" + pixels[start : start + 100] for start in range(0, width * height, 100)) + b"\x81"
    palette = b"".join(bytes((2 * shade,) * 3) for shade in range(128))
    comment = noise.randbytes(LEAST_BYTES // 2).hex().encode()
    head = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF6, 0, 0) + palette
    image = b"," + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x07"
    return head + b"!\xfe" + b"".join(_blocks(comment)) + image + b"".join(_blocks(codes)) + b";"


def _blocks(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), 255):
        block = data[start : start + 255]
        yield bytes((len(block),)) + block
    yield b"\0"


def _svg(width: int, height: int, noise: random.Random) -> bytes:
    points = " ".join(f"L{noise.randrange(width)} {noise.randrange(height)}" for _ in range(LEAST_BYTES // 4))
    size = f'width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><path d="M0 0 {points}"/></svg>\n'.encode()
