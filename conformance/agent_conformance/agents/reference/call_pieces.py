"""Streams: server-sent events, however the bytes are cut, and the pieces of calls in them, joined.

Servers differ: the pieces may come without an index, with one that is shared or grows, and with a late or repeated id
or name.
"""

import codecs
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.history import Call


async def events(chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
    """The data of each event, as soon as its blank line arrives; a last event that was cut off is left out.

    Lines end in LF, CR LF or CR; comments, event names and ids are skipped; characters may be cut anywhere.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
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
    decoder = codecs.getincrementaldecoder("utf-8")()
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


@dataclass(slots=True)
class CallPiece:
    """What one event says of one call. Joined pieces are one piece."""

    index: int | None = None
    id: str | None = None
    name: str = ""
    arguments: Any = ""
    signature: str | None = None

    def take(self, more: "CallPiece") -> None:
        self.id = self.id or more.id
        self.signature = self.signature or more.signature
        if more.name != self.name and not self.arguments:
            self.name += more.name
        if isinstance(more.arguments, str):
            self.arguments += more.arguments
        else:
            self.arguments = more.arguments

    @property
    def call(self) -> Call:
        arguments, problem = read_arguments(self.arguments)
        return Call(self.id, self.name, arguments, problem, self.signature)


JoinCalls = Callable[[Iterable[CallPiece]], tuple[Call, ...]]


def join_calls(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    """The calls in the order in which they begin."""
    calls: list[CallPiece] = []
    by_index: dict[int, CallPiece] = {}
    for piece in pieces:
        call = _continued(piece, calls, by_index)
        if call is None:
            call = CallPiece()
            calls.append(call)
            if piece.index is not None:
                by_index[piece.index] = call
        call.take(piece)
    return tuple(call.call for call in calls)


def _continued(piece: CallPiece, calls: list[CallPiece], by_index: dict[int, CallPiece]) -> CallPiece | None:
    """The call that this piece belongs to, or None if it begins another."""
    call = None if piece.index is None else by_index.get(piece.index)
    if call is None and calls and (piece.index is None or not (piece.id or piece.name)):
        call = calls[-1]
    return None if call is None or _begins_another(call, piece) else call


def _begins_another(call: CallPiece, piece: CallPiece) -> bool:
    """Whether a piece that seems to belong to `call` begins another call."""
    if piece.id and call.id:
        return piece.id != call.id
    return bool(piece.name and not piece.id and not call.id and _is_complete(call.arguments))


def _is_complete(arguments: Any) -> bool:
    return bool(arguments) and not read_arguments(arguments)[1]
