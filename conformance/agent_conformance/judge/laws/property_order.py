"""The law `property-order`, which is advice: a declaration has its properties in the order of the tool's own schema."""

from collections.abc import Iterator

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch
from agent_conformance.judge.declarations import reordered_properties
from agent_conformance.judge.laws.law import Law


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


PROPERTY_ORDER = Law("property-order", check_order, level="should")
