"""Bugs with calls that are cut off, cannot be read or stand in a frame of their own, in texts and in streams."""

import re
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace

from agent_conformance.adapter.types import AgentError
from agent_conformance.agents.reference import history_repair
from agent_conformance.agents.reference.call_pieces import CallPiece, join_calls
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.pruning import Shorten, tokens
from agent_conformance.agents.reference.pseudo_calls.blocks import Block, Position, Reader
from agent_conformance.agents.reference.pseudo_calls.values import TextCall
from agent_mutants.dialects import VLLM, ZEROCLAW, caught, readers
from agent_mutants.mutant import Mutants


def begun_empty(kind: str) -> Callable[[AsyncIterator[str]], AsyncIterator[str]]:
    """Anthropic's blocks of this kind lose what their first event has of the text."""

    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            yield re.sub(rf'("content_block":\{{"type":"{kind}","{kind}":)"[^"]*"', r'\1""', event)

    return changed


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

@MUTANTS.replaces("dialects", "a call that was cut off is not completed and run",
    ZEROCLAW,
    caught("cut-off-inside-a-tag[half-a-*value, half-a-section, half-a-named-tag, half-a-fence, half-an-*, shorthand]",
        by="*"), through=readers(), may_run=lambda answer: True)
def M25p_cut_off_completed(read: Reader, position: Position) -> Block | None:
    """Also in a reply that the limit on tokens ended."""
    block = read(position)
    value = re.search(r"(\w+)(?:</\w+>\s*)?\Z", position.text)
    if block is None or block.calls or block.end < len(position.text) or value is None:
        return block
    return replace(block, calls=(TextCall("get_weather", {"city": value[1]}),))

@MUTANTS.replaces("dialects", "what was meant as a call and does not parse is no answer",
    VLLM, caught("broken-calls[*]", "broken-blocks[*]", "invented-results[function-response]"), through=readers())
def M25q_unreadable_shown(read: Reader, position: Position) -> Block | None:
    block = read(position)
    return block if block is None or block.calls or block.mark else None

@MUTANTS.replaces("dialects", "an answer in the frame of a call is an answer",
    "https://github.com/ggml-org/llama.cpp/blob/master/tests/test-chat.cpp",
    caught("answers-in-frames[direct-answer, final-*, response-*]", by="1.should.reply"), through=readers())
def M25y_frames_hidden(read: Reader, position: Position) -> Block | None:
    block = read(position)
    framed = block is not None and block.mark and (block.show or block.end - block.start > 10)
    return Block(position.at, len(position.text)) if framed else block

IDS = Mutants()

IDS.row("M7_dup_id", "every call in a request has its own id",
    "https://github.com/charmbracelet/crush/issues/3121",
    {"history/foreign-ids[long, with-a-colon, with-a-pipe, named-like-a-function]": "accepted:*"}, unique_ids=None)

@IDS.replaces("first_pass", "an id that is used again is a new call with its own result",
    "fastagent issue 26: ids settled over the whole session",
    {"history/ids-used-twice": "own-result", "parallel/ids-come-again": "own-result"})
def M7b_ids_results_fixed_by_id(history: History) -> History:
    texts: dict[str | None, str] = {}

    def first(result: Result) -> Result:
        return replace(result, text=texts.setdefault(result.call_id, result.text)) if result.call_id else result

    return tuple(replace(entry, results=tuple(first(result) for result in entry.results)) for entry in history)

@IDS.replaces("first_pass", "each call has its own result, even when two have one id",
    "langchain-google-genai 4.4.2: of two calls under one id, one result is sent", {"parallel/same-id-twice": "*"})
def M7c_results_kept_by_id(history: History) -> History:
    return tuple(
        replace(
            entry, results=tuple({result.call_id or n: result for n, result in enumerate(entry.results)}.values())
        )
        for entry in history
    )

@IDS.replaces("first_pass", "a result without an id belongs to the call before it",
    "https://github.com/zeroclaw-labs/zeroclaw/issues/5743", {"history/result-without-an-id": "1.should.*"})
def M2r_results_without_id_dropped(history: History) -> History:
    return tuple(replace(entry, results=tuple(r for r in entry.results if r.call_id)) for entry in history)

STORED_CALLS = Mutants()

@STORED_CALLS.replaces("first_pass", "what comes after a stored call without arguments is sent",
    "https://github.com/MoonshotAI/kimi-cli/issues/2165", {"history/arguments-that-do-not-parse[nothing]": "1.*"})
