"""What to do about a refusal: the rule's remedy, and a change of this body that was tried and accepted.

    advice = advise(target, body, headers, violation)
    print(advice.remedy, [change.words for change in advice.changes])

A change takes as little away as possible, and never more than the refusal asks for: see `promises`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from agent_conformance.commands.check_request.advice.edits import Edit, Operation
from agent_conformance.commands.check_request.advice.search import Change, Trial, changes
from agent_conformance.commands.check_request.targets import Target
from agent_conformance.explain.texts import remedy_of
from fake_providers import Violation
from fake_providers.values.json_texts import read_json

__all__ = ["Advice", "Change", "Edit", "Operation", "advise"]


@dataclass(frozen=True, slots=True)
class Advice:
    """`changes` are alternatives, the one that takes least away first; each alone makes the body accepted."""

    remedy: str
    changes: tuple[Change, ...] = ()


def advise(target: Target, body: bytes, headers: Mapping[str, str], violation: Violation) -> Advice:
    """Without a change where none was accepted that keeps the conversation, and where the body is no JSON object."""
    remedy = remedy_of(violation.rule)
    try:
        value = read_json(body)
    except ValueError:
        return Advice(remedy)
    if not isinstance(value, dict):
        return Advice(remedy)
    return Advice(remedy, changes(Trial(target, headers), value, violation))
