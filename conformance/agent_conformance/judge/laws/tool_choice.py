"""The law `tool-choice`: the model is made to call what the setup says, and afterwards is free to answer."""

from collections.abc import Iterator

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.scenario.model import NamedToolSpec
from agent_conformance.transcripts.transcript import CONVERSATION, RecordedRequest, TurnRecord
from fake_providers.models import traits

THINKING = frozenset({"thinking", "reasoner"})
"""Traits of models whose reasoning excludes a forced call (deepseek-ai/DeepSeek-V3#1376)."""


def check_choice(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The first request of the case forces the call, no request after its result does; `none` leaves no call open."""
    choice = evidence.scenario.tool_choice
    if choice is None:
        return
    for place, record in enumerate(evidence.turns):
        requests = [request for request in record.requests if request.kind in CONVERSATION]
        if choice == "none":
            yield from _allowed(record, requests)
            continue
        if place == 0 and choice != "auto":
            yield from _not_forced(evidence, record, requests[:1])
        for request in requests:
            yield from _still_forced(evidence, record, request)


def _allowed(record: TurnRecord, requests: list[RecordedRequest]) -> Iterator[Mismatch]:
    for request in requests:
        if request.view.tools and not request.view.forbids_calls:
            yield TOOL_CHOICE.broken_by(
                record,
                request,
                expected="a request that forbids calls or offers no tools, as `tool_choice: none` says",
                got="a request that lets the model call tools",
            )


def _not_forced(evidence: CaseEvidence, record: TurnRecord, first: list[RecordedRequest]) -> Iterator[Mismatch]:
    choice = evidence.scenario.tool_choice
    for request in first:
        forces = request.view.forces
        met = forces == {choice.tool} if isinstance(choice, NamedToolSpec) else bool(forces)
        # Whether the provider may refuse a forced call because the model reasons.
        if met or (
            request.view.thinks or not THINKING.isdisjoint(traits(evidence.wire, request.view.model, evidence.provider))
        ):
            continue
        wanted = choice.tool if isinstance(choice, NamedToolSpec) else "a tool"
        yield TOOL_CHOICE.broken_by(
            record, request, expected=f"a request that makes the model call {wanted}", got=_got(request)
        )


def _still_forced(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Iterator[Mismatch]:
    """A named tool is forced until it has run. That `required` and `auto` force a call no longer is advice."""
    choice, forces = evidence.scenario.tool_choice, request.view.forces
    named = choice.tool if isinstance(choice, NamedToolSpec) else None
    ran = [attempt.tool for attempt in record.attempts[: request.attempts_before] if attempt.ran]
    own = forces - {tool.name for tool in evidence.scenario.tools}
    if not forces or own or not (ran or choice == "auto"):
        return
    if named is not None and named not in ran:
        return
    yield TOOL_CHOICE.broken_by(
        record,
        request,
        level="must" if forces == {named} else "should",
        expected="a request that lets the model answer" + (f", after the result of {ran[-1]}" if ran else ""),
        got=_got(request),
    )


def _got(request: RecordedRequest) -> str:
    forces = sorted(request.view.forces)
    return f"a request that forces a call of {' or '.join(forces)}" if forces else "a request that forces no call"


TOOL_CHOICE = Law("tool-choice", check_choice, Harm.DATA)
