"""Splits text for a stream. Knows no wire: each wire says how its provider splits."""

from collections.abc import Sequence

from fake_providers.reply import Split


def pieces(text: str, split: Split, *, given: Sequence[str] = (), size: int = 12) -> tuple[str, ...]:
    """The text in pieces; `size` is the number of characters in the provider's own pieces.

    Text without given pieces is split as the provider splits it, even if `split` is `given`.
    """
    if not text:
        return ()
    if given and split in ("provider", "given"):
        return tuple(given)
    if split == "whole":
        return (text,)
    step = 1 if split == "characters" else size
    return tuple(text[i : i + step] for i in range(0, len(text), step))


def inside_characters(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """The same bytes with the boundaries moved into multi-byte characters, wherever a chunk has one."""
    moved: list[bytes] = []
    carry = b""
    for piece in chunks:
        chunk = carry + piece
        cut = next((i for i in range(len(chunk) - 1, -1, -1) if chunk[i] & 0xC0 == 0x80), 0)
        moved.append(chunk[:cut] if cut else chunk)
        carry = chunk[cut:] if cut else b""
    return (*moved, carry) if carry else tuple(moved)
