"""Checks as JSON, in the form of `check_request.schema.json`."""

from typing import Any

from agent_conformance.commands.check_request.checks import Check, CheckedBody
from agent_conformance.commands.check_request.sources import Unusable

FORMAT = 1


def as_json(results: list[CheckedBody | Unusable]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "requests": [_body(result) for result in results if isinstance(result, CheckedBody)],
        "problems": [_problem(result) for result in results if isinstance(result, Unusable)],
    }


def _body(result: CheckedBody) -> dict[str, Any]:
    return {"label": result.posted.label, "checks": [_check(check) for check in result.checks]}


def _problem(result: Unusable) -> dict[str, Any]:
    return {"label": result.label, "message": result.message}


def _check(check: Check) -> dict[str, Any]:
    target = {"provider": check.target.provider, "wire": check.target.wire, "path": check.target.path}
    return {**target, "accepted": check.violation is None, **_refusal(check)}


def _refusal(check: Check) -> dict[str, Any]:
    violation, advice = check.violation, check.advice
    if violation is None or advice is None:
        return {"violation": None, "remedy": None, "changes": []}
    known = {"rule": violation.rule, "status": violation.status, "message": violation.message.strip()}
    return {
        "violation": {**known, "at": violation.at, "confidence": violation.confidence},
        "remedy": advice.remedy,
        "changes": [
            {
                "edits": [{"kind": edit.kind, "text": edit.words, "note": edit.note} for edit in change.edits],
                "patch": [operation.as_json() for operation in change.operations],
            }
            for change in advice.changes
        ],
    }
