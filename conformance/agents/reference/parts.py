"""The defences of the agent, each a function or a small value that can be replaced by itself. Knows no wire.

The loop never calls a defence directly: it asks the parts that it was given. A mutant is these parts with one replaced.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.adapter.types import AgentError, Limits, Tool
from conformance.agents.reference import (
    bounds,
    finishes,
    healing,
    names,
    notes,
    pruning,
    pseudo_calls,
    resolution,
    state,
    tools,
)
from conformance.agents.reference.arguments import fit_to_schema
from conformance.agents.reference.bounds import Bounds
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.provider import ProviderError, pause
from conformance.agents.reference.pseudo_calls import Reading
from conformance.agents.reference.pseudo_calls.values import Found
from conformance.agents.reference.shown import Shown
from conformance.agents.reference.turns import Call, Result, Turn, Turns
from conformance.agents.reference.wires.wire import Asking, Reader

UNSIGNED_CALL = "skip_thought_signature_validator"
"""What Google documents for calls that Gemini did not make itself, in place of the signature that it asks for."""


def system_text(system: str, enabled: Mapping[str, Tool], known: Iterable[Tool]) -> str:
    """The system prompt: what the setup says, and no word about tools, which every request declares natively."""
    return system


def whole_request(asking: Asking) -> Asking:
    """Each request says everything, history and declarations: a provider remembers nothing."""
    return asking


def names_in_text(enabled: Mapping[str, Tool], known: Iterable[Tool]) -> frozenset[str]:
    """The tools of which a call may be written as text: those that the request offers."""
    return frozenset(enabled)


def calls_in_text(answer: Answer, reading: Reading, turns: Turns, names: frozenset[str]) -> tuple[Found, ...]:
    """The calls that the model itself wrote, where it made none natively; nothing that users and tools wrote before."""
    return () if answer.calls else reading.calls


def every_piece(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The bytes of a stream as they come: cut anywhere, for the reader to put together."""
    return pieces


def every_event(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Each event of a stream counts, also one that equals the one before."""
    return events


def ended(reader: Reader) -> Answer:
    """The answer of a stream that has come to its end. One that does not say why it ends has broken off."""
    return reader.answer()


def salvaged(error: ProviderError, so_far: str) -> Answer | None:
    """What is made of an answer that failed or broke off: nothing, for the half of an answer is none."""
    return None


def arguments_of(call: Call) -> Mapping[str, Any] | None:
    """The arguments to run a call with; None where they could not be read: nothing is invented."""
    return call.arguments


def may_call(offered: bool) -> bool:
    """Whether calls may run at all: only when the request offered tools."""
    return offered


def round_turns(answer: Answer, calls: tuple[Call, ...], results: tuple[Result, ...]) -> Turns:
    """One round as it goes into the history: the model's own calls, and their results natively behind them."""
    model = Turn("model", answer.text, calls=calls, thoughts=answer.thoughts, signature=answer.signature)
    return (model, Turn("results", results=results))


def final_text(answer: Answer, turns: Turns) -> str:
    """The agent's reply: the words of this step's answer, also where it was cut off or declined, and nothing older."""
    return answer.text


def give_up(answer: Answer, *, closing: bool) -> str:
    """The last word where the model has none: honest words, or `AgentError` where it was simply empty."""
    if closing:
        return finishes.honest_words(answer, closing=True)
    raise AgentError(finishes.honest_words(answer, closing=False))


def after_hidden(rejected: tuple[str, ...]) -> bool:
    """Whether the model is asked again when a call in its text could not be run and was hidden."""
    return True


def kept_on_retry(turns: Turns, start: int) -> Turns:
    """What is kept of a step when a request is repeated: everything, so that no tool runs twice."""
    return turns


def ended_early(turns: Turns, start: int) -> Turns:
    """What is kept of a step, begun at `start`, that failed or was cancelled: all of it, and that it is over."""
    return (*turns, Turn("model", notes.CLOSED))


def started(limits: Limits) -> Bounds:
    return Bounds(exchanges=limits.requests or bounds.EXCHANGES)


def notify(observe: Callable[[Any], None] | None, event: Mapping[str, Any]) -> None:
    """Tell the observer, if there is one. What it does or raises changes nothing."""
    if observe is None:
        return
    try:
        observe(event)
    except Exception:  # an observer must not be able to end a step
        return


@dataclass(frozen=True, slots=True)
class Parts:
    """All defences, in the order in which a step meets them."""

    system_text: Callable[[str, Mapping[str, Tool], Iterable[Tool]], str] = system_text
    declare: Callable[[Mapping[str, Tool]], tools.Offer | None] = tools.declare
    wire_names: Callable[[Iterable[str]], Mapping[str, str]] = names.wire_names
    load: Callable[[Path], Turns | None] = state.load
    passes: tuple[healing.Pass, ...] = healing.PASSES
    unsigned_call: str = UNSIGNED_CALL
    prune: Callable[[Turns, int, int, pruning.Shorten], Turns] = pruning.prune
    shorten: pruning.Shorten = pruning.shorten
    whole_request: Callable[[Asking], Asking] = whole_request
    every_piece: Callable[[AsyncIterator[bytes]], AsyncIterator[bytes]] = every_piece
    every_event: Callable[[AsyncIterator[str]], AsyncIterator[str]] = every_event
    ended: Callable[[Reader], Answer] = ended
    salvaged: Callable[[ProviderError, str], Answer | None] = salvaged
    pause: Callable[[ProviderError, int], float] = pause
    shown: Callable[[], Shown] = Shown
    names_in_text: Callable[[Mapping[str, Tool], Iterable[Tool]], frozenset[str]] = names_in_text
    calls_in_text: Callable[[Answer, Reading, Turns, frozenset[str]], tuple[Found, ...]] = calls_in_text
    resolve: Callable[[str, Mapping[str, Tool], Iterable[Tool]], Tool | None] = resolution.resolve
    unknown_tool: Callable[[str, Iterable[str]], str] = notes.unknown_tool
    unreadable_call: Callable[[Iterable[str], Iterable[str]], str] = notes.unreadable_call
    arguments_of: Callable[[Call], Mapping[str, Any] | None] = arguments_of
    fit_to_schema: Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Any]] = fit_to_schema
    run_tool: Callable[[Tool, Call, Mapping[str, Any]], Awaitable[Result]] = tools.run_tool
    may_call: Callable[[bool], bool] = may_call
    may_run: Callable[[Answer], bool] = finishes.may_run
    round_turns: Callable[[Answer, tuple[Call, ...], tuple[Result, ...]], Turns] = round_turns
    reading: pseudo_calls.Rules = field(default_factory=pseudo_calls.Rules)
    stream_rules: Callable[[pseudo_calls.Rules], pseudo_calls.Rules] = lambda rules: rules
    after_hidden: Callable[[tuple[str, ...]], bool] = after_hidden
    final_text: Callable[[Answer, Turns], str] = final_text
    give_up: Callable[..., str] = give_up
    bounds: Callable[[Limits], Bounds] = started
    kept_on_retry: Callable[[Turns, int], Turns] = kept_on_retry
    ended_early: Callable[[Turns, int], Turns] = ended_early
    notify: Callable[[Callable[[Any], None] | None, Mapping[str, Any]], None] = notify
