"""Replies to requests that are alike: what a wire wrote before is kept, and only what differs is put into it.

That are ids, the tokens of the conversation, and a text of the request that the wire repeats. Where each of them stands
is found by experiment: a reply is written with marks in place of ids and of the text, and with two numbers of tokens.
What is found that way is kept if it gives what the wire writes with other ids and with the least and the most tokens.
"""

import re
from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from itertools import cycle, islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Joined, Response
from fake_providers.ids import ALPHABET, Ids
from fake_providers.replies import LONGEST_KEPT
from fake_providers.replies.event_frames import Frame, decode_frames, encode_frame
from fake_providers.reply import Reply
from fake_providers.wire import AnswersAlike, ReplyContext, Wire

TIMES: Final = 2
"""How often a reply is written before it is kept: most replies of tests are sent once."""
MOST_WAYS: Final = 8
"""How often it is tried for one reply: numbers of other lengths may change what is around them."""
LONGEST_WRITTEN: Final = 128 * 1024
"""Characters of what is kept."""
MOST_KEPT: Final = 64
FIRST_MARK: Final = "\U000f0000"
LAST_MARK: Final = "\U000ffffd"
"""Characters for private use, which stand for those of ids."""
REPEATED_MARK: Final = "\U00100000"
_MARKS: Final = re.compile(f"[{FIRST_MARK}-{LAST_MARK}]+|{REPEATED_MARK}")
_UNSURE: Final = re.compile(f"({_MARKS.pattern}|[0-9]+)")
SEAM: Final = "\0"
HEAD_END: Final = "\1"
"""Between headers or chunks, and behind the last header: JSON has no such characters unescaped."""
NO_LIMIT: Final = 10**9
SAMPLE: Final = '["repeated"]'


