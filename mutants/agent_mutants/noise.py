"""Bugs of readers of streams: line ends, comments and events that they do not expect, and pieces that they trim."""

import json
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

from httpx2 import HTTPError

from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires import Reader
from agent_mutants.mutant import Mutants

LLM = "https://github.com/graniet/llm/pull/90"
AFK = "https://github.com/griffinwork40/agent-afk/pull/635"


def pieces(change: Callable[[bytes], bytes]) -> Callable[[AsyncIterator[bytes]], AsyncIterator[bytes]]:
    """Changes each piece of the bytes of a stream."""

    async def changed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield change(piece)

    return changed


def texts_of_events(change: Callable[[str], str]) -> Callable[[AsyncIterator[str]], AsyncIterator[str]]:
    """Changes each text in each event."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [changed(inner) for inner in value]
        return change(value) if isinstance(value, str) else value

    async def events_changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        async for event in events:
            yield json.dumps(changed(json.loads(event))) if event.startswith("{") else event

    return events_changed


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

# With other line ends no event ever ends, and all of them run into one.
MUTANTS.row("M72a_two_line_feeds_end", "events end at an empty line, whatever ends a line",
    LLM, {"streaming/noise[other-line-ends]": "paired"},
    stream_bytes=pieces(lambda piece: piece.replace(b"\r\n\r\n", b"\r\n").replace(b"\r\n\n", b"\r\n")))

@MUTANTS.replaces("stream_bytes", "data begins at the colon, with a blank or without",
    LLM, {"streaming/noise[no-blank]": "paired"}, through=pieces)
def M72z_blank_is_part_of_the_name(piece: bytes) -> bytes:
    """Knows `data: ` alone, and takes any other line for a comment."""
    return b"\n".join(b": " + line if line.startswith(b"data:{") else line for line in piece.split(b"\n"))

@MUTANTS.replaces("stream_bytes", "comments in a stream are skipped",
    LLM, {"streaming/noise[comments]": "1.*"}, through=pieces)
def M72b_comments_are_data(piece: bytes) -> bytes:
    """Cuts each line at its first colon, and takes what follows for the data."""
    return b"\n".join(b"data" + line if line.startswith(b":") else line for line in piece.split(b"\n"))

@MUTANTS.replaces("stream_events", "a ping is no error",
    LLM, {"streaming/noise[pings]": "1.*"})
async def M72c_ping_is_no_kind(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Has one branch for each kind of event that it knows, and raises after the last of them."""
    async for event in events:
        if '"ping"' in event:
            raise KeyError("no such event")
        yield event

@MUTANTS.replaces("stream_events", "an event without a piece of the answer does not end the stream",
    LLM, {"streaming/noise[unknown-events]": "1.*"}, answer_at_end=lambda reader: reader.so_far())
async def M72d_counts_come_last(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """An event without a piece of the answer is the one that ends the stream."""
    async for event in events:
        if '"choices":[]' in event or event.startswith('{"usageMetadata"'):
            return
        yield event

MUTANTS.row("M72e_read_as_latin", "a stream is read as UTF-8",
    "https://github.com/open-metadata/OpenMetadata/issues/29531", {"streaming/text-in-order[other-scripts]": "1.reply"},
    stream_bytes=pieces(lambda piece: piece.decode("latin-1").encode()))

MUTANTS.row("M78a_joiners_cut_out", "what joins the characters of a reply is part of it",
    "https://github.com/diegosouzapw/OmniRoute/pull/8287", {"streaming/text-in-order[joined-characters]": "1.reply"},
    stream_events=texts_of_events(lambda text: re.sub("[\u200b-\u200d\ufeff]", "", text)))

MUTANTS.row("M78b_fences_cut_out", "the fence around code is part of a reply",
    "https://github.com/NousResearch/hermes-agent/pull/73315", {"streaming/text-in-order[fenced]": "*"},
    final_text=lambda answer, history: re.sub("```(?:json)?", "", answer.text))

MUTANTS.row("M72f_pieces_trimmed", "the white space around a piece is part of it",
    "https://github.com/Quorinex/Kiro-Go/pull/138", {"streaming/text-in-order[words]": "1.reply"},
    stream_events=texts_of_events(str.strip))

@MUTANTS.replaces("stream_events", "an empty line in a piece is part of it",
    "https://github.com/Quorinex/Kiro-Go/pull/138", {"streaming/text-in-order[line-breaks]": "1.reply"},
    through=texts_of_events)
def M72g_empty_lines_dropped(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if line.strip("\n"))

@MUTANTS.changes("a call whose stream was cut off does not run",
    "https://github.com/NousResearch/hermes-agent/pull/80623", {"streaming/half-a-call[cut-off]": "sent-arguments"})
def M72h_lost_connection_is_the_end(defences: Defences) -> Defences:
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

@MUTANTS.replaces("answer_at_end", "a stream without a finish reason is no answer with a note",
    AFK, {"streaming/without-an-end[before-the-finish]": "1.should.reply"})
def M72i_end_is_noted(reader: Reader) -> Answer:
    try:
        return reader.answer()
    except (ProviderError, ValueError):
        answer = reader.so_far()
        return replace(answer, text=f"{answer.text}\n[interrupted]")

@MUTANTS.replaces("stream_events", "a piece of an answer may have what it cites, and no text",
    "https://github.com/openai/openai-java/issues/297", {"finish/answer-that-cites[*]": "1.*"})
async def M72k_each_piece_has_text(events: AsyncIterator[str]) -> AsyncIterator[str]:
    async for event in events:
        if '"delta":{"annotations"' in event:
            raise KeyError("content")
        yield event

@MUTANTS.changes("an answer with its finish reason is whole without the last event",
    AFK, {"streaming/without-an-end[before-the-last-event]": "1.should.reply"})
def M72j_last_event_demanded(defences: Defences) -> Defences:
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

@MUTANTS.replaces("partial_answer", "the page of a proxy is no answer of the model",
    "https://github.com/OpenHands/OpenHands/issues/12064", {"faults/page-of-a-proxy[bad-gateway]": "1.should.reply"})
def M72l_page_is_the_reply(error: ProviderError, so_far: str) -> Answer:
    if "<html" not in str(error):
        raise error
    return Answer(str(error), finish="stop")
