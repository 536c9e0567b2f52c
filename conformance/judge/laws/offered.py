"""The law `offered`: the model gets every enabled tool, whole, and no disabled one."""

from collections.abc import Iterator

from conformance.judge.declarations import lost_properties
from conformance.judge.evidence import Evidence, Fault, flat
from conformance.record.finding import Level
from conformance.record.transcript import ACCEPTED, RecordedRequest, TurnRecord
from conformance.scenario.model import ToolSpec
from fakes import ViewTool


def offered(evidence: Evidence) -> Iterator[Fault]:
    """The first request of each turn offers every enabled tool; a call of one that is not offered then says so too."""
    for record in evidence.turns:
        requests = [e for e in record.requests if e.kind in ACCEPTED]
        if requests:
            yield from _first_request(evidence, record, requests[0])
        for request in requests[1:]:
            for call in request.calls:
                if call.enabled and not call.offered:
                    yield _fault(
                        record,
                        request,
                        expected=f"{call.name}, which is enabled, to be offered",
                        got=f"a request that offers {_listed(request)}",
                    )


def _first_request(evidence: Evidence, record: TurnRecord, request: RecordedRequest) -> Iterator[Fault]:
    tools = request.view.tools
    for spec in evidence.scenario.tools:
        found = [tool for tool in tools if tool.name == spec.name]
        if spec.name not in record.enabled:
            if found:
                yield _fault(
                    record,
                    request,
                    expected=f"{spec.name}, which is disabled, not to be offered",
                    got=f"it offers {_listed(request)}",
                )
        elif not found:
            yield _fault(
                record,
                request,
                expected=f"{spec.name}, which is enabled, to be offered",
                got=f"a request that offers {_listed(request)}",
            )
        elif len(found) > 1:
            yield _fault(
                record, request, expected=f"{spec.name} to be offered once", got=f"it is offered {len(found)} times"
            )
        else:
            yield from _whole(record, request, spec, found[0])


def _whole(record: TurnRecord, request: RecordedRequest, spec: ToolSpec, tool: ViewTool) -> Iterator[Fault]:
    if flat(spec.description) not in flat(tool.description):
        yield _fault(
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
            yield _fault(
                record,
                request,
                level=level,
                expected=f"{spec.name} with all its parameters",
                got=f"a declaration without {', '.join(sorted(names))}",
            )


def _listed(request: RecordedRequest) -> str:
    return ", ".join(tool.name for tool in request.view.tools) or "no tool"


def _fault(record: TurnRecord, request: RecordedRequest, *, expected: str, got: str, level: Level = "must") -> Fault:
    return Fault(
        id="offered",
        kind="request",
        level=level,
        turn=record.number,
        request=request.number,
        expected=expected,
        got=got,
        cause="offered",
    )
