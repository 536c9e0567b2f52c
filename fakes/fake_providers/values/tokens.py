"""Counts tokens as the fakes do: one for every four characters.

A word adds to a few places of the vector, which its digest chooses; the vector has length one.
"""

import base64
import struct
from collections.abc import Mapping
from hashlib import blake2b
from math import sqrt
from typing import Final, NamedTuple
from zlib import crc32

from fake_providers.http import spaced
from fake_providers.reply import Reply, pieces
from fake_providers.view import View, ViewTool

LETTERS = 4
"""How many characters count as one token."""


def tokens_of(letters: int) -> int:
    """How many tokens a text of so many characters is, rounded up."""
    return -(-letters // LETTERS)


def count_tokens(view: View) -> int:
    """Tokens of all texts, arguments, results and declarations; one per four characters, rounded up."""
    return tokens_of(view.text_length + _letters_of(view.tools))


class Counted(NamedTuple):
    """The tokens of a request and of its reply. `cached` are a part of `input`, `reasoning` of `output`."""

    input: int
    output: int
    reasoning: int
    cached: int = 0


def counted(reply: Reply, prompt: int, characters: int) -> Counted:
    """What the reply says of its tokens, or else as the fakes count. `characters` are of its text and its calls, and
    `prompt` the tokens of the conversation."""
    if reply.usage is None:
        thought = tokens_of(len(reply.thinking or ""))
        return Counted(prompt, thought + tokens_of(characters), thought)
    return _said(reply, prompt, characters)


def _said(reply: Reply, prompt: int, characters: int) -> Counted:
    usage, thought = reply.usage, tokens_of(len(reply.thinking or ""))
    assert usage is not None
    input_ = prompt if usage.input is None else usage.input
    output = thought + tokens_of(characters) if usage.output is None else usage.output
    reasoning = min(thought, output) if usage.reasoning is None else usage.reasoning
    return Counted(input_, output, reasoning, usage.cached or 0)


_LAST: dict[int, tuple[tuple[ViewTool, ...], int]] = {}
"""By `id` of the tools, those tools and their letters: the views of one agent share them."""
MOST_KEPT = 16
LONGEST_KEPT = 16 * 1024


def _letters_of(tools: tuple[ViewTool, ...]) -> int:
    if not tools:
        return 0
    last = _LAST.get(id(tools))
    # What is kept is not freed, so nothing else has its id; but another thread may have made room since.
    if last is not None and last[0] is tools:
        return last[1]
    letters = sum(len(tool.name) + len(tool.description) + len(spaced(tool.parameters)) for tool in tools)
    if letters <= LONGEST_KEPT:
        if len(_LAST) >= MOST_KEPT:
            _LAST.clear()
        _LAST[id(tools)] = tools, letters
    return letters


MOST_DIMENSIONS: Final = 4096
MOST_WORDS: Final = 10_000
"""How many words of a text are embedded: what follows them does not change its vector."""
PLACES: Final = 8
"""How many numbers of a vector a word changes: with fewer, words that differ would often change the same ones."""


def embed(text: str, dimensions: int) -> list[float]:
    """A vector of length one with so many numbers."""
    vector = [0.0] * dimensions
    for word in text.lower().split()[:MOST_WORDS] or [""]:
        digest = blake2b(word.encode(errors="replace"), digest_size=4 * PLACES).digest()
        for number in struct.unpack(f"<{PLACES}I", digest):
            vector[(number >> 1) % dimensions] += 1.0 if number & 1 else -1.0
    length = sqrt(sum(value * value for value in vector))
    if length == 0.0:
        return [1.0, *vector[1:]]
    return [value / length for value in vector]


def as_base64(vector: list[float]) -> str:
    """The vector as OpenAI sends it for `encoding_format: base64`: little-endian floats of 32 bits."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def dimensions_of(model: str, by_family: Mapping[str, int], default: int) -> int:
    """The dimensions of this model, by the longest family that its name begins with."""
    bare = model.rsplit("/", 1)[-1]
    families = [family for family in by_family if bare.startswith(family)]
    return by_family[max(families, key=len)] if families else default


def tokens_of_texts(texts: list[str]) -> int:
    return sum(tokens_of(len(text)) for text in texts)


class LikelyToken(NamedTuple):
    """A token of a reply with its log probability, and the likeliest in its place, itself first."""

    token: str
    logprob: float
    likeliest: tuple[tuple[str, float], ...]


def likely_tokens(text: str, alternatives: int, *, size: int) -> list[LikelyToken]:
    """The numbers are made up, the same for the same text: a token is a piece of `size` characters, as in a stream."""
    return [_likely(token, alternatives) for token in pieces(text, "provider", size=size)]


def _likely(token: str, alternatives: int) -> LikelyToken:
    logprob = -(-crc32(token.encode(errors="replace")) % 1000 / 10_000)
    others = [(f"{token}{n}", logprob - n) for n in range(1, alternatives)]
    return LikelyToken(token, logprob, ((token, logprob), *others) if alternatives else ())
