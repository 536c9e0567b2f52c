"""Bugs with streams as some servers send them: how the pieces of calls are joined, and what stands in a chunk."""

import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace

from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.call_pieces import CallPiece, join_calls
from agent_conformance.agents.reference.history import Call

MUTANTS = Mutants()


@MUTANTS.add(
    "M17h_texts_taken_for_nothing",
    "arguments that were encoded twice are not taken for none",
    "https://github.com/FoundationAgents/OpenManus/pull/989",
    (("arguments/encoded-twice", "sent-arguments"),),
)
def _texts_taken_for_nothing(defences: Defences) -> Defences:
    def objects_only(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        pieces = list(pieces)
        is_text = "".join(str(piece.arguments) for piece in pieces).startswith('"')
        return tuple(replace(call, arguments={}) if is_text else call for call in join_calls(pieces))

    return replace(defences, join_calls=objects_only)


@MUTANTS.add(
    "M33a_later_calls_skipped",
    "calls that share an index are told apart",
    "https://github.com/vercel/ai/pull/14277",
    (("streaming/calls-that-share-an-index[*]", "paired"),),
)
def _later_calls_skipped(defences: Defences) -> Defences:
    def one_of_each_index(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        first: dict[int, CallPiece] = {}
        for piece in pieces:
            call = first.setdefault(piece.index or 0, CallPiece())
            if not call.id or piece.id in (None, call.id):
                call.take(piece) if call.call.arguments in (None, {}) else None
        return tuple(call.call for call in first.values())

    return replace(defences, join_calls=one_of_each_index)


@MUTANTS.add(
    "M33b_pieces_without_an_index_lost",
    "a piece without an index belongs to the call before it",
    "https://github.com/AstrBotDevs/AstrBot/pull/6692",
    (("streaming/calls-that-share-an-index[no-index]", "sent-arguments"),),
)
def _pieces_without_an_index_lost(defences: Defences) -> Defences:
    def those_with_an_index(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        return join_calls(piece for piece in pieces if piece.index is not None or piece.name)

    return replace(defences, join_calls=those_with_an_index)


@MUTANTS.add(
    "M33c_strange_index_lost",
    "a piece under another index, without id and name, belongs to the call before it",
    "https://github.com/dirac-run/dirac/pull/215",
    (("streaming/index-that-grows-in-a-call[one-call, two-calls]", "1.should.executed"),),
)
def _strange_index_lost(defences: Defences) -> Defences:
    def those_of_known_calls(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        kept: list[CallPiece] = []
        for piece in pieces:
            if piece.name or any(piece.index == known.index for known in kept):
                kept.append(piece)
        return join_calls(kept)

    return replace(defences, join_calls=those_of_known_calls)


@MUTANTS.add(
    "M33d_pieces_to_the_last_call",
    "pieces that come in turn are joined by their index",
    "https://github.com/QwenLM/Qwen-Agent/pull/943",
    (("streaming/pieces-of-calls-in-turn", "sent-arguments"),),
)
def _pieces_to_the_last_call(defences: Defences) -> Defences:
    def without_index(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        return join_calls([replace(piece, index=None) for piece in pieces])

    return replace(defences, join_calls=without_index)


@MUTANTS.add(
    "M33e_call_at_each_id",
    "an id that is repeated begins no other call",
    "https://github.com/JetBrains/koog/pull/2052",
    (("streaming/ids-and-names-in-odd-deltas[late-id, repeated-id, repeated-id-and-name]", "sent-arguments"),),
)
def _call_at_each_id(defences: Defences) -> Defences:
    def begun_anew(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        calls: list[CallPiece] = []
        for piece in pieces:
            if piece.id or not calls:
                calls.append(CallPiece())
            calls[-1].take(piece)
        return tuple(call.call for call in calls if call.name)

    return replace(defences, join_calls=begun_anew)


@MUTANTS.add(
    "M33j_call_by_its_id",
    "calls without index and id are two calls",
    "https://github.com/huggingface/smolagents/pull/1958",
    (("streaming/calls-without-index-or-id", "1.should.executed"),),
)
def _call_by_its_id(defences: Defences) -> Defences:
    def told_apart_by_id(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        calls: dict[str, CallPiece] = {}
        for piece in pieces:
            calls.setdefault(piece.id or next(reversed(calls), ""), CallPiece()).take(piece)
        return tuple(call.call for call in calls.values())

    return replace(defences, join_calls=told_apart_by_id)


@MUTANTS.add(
    "M33f_names_appended",
    "a name that is repeated is the same name",
    "https://github.com/NousResearch/hermes-agent/pull/12230",
    (("streaming/ids-and-names-in-odd-deltas[repeated-name]", "1.should.executed"),),
)
def _names_appended(defences: Defences) -> Defences:
    def named_by_all(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        pieces = list(pieces)
        calls = join_calls(pieces)
        names = ["".join(piece.name for piece in pieces if piece.index == index) for index in range(len(calls))]
        return tuple(replace(call, name=name or call.name) for call, name in zip(calls, names, strict=True))

    return replace(defences, join_calls=named_by_all)


@MUTANTS.add(
    "M33g_objects_taken_for_nothing",
    "arguments that come as an object are arguments",
    "https://github.com/ggml-org/llama.cpp/issues/20198",
    (("arguments/object-in-place-of-text", "sent-arguments"),),
)
def _objects_taken_for_nothing(defences: Defences) -> Defences:
    def texts_only(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        return join_calls(
            replace(piece, arguments=piece.arguments if isinstance(piece.arguments, str) else "") for piece in pieces
        )

    return replace(defences, join_calls=texts_only)


@MUTANTS.add(
    "M33h_first_choice_read",
    "a chunk without choices is no error",
    "https://github.com/BerriAI/litellm/issues/36553",
    (("streaming/chunk-without-choices", "1.*"),),
)
def _first_choice_read(defences: Defences) -> Defences:
    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            if '"choices":[]' in event:
                raise IndexError("list index out of range")
            yield event

    return replace(defences, stream_events=changed)


@MUTANTS.add(
    "M33i_finish_ends_reading",
    "what comes with the finish reason is read",
    "https://github.com/docker/docker-agent/pull/2992",
    (("streaming/finish-with-the-last-piece", "1.*"),),
)
def _finish_ends_reading(defences: Defences) -> Defences:
    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            yield re.sub(r'"delta":\{.*\}(?=[^{]*"finish_reason":"\w)', '"delta":{}', event)

    return replace(defences, stream_events=changed)
