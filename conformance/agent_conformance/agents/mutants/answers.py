"""Bugs with answers and results: broken streams, answers cut off or declined, reasoning, tools that fail."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from httpx2 import HTTPError

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.mutants.mutant import Mutants
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer, DeltaTracker
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, History, Result
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires.wire import ErrorResponse, Reader


class RepeatingTracker(DeltaTracker):
    """Sends every attempt from its beginning."""

    def add(self, text: str) -> str:
        return text

    def end(self) -> None:
        return


class NeverTiredBounds(Bounds):
    """Asks again after every answer without a text."""

    def may_retry_empty(self) -> bool:
        return True


class SilentTracker(DeltaTracker):
    """Holds everything back for the reply."""

    def add(self, text: str) -> str:
        super().add(text)
        return ""


class SplicingTracker(DeltaTracker):
    """Takes a second attempt for the rest of the first, at the same place, whatever its words are."""

    def add(self, text: str) -> str:
        shown = max(len(self._current), len(self._delivered))
        self._current += text
        self._delivered += self._current[shown:]
        return self._current[shown:]

    def end(self) -> None:
        return


MUTANTS = Mutants()


MUTANTS.add(
    "M20h_only_the_reply_shown",
    "text beside a call is shown as it comes",
    "https://github.com/sepivip/SeekerClaw/pull/432",
    (("streaming/text-beside-a-call-is-shown", "1.should.narration"),),
)(lambda defences: replace(defences, delta_tracker=SilentTracker))


@MUTANTS.add(
    "M21g_permanent_faults_repeated",
    "a request that can only fail again is not repeated",
    "https://github.com/langchain-ai/langchainjs/issues/1929",
    (
        ("faults/not-to-be-repeated[bad-request, no-access, in-a-list]", "1.should.reply"),
        ("faults/quota-that-is-used-up", "1.should.reply"),
        ("faults/refused-in-the-stream", "1.should.reply"),
    ),
)
def _permanent_faults_repeated(defences: Defences) -> Defences:
    return replace(defences, is_passing=lambda error: True)


@MUTANTS.add(
    "M20a_equal_events_dropped",
    "a piece of a stream counts, also if it equals the one before it",
    "https://github.com/Quorinex/Kiro-Go/pull/138",
    (("streaming/text-in-order[said-again]", "1.reply"), ("streaming/arguments-in-pieces", "sent-arguments")),
)
def _equal_events_dropped(defences: Defences) -> Defences:
    async def changed(events: AsyncIterator[str]) -> AsyncIterator[str]:
        before = ""
        async for event in events:
            if event != before:
                yield event
            before = event

    return replace(defences, stream_events=changed)


@MUTANTS.add(
    "M20b_half_answer_used",
    "a stream that breaks off is not an answer",
    "https://github.com/bobmatnyc/trusty-tools/issues/3757",
    (("streaming/cut-in-the-answer", "1.should.reply"),),
)
def _half_answer_used(defences: Defences) -> Defences:
    def half(error: ProviderError, so_far: str) -> Answer:
        if error.status or not so_far.strip():
            raise error
        return Answer(so_far)

    return replace(defences, partial_answer=half)


@MUTANTS.add(
    "M20c_error_event_ends",
    "an error event does not complete an answer",
    "https://github.com/farzaa/clicky/issues/132",
    (("faults/error-in-the-stream", "1.should.reply"),),
)
def _error_event_ends(defences: Defences) -> Defences:
    def half(error: ProviderError, so_far: str) -> Answer:
        if not error.status or not so_far.strip():
            raise error
        return Answer(so_far)

    return replace(defences, partial_answer=half)


MUTANTS.add(
    "M20i_attempts_spliced",
    "a second attempt in other words is not appended to the first",
    "https://github.com/HKUDS/nanobot/issues/4038",
    (("streaming/second-attempt-in-other-words[*]", "stream-is-reply"),),
)(lambda defences: replace(defences, delta_tracker=SplicingTracker))


@MUTANTS.add(
    "M20j_streamed_call_asked_again",
    "a call that was streamed is not asked for again",
    "https://github.com/zeroclaw-labs/zeroclaw, streams_native_tool_events_without_chat_fallback",
    (("streaming/narration-and-call", "*"),),
)
def _streamed_call_asked_again(defences: Defences) -> Defences:
    asked: set[str] = set()

    def at_end(reader: Reader) -> Answer:
        answer = reader.answer()
        if answer.calls and answer.text not in asked:
            asked.add(answer.text)
            raise ErrorResponse("the stream has a call", 503)
        return answer

    return replace(defences, answer_at_end=at_end)


@MUTANTS.add(
    "M20d_deltas_repeated",
    "a retried answer continues where the user stopped reading",
    "https://github.com/HKUDS/nanobot/issues/4038",
    (("streaming/cut-in-the-answer", "stream-is-reply"),),
)
def _deltas_repeated(defences: Defences) -> Defences:
    return replace(defences, delta_tracker=RepeatingTracker)


@MUTANTS.add(
    "M20e_end_of_bytes_ends",
    "a stream that ends without a finish reason has broken off",
    "https://github.com/griffinwork40/agent-afk/pull/635",
    (("streaming/without-an-end[in-an-event]", "1.should.reply"),),
)
def _end_of_bytes_ends(defences: Defences) -> Defences:
    def anyhow(reader: Reader) -> Answer:
        return reader.so_far()

    return replace(defences, answer_at_end=anyhow)


@MUTANTS.add(
    "M20f_half_a_call_runs",
    "half a call does not run",
    "https://github.com/NousResearch/hermes-agent/pull/80623",
    (("streaming/half-a-call[ended]", "sent-arguments"),),
)
def _half_a_call_runs(defences: Defences) -> Defences:
    def anyhow(reader: Reader) -> Answer:
        return reader.so_far()

    def empty(call: Call) -> Mapping[str, Any]:
        return call.arguments or {}

    return replace(defences, answer_at_end=anyhow, arguments_of=empty)


@MUTANTS.add(
    "M20g_pieces_are_lines",
    "a stream means the same however its bytes are cut",
    "https://github.com/graniet/llm/pull/90",
    (("streaming/noise[single-bytes, much-at-once]", "1.*"),),
)
def _pieces_are_lines(defences: Defences) -> Defences:
    async def changed(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        async for piece in pieces:
            yield piece if piece.endswith(b"\n") else piece + b"\n"

    return replace(defences, stream_bytes=changed)


@MUTANTS.add(
    "M21a_crashes_on_refusal",
    "an answer that is not a completion ends in a controlled failure",
    "Cogtrix issue 2289: a refused request without a message",
    (("faults/not-to-be-repeated[bad-request, in-a-list]", "answers"),),
)
def _crashes_on_refusal(defences: Defences) -> Defences:
    def unread(error: ProviderError, so_far: str) -> Answer:
        raise KeyError("choices") if error.status in (400, 403) else error

    return replace(defences, partial_answer=unread)


@MUTANTS.add(
    "M21c_lost_connection_crashes",
    "a connection that is lost ends in another attempt or a controlled failure",
    "https://github.com/agno-agi/agno/issues/4335",
    (("faults/lost-connection[*]", "answers"),),
)
def _lost_connection_crashes(defences: Defences) -> Defences:
    def let_through(error: ProviderError, so_far: str) -> Answer:
        raise error.__cause__ if isinstance(error.__cause__, HTTPError) else error

    return replace(defences, partial_answer=let_through)


@MUTANTS.add(
    "M21d_unreadable_body_crashes",
    "a body that cannot be read ends in another attempt or a controlled failure",
    "https://github.com/NousResearch/hermes-agent/pull/15107",
    (("faults/page-of-a-proxy[page-under-200, nothing-under-200]", "answers"),),
)
def _unreadable_body_crashes(defences: Defences) -> Defences:
    def let_through(error: ProviderError, so_far: str) -> Answer:
        raise error.__cause__ if isinstance(error.__cause__, ValueError) else error

    return replace(defences, partial_answer=let_through)


@MUTANTS.add(
    "M21h_error_object_crashes",
    "an error in place of the answer ends in another attempt or a controlled failure",
    "https://github.com/open-jarvis/OpenJarvis/issues/970",
    (("faults/error-under-200[*]", "answers"), ("faults/error-in-the-stream", "answers")),
)
def _error_object_crashes(defences: Defences) -> Defences:
    def unread(error: ProviderError, so_far: str) -> Answer:
        raise TypeError("no choices") if isinstance(error.__cause__, ErrorResponse) else error

    return replace(defences, partial_answer=unread)


@MUTANTS.add(
    "M21e_no_retry_delay",
    "after `retry-after` the next attempt waits that long",
    "https://github.com/earendil-works/pi/issues/9595",
    (("faults/asked-for-patience", "1.should.requests*"),),
)
def _no_retry_delay(defences: Defences) -> Defences:
    def at_once(error: ProviderError, attempt: int) -> float:
        return 0.0

    return replace(defences, retry_delay=at_once)


@MUTANTS.add(
    "M21b_tool_error_through",
    "a tool that fails gives a result, and the other results stay",
    "zeroclaw, turn_recovers_from_tool_error",
    (("faults/tool-raises", "1.should.*"), ("parallel/one-fails", "1.should.outcome")),
)
def _tool_error_through(defences: Defences) -> Defences:
    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        return Result(call.id, call.name, Tool.text(await tool.acall(dict(arguments))))

    return replace(defences, run_tool=run)


@MUTANTS.add(
    "M22a_cut_off_answer_lost",
    "the text of an answer that was cut off is shown",
    "xaibo issue 33: truncated completions",
    (("finish/cut-off-answer", "stream-is-reply"),),
)
def _cut_off_answer_lost(defences: Defences) -> Defences:
    def whole(answer: Answer, history: History) -> str:
        return "" if answer.finish == "length" else answer.text

    return replace(defences, final_text=whole)


@MUTANTS.add(
    "M22b_refusal_unread",
    "an answer that was declined ends in a reply",
    "https://github.com/openclaw/openclaw/issues/102321",
    (("finish/refused-by-the-model", "answers"), ("finish/declined-for-ever[*]", "answers")),
)
def _refusal_unread(defences: Defences) -> Defences:
    def content(answer: Answer, history: History) -> str:
        return "" if answer.finish == "withheld" else answer.text

    def give_up(answer: Answer, *, closing: bool) -> str:
        return "" if answer.finish == "withheld" else defences.give_up(answer, closing=closing)

    return replace(defences, final_text=content, give_up=give_up, bounds=lambda limits: Bounds(empty_answers=99))


@MUTANTS.add(
    "M22m_calls_by_their_reason",
    "calls are calls, whatever the reason after them says",
    "https://github.com/Blaizzy/mlx-vlm/pull/1014",
    (("finish/calls-without-their-reason[stop, no-reason]", "1.should.executed"),),
)
def _calls_by_their_reason(defences: Defences) -> Defences:
    def without_other_calls(reader: Reader) -> Answer:
        answer = reader.answer()
        return answer if answer.reason not in (None, "stop") else replace(answer, calls=())

    return replace(defences, answer_at_end=without_other_calls)


@MUTANTS.add(
    "M22n_reason_of_calls_believed",
    "the reason of calls without a call is followed a few times at most",
    "https://github.com/mastra-ai/mastra/pull/14187",
    (("finish/reason-of-calls-without-calls[nothing, announced]", "1.should.request_count"),),
)
def _reason_of_calls_believed(defences: Defences) -> Defences:
    def to_be_continued(answer: Answer, history: History) -> str:
        return "" if answer.reason in ("tool_calls", "tool_use") else answer.text

    return replace(defences, final_text=to_be_continued, bounds=lambda limits: NeverTiredBounds())


@MUTANTS.add(
    "M22f_declined_retried",
    "an answer that is declined is not asked for again and again",
    "https://github.com/Yeachan-Heo/gajae-code/issues/1655",
    (("finish/declined-for-ever[refusal-without-words]", "1.request_count"),),
)
def _declined_retried(defences: Defences) -> Defences:
    def content(answer: Answer, history: History) -> str:
        return "" if answer.finish == "withheld" else answer.text

    return replace(defences, final_text=content, bounds=lambda limits: NeverTiredBounds())


@MUTANTS.add(
    "M21f_request_in_failure",
    "the message of an error has no API key",
    "Cogtrix issue 2289: the key of the provider in the text of an error",
    (("faults/lost-connection[closed]", "key-kept"),),
)
def _request_in_failure(defences: Defences) -> Defences:
    def quoted(error: ProviderError, so_far: str) -> Answer:
        if isinstance(error.__cause__, HTTPError):
            raise ProviderError(f"{error}, of {dict(error.__cause__.request.headers)}")
        raise error

    return replace(defences, partial_answer=quoted)


@MUTANTS.add(
    "M7h_texts_merged_by_their_place",
    "the texts of one reply stay in their order",
    "https://github.com/mastra-ai/mastra/issues/23785",
    (("round-trip/several-texts-in-one-reply", "stream-is-reply"),),
)
def _texts_merged_by_their_place(defences: Defences) -> Defences:
    def rotated(reader: Reader) -> Answer:
        answer = reader.answer()
        blocks: Mapping[int, Mapping[str, Any]] = getattr(reader, "blocks", {})
        texts = [block["text"] for block in blocks.values() if "text" in block]
        return replace(answer, text="".join((*texts[1:], texts[0]))) if len(texts) > 1 else answer

    return replace(defences, answer_at_end=rotated)
