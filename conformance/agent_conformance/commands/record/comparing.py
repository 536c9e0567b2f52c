"""What the rules of a fake and the real answer say of the same request, and whether they agree. Knows no server."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_conformance.cassettes.exchange import RecordedResponse
from agent_conformance.record.redaction import redacted
from fake_providers import Violation

REFUSALS = (400, 404, 413, 422)
"""Statuses that are about the request. Keys, rate limits and failures say nothing about it."""
LONGEST = 300
"""Characters of a sentence that is printed."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Lines for the terminal. `disagrees`: one side accepts what the other refuses."""

    lines: tuple[str, ...] = ()
    disagrees: bool = False


def compare(violation: Violation | None, response: RecordedResponse, provider: str) -> Comparison:
    """What the terminal says of one model request. A refusal that is only inferred disagrees as well, and says so."""
    refused = response.status in REFUSALS
    accepted = response.status < 300
    if violation is not None and accepted:
        return Comparison(tuple(_accepted_against_rule(violation)), disagrees=True)
    if violation is None and refused:
        sentence = sentence_of(response.body)
        return Comparison(
            (
                f"  disagreement: the upstream refuses it, and no rule of {provider} does",
                f"    upstream  {response.status} {sentence}",
                "    todo      if the upstream is the real provider, please report the request: a rule is missing",
            ),
            disagrees=True,
        )
    if violation is not None:
        return Comparison((f"  refused by {violation.rule} at {violation.at}: {_short(violation.message)}",))
    return Comparison()


def _accepted_against_rule(violation: Violation) -> Iterator[str]:
    yield f"  disagreement: the upstream accepts what {violation.rule} refuses at {violation.at or 'the request'}"
    yield f"    rule      {violation.status} {_short(violation.message)}"
    if violation.confidence == "inferred":
        yield "    todo      the rule is only inferred; if the upstream is the real provider, please report the request"
    else:
        yield "    todo      fix the request, or report it if the upstream is the real provider: the rule may be old"


def sentence_of(body: bytes) -> str:
    """The sentence of an error, whatever its envelope."""
    try:
        value: Any = json.loads(body)
    except (ValueError, RecursionError):
        return _short(body.decode(errors="replace"))
    if isinstance(value, list) and value:
        value = value[0]
    for _ in range(2):
        if isinstance(value, dict):
            value = value.get("error") or value.get("message") or value.get("detail") or value
    if isinstance(value, dict) and isinstance(value.get("message"), str):
        value = value["message"]
    return _short(value if isinstance(value, str) else json.dumps(value))


def _short(text: str) -> str:
    text = " ".join(redacted(text).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
