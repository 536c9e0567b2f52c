"""Bugs with what comes back: streams that break off, answers that are cut, declined or thought, tools that fail."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from httpx2 import HTTPError

from conformance.adapter.types import Tool
from conformance.agents.mutants.mutant import Mutant
from conformance.agents.reference import Parts
from conformance.agents.reference.bounds import Bounds
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.provider import ProviderError
from conformance.agents.reference.shown import Shown
from conformance.agents.reference.turns import Call, Result, Turns
from conformance.agents.reference.wires.wire import Reader


class ShownAgain(Shown):
    """Every attempt is shown from its beginning."""

    def add(self, text: str) -> str:
        return text

    def end(self) -> None:
        return


def _repeats_swallowed(parts: Parts) -> Parts:
    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        before = ""
        async for event in events:
            if event != before:
                yield event
            before = event

    return replace(parts, every_event=changed)


def _half_taken(parts: Parts) -> Parts:
    def half(error: ProviderError, so_far: str) -> Answer | None:
        return Answer(so_far) if so_far.strip() and not error.status else None

    return replace(parts, salvaged=half)


def _error_event_ends(parts: Parts) -> Parts:
    def half(error: ProviderError, so_far: str) -> Answer | None:
        return Answer(so_far) if so_far.strip() and error.status else None

    return replace(parts, salvaged=half)


def _end_of_bytes_ends(parts: Parts) -> Parts:
    def anyhow(reader: Reader) -> Answer:
        return reader.so_far()

    return replace(parts, ended=anyhow)


def _half_a_call_runs(parts: Parts) -> Parts:
    def anyhow(reader: Reader) -> Answer:
        return reader.so_far()

    def empty(call: Call) -> Mapping[str, Any]:
        return call.arguments or {}

    return replace(parts, ended=anyhow, arguments_of=empty)


def _pieces_are_lines(parts: Parts) -> Parts:
    async def changed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield piece if piece.endswith(b"\n") else piece + b"\n"

    return replace(parts, every_piece=changed)


def _shown_again(parts: Parts) -> Parts:
    return replace(parts, shown=ShownAgain)


def _crashes_on_refusal(parts: Parts) -> Parts:
    def unread(error: ProviderError, so_far: str) -> Answer | None:
        if error.status in (400, 403):
            raise KeyError("choices")
        return None

    return replace(parts, salvaged=unread)


def _lost_connection_crashes(parts: Parts) -> Parts:
    def let_through(error: ProviderError, so_far: str) -> Answer | None:
        if isinstance(error.__cause__, HTTPError):
            raise error.__cause__
        return None

    return replace(parts, salvaged=let_through)


def _page_crashes(parts: Parts) -> Parts:
    def let_through(error: ProviderError, so_far: str) -> Answer | None:
        if isinstance(error.__cause__, ValueError):
            raise error.__cause__
        return None

    return replace(parts, salvaged=let_through)


def _impatient(parts: Parts) -> Parts:
    def at_once(error: ProviderError, attempt: int) -> float:
        return 0.0

    return replace(parts, pause=at_once)


def _tool_error_through(parts: Parts) -> Parts:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        return Result(call.id, call.name, Tool.text(await tool.acall(dict(arguments))))

    return replace(parts, run_tool=run)


def _cut_off_answer_lost(parts: Parts) -> Parts:
    def whole(answer: Answer, turns: Turns) -> str:
        return "" if answer.finish == "length" else answer.text

    return replace(parts, final_text=whole)


def _refusal_unread(parts: Parts) -> Parts:
    def content(answer: Answer, turns: Turns) -> str:
        return "" if answer.finish == "withheld" else answer.text

    def give_up(answer: Answer, *, closing: bool) -> str:
        return "" if answer.finish == "withheld" else parts.give_up(answer, closing=closing)

    return replace(parts, final_text=content, give_up=give_up, bounds=lambda limits: Bounds(blanks=99))


def _thoughts_told(parts: Parts) -> Parts:
    def everything(answer: Answer, turns: Turns) -> str:
        return "\n".join([*(thought.text for thought in answer.thoughts), answer.text])

    return replace(parts, final_text=everything)


MUTANTS = (
    Mutant(
        "M20a_repeats_swallowed",
        "a piece of a stream counts though it equals the one before",
        "https://github.com/Quorinex/Kiro-Go/pull/138",
        (("streaming/text-in-order", "1.reply"), ("streaming/arguments-in-pieces", "sent-arguments")),
        _repeats_swallowed,
    ),
    Mutant(
        "M20b_half_taken",
        "a stream that breaks off is no answer",
        "https://github.com/bobmatnyc/trusty-tools/issues/3757",
        (("streaming/cut-in-the-answer", "1.should.reply"),),
        _half_taken,
    ),
    Mutant(
        "M20c_error_event_ends",
        "an error event is no end of an answer",
        "https://github.com/farzaa/clicky/issues/132",
        (("faults/error-in-the-stream", "1.should.reply"),),
        _error_event_ends,
    ),
    Mutant(
        "M20d_shown_again",
        "a repeated answer goes on where the user stopped reading",
        "https://github.com/HKUDS/nanobot/issues/4038",
        (("streaming/cut-in-the-answer", "stream-is-reply"),),
        _shown_again,
    ),
    Mutant(
        "M20e_end_of_bytes_ends",
        "a stream that ends without saying why has broken off",
        "https://github.com/griffinwork40/agent-afk/pull/635",
        (("streaming/without-an-end", "1.should.reply"),),
        _end_of_bytes_ends,
    ),
    Mutant(
        "M20f_half_a_call_runs",
        "a call of which half has come does not run",
        "https://github.com/NousResearch/hermes-agent/pull/80623",
        (("streaming/half-a-call", "sent-arguments"),),
        _half_a_call_runs,
    ),
    Mutant(
        "M20g_pieces_are_lines",
        "a stream means the same however its bytes are cut",
        "https://github.com/graniet/llm/pull/90",
        (("streaming/noise", "1.*"),),
        _pieces_are_lines,
    ),
    Mutant(
        "M21a_crashes_on_refusal",
        "an answer that is no completion ends in a controlled failure",
        "Cogtrix issue 2289: a refused request without a message",
        (("faults/not-to-be-repeated", "answers"),),
        _crashes_on_refusal,
    ),
    Mutant(
        "M21c_lost_connection_crashes",
        "a connection that is lost ends in another attempt or a controlled failure",
        "https://github.com/agno-agi/agno/issues/4335",
        (("faults/lost-connection", "answers"),),
        _lost_connection_crashes,
    ),
    Mutant(
        "M21d_page_crashes",
        "a body that is no answer ends in another attempt or a controlled failure",
        "https://github.com/NousResearch/hermes-agent/pull/15107",
        (("faults/page-of-a-proxy", "answers"),),
        _page_crashes,
    ),
    Mutant(
        "M21e_impatient",
        "who is told to wait waits that long",
        "https://github.com/earendil-works/pi/issues/9595",
        (("faults/asked-for-patience", "1.should.requests*"),),
        _impatient,
    ),
    Mutant(
        "M21b_tool_error_through",
        "a tool that fails is a result, and the results beside it stay",
        "zeroclaw, turn_recovers_from_tool_error",
        (("faults/tool-raises", "1.should.*"), ("parallel/one-fails", "1.should.outcome")),
        _tool_error_through,
    ),
    Mutant(
        "M22a_cut_off_answer_lost",
        "what there is of an answer that was cut off is shown",
        "xaibo issue 33: truncated completions",
        (("finish/cut-off-answer", "stream-is-reply"),),
        _cut_off_answer_lost,
    ),
    Mutant(
        "M22b_refusal_unread",
        "an answer that was declined ends in words",
        "https://github.com/openclaw/openclaw/issues/102321",
        (("finish/refused-by-the-model", "answers"),),
        _refusal_unread,
    ),
    Mutant(
        "M22c_thoughts_told",
        "native reasoning is no part of the reply",
        "zeroclaw, reasoning_content does not leak",
        (("reasoning/field-is-not-the-answer", "stream-is-reply"),),
        _thoughts_told,
    ),
)
