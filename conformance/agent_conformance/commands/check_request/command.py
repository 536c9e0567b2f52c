"""Bodies, checked by every provider of their wire: which accept them, which refuse them, and what to do."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from agent_conformance.cassettes.bodies import keys_in_body
from agent_conformance.commands.check_request.advice import Advice, advise
from agent_conformance.commands.check_request.sources import Posted, Unusable, posted_in
from agent_conformance.commands.check_request.targets import Target, targets_of
from agent_conformance.commands.shared.terminal import fitted, json_text
from agent_conformance.transcripts.redaction import SECRETS
from fake_providers import Violation, judge
from fake_providers.models import traits
from fake_providers.values.json_texts import read_json
from fake_providers.wire_neutral_lines import printable


@dataclass(frozen=True, slots=True)
class Check:
    """What one provider says of a body; `advice` where it refuses it."""

    target: Target
    violation: Violation | None
    advice: Advice | None = None


@dataclass(frozen=True, slots=True)
class CheckedBody:
    """A body with the checks of every provider that serves its wire."""

    posted: Posted
    checks: tuple[Check, ...]


def checked(posted: Posted, *, providers: tuple[str, ...], path: str, model: str = "") -> CheckedBody | Unusable:
    """`path` is where the user says that it is posted, and `model` the one of a path that nobody gave."""
    at = path or posted.path
    SECRETS.learn_all(keys_in_body(posted.body))
    try:
        body = read_json(posted.body)
    except ValueError:
        body = None
    targets = tuple(targets_of(body, providers=providers, path=at, host=posted.host))
    if not targets:
        who = ", ".join(providers) or "no provider"
        found = f"{who} has no" if providers else f"{who} has a"
        return Unusable(posted.label, f"{found} wire with the path {at}. Expected one of a model request.")
    if model and at:
        return Unusable(posted.label, f"--model is for bodies without an address; this one is posted to {at}.")
    if model and not any(target.model for target in targets):
        return Unusable(posted.label, "--model is for wires whose paths name the model; here the body names it.")
    return CheckedBody(posted, tuple(_checks(posted, targets, model)))


def _checks(posted: Posted, targets: tuple[Target, ...], model: str) -> Iterator[Check]:
    for inferred in targets:
        target = inferred.at_model(model) if model and inferred.model else inferred
        violation = judge(target.provider, target.path, posted.body, posted.headers)
        advice = advise(target, posted.body, posted.headers, violation) if violation is not None else None
        yield Check(target, violation, advice)


def check_request(sources: list[str], *, providers: tuple[str, ...], path: str, is_json: bool, model: str = "") -> int:
    """Print a block for each provider. 1: a provider refuses a body; 2: a body cannot be checked."""
    found = list(chain.from_iterable(posted_in(source) for source in sources))
    results = []
    for posted in found:
        result = (
            posted if isinstance(posted, Unusable) else checked(posted, providers=providers, path=path, model=model)
        )
        results.append(result)
        if not is_json:
            label = posted.label if len(found) > 1 else ""
            if isinstance(result, Unusable):
                print(result, file=sys.stderr)
                continue
            if label:
                print(label)
            print(fitted("\n".join(line for check in result.checks for line in check_lines(check))), flush=True)
    if is_json:
        print(json_text(as_json(results)))
    bodies = [result for result in results if isinstance(result, CheckedBody)]
    if len(bodies) < len(results) or not results:
        return 2
    return int(any(check.violation for body in bodies for check in body.checks))


NOTHING_TRIED = "no change was found that is accepted and keeps the conversation as it is"


def check_lines(check: Check) -> Iterator[str]:
    """One line for an accepted body, a block for a refused one."""
    violation = check.violation
    if violation is None or check.advice is None:
        yield f"{check.target.provider}: accepted{_of_model(check)}"
        return
    yield f"{check.target.provider}: refused by {violation.rule}{_of_model(check)}"
    yield _labelled("status", str(violation.status))
    yield _labelled("message", violation.message.strip())
    yield _labelled("at", violation.at or "the body")
    if violation.confidence == "inferred":
        yield _labelled("confidence", "inferred: the real provider may accept it")
    yield _labelled("remedy", check.advice.remedy)
    for number, change in enumerate(check.advice.changes):
        yield _labelled("or" if number else "tried", change.words)
    if not check.advice.changes:
        yield _labelled("tried", NOTHING_TRIED)
    if check.advice.models:
        yield _labelled("models", f"these take it as it is: {', '.join(check.advice.models)}")


def _of_model(check: Check) -> str:
    """What is to be said of the model that the path names: which one was taken, or that its family is not known."""
    model = check.target.model
    if "unknown-family" in traits(check.target.wire, model, check.target.provider):
        return printable(f", by what all models refuse: of which family `{model}` is is not known")
    return printable(f", as for {model}") if model else ""


def _labelled(label: str, text: str) -> str:
    return f"  {label:10}  {printable(text)}"


FORMAT = 1


def as_json(results: list[CheckedBody | Unusable]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "requests": [
            {"label": result.posted.label, "checks": [_check(check) for check in result.checks]}
            for result in results
            if isinstance(result, CheckedBody)
        ],
        "problems": [
            {"label": result.label, "message": result.message} for result in results if isinstance(result, Unusable)
        ],
    }


def _check(check: Check) -> dict[str, Any]:
    target = {"provider": check.target.provider, "wire": check.target.wire, "path": check.target.path}
    return {**target, "accepted": check.violation is None, **_refusal(check)}


def _refusal(check: Check) -> dict[str, Any]:
    violation, advice = check.violation, check.advice
    if violation is None or advice is None:
        return {"violation": None, "remedy": None, "changes": [], "models": []}
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
        "models": list(advice.models),
    }
