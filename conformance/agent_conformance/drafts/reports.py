"""The requests of one failing case in the results of a run, as `--agent-report` writes them."""

from typing import Any

from agent_conformance.cassettes.exchange import RecordedResponse
from agent_conformance.drafts.evidence import CannotDraft, Evidence
from agent_conformance.drafts.requests import Sent, evidence_of
from agent_conformance.drafts.source_file import SourceFile
from agent_conformance.results.encoding import BrokenResults, decoded
from agent_conformance.results.model import CaseRecord, RequestResult, Results
from fake_providers.http import Request


def is_report(value: Any) -> bool:
    return isinstance(value, dict) and "cases" in value and "bodies" in value


def evidence_of_report(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for results without such a case, or without its requests."""
    try:
        results = decoded(file.data, where=file.label)
    except BrokenResults as error:
        raise CannotDraft(str(error)) from None
    case = _case(results, file)
    requests = [request for turn in case.turns for request in turn.requests if request.request in results.bodies]
    sent = [_sent(request, results) for request in requests if request.wire == case.wire]
    if not sent:
        raise CannotDraft(f"{file.label}: {case.id} has no bodies of requests. Run it alone with --agent-report.")
    if any(results.bodies[request.request].cut for request in requests):
        raise CannotDraft(f"{file.label}: a request of {case.id} was too long to be kept whole. Run it alone.")
    return evidence_of(sent, "report")


def _case(results: Results, file: SourceFile) -> CaseRecord:
    failing = [case for case in results.cases if case.turns and case.findings]
    chosen = [case for case in failing if file.case in ("", case.id)]
    if chosen:
        return chosen[0]
    known = ", ".join(case.id for case in failing[:3]) or "none"
    raise CannotDraft(
        f"{file.label}: no case {file.case or 'with a finding'} has its requests here. There are {known}."
    )


def _sent(request: RequestResult, results: Results) -> Sent:
    body = results.bodies[request.request]
    answer = results.bodies.get(request.response)
    response = None if answer is None else RecordedResponse(answer.status, answer.headers, (answer.text.encode(),))
    posted = Request(body.method or "POST", body.path, dict(body.headers), body.text.encode())
    return Sent(posted, request.wire, request.provider, response)
