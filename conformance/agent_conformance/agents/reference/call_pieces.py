"""Joins the pieces in which a stream brings calls.

Servers differ: the pieces may come without an index, with one that is shared or grows, and with a late or repeated id
or name.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from agent_conformance.agents.reference.arguments import read_arguments
from agent_conformance.agents.reference.history import Call


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
