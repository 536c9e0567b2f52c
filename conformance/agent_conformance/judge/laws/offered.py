"""The laws on declarations: `offered`, that the model gets every enabled tool, whole, and no disabled one, and
`property-order`, which is advice: the properties are in the order of the tool's own schema."""

from collections.abc import Iterator
from itertools import dropwhile

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch, flat
from agent_conformance.judge.declarations import lost_properties, reordered_properties, unsaid_limits
from agent_conformance.judge.laws.law import Harm, Law
from agent_conformance.judge.shortened_texts import hint, is_for_a_summary
from agent_conformance.scenario.model import NamedToolSpec, ToolSpec
from agent_conformance.transcripts.finding import Level
from agent_conformance.transcripts.transcript import ACCEPTED, RecordedRequest, TurnRecord
from fake_providers import ViewTool


def check_offers(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """The first request of a turn offers every enabled tool, a later one the enabled tools that the model calls, and
    those that became enabled since the turn began.

    Where the agent has a tool that searches for others, they may be offered once that has found them.

    Where no call is allowed, it is as right to offer none, and where the setup names the tool to be called, to offer
    that one alone: it says the same to a provider that takes no name in `tool_choice`.
    """
    if evidence.scenario.tool_choice == "none":
        return
    for record in evidence.turns:
        accepted = [request for request in record.requests if request.kind in ACCEPTED]
        requests = list(dropwhile(lambda request: _only_summarises(evidence, request), accepted))
        if requests:
            yield from _first_request(evidence, record, requests[0])
            yield from _found(evidence, record, requests)
        for request in requests[1:]:
            is_late = request.view.tools and not request.search_tool
            late = record.enabled_at(request) - record.enabled - request.offered if is_late else ()
            missing = dict.fromkeys((*request.withheld, *sorted(late)))
            for name in missing if not _only_summarises(evidence, request) else ():
                yield OFFERED.broken_by(
                    record,
                    request,
                    expected=f"{name}, which is enabled, to be offered"
                    + (f" after {request.search_tool} was asked for it" if request.search_tool else ""),
                    got=f"a request that offers {_listed(request)}{_hint(record, request)}",
                )


def _only_summarises(evidence: CaseEvidence, request: RecordedRequest) -> bool:
    return not request.view.tools and is_for_a_summary(evidence, request)


def _first_request(evidence: CaseEvidence, record: TurnRecord, request: RecordedRequest) -> Iterator[Mismatch]:
    tools = request.view.tools
    choice = evidence.scenario.tool_choice
    alone = {choice.tool} if isinstance(choice, NamedToolSpec) and request.view.forces == {choice.tool} else set()
    for spec in evidence.scenario.tools:
        found = [tool for tool in tools if tool.name == spec.name]
        if spec.name not in record.enabled:
            if any(tool.name == spec.name for tool in request.view.callable_tools):
                yield OFFERED.broken_by(
                    record,
                    request,
                    expected=f"{spec.name}, which is disabled, not to be offered",
                    got=f"it offers {_listed(request)}",
                )
        elif not found and (alone - {spec.name} or request.search_tool):
            continue
        elif not found:
            yield OFFERED.broken_by(
                record,
                request,
                expected=f"{spec.name}, which is enabled, to be offered",
                got=f"a request that offers {_listed(request)}{_hint(record, request)}",
            )
        elif len(found) > 1:
            yield OFFERED.broken_by(
                record, request, expected=f"{spec.name} to be offered once", got=f"it is offered {len(found)} times"
            )
        else:
            yield from _whole(record, request, spec, found[0])


def _found(evidence: CaseEvidence, record: TurnRecord, requests: list[RecordedRequest]) -> Iterator[Mismatch]:
    """What a search has found is declared as whole as what is offered at first."""
    for spec in evidence.scenario.tools if requests[0].search_tool else ():
        offers = [(one, tool) for one in requests for tool in one.view.tools if tool.name == spec.name]
        if offers and offers[0][0] is not requests[0] and spec.name in record.enabled:
            yield from _whole(record, offers[0][0], spec, offers[0][1])


def _whole(record: TurnRecord, request: RecordedRequest, spec: ToolSpec, tool: ViewTool) -> Iterator[Mismatch]:
    if flat(spec.description) not in flat(tool.description):
        yield OFFERED.broken_by(
            record,
            request,
            expected=f'{spec.name} with its description "{spec.description}"',
            got=f'the description "{tool.description}"',
        )
    lost = list(lost_properties(spec.parameters, tool.parameters))
    levels: tuple[tuple[Level, bool], ...] = (("must", True), ("should", False))
    for level, certain in levels:
        names = [name for name, is_certain in lost if is_certain == certain]
        if names:
            yield OFFERED.broken_by(
                record,
                request,
                level=level,
                expected=f"{spec.name} with all its parameters",
                got=f"a declaration without {', '.join(sorted(names))}",
            )

    unsaid = unsaid_limits(spec.parameters, tool.parameters, tool.description)
    if unsaid:
        yield OFFERED.broken_by(
            record,
            request,
            level="should",
            expected=f"{spec.name} with all that its schema says",
            got=f"a declaration that does not say {', nor '.join(unsaid)}",
        )


def _hint(record: TurnRecord, request: RecordedRequest) -> str:
    return hint(record, request) if request.view.tools else ""


def _listed(request: RecordedRequest) -> str:
    return ", ".join(tool.name for tool in request.view.tools) or "no tool"


OFFERED = Law("offered", check_offers, Harm.DATA)


def check_order(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Models write arguments in this order, one after the other: what a tool asks for first is decided first."""
    for record, request in evidence.model_requests():
        for tool in request.view.tools if not request.refused else ():
            spec = evidence.tool(tool.name)
            for wanted, offered in reordered_properties(spec.parameters, tool.parameters) if spec else ():
                yield PROPERTY_ORDER.broken_by(
                    record,
                    request,
                    kind="expectation",
                    expected=f"{tool.name} with its properties in the order {', '.join(wanted)}",
                    got=", ".join(offered),
                )


PROPERTY_ORDER = Law("property-order", check_order, Harm.WORDS, level="should")
