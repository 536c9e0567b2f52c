"""How some servers send a reply otherwise than OpenAI. Changes a response that is right.

Who does it, as reported:

- `same-index`: every call has index 0. Ollama, ai-dynamo: ollama/ollama#15457, vercel/ai#14277, ai-dynamo/dynamo#4723
- `no-index`: no piece has an index. Gemini's compatible endpoint: openai/openai-python#2806, AstrBotDevs/AstrBot#6692
- `growing-index`: the last piece of a call has the next index. Nebius: pipecat-ai/pipecat#4688, dirac-run/dirac#215
- `late-id`: the id comes in a piece after the name. Azure through LiteLLM, Mistral: pipecat-ai/pipecat#5023
- `id-in-every-delta`: JetBrains/koog#2052, InternLM/lmdeploy#3412 (SGLang)
- `repeated-name`: NVIDIA's NIM, Fireworks, Kimi: NousResearch/hermes-agent#12230, NousResearch/hermes-agent#8094
- `interleaved`: the pieces of all calls in turn: QwenLM/Qwen-Agent#943, continuedev/continue#13223
- `empty-choices`: chunks without choices that nobody asked for: before the first piece (Azure), in the middle, and with
  the usage at the end. DashScope, Fireworks, NIM: bojieli/ai-agent-book#915, BerriAI/litellm#36553
- `empty-calls`: an empty list of calls in every piece without one: vercel/ai#20203, anomalyco/opencode#47875
- `finish-with-the-last-delta`: vLLM, Mistral, LiteLLM: vllm-project/vllm#36944, jeremychone/rust-genai#164,
  docker/docker-agent#2992
- `null-after-finish`: the usage in a chunk with a choice, whose finish reason is null again, after the one that ended.
  TensorZero: tensorzero/tensorzero#2078; OpenRouter, in recordings of charmbracelet/fantasy of September 2025
- `arguments-as-object`: llama.cpp, LiteLLM: ggml-org/llama.cpp#20198, BerriAI/litellm#37792
- `reasoning-content`: reasoning in a member of this name, which OpenAI itself never sends: none of 404 recorded replies

Works on the parsed chunks of a stream.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.features import NEED_A_STREAM
from fake_providers.reply import CannotExpress, Quirk
from fake_providers.wire_facts import features_of_quirks
from fake_providers.wires.openai_shared.request_body import Chunk, event, parsed_event


def plain_with_quirks(completion: dict[str, Any], quirks: Sequence[Quirk]) -> dict[str, Any]:
    """The body of a plain response. Raises `CannotExpress` for a quirk that only a stream can have."""
    if not NEED_A_STREAM.isdisjoint(features_of_quirks(quirks)):
        raise CannotExpress("stream-quirk")
    if "arguments-as-object" in quirks:
        for choice in completion["choices"]:
            for call in choice["message"].get("tool_calls") or ():
                call["function"] = {**call["function"], "arguments": json.loads(call["function"]["arguments"])}
    return completion


def stream_with_quirks(
    chunks: Sequence[bytes], quirks: Sequence[Quirk], *, usage: Mapping[str, Any]
) -> tuple[bytes, ...]:
    """The events of a stream, each of which is one chunk."""
    if set(quirks) <= {"reasoning-content"}:
        return tuple(chunks)
    events = [parsed_event(chunk) for chunk in chunks]
    if any(quirk in quirks for quirk in OF_CALLS):
        events = with_changed_calls(events, quirks)
    if "empty-calls" in quirks:
        events = [_with_empty_calls(one) for one in events]
    if "finish-with-the-last-delta" in quirks:
        events = _with_early_finish(events)
    if "null-after-finish" in quirks:
        events = _with_null_after_finish(events, usage)
    if "empty-choices" in quirks:
        # One before all others, one in the middle, and at the end one with the usage, unless there is one
        places = [place for place, one in enumerate(events) if isinstance(one, dict) and one.get("choices")]
        empty = {**events[places[0]], "choices": []}
        end = places[-1] + 1
        counted = any(isinstance(one, dict) for one in events[end:])
        added: list[Chunk] = [] if counted else [{**empty, "usage": dict(usage)}]
        middle = places[len(places) // 2]
        events = [
            *events[: places[0]],
            empty,
            *events[places[0] : middle],
            empty,
            *events[middle:end],
            *added,
            *events[end:],
        ]
    return tuple(event(one) for one in events)


def _with_empty_calls(one: Chunk) -> Chunk:
    if isinstance(one, bytes):
        return one
    choices = [{**choice, "delta": {"tool_calls": [], **choice["delta"]}} for choice in one.get("choices") or ()]
    return {**one, "choices": choices}


def _with_early_finish(events: list[Chunk]) -> list[Chunk]:
    """The finish reason in the chunk before its own, unless its own has text or calls already."""
    place = next((place for place, one in enumerate(events) if _ends(one)), 0)
    before, end = events[place - 1], events[place]
    if not place or isinstance(before, bytes) or isinstance(end, bytes) or not before.get("choices"):
        return events
    if any(end["choices"][0]["delta"].get(member) for member in ("content", "tool_calls")):
        return events
    choice = {**end["choices"][0], "delta": before["choices"][0]["delta"]}
    return [*events[: place - 1], {**end, "choices": [choice]}, *events[place + 1 :]]


def _with_null_after_finish(events: list[Chunk], usage: Mapping[str, Any]) -> list[Chunk]:
    """In the place of the chunk with the usage that was asked for, if there is one."""
    place = next((place for place, one in enumerate(events) if _ends(one)), None)
    if place is None:
        return events
    end = events[place]
    assert isinstance(end, dict)
    choice = {**end["choices"][0], "delta": {"role": "assistant", "content": ""}, "finish_reason": None}
    rest = [one for one in events[place + 1 :] if not (isinstance(one, dict) and one.get("usage"))]
    return [*events[: place + 1], {**end, "choices": [choice], "usage": dict(usage)}, *rest]


def _ends(one: Chunk) -> bool:
    return isinstance(one, dict) and bool(one.get("choices")) and bool(one["choices"][0].get("finish_reason"))


class _Piece(Struct, frozen=True):
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
        if isinstance(one, bytes) or not one.get("choices"):
            found = []
        else:
            found = list(one["choices"][0]["delta"].get("tool_calls") or ())
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
    "same-index": lambda pieces: [piece.having(index=0) for piece in pieces],
    "no-index": lambda pieces: [
        replace(piece, body={key: piece.body[key] for key in piece.body if key != "index"}) for piece in pieces
    ],
}
"""In the order in which they are laid over each other."""