class _Template(Struct, frozen=True):
    """A response of which all is known but some headers and chunks, whose places are `in_head` and `in_body`.

    `parts` are in turn what is known of those and what is not; `holes` says which text is put into each second part.
    The texts are cuts of the letters of all ids, the tokens of the conversation with each offset, and what is repeated.
    `made` makes the ids. The tokens are from `least` to `most`. `events` are the names of the chunks that are frames.
    `lines` and `stream` are headers and chunks as HTTP writes them, with `%s`, or `%x` and `%b`, for what is not known;
    `stream` is empty where there is one chunk.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: tuple[bytes, ...]
    in_head: tuple[int, ...]
    in_body: tuple[int, ...]
    parts: tuple[str, ...]
    holes: tuple[int, ...]
    made: tuple[Callable[[Ids], str], ...]
    cuts: tuple[slice, ...]
    offsets: tuple[int, ...]
    least: int
    most: int
    lines: str
    events: tuple[str, ...]
    stream: bytes

    def filled(self, ids: Ids, tokens: int, repeated: str) -> Response:
        letters = "".join([make(ids) for make in self.made])
        texts = [*map(letters.__getitem__, self.cuts), *map(str, map(tokens.__add__, self.offsets)), repeated]
        parts = [*self.parts]
        parts[1::2] = map(texts.__getitem__, self.holes)
        head, _, body = "".join(parts).partition(HEAD_END)
        values = head.split(SEAM)[: len(self.in_head)]
        new_chunks = body.encode(errors=AS_ESCAPE).split(SEAM.encode())[: len(self.in_body)]
        if self.events:
            new_chunks = [encode_frame("event", *each) for each in zip(self.events, new_chunks, strict=True)]
        headers, chunks = [*self.headers], [*self.chunks]
        for place, value in zip(self.in_head, values, strict=True):
            headers[place] = (headers[place][0], value)
        for place, chunk in zip(self.in_body, new_chunks, strict=True):
            chunks[place] = chunk
        joined = Joined(headers)
        joined.sent = (self.lines % (*values,)).encode("latin-1")
        if not self.stream:
            return Response(self.status, joined, tuple(chunks))
        streamed = Joined(chunks)
        streamed.sent = self.stream % tuple([each for chunk in new_chunks for each in (len(chunk), chunk)])
        return Response(self.status, joined, streamed)


class _Marking(Ids):
    """Makes ids of the letters from `first` to `last`, in turn, and notes how each is made."""

    def __init__(self, first: str, last: str) -> None:
        super().__init__("")
        self._letters = cycle(map(chr, range(ord(first), ord(last) + 1)))
        self.made: list[Callable[[Ids], str]] = []

    def make(self, prefix: str, length: int, alphabet: str = ALPHABET) -> str:
        self.made.append(lambda ids: ids.make("", length, alphabet))
        return prefix + "".join(islice(self._letters, length))

    def made_into(self, length: int, make: Callable[[str], str]) -> str:
        self.made.append(lambda ids: ids.made_into(length, make))
        return "".join(islice(self._letters, len(make("0" * length))))


class _Known(Struct):
    """What is kept of a reply, and how often it was written."""

    times: int = 0
    templates: tuple[_Template, ...] = ()


@lru_cache(maxsize=MOST_KEPT)
def _known(*_key: Hashable) -> _Known:
    return _Known()


@cache
def _as_alike(wire: object) -> AnswersAlike | None:
    return wire if isinstance(wire, AnswersAlike) else None


def written(wire: Wire, reply: Reply, context: ReplyContext) -> Response:
    """What the wire encodes. Raises `CannotExpress`."""
    anything: object = wire
    answers_alike = _as_alike(anything)
    if answers_alike is None or reply.fault is not None or context.read_tokens is not None or not reply.is_text_alone:
        return wire.encode(reply, context)
    alike = answers_alike.alike(context.request)
    if alike is None or len(reply.text or "") > LONGEST_KEPT:
        return wire.encode(reply, context)
    try:
        known = _known(wire.name, reply, context.split, context.provider, context.request.path, alike.key)
    except TypeError:  # a list in place of a tuple
        return wire.encode(reply, context)
    tokens = context.prompt_tokens(wire.view)
    for template in known.templates:
        if template.least <= tokens <= template.most:
            return template.filled(context.ids, tokens, alike.repeated)
    response = wire.encode(reply, context)
    known.times += 1
    if TIMES <= known.times < TIMES + MOST_WAYS:
        found = _template(wire, reply, context, tokens)
        known.templates += () if found is None else (found,)
    return response


def _template(wire: Wire, reply: Reply, context: ReplyContext, tokens: int) -> _Template | None:
    """None where something else differs, or the reply is long."""

    def written_with(ids: Ids, tokens: int, repeated: str) -> Response:
        return wire.encode(reply, replace(context, ids=ids, tokens=tokens, repeated=repeated))

    marking = _Marking(FIRST_MARK, LAST_MARK)
    response = written_with(marking, tokens, REPEATED_MARK)
    again = written_with(_Marking(FIRST_MARK, LAST_MARK), tokens + 1, REPEATED_MARK)
    try:
        pairs = [*zip(_texts_of(response), _texts_of(again), strict=True)]
    except ValueError:  # no text, or other chunks
        return None
    unsure = [place for place, (text, other) in enumerate(pairs) if text != other or _MARKS.search(text)]
    first_chunk = len(response.headers)
    in_head = [place for place in unsure if place < first_chunk]
    in_body = [place for place in unsure if place >= first_chunk]
    parts, others = [
        _UNSURE.split(
            HEAD_END.join([SEAM.join([pairs[place][which] for place in places]) for places in (in_head, in_body)])
        )
        for which in (0, 1)
    ]
    if parts[::2] != others[::2] or sum(map(len, parts)) > LONGEST_WRITTEN:
        return None
    known, holes = _holes_in(parts, others, tokens)
    cuts = [*dict.fromkeys(hole for hole in holes if isinstance(hole, tuple))]
    offsets = [*dict.fromkeys(hole for hole in holes if isinstance(hole, int))]
    places: dict[object, int] = {hole: place for place, hole in enumerate([*cuts, *offsets, REPEATED_MARK])}
    powers = [(10 ** len(str(tokens + offset)), offset) for offset in offsets]
    values = ["%s" if at in in_head else value.replace("%", "%%") for at, (_, value) in enumerate(response.headers)]
    framed = [chunk for place in in_body if (chunk := response.chunks[place - first_chunk])[:1] == b"\0"]
    template = _Template(
        status=response.status,
        headers=response.headers,
        chunks=response.chunks,
        in_head=tuple(in_head),
        in_body=tuple([place - first_chunk for place in in_body]),
        parts=tuple([text for part in known for text in (part, "")][:-1]),
        holes=tuple([places[hole] for hole in holes]),
        made=tuple(marking.made),
        cuts=tuple([slice(*cut) for cut in cuts]),
        offsets=tuple(offsets),
        least=max([1, *(power // 10 - offset for power, offset in powers)]),
        most=min([NO_LIMIT, *(power - 1 - offset for power, offset in powers)]),
        events=tuple([_frame_in(chunk).headers[":event-type"] for chunk in framed]),
        lines="".join([f"{name}: {value}\r\n" for (name, _), value in zip(response.headers, values, strict=True)]),
        stream=_stream(response.chunks, [place - first_chunk for place in in_body]),
    )
    for number, letters in ((template.least, "AZ"), (template.most, "az")):
        expected = written_with(_Marking(*letters), number, SAMPLE)
        if template.filled(_Marking(*letters), number, SAMPLE) != expected:
            return None
    return template


def _holes_in(parts: list[str], others: list[str], tokens: int) -> tuple[list[str], list[str | int | tuple[int, int]]]:
    """What is known, and what stands between: a cut of the letters of all ids, a number as its offset to the tokens, or
    the mark of what is repeated. In turn with what is known, `parts` has marks and numbers, and `others` those of a
    reply with one token more."""
    known, holes = parts[:1], list[str | int | tuple[int, int]]()
    for mark, other, following in zip(parts[1::2], others[1::2], parts[2::2], strict=True):
        if mark == other and mark.isdecimal():
            known[-1] += mark + following
            continue
        if mark == REPEATED_MARK:
            holes.append(mark)
        elif mark.isdecimal():
            holes.append(int(mark) - tokens)
        else:
            start = ord(mark[0]) - ord(FIRST_MARK)
            holes.append((start, start + len(mark)))
        known.append(following)
    return known, holes


def _stream(chunks: tuple[bytes, ...], in_body: list[int]) -> bytes:
    if len(chunks) == 1:
        return b""
    framed = [b"%x\r\n%b\r\n" % (len(chunk), chunk.replace(b"%", b"%%")) if chunk else b"" for chunk in chunks]
    for place in in_body:
        framed[place] = b"%x\r\n%b\r\n"
    return b"".join(framed)


def _texts_of(response: Response) -> list[str]:
    """The values of headers, and the chunks; of a frame what is in it."""
    chunks = [_frame_in(chunk).payload if chunk[:1] == b"\0" else chunk for chunk in response.chunks]
    return [*(value for _, value in response.headers), *(chunk.decode() for chunk in chunks)]


def _frame_in(chunk: bytes) -> Frame:
    (frame,) = decode_frames(chunk)
    return frame
