"""The quirks of streamed calls: where their index, id and name stand, and in what pieces they come.

Works on the parsed chunks of a stream. Knows no provider, and not who has which quirk.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fake_providers.reply import Quirk
from fake_providers.wires.openai_shared.events import Chunk


@dataclass(frozen=True, slots=True)
class _Piece:
    """One piece of one call, and the chunk that it came in; `call` counts the calls of the reply."""

    chunk: dict[str, Any]
    call: int
    body: dict[str, Any]

    def having(self, **members: Any) -> "_Piece":
        return replace(self, body={**self.body, **members})

    def calling(self, **members: Any) -> "_Piece":
        return self.having(function={**self.body.get("function", {}), **members})

    @property
    def arguments(self) -> str:
        return str(self.body.get("function", {}).get("arguments") or "")


Pieces = list[_Piece]


def with_changed_calls(events: list[Chunk], quirks: Sequence[Quirk]) -> list[Chunk]:
    """The events, with the changed pieces of calls in the place of the first of them."""
    rest: list[Chunk] = []
    pieces: Pieces = []
    place = len(events)
    for one in events:
        found = _calls_in(one)
        if not found:
            rest.append(one)
            continue
        place = min(place, len(rest))
        assert isinstance(one, dict)
        for body in found:
            pieces.append(_Piece(one if body is found[0] else _bare(one), body["index"], body))
    pieces = _in_pieces(pieces)
    for quirk, change in OF_CALLS.items():
        pieces = change(pieces) if quirk in quirks else pieces
    return [*rest[:place], *map(_chunk_of, pieces), *rest[place:]]


def _calls_in(one: Chunk) -> list[dict[str, Any]]:
    if isinstance(one, bytes) or not one.get("choices"):
        return []
    return list(one["choices"][0]["delta"].get("tool_calls") or ())


def _chunk_of(piece: _Piece) -> dict[str, Any]:
    choice = piece.chunk["choices"][0]
    return {**piece.chunk, "choices": [{**choice, "delta": {**choice["delta"], "tool_calls": [piece.body]}}]}


def _bare(chunk: dict[str, Any]) -> dict[str, Any]:
    """The same chunk with nothing in its delta."""
    return {**chunk, "choices": [{**chunk["choices"][0], "delta": {}}]}


def _in_pieces(pieces: Pieces) -> Pieces:
    """A call that came whole, in at least three pieces: what opens it, and two with arguments."""
    split: Pieces = []
    for piece in pieces:
        if "name" not in piece.body.get("function", {}) or not piece.arguments:
            split.append(piece)
            continue
        half = len(piece.arguments) // 2
        split.append(piece.calling(arguments=""))
        for text in (piece.arguments[:half], piece.arguments[half:]):
            split.append(_Piece(_bare(piece.chunk), piece.call, {"index": piece.call, "function": {"arguments": text}}))
    return split


def _same_index(pieces: Pieces) -> Pieces:
    return [piece.having(index=0) for piece in pieces]


def _no_index(pieces: Pieces) -> Pieces:
    return [replace(piece, body={key: piece.body[key] for key in piece.body if key != "index"}) for piece in pieces]


def _growing_index(pieces: Pieces) -> Pieces:
    last = {piece.call: place for place, piece in enumerate(pieces)}
    return [
        piece.having(index=piece.call + 1) if place == last[piece.call] else piece for place, piece in enumerate(pieces)
    ]


def _late_id(pieces: Pieces) -> Pieces:
    """The id stands in the second piece of the call, whose name is in the first."""
    ids: dict[int, str] = {}
    changed: Pieces = []
    for piece in pieces:
        body = dict(piece.body)
        if "id" in body:
            ids[piece.call] = body.pop("id")
        elif piece.call in ids:
            body = {"id": ids.pop(piece.call), **body}
        changed.append(replace(piece, body=body))
    return changed


def _id_in_every_delta(pieces: Pieces) -> Pieces:
    ids = {piece.call: piece.body["id"] for piece in pieces if "id" in piece.body}
    return [piece.having(id=ids[piece.call]) if piece.call in ids else piece for piece in pieces]


def _repeated_name(pieces: Pieces) -> Pieces:
    names = {piece.call: piece.body["function"]["name"] for piece in pieces if "name" in piece.body["function"]}
    return [piece.calling(name=names[piece.call]) for piece in pieces]


def _interleaved(pieces: Pieces) -> Pieces:
    """First what opens each call, then one piece of each in turn."""
    numbers: dict[int, int] = {}
    order: list[tuple[int, int, _Piece]] = []
    for piece in pieces:
        numbers[piece.call] = numbers.get(piece.call, -1) + 1
        order.append((numbers[piece.call], piece.call, piece))
    return [piece for _, _, piece in sorted(order, key=lambda one: one[:2])]


def _as_object(pieces: Pieces) -> Pieces:
    """Each call in one piece."""
    texts: dict[int, str] = {}
    for piece in pieces:
        texts[piece.call] = texts.get(piece.call, "") + piece.arguments
    opening = [piece for piece in pieces if "name" in piece.body.get("function", {})]
    return [piece.calling(arguments=json.loads(texts[piece.call])) for piece in opening]


OF_CALLS: dict[Quirk, Callable[[Pieces], Pieces]] = {
    "arguments-as-object": _as_object,
    "id-in-every-delta": _id_in_every_delta,
    "late-id": _late_id,
    "repeated-name": _repeated_name,
    "interleaved": _interleaved,
    "growing-index": _growing_index,
    "same-index": _same_index,
    "no-index": _no_index,
}
"""In the order in which they are laid over each other."""
