"""The defences of the agent, each a function or a small value that can be replaced on its own.

The loop calls a defence only through the `Defences` that it was given. A mutant is these with one of them replaced.
"""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import AgentError, Limits, Setup, Tool, ToolChoice
from agent_conformance.agents.reference import (
    answers,
    bounds,
    history_repair,
    prompts,
    pruning,
    pseudo_calls,
    state,
    tools,
)
from agent_conformance.agents.reference.answers import Answer, DeltaTracker
from agent_conformance.agents.reference.arguments import fit_to_schema
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.call_pieces import JoinCalls, join_calls
from agent_conformance.agents.reference.history import (
    Call,
    Entry,
    History,
    Result,
    has_pictures,
    leave_out_pictures,
    readable_reasoning,
)
from agent_conformance.agents.reference.provider import ProviderError, body_bytes, retry_delay
from agent_conformance.agents.reference.pseudo_calls import Reading
from agent_conformance.agents.reference.pseudo_calls.values import TextCall
from agent_conformance.agents.reference.wires import CompletionRequest, Reader, Wire

TIMEOUT = 120.0
PLACEHOLDER_SIGNATURE = "skip_thought_signature_validator"
"""What Google documents as the signature of calls that Gemini did not make itself."""


def system_text(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
    """The system prompt: that of the setup, without a word about tools, which every request declares natively."""
    return system


def full_request(request: CompletionRequest) -> CompletionRequest:
    """Each request has the whole history and all declarations: the provider stores nothing."""
    return request


def shapes_beside_tools(wire: Wire, model: str) -> bool:
    """Whether the schema of the answer goes into each request; else into one more without tools, at the end."""
    return wire.shapes_beside_tools(model)


def names_in_text(enabled: Mapping[str, Tool], known: Iterable[Tool]) -> frozenset[str]:
    """The tools whose calls are read in a text: those that the request offers."""
    return frozenset(enabled)


def calls_in_text(answer: Answer, reading: Reading, history: History, names: frozenset[str]) -> tuple[TextCall, ...]:
    """The calls that the model wrote as text, if it made none natively. Text of users and tools is not read."""
    return () if answer.calls else reading.calls


def stream_bytes(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The bytes of a stream as they come. They may be cut anywhere; the reader joins them."""
    return pieces


def stream_events(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Every event of a stream counts, also one that equals the event before it."""
    return events


def patience(limits: Limits) -> float:
    """Seconds without a byte of a response: a stream may fall silent, and its connection stay open for ever."""
    return limits.idle_seconds or TIMEOUT


def answer_at_end(reader: Reader) -> Answer:
    """The answer of a stream that has ended. A stream that ends without a reason has broken off."""
    return reader.answer()


def partial_answer(error: ProviderError, so_far: str) -> Answer:
    """What to use of an answer that failed or broke off: nothing, half an answer is no answer."""
    raise error


def is_passing(error: ProviderError) -> bool:
    """Whether to send the same request again: a rate limit or an overload passes, a used-up quota does not."""
    return error.retryable


def does_not_fit(error: ProviderError) -> bool:
    """Whether to shorten the request and send it again: the provider says that it is too long for the model."""
    return error.too_long


def refuses_pictures(error: ProviderError, sent: History) -> bool:
    """Whether to send the request again without pictures. Each provider refuses them in words of its own."""
    return error.status in (400, 413, 422) and not error.too_long and has_pictures(sent)


def refuses_thoughts(error: ProviderError, sent: History) -> bool:
    """Whether to send the request again without thoughts: a relay may refuse those that it has signed itself."""
    return error.status == 400 and "signature" in str(error).lower() and any(entry.thoughts for entry in sent)


def arguments_of(call: Call) -> Mapping[str, Any] | None:
    """The arguments to run a call with; None if they could not be read. None are invented."""
    return call.arguments


def may_call(offered: bool) -> bool:
    """Whether calls may run at all: only when the request offered tools."""
    return offered


def round_entries(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> History:
    """One round for the history: the model's own calls, then their results in the wire's own form."""
    model = replace(answers.entry_of(answer, answer.text), calls=calls)
    return (model, Entry("results", results=results))


def said_meanwhile(said: deque[str]) -> History:
    """What the user said since the last request, in messages of the user. Each is taken once."""
    return tuple(Entry("user", said.popleft(), is_within=True) for _ in range(len(said)))


def said_at_the_end(said: deque[str]) -> History:
    """What the user said after the last request, behind the answer: the next turn, or process, has it."""
    return said_meanwhile(said)


def session_setup(setup: Setup, name: str) -> Setup:
    """What another session is started with: no history, and a folder of its own."""
    return replace(setup, history=(), state_dir=setup.state_dir / "sessions" / name)


def switched_setup(before: Setup, now: Setup) -> Setup:
    """What the agent goes on with after a change of the model: all that is new."""
    return now


def fallback_setup(setup: Setup) -> Setup | None:
    """The second provider, with a name of its own for the model."""
    if (second := setup.fallback) is None:
        return None
    return replace(
        setup,
        wire=second.wire,
        provider=second.provider,
        base_url=second.base_url,
        api_key=second.api_key,
        model=second.model,
        fallback=None,
    )


def falls_back(error: ProviderError) -> bool:
    """Whether to ask the second provider: what is wrong with a request itself is wrong there too."""
    return error.status not in (400, 413, 422)


def final_text(answer: Answer, history: History) -> str:
    """The agent's reply: the text of this answer, also if it was cut off or declined, and no older text."""
    return answer.text


def summary_offer(offer: tools.Offer | None) -> tools.Offer | None:
    """The tools of a request for a summary: those of the conversation, and none of them may be called."""
    return replace(offer, closing=True, forced=None) if offer is not None else None


def summary_of(answer: Answer, older: History) -> str | None:
    """The summary of these turns, if it may take their place: in words, whole, and shorter than they are."""
    is_whole = answer.finish == "stop" and not answer.calls and answer.text.strip()
    is_shorter = len(answer.text) // pruning.CHARACTERS_PER_TOKEN < pruning.tokens(older)
    return answer.text if is_whole and is_shorter else None


def summarised(text: str, history: History, start: int) -> History:
    """The history with a summary in place of all before the turn that began at `start`. The turn itself stays."""
    return (Entry("user", prompts.SUMMARY.format(text=text)), *history[start:])


def give_up(answer: Answer, *, closing: bool) -> str:
    """The reply if the model has none: a sentence that says so, or `AgentError` for an empty answer."""
    if closing:
        return answers.fallback_reply(answer, closing=True)
    raise AgentError(answers.fallback_reply(answer, closing=False))


def retry_after_hidden(rejected: tuple[str, ...]) -> bool:
    """Whether the model gets another request after a call in its text was hidden because it could not run."""
    return True


def history_on_retry(history: History, start: int) -> History:
    """What is kept of a turn when a request is retried: everything, so that no tool runs twice."""
    return history


def history_on_abort(history: History, start: int) -> History:
    """What is kept of a turn that failed or was cancelled; it began at `start`. All of it, and a closing message."""
    return (*history, Entry("model", prompts.CLOSED))


def start_bounds(limits: Limits) -> Bounds:
    return Bounds(requests=limits.requests or bounds.REQUESTS)


def notify(observe: Callable[[Any], None] | None, event: Mapping[str, Any]) -> None:
    """Call the observer, if there is one. What it does or raises changes nothing."""
    if observe is None:
        return
    with suppress(Exception):  # an observer must not be able to end a turn
        observe(event)


@dataclass(frozen=True, slots=True)
class Defences:
    """All defences, in the order in which a turn uses them."""

    system_text: Callable[[str, Mapping[str, Tool], Iterable[Tool]], str] = system_text
    found_names: Callable[[History], frozenset[str]] = tools.found_names
    matching_tools: tools.Search = tools.matching_tools
    declare: Callable[[Mapping[str, Tool]], tools.Offer | None] = tools.declare
    forced_tool: Callable[[ToolChoice | None, Mapping[str, str], History, str], str | None] = tools.forced_tool
    forbids_calls: Callable[[ToolChoice | None], bool] = tools.forbids_calls
    shapes_beside_tools: Callable[[Wire, str], bool] = shapes_beside_tools
    wire_names: Callable[[Iterable[str]], Mapping[str, str]] = tools.wire_names
    load: Callable[[Path], History | None] = state.load
    save: Callable[[History, Path], None] = state.save
    readable_reasoning: Callable[[History, str], History] = readable_reasoning
    repair_passes: tuple[history_repair.RepairPass, ...] = history_repair.REPAIR_PASSES
    placeholder_signature: str = PLACEHOLDER_SIGNATURE
    prune: Callable[[History, int, int, pruning.Shorten], History] = pruning.prune
    shorten: pruning.Shorten = pruning.shorten
    full_request: Callable[[CompletionRequest], CompletionRequest] = full_request
    body_bytes: Callable[[Mapping[str, Any]], bytes] = body_bytes
    stream_bytes: Callable[[AsyncIterator[bytes]], AsyncIterator[bytes]] = stream_bytes
    stream_events: Callable[[AsyncIterator[str]], AsyncIterator[str]] = stream_events
    patience: Callable[[Limits], float] = patience
    answer_at_end: Callable[[Reader], Answer] = answer_at_end
    join_calls: JoinCalls = join_calls
    partial_answer: Callable[[ProviderError, str], Answer] = partial_answer
    does_not_fit: Callable[[ProviderError], bool] = does_not_fit
    refuses_pictures: Callable[[ProviderError, History], bool] = refuses_pictures
    refuses_thoughts: Callable[[ProviderError, History], bool] = refuses_thoughts
    leave_out_pictures: Callable[[History], History] = leave_out_pictures
    is_passing: Callable[[ProviderError], bool] = is_passing
    summary_offer: Callable[[tools.Offer | None], tools.Offer | None] = summary_offer
    summary_of: Callable[[Answer, History], str | None] = summary_of
    summarised: Callable[[str, History, int], History] = summarised
    retry_delay: Callable[[ProviderError, int], float] = retry_delay
    delta_tracker: Callable[[], DeltaTracker] = DeltaTracker
    names_in_text: Callable[[Mapping[str, Tool], Iterable[Tool]], frozenset[str]] = names_in_text
    calls_in_text: Callable[[Answer, Reading, History, frozenset[str]], tuple[TextCall, ...]] = calls_in_text
    resolve: Callable[[str, Mapping[str, Tool], Iterable[Tool]], Tool | None] = tools.resolve
    unknown_tool: Callable[[str, Iterable[str]], str] = prompts.unknown_tool
    unreadable_call: Callable[[Iterable[str], Iterable[str]], str] = prompts.unreadable_call
    arguments_of: Callable[[Call], Mapping[str, Any] | None] = arguments_of
    fit_to_schema: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]] = fit_to_schema
    ask_user: Callable[[Setup, Tool, Call, Mapping[str, Any]], Awaitable[Result | None]] = tools.ask_user
    run_tool: Callable[[Tool, Call, Mapping[str, Any]], Awaitable[Result]] = tools.run_tool
    may_call: Callable[[bool], bool] = may_call
    may_run: Callable[[Answer], bool] = answers.may_run
    is_to_be_continued: Callable[[Answer], bool] = answers.is_to_be_continued
    round_entries: Callable[[Answer, tuple[Call, ...], tuple[Result, ...]], History] = round_entries
    reading: pseudo_calls.Rules = field(default_factory=pseudo_calls.Rules)
    stream_rules: Callable[[pseudo_calls.Rules], pseudo_calls.Rules] = lambda rules: rules
    session_setup: Callable[[Setup, str], Setup] = session_setup
    fallback_setup: Callable[[Setup], Setup | None] = fallback_setup
    falls_back: Callable[[ProviderError], bool] = falls_back
    switched_setup: Callable[[Setup, Setup], Setup] = switched_setup
    said_meanwhile: Callable[[deque[str]], History] = said_meanwhile
    said_at_the_end: Callable[[deque[str]], History] = said_at_the_end
    retry_after_hidden: Callable[[tuple[str, ...]], bool] = retry_after_hidden
    final_text: Callable[[Answer, History], str] = final_text
    give_up: Callable[..., str] = give_up
    bounds: Callable[[Limits], Bounds] = start_bounds
    history_on_retry: Callable[[History, int], History] = history_on_retry
    history_on_abort: Callable[[History, int], History] = history_on_abort
    notify: Callable[[Callable[[Any], None] | None, Mapping[str, Any]], None] = notify
