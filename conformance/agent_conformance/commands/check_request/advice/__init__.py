"""What to do about a refusal: the rule's remedy, and a change of this body that was tried and accepted.

    advice = advise(target, body, headers, violation)
    print(advice.remedy, [change.words for change in advice.changes])

A change takes as little away as possible, and never more than the refusal asks for: see `promises`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from agent_conformance.commands.check_request.advice.refused_request import Edit, Operation
from agent_conformance.commands.check_request.advice.search import Change, Trial, changes
from agent_conformance.commands.check_request.targets import Target
from fake_providers import Rule, Violation, judge
from fake_providers.http import compact
from fake_providers.models import models_of
from fake_providers.registry import wire_for
from fake_providers.values.json_texts import read_json

__all__ = ["Advice", "Change", "Edit", "Operation", "advise"]


@dataclass(frozen=True, slots=True)
class Advice:
    """`changes` are alternatives, the one that takes least away first; each alone makes the body accepted. `models` are
    models of the provider that take the body as it is, where the refusal is about the model. `remedy` is what the rule
    refuses where it has none."""

    remedy: str
    changes: tuple[Change, ...] = ()
    models: tuple[str, ...] = ()


def advise(target: Target, body: bytes, headers: Mapping[str, str], violation: Violation) -> Advice:
    """Without a change where none was accepted that keeps the conversation, and where the body is no JSON object."""
    rules = wire_for(target.provider, target.wire).rules
    rule = next((one for one in rules if one.id == violation.rule), None)
    remedy = rule.remedy.says if rule is not None else violation.message.strip()
    try:
        value = read_json(body)
    except ValueError:
        return Advice(remedy)
    if not isinstance(value, dict):
        return Advice(remedy)
    models = tuple(islice(_models_that_take(target, value, headers, rule), MOST_MODELS)) if rule is not None else ()
    return Advice(remedy, changes(Trial(target, headers), value, violation), models)


MOST_MODELS = 4


def _models_that_take(target: Target, body: dict[str, Any], headers: Mapping[str, str], broken: Rule) -> Iterator[str]:
    """The models named by the provider's facts and rules that take the body, the default one first."""
    named = target.model or body.get("model")
    if broken.models == "all" or not isinstance(named, str):
        return
    rules = wire_for(target.provider, target.wire).rules
    known = models_of(target.wire, target.provider)
    samples: Iterator[Any] = (rule.accepted.get("model") for rule in rules if isinstance(rule.accepted, dict))
    if target.model:
        samples = (replace(target, path=rule.path).model for rule in rules if rule.path)
    for model in dict.fromkeys((known.default, known.latest, *samples)):
        if not isinstance(model, str) or model in ("", named):
            continue
        there = target.at_model(model) if target.model else target
        if target.model and there.model != model:
            continue  # `invoke` takes these bodies for Claude alone
        content = compact(body if target.model else {**body, "model": model}).encode(errors="replace")
        if judge(target.provider, there.path, content, headers) is None:
            yield model