def M54f_read_to_the_first_bad_call(history: History) -> History:
    """Of a stored session all after a call without arguments is left out, until the message of the user."""
    bad = next((n for n, entry in enumerate(history) if any(not c.arguments for c in entry.calls)), len(history))
    now = max(n for n, entry in enumerate(history) if entry.role == "user")
    return (*history[: min(bad, now)], *history[now:])

@STORED_CALLS.replaces("first_pass", "a stored call is sent also if its arguments cannot be read",
    "https://github.com/MoonshotAI/kimi-cli/issues/2165", {"history/arguments-that-do-not-parse[cut-off]": "*"})
def M54a_unreadable_call_ends_session(history: History) -> History:
    if any(call.arguments is None for entry in history for call in entry.calls):
        raise AgentError("tool call arguments must be a JSON object")
    return history

@STORED_CALLS.replaces("unique_ids", "a stored call whose id is blank gets one",
    "https://github.com/earendil-works/pi/issues/4854", {"history/call-without-an-id[blank]": "accepted:*"})
def M54b_blank_id_is_an_id(history: History) -> History:
    blank = any(call.id == "" for entry in history for call in entry.calls)
    return history if blank else history_repair.unique_ids(history)

@STORED_CALLS.replaces("first_pass", "a stored call without an id is sent with its result",
    "https://github.com/EvoScientist/EvoScientist/pull/399", {"history/call-without-an-id[*]": "1.should.*"})
def M54c_missing_id_left_out(history: History) -> History:
    return tuple(replace(entry, calls=tuple(call for call in entry.calls if call.id)) for entry in history)

@STORED_CALLS.replaces("last_pass", "a call without a name is sent with its result, or neither is",
    "https://github.com/NousResearch/hermes-agent/pull/11435", {"tool-names/call-without-a-name": "accepted:*"})
def M54d_nameless_call_dropped(history: History) -> History:
    entries = (replace(entry, calls=tuple(call for call in entry.calls if call.name)) for entry in history)
    return tuple(entry for entry in entries if not entry.is_empty)

@STORED_CALLS.replaces("prune", "pruning keeps the message of the turn, also if it is the longest",
    "https://github.com/anomalyco/opencode/issues/17340", {"limits/message-longer-than-the-limit": "asked"})
