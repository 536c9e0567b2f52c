"""Bugs with calls that are cut off, cannot be read or stand in a frame of their own, in texts and in streams."""

import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace

from agent_conformance.adapter.types import AgentError
from agent_conformance.agents.mutants.dialects import VLLM, ZEROCLAW, caught, changed_readers
from agent_conformance.agents.mutants.history import instead, without
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences, history_repair
from agent_conformance.agents.reference.call_pieces import CallPiece, join_calls
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.pruning import Shorten, tokens
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall

MUTANTS = Mutants()


@MUTANTS.add(
    "M25p_cut_off_completed",
    "a call that was cut off is not completed and run",
    ZEROCLAW,
    caught(
        "cut-off-inside-a-tag[half-a-*value, half-a-section, half-a-named-tag, half-a-fence, half-an-*, shorthand]",
        by="*",
    ),
)
def _cut_off_completed(defences: Defences) -> Defences:
    """Also in a reply that the limit on tokens ended."""

    def completing(read: Reader) -> Reader:
        def complete(position: Position) -> Block | None:
            block = read(position)
            value = re.search(r"(\w+)(?:</\w+>\s*)?\Z", position.text)
            if block is None or block.calls or block.end < len(position.text) or value is None:
                return block
            return replace(block, calls=(TextCall("get_weather", {"city": value[1]}),))

        return complete

    return replace(changed_readers(defences, completing), may_run=lambda answer: True)


@MUTANTS.add(
    "M25q_unreadable_shown",
    "what was meant as a call and does not parse is no answer",
    VLLM,
    caught("broken-calls[*]", "broken-blocks[*]", "invented-results[function-response]"),
)
def _unreadable_shown(defences: Defences) -> Defences:
    def strict(read: Reader) -> Reader:
        def readable(position: Position) -> Block | None:
            block = read(position)
            return block if block is None or block.calls or block.mark else None

        return readable

    return changed_readers(defences, strict)


@MUTANTS.add(
    "M25y_frames_hidden",
    "an answer in the frame of a call is an answer",
    "https://github.com/ggml-org/llama.cpp/blob/master/tests/test-chat.cpp",
    caught(
        "answers-in-frames[direct-answer, final-*, response-*]",
        by="1.should.reply",
    ),
)
def _frames_hidden(defences: Defences) -> Defences:
    def hiding(read: Reader) -> Reader:
        def hide(position: Position) -> Block | None:
            block = read(position)
            framed = block is not None and block.mark and (block.show or block.end - block.start > 10)
            return Block(position.at, len(position.text)) if framed else block

        return hide

    return changed_readers(defences, hiding)


IDS_MUTANTS = Mutants()


@IDS_MUTANTS.add(
    "M7_dup_id",
    "every call in a request has its own id",
    "https://github.com/charmbracelet/crush/issues/3121",
    (("history/foreign-ids[long, with-a-colon, with-a-pipe, named-like-a-function]", "accepted:*"),),
)
def _ids_left(defences: Defences) -> Defences:
    return without(defences, history_repair.unique_ids)


@IDS_MUTANTS.add(
    "M7b_ids_results_fixed_by_id",
    "an id that is used again is a new call with its own result",
    "fastagent issue 26: ids settled over the whole session",
    (("history/ids-used-twice", "own-result"), ("parallel/ids-come-again", "own-result")),
)
def _results_fixed_by_id(defences: Defences) -> Defences:
    def settled(history: History) -> History:
        texts: dict[str | None, str] = {}

        def first(result: Result) -> Result:
            return replace(result, text=texts.setdefault(result.call_id, result.text)) if result.call_id else result

        return tuple(replace(entry, results=tuple(first(result) for result in entry.results)) for entry in history)

    return replace(defences, repair_passes=(settled, *defences.repair_passes))


@IDS_MUTANTS.add(
    "M7c_results_kept_by_id",
    "each call has its own result, even when two have one id",
    "langchain-google-genai 4.4.2: of two calls under one id, one result is sent",
    (("parallel/same-id-twice", "*"),),
)
def _results_kept_by_id(defences: Defences) -> Defences:
    def last(history: History) -> History:
        return tuple(
            replace(
                entry, results=tuple({result.call_id or n: result for n, result in enumerate(entry.results)}.values())
            )
            for entry in history
        )

    return replace(defences, repair_passes=(last, *defences.repair_passes))


@IDS_MUTANTS.add(
    "M2r_results_without_id_dropped",
    "a result without an id belongs to the call before it",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5743",
    (("history/result-without-an-id", "1.should.*"),),
)
def _results_without_id_dropped(defences: Defences) -> Defences:
    def named(history: History) -> History:
        return tuple(replace(entry, results=tuple(r for r in entry.results if r.call_id)) for entry in history)

    return replace(defences, repair_passes=(named, *defences.repair_passes))


STORED_CALLS_MUTANTS = Mutants()


@STORED_CALLS_MUTANTS.add(
    "M54f_read_to_the_first_bad_call",
    "what comes after a stored call without arguments is sent",
    "https://github.com/MoonshotAI/kimi-cli/issues/2165",
    (("history/arguments-that-do-not-parse[nothing]", "1.*"),),
)
def _read_to_the_first_bad_call(defences: Defences) -> Defences:
    """Of a stored session all after a call without arguments is left out, until the message of the user."""

    def readable(history: History) -> History:
        bad = next((n for n, entry in enumerate(history) if any(not c.arguments for c in entry.calls)), len(history))
        now = max(n for n, entry in enumerate(history) if entry.role == "user")
        return (*history[: min(bad, now)], *history[now:])

    return replace(defences, repair_passes=(readable, *defences.repair_passes))


