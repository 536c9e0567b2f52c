"""The law `named-model`: each provider is asked for the model that was set for it, also after a change."""

from collections.abc import Iterator

from agent_conformance.judge.case_evidence import CaseEvidence, Mismatch
from agent_conformance.judge.laws.law import Law
from agent_conformance.scenario.derived.targets import fallback_of


def check_models(evidence: CaseEvidence) -> Iterator[Mismatch]:
    """Only where a case has several: elsewhere an agent may have reasons for a model of its own."""
    second = fallback_of(evidence.scenario, evidence.wire)
    if second is None and not any(turn.switch for turn in evidence.scenario.conversation):
        return
    for record, request in evidence.model_requests():
        wanted, got = second if request.target == second else record.target, request.target
        if wanted is None or got is None:
            continue
        # Some clients write a prefix before the name: `models/`, or that of the provider
        if (wanted.wire, wanted.provider) != (got.wire, got.provider) or not (
            request.view.model == wanted.model or request.view.model.endswith(("/" + wanted.model, ":" + wanted.model))
        ):
            yield NAMED_MODEL.broken_by(
                record,
                request,
                expected=f"a request to {wanted}",
                got=f"one to {got.provider}, on {got.wire}, for the model {request.view.model or 'without a name'}",
            )
            return


NAMED_MODEL = Law("named-model", check_models)