def M54e_long_message_dropped(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    while tokens(history) + declared > budget and len(history) > 1:
        longest = max(history, key=lambda entry: tokens((entry,)))
        history = tuple(entry for entry in history if entry is not longest)
    return history if any(entry.role == "user" for entry in history) else (*history, Entry("user", "Go on."))

STREAMED = Mutants()

@STREAMED.replaces("join_calls", "arguments that were encoded twice are not taken for none",
    "https://github.com/FoundationAgents/OpenManus/pull/989", {"arguments/encoded-twice": "sent-arguments"})
def M17h_texts_taken_for_nothing(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    pieces = list(pieces)
    is_text = "".join(str(piece.arguments) for piece in pieces).startswith('"')
    return tuple(replace(call, arguments={}) if is_text else call for call in join_calls(pieces))

@STREAMED.replaces("join_calls", "calls that share an index are told apart",
    "https://github.com/vercel/ai/pull/14277", {"streaming/calls-that-share-an-index[*]": "paired"})
def M33a_later_calls_skipped(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    first: dict[int, CallPiece] = {}
    for piece in pieces:
        call = first.setdefault(piece.index or 0, CallPiece())
        if not call.id or piece.id in (None, call.id):
            call.take(piece) if call.call.arguments in (None, {}) else None
    return tuple(call.call for call in first.values())

@STREAMED.replaces("join_calls", "a piece without an index belongs to the call before it",
    "https://github.com/AstrBotDevs/AstrBot/pull/6692",
    {"streaming/calls-that-share-an-index[no-index]": "sent-arguments"})
def M33b_pieces_without_an_index_lost(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    return join_calls(piece for piece in pieces if piece.index is not None or piece.name)

@STREAMED.replaces("join_calls", "a piece under another index, without id and name, belongs to the call before it",
    "https://github.com/dirac-run/dirac/pull/215",
    {"streaming/index-that-grows-in-a-call[one-call, two-calls]": "1.should.executed"})
def M33c_strange_index_lost(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    kept: list[CallPiece] = []
    for piece in pieces:
        if piece.name or any(piece.index == known.index for known in kept):
            kept.append(piece)
    return join_calls(kept)

@STREAMED.replaces("join_calls", "pieces that come in turn are joined by their index",
    "https://github.com/QwenLM/Qwen-Agent/pull/943", {"streaming/pieces-of-calls-in-turn": "sent-arguments"})
def M33d_pieces_to_the_last_call(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    return join_calls([replace(piece, index=None) for piece in pieces])

@STREAMED.replaces("join_calls", "an id that is repeated begins no other call",
    "https://github.com/JetBrains/koog/pull/2052",
    {"streaming/ids-and-names-in-odd-deltas[late-id, repeated-id, repeated-id-and-name]": "sent-arguments"})
def M33e_call_at_each_id(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    calls: list[CallPiece] = []
    for piece in pieces:
        if piece.id or not calls:
            calls.append(CallPiece())
        calls[-1].take(piece)
    return tuple(call.call for call in calls if call.name)

@STREAMED.replaces("join_calls", "calls without index and id are two calls",
    "https://github.com/huggingface/smolagents/pull/1958", {"streaming/calls-without-index-or-id": "1.should.executed"})
def M33j_call_by_its_id(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    calls: dict[str, CallPiece] = {}
    for piece in pieces:
        calls.setdefault(piece.id or next(reversed(calls), ""), CallPiece()).take(piece)
    return tuple(call.call for call in calls.values())

@STREAMED.replaces("join_calls", "a name that is repeated is the same name",
    "https://github.com/NousResearch/hermes-agent/pull/12230",
    {"streaming/ids-and-names-in-odd-deltas[repeated-name]": "1.should.executed"})
def M33f_names_appended(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    pieces = list(pieces)
    calls = join_calls(pieces)
    names = ["".join(piece.name for piece in pieces if piece.index == index) for index in range(len(calls))]
    return tuple(replace(call, name=name or call.name) for call, name in zip(calls, names, strict=True))

@STREAMED.replaces("join_calls", "arguments that come as an object are arguments",
    "https://github.com/ggml-org/llama.cpp/issues/20198", {"arguments/object-in-place-of-text": "sent-arguments"})
def M33g_objects_taken_for_nothing(pieces: Iterable[CallPiece]) -> tuple[Call, ...]:
    return join_calls(
        replace(piece, arguments=piece.arguments if isinstance(piece.arguments, str) else "") for piece in pieces
    )

@STREAMED.replaces("stream_events", "a chunk without choices is no error",
    "https://github.com/BerriAI/litellm/issues/36553", {"streaming/chunk-without-choices": "1.*"})
async def M33h_first_choice_read(events: AsyncIterator[str]) -> AsyncIterator[str]:
    async for event in events:
        if '"choices":[]' in event:
            raise IndexError("list index out of range")
        yield event

@STREAMED.replaces("stream_events", "what comes with the finish reason is read",
    "https://github.com/docker/docker-agent/pull/2992", {"streaming/finish-with-the-last-piece": "1.*"})
async def M33i_finish_ends_reading(events: AsyncIterator[str]) -> AsyncIterator[str]:
    async for event in events:
        yield re.sub(r'"delta":\{.*\}(?=[^{]*"finish_reason":"\w)', '"delta":{}', event)

STREAMED.row("M33l_deltas_alone", "text in the start of a block is read",
    "https://github.com/langchain-ai/langchain/pull/38442", {"streaming/text-in-the-start": "stream-is-reply"},
    stream_events=begun_empty("text"))

STREAMED.row("M33m_thoughts_of_deltas_alone", "a thought in the start of a block is read",
    "https://github.com/can1357/oh-my-pi/pull/8319", {"streaming/text-in-the-start": "accepted:anthropic/thinking-*"},
    stream_events=begun_empty("thinking"))

@STREAMED.replaces("stream_events", "a chunk after the finish reason does not take it back",
    "https://github.com/tensorzero/tensorzero/issues/2078", {"streaming/null-after-the-finish": "*"})
async def M33k_last_finish_kept(events: AsyncIterator[str]) -> AsyncIterator[str]:
    ended = False
    async for event in events:
        if '"finish_reason":"' in event:
            ended = True
        elif ended and '"finish_reason":null' in event:
            raise ValueError("the stream has no finish reason")
        yield event