@STORED_CALLS_MUTANTS.add(
    "M54a_unreadable_call_ends_session",
    "a stored call is sent also if its arguments cannot be read",
    "https://github.com/MoonshotAI/kimi-cli/issues/2165",
    (("history/arguments-that-do-not-parse[cut-off]", "*"),),
)
def _unreadable_call_ends_session(defences: Defences) -> Defences:
    def decoded(history: History) -> History:
        if any(call.arguments is None for entry in history for call in entry.calls):
            raise AgentError("tool call arguments must be a JSON object")
        return history

    return replace(defences, repair_passes=(decoded, *defences.repair_passes))


@STORED_CALLS_MUTANTS.add(
    "M54b_blank_id_is_an_id",
    "a stored call whose id is blank gets one",
    "https://github.com/earendil-works/pi/issues/4854",
    (("history/call-without-an-id[blank]", "accepted:*"),),
)
def _blank_id_is_an_id(defences: Defences) -> Defences:
    def unique(history: History) -> History:
        blank = any(call.id == "" for entry in history for call in entry.calls)
        return history if blank else history_repair.unique_ids(history)

    return instead(defences, history_repair.unique_ids, unique)


@STORED_CALLS_MUTANTS.add(
    "M54c_missing_id_left_out",
    "a stored call without an id is sent with its result",
    "https://github.com/EvoScientist/EvoScientist/pull/399",
    (("history/call-without-an-id[*]", "1.should.*"),),
)
def _missing_id_left_out(defences: Defences) -> Defences:
    def closed(history: History) -> History:
        return tuple(replace(entry, calls=tuple(call for call in entry.calls if call.id)) for entry in history)

    return replace(defences, repair_passes=(closed, *defences.repair_passes))


@STORED_CALLS_MUTANTS.add(
    "M54d_nameless_call_dropped",
    "a call without a name is sent with its result, or neither is",
    "https://github.com/NousResearch/hermes-agent/pull/11435",
    (("tool-names/call-without-a-name", "accepted:*"),),
)
def _nameless_call_dropped(defences: Defences) -> Defences:
    def named(history: History) -> History:
        entries = (replace(entry, calls=tuple(call for call in entry.calls if call.name)) for entry in history)
        return tuple(entry for entry in entries if not entry.is_empty)

    return replace(defences, repair_passes=(*defences.repair_passes, named))


@STORED_CALLS_MUTANTS.add(
    "M54e_long_message_dropped",
    "pruning keeps the message of the turn, also if it is the longest",
    "https://github.com/anomalyco/opencode/issues/17340",
    (("limits/message-longer-than-the-limit", "asked"),),
)
def _long_message_dropped(defences: Defences) -> Defences:
    def prune(history: History, budget: int, declared: int, shorten: Shorten) -> History:
        while tokens(history) + declared > budget and len(history) > 1:
            longest = max(history, key=lambda entry: tokens((entry,)))
            history = tuple(entry for entry in history if entry is not longest)
        return history if any(entry.role == "user" for entry in history) else (*history, Entry("user", "Go on."))

    return replace(defences, prune=prune)


STREAMED_MUTANTS = Mutants()


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
    "M33b_pieces_without_an_index_lost",
    "a piece without an index belongs to the call before it",
    "https://github.com/AstrBotDevs/AstrBot/pull/6692",
    (("streaming/calls-that-share-an-index[no-index]", "sent-arguments"),),
)
def _pieces_without_an_index_lost(defences: Defences) -> Defences:
    def those_with_an_index(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        return join_calls(piece for piece in pieces if piece.index is not None or piece.name)

    return replace(defences, join_calls=those_with_an_index)


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
    "M33d_pieces_to_the_last_call",
    "pieces that come in turn are joined by their index",
    "https://github.com/QwenLM/Qwen-Agent/pull/943",
    (("streaming/pieces-of-calls-in-turn", "sent-arguments"),),
)
def _pieces_to_the_last_call(defences: Defences) -> Defences:
    def without_index(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
        return join_calls([replace(piece, index=None) for piece in pieces])

    return replace(defences, join_calls=without_index)


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
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


@STREAMED_MUTANTS.add(
    "M33l_deltas_alone",
    "text in the start of a block is read",
    "https://github.com/langchain-ai/langchain/pull/38442",
    (("streaming/text-in-the-start", "stream-is-reply"),),
)
def _deltas_alone(defences: Defences) -> Defences:
    return _begun_empty(defences, "text")


@STREAMED_MUTANTS.add(
    "M33m_thoughts_of_deltas_alone",
    "a thought in the start of a block is read",
    "https://github.com/can1357/oh-my-pi/pull/8319",
    (("streaming/text-in-the-start", "accepted:anthropic/thinking-*"),),
)
def _thoughts_of_deltas_alone(defences: Defences) -> Defences:
    return _begun_empty(defences, "thinking")


def _begun_empty(defences: Defences, kind: str) -> Defences:
    """Anthropic's blocks of this kind lose what their first event has of the text."""

    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            yield re.sub(rf'("content_block":\{{"type":"{kind}","{kind}":)"[^"]*"', r'\1""', event)

    return replace(defences, stream_events=changed)


@STREAMED_MUTANTS.add(
    "M33k_last_finish_kept",
    "a chunk after the finish reason does not take it back",
    "https://github.com/tensorzero/tensorzero/issues/2078",
    (("streaming/null-after-the-finish", "*"),),
)
def _last_finish_kept(defences: Defences) -> Defences:
    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        ended = False
        async for event in events:
            if '"finish_reason":"' in event:
                ended = True
            elif ended and '"finish_reason":null' in event:
                raise ValueError("the stream has no finish reason")
            yield event

    return replace(defences, stream_events=changed)
