"""Checks bodies against providers: one result for each body and provider. Prints nothing."""

from collections.abc import Iterator
from dataclasses import dataclass

from agent_conformance.cassettes.http_keys import keys_in_body
from agent_conformance.commands.check_request.advice import Advice, advise
from agent_conformance.commands.check_request.sources import Posted, Unusable
from agent_conformance.commands.check_request.targets import Target, targets_of
from agent_conformance.record.redaction import SECRETS
from fake_providers import Violation, judge
from fake_providers.values.json_texts import read_json


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


def checked(posted: Posted, *, providers: tuple[str, ...], path: str) -> CheckedBody | Unusable:
    """`path` is where the user says that it is posted."""
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
    return CheckedBody(posted, tuple(_checks(posted, targets)))


def _checks(posted: Posted, targets: tuple[Target, ...]) -> Iterator[Check]:
    for target in targets:
        violation = judge(target.provider, target.path, posted.body, posted.headers)
        advice = advise(target, posted.body, posted.headers, violation) if violation is not None else None
        yield Check(target, violation, advice)
