"""Bugs with answers and results: broken streams, answers cut off or declined, reasoning, tools that fail."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any

from httpx2 import HTTPError

from agent_conformance.adapter.types import Tool
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.answers import Answer, DeltaTracker
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.history import Call, Entry, History, Result
from agent_conformance.agents.reference.provider import ProviderError
from agent_conformance.agents.reference.wires import ErrorResponse, Reader
from agent_mutants.mutant import Mutants


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


# The rows of a table, laid out so that they can be compared.
# fmt: off
MUTANTS = Mutants()

MUTANTS.row("M20h_only_the_reply_shown", "text beside a call is shown as it comes",
    "https://github.com/sepivip/SeekerClaw/pull/432", {"streaming/text-beside-a-call-is-shown": "1.should.narration"},
    delta_tracker=SilentTracker)

MUTANTS.row("M21g_permanent_faults_repeated", "a request that can only fail again is not repeated",
    "https://github.com/langchain-ai/langchainjs/issues/1929",
    {"faults/not-to-be-repeated[bad-request, no-access, in-a-list]": "1.reply",
     "faults/quota-that-is-used-up": "1.should.reply", "faults/refused-in-the-stream": "1.should.reply"},
    is_passing=lambda error: True)

MUTANTS.shown("M20a_equal_events_dropped", "a piece of a stream counts, also if it equals the one before it",
    "https://github.com/Quorinex/Kiro-Go/pull/138",
    {"streaming/text-in-order[said-again]": "1.reply", "streaming/arguments-in-pieces": "sent-arguments"})

@MUTANTS.replaces("partial_answer", "a stream that breaks off is not an answer",
    "https://github.com/bobmatnyc/trusty-tools/issues/3757", {"streaming/cut-in-the-answer": "answers"})
def M20b_half_answer_used(error: ProviderError, so_far: str) -> Answer:
    if error.status or not so_far.strip():
        raise error
    return Answer(so_far)

@MUTANTS.replaces("partial_answer", "an error event does not complete an answer",
    "https://github.com/farzaa/clicky/issues/132", {"faults/error-in-the-stream": "answers"})
def M20c_error_event_ends(error: ProviderError, so_far: str) -> Answer:
    if not error.status or not so_far.strip():
        raise error
    return Answer(so_far)

MUTANTS.row("M20i_attempts_spliced", "a second attempt in other words is not appended to the first",
    "https://github.com/HKUDS/nanobot/issues/4038", {"streaming/second-attempt-in-other-words[*]": "stream-is-reply"},
    delta_tracker=SplicingTracker)

@MUTANTS.changes("a call that was streamed is not asked for again",
    "https://github.com/zeroclaw-labs/zeroclaw, streams_native_tool_events_without_chat_fallback",
    {"streaming/narration-and-call": "*"})
def M20j_streamed_call_asked_again(defences: Defences) -> Defences:
    asked: set[str] = set()

    def at_end(reader: Reader) -> Answer:
        answer = reader.answer()
        if answer.calls and answer.text not in asked:
            asked.add(answer.text)
            raise ErrorResponse("the stream has a call", 503)
        return answer

    return replace(defences, answer_at_end=at_end)

MUTANTS.row("M20d_deltas_repeated", "a retried answer continues where the user stopped reading",
    "https://github.com/HKUDS/nanobot/issues/4038", {"streaming/cut-in-the-answer": "stream-is-reply"},
    delta_tracker=RepeatingTracker)

@MUTANTS.replaces("answer_at_end", "a stream that ends without a finish reason has broken off",
    "https://github.com/griffinwork40/agent-afk/pull/635", {"streaming/without-an-end[in-an-event]": "1.should.reply"})
def M20e_end_of_bytes_ends(reader: Reader) -> Answer:
    return reader.so_far()

@MUTANTS.changes("half a call does not run",
    "https://github.com/NousResearch/hermes-agent/pull/80623", {"streaming/half-a-call[ended]": "sent-arguments"})
def M20f_half_a_call_runs(defences: Defences) -> Defences:
    def anyhow(reader: Reader) -> Answer:
        return reader.so_far()

    def empty(call: Call) -> Mapping[str, Any]:
        return call.arguments or {}

    return replace(defences, answer_at_end=anyhow, arguments_of=empty)

@MUTANTS.replaces("stream_bytes", "a stream means the same however its bytes are cut",
    "https://github.com/graniet/llm/pull/90", {"streaming/noise[single-bytes, much-at-once]": "1.*"})
async def M20g_pieces_are_lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    async for piece in pieces:
        yield piece if piece.endswith(b"\n") else piece + b"\n"

@MUTANTS.replaces("partial_answer", "an answer that is not a completion ends in a controlled failure",
    "Cogtrix issue 2289: a refused request without a message",
    {"faults/not-to-be-repeated[bad-request, in-a-list]": "answers"})
def M21a_crashes_on_refusal(error: ProviderError, so_far: str) -> Answer:
    raise KeyError("choices") if error.status in (400, 403) else error

@MUTANTS.replaces("partial_answer", "a connection that is lost ends in another attempt or a controlled failure",
    "https://github.com/agno-agi/agno/issues/4335",
    {"faults/lost-connection[*]": "answers", "streaming/falls-silent[*]": "answers"})
def M21c_lost_connection_crashes(error: ProviderError, so_far: str) -> Answer:
    raise error.__cause__ if isinstance(error.__cause__, HTTPError) else error

@MUTANTS.replaces("partial_answer", "a body that cannot be read ends in another attempt or a controlled failure",
    "https://github.com/NousResearch/hermes-agent/pull/15107",
    {"faults/page-of-a-proxy[page-under-200, nothing-under-200]": "answers"})
def M21d_unreadable_body_crashes(error: ProviderError, so_far: str) -> Answer:
    raise error.__cause__ if isinstance(error.__cause__, ValueError) else error

@MUTANTS.replaces("partial_answer", "an error in place of the answer ends in another attempt or a controlled failure",
    "https://github.com/open-jarvis/OpenJarvis/issues/970",
    {"faults/error-under-200[*]": "answers", "faults/error-in-the-stream": "answers"})
def M21h_error_object_crashes(error: ProviderError, so_far: str) -> Answer:
    raise TypeError("no choices") if isinstance(error.__cause__, ErrorResponse) else error

MUTANTS.row("M822_waits_for_ever", "a response that falls silent is given up",
    "https://github.com/bigduu/Bamboo-agent/issues/28",
    {"streaming/falls-silent[in-the-answer]": "answers", "streaming/falls-silent-in-a-call": "answers"},
    patience=lambda limits: 120.0)

@MUTANTS.replaces("retry_delay", "after `retry-after` the next attempt waits that long",
    "https://github.com/earendil-works/pi/issues/9595", {"faults/asked-for-patience": "1.should.requests*"})
def M21e_no_retry_delay(error: ProviderError, attempt: int) -> float:
    return 0.0

@MUTANTS.replaces("run_tool", "a tool that fails gives a result, and the other results stay",
    "zeroclaw, turn_recovers_from_tool_error",
    {"faults/tool-raises": "1.should.*", "parallel/one-fails": "1.should.outcome"})
async def M21b_tool_error_through(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
    return Result(call.id, call.name, Tool.text(await tool.acall(dict(arguments))))

@MUTANTS.replaces("final_text", "the text of an answer that was cut off is shown",
    "xaibo issue 33: truncated completions", {"finish/cut-off-answer": "stream-is-reply"})
def M22a_cut_off_answer_lost(answer: Answer, history: History) -> str:
    return "" if answer.finish == "length" else answer.text

@MUTANTS.changes("an answer that was declined ends in a reply",
    "https://github.com/openclaw/openclaw/issues/102321",
    {"finish/refused-by-the-model": "answers", "finish/declined-for-ever[*]": "answers"})
def M22b_refusal_unread(defences: Defences) -> Defences:
    def content(answer: Answer, history: History) -> str:
        return "" if answer.finish == "withheld" else answer.text

    def give_up(answer: Answer, *, closing: bool) -> str:
        return "" if answer.finish == "withheld" else defences.give_up(answer, closing=closing)

    return replace(defences, final_text=content, give_up=give_up, bounds=lambda limits: Bounds(empty_answers=99))

@MUTANTS.replaces("answer_at_end", "calls are calls, whatever the reason after them says",
    "https://github.com/Blaizzy/mlx-vlm/pull/1014",
    {"finish/calls-without-their-reason[stop, no-reason]": "1.should.executed"})
def M22m_calls_by_their_reason(reader: Reader) -> Answer:
    answer = reader.answer()
    return answer if answer.reason not in (None, "stop") else replace(answer, calls=())

@MUTANTS.replaces("final_text", "the reason of calls without a call is followed a few times at most",
    "https://github.com/mastra-ai/mastra/pull/14187",
    {"finish/reason-of-calls-without-calls[nothing, announced]": "1.should.request_count"},
    bounds=lambda limits: NeverTiredBounds())
def M22n_reason_of_calls_believed(answer: Answer, history: History) -> str:
    return "" if answer.reason in ("tool_calls", "tool_use") else answer.text

@MUTANTS.replaces("final_text", "an answer that is declined is not asked for again and again",
    "https://github.com/Yeachan-Heo/gajae-code/issues/1655",
    {"finish/declined-for-ever[refusal-without-words]": "1.request_count"}, bounds=lambda limits: NeverTiredBounds())
def M22f_declined_retried(answer: Answer, history: History) -> str:
    return "" if answer.finish == "withheld" else answer.text

@MUTANTS.replaces("partial_answer", "the message of an error has no API key",
    "Cogtrix issue 2289: the key of the provider in the text of an error",
    {"faults/lost-connection[closed]": "key-kept"})
def M21f_request_in_failure(error: ProviderError, so_far: str) -> Answer:
    if isinstance(error.__cause__, HTTPError):
        raise ProviderError(f"{error}, of {dict(error.__cause__.request.headers)}")
    raise error

@MUTANTS.replaces("answer_at_end", "the texts of one reply stay in their order",
    "https://github.com/mastra-ai/mastra/issues/23785", {"round-trip/several-texts-in-one-reply": "stream-is-reply"})
def M7h_texts_merged_by_their_place(reader: Reader) -> Answer:
    answer = reader.answer()
    blocks: Mapping[int, Mapping[str, Any]] = getattr(reader, "blocks", {})
    texts = [block["text"] for block in blocks.values() if "text" in block]
    return replace(answer, text="".join((*texts[1:], texts[0]))) if len(texts) > 1 else answer

MUTANTS.row("M60y_each_429_is_a_quota", "an overload that is told as 429 or in a vendor's own words passes",
    "https://github.com/NousResearch/hermes-agent/pull/106512",
    {"faults/overload-in-other-words[*]": "1.outcome"},
    is_passing=lambda error: error.retryable and "rate limit" in str(error).lower())

@MUTANTS.changes("what the provider says of a failure is kept as no answer of the model",
    "https://github.com/RooCodeInc/Roo-Code/issues/7249",
    {"faults/not-to-be-repeated[bad-request, no-access]": "authority"})
def M897_failure_kept_as_an_answer(defences: Defences) -> Defences:
    said: list[str] = []

    def is_passing(error: ProviderError) -> bool:
        said.append(str(error))
        return defences.is_passing(error)

    def on_abort(history: History, start: int) -> History:
        return (*history, Entry("model", said[-1])) if said else defences.history_on_abort(history, start)

    return replace(defences, is_passing=is_passing, history_on_abort=on_abort)
