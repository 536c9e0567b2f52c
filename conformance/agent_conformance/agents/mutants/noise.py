"""Bugs of readers of streams: line ends, comments and events that they do not expect, and pieces that they trim."""

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from httpx2 import HTTPError

from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires.wire import Reader

LLM = "https://github.com/graniet/llm/pull/90"
AFK = "https://github.com/griffinwork40/agent-afk/pull/635"


def _bytes_changed(defences: Defences, change: Callable[[bytes], bytes]) -> Defences:
    async def changed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield change(piece)

    return replace(defences, stream_bytes=changed)


def _texts_changed(defences: Defences, change: Callable[[str], str]) -> Defences:
    """The agent that changes each text in each event."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner) for inner in value]
        return change(value) if isinstance(value, str) else value

    async def events_changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            yield json.dumps(changed(json.loads(event))) if event.startswith("{") else event

    return replace(defences, stream_events=events_changed)


MUTANTS = Mutants()


@MUTANTS.add(
    "M72a_two_line_feeds_end",
    "events end at an empty line, whatever ends a line",
    LLM,
    (("streaming/noise[other-line-ends]", "paired"),),
)
def _two_line_feeds_end(defences: Defences) -> Defences:
    """With other line ends no event ever ends, and all of them run into one."""
    return _bytes_changed(defences, lambda piece: piece.replace(b"\r\n\r\n", b"\r\n").replace(b"\r\n\n", b"\r\n"))


@MUTANTS.add(
    "M72b_comments_are_data",
    "comments in a stream are skipped",
    LLM,
    (("streaming/noise[comments]", "1.*"),),
)
def _comments_are_data(defences: Defences) -> Defences:
    """Cuts each line at its first colon, and takes what follows for the data."""

    def cut(piece: bytes) -> bytes:
        return b"\n".join(b"data" + line if line.startswith(b":") else line for line in piece.split(b"\n"))

    return _bytes_changed(defences, cut)


@MUTANTS.add(
    "M72c_ping_is_no_kind",
    "a ping is no error",
    LLM,
    (("streaming/noise[pings]", "1.*"),),
)
def _ping_is_no_kind(defences: Defences) -> Defences:
    """Has one branch for each kind of event that it knows, and raises after the last of them."""

    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            if '"ping"' in event:
                raise KeyError("no such event")
            yield event

    return replace(defences, stream_events=changed)


@MUTANTS.add(
    "M72d_counts_come_last",
    "an event without a piece of the answer does not end the stream",
    LLM,
    (("streaming/noise[unknown-events]", "1.*"),),
)
def _counts_come_last(defences: Defences) -> Defences:
    """An event without a piece of the answer is the one that ends the stream."""

    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            if '"choices":[]' in event or event.startswith('{"usageMetadata"'):
                return
            yield event

    return replace(defences, stream_events=changed, answer_at_end=lambda reader: reader.so_far())


@MUTANTS.add(
    "M72e_read_as_latin",
    "a stream is read as UTF-8",
    "https://github.com/open-metadata/OpenMetadata/issues/29531",
    (("streaming/text-in-order[other-scripts]", "1.reply"),),
)
def _read_as_latin(defences: Defences) -> Defences:
    return _bytes_changed(defences, lambda piece: piece.decode("latin-1").encode())


@MUTANTS.add(
    "M78a_joiners_cut_out",
    "what joins the characters of a reply is part of it",
    "https://github.com/diegosouzapw/OmniRoute/pull/8287",
    (("streaming/text-in-order[joined-characters]", "1.reply"),),
)
def _joiners_cut_out(defences: Defences) -> Defences:
    return _texts_changed(defences, lambda text: re.sub("[\u200b-\u200d\ufeff]", "", text))


@MUTANTS.add(
    "M78b_fences_cut_out",
    "the fence around code is part of a reply",
    "https://github.com/NousResearch/hermes-agent/pull/73315",
    (("streaming/text-in-order[fenced]", "*"),),
)
def _fences_cut_out(defences: Defences) -> Defences:
    return replace(defences, final_text=lambda answer, history: re.sub("```(?:json)?", "", answer.text))


@MUTANTS.add(
    "M72f_pieces_trimmed",
    "the white space around a piece is part of it",
    "https://github.com/Quorinex/Kiro-Go/pull/138",
    (("streaming/text-in-order[words]", "1.reply"),),
)
def _pieces_trimmed(defences: Defences) -> Defences:
    return _texts_changed(defences, str.strip)


@MUTANTS.add(
    "M72g_empty_lines_dropped",
    "an empty line in a piece is part of it",
    "https://github.com/Quorinex/Kiro-Go/pull/138",
    (("streaming/text-in-order[line-breaks]", "1.reply"),),
)
def _empty_lines_dropped(defences: Defences) -> Defences:
    def lines(text: str) -> str:
        return "".join(line for line in text.splitlines(keepends=True) if line.strip("\n"))

    return _texts_changed(defences, lines)


@MUTANTS.add(
    "M72h_lost_connection_is_the_end",
    "a call whose stream was cut off does not run",
    "https://github.com/NousResearch/hermes-agent/pull/80623",
    (("streaming/half-a-call[cut-off]", "sent-arguments"),),
)
def _lost_connection_is_the_end(defences: Defences) -> Defences:
    async def until_lost(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        try:
            async for piece in pieces:
                yield piece
        except HTTPError:
            return

    def half(reader: Reader) -> Answer:
        answer = reader.so_far()
        return replace(
            answer, finish="stop", calls=tuple(replace(c, arguments=c.arguments or {}) for c in answer.calls)
        )

    return replace(defences, stream_bytes=until_lost, answer_at_end=half)


@MUTANTS.add(
    "M72i_end_is_noted",
    "a stream without a finish reason is no answer with a note",
    AFK,
    (("streaming/without-an-end[before-the-finish]", "1.should.reply"),),
)
def _end_is_noted(defences: Defences) -> Defences:
    def noted(reader: Reader) -> Answer:
        try:
            return reader.answer()
        except (ProviderError, ValueError):
            answer = reader.so_far()
            return replace(answer, text=f"{answer.text}\n[interrupted]")

    return replace(defences, answer_at_end=noted)


@MUTANTS.add(
    "M72k_each_piece_has_text",
    "a piece of an answer may have what it cites, and no text",
    "https://github.com/openai/openai-java/issues/297",
    (("finish/answer-that-cites[*]", "1.*"),),
)
def _each_piece_has_text(defences: Defences) -> Defences:
    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            if '"delta":{"annotations"' in event:
                raise KeyError("content")
            yield event

    return replace(defences, stream_events=changed)


@MUTANTS.add(
    "M72j_last_event_demanded",
    "an answer with its finish reason is whole without the last event",
    AFK,
    (("streaming/without-an-end[before-the-last-event]", "1.should.reply"),),
)
def _last_event_demanded(defences: Defences) -> Defences:
    async def whole(events: AsyncIterator[str]) -> AsyncIterator[str]:
        last = ""
        async for last in events:
            yield last
        if last != "[DONE]" and not re.search(r'_stop"|completed"|"STOP"|"done": ?true', last):
            raise ProviderError("the stream has no end")

    def noted(error: ProviderError, so_far: str) -> Answer:
        if "has no end" not in str(error):
            raise error
        return Answer(f"{so_far}\n[interrupted]", finish="stop")

    return replace(defences, stream_events=whole, partial_answer=noted)


@MUTANTS.add(
    "M72l_page_is_the_reply",
    "the page of a proxy is no answer of the model",
    "https://github.com/OpenHands/OpenHands/issues/12064",
    (("faults/page-of-a-proxy[bad-gateway]", "1.should.reply"),),
)
def _page_is_the_reply(defences: Defences) -> Defences:
    def page(error: ProviderError, so_far: str) -> Answer:
        if "<html" not in str(error):
            raise error
        return Answer(str(error), finish="stop")

    return replace(defences, partial_answer=page)
