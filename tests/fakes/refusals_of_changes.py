"""What requests get that nearly break a rule: the samples of all rules, each with one value changed or removed.

A rule has one breaking sample, but most look at several places, each with words of its own. `refusals_of_changes/` has
one request for each sentence that some change brings about, without its numbers, names and places. What the breaking
sample of the rule gets to the byte is in `refusals_of_rules/` alone.
"""

import json
import pickle
import re
from collections.abc import Iterator
from typing import Any

from fake_providers import Rule, Violation, Wire
from tests.fakes.goldens import Goldens
from tests.fakes.refusals_of_rules import judged, refusal_of, rules_to_break

FILES = Goldens("refusals_of_changes")
VALUES: tuple[Any, ...] = (
    *(None, True, 7, -1, 2.5, "", "x", "a b", [], {}, ["x"], [{}], {"x": 1}, "x" * 300),
    *({"x" * 80: "x"}, {"x": "x" * 600}, {f"x{number}": "x" for number in range(20)}),
)
LARGE = re.compile(r"""'?\{['"](?:x{80}|x0|x['"]: ?['"]x{600}).*\}'?""")
"""How a refusal quotes one of the last three."""
AT_A_GATEWAY = "litellm/|litellm/messages-|openrouter/responses-"
OF_A_MAKER = re.compile(f"^(?:{AT_A_GATEWAY})(?:openai|anthropic|deepseek|mistral|mistralai)-")
"""The rules of makers at gateways that pass a body on as it comes, or that are those of another wire there."""
REMOVED = "(removed)"
LARGEST = 4000
"""Samples with more characters are left out: each of their places would be tried."""

Path_ = tuple[str | int, ...]


def changed(body: Any, path: Path_, value: Any) -> Any:
    """The body with another value in this place, or without it."""
    body = pickle.loads(pickle.dumps(body))  # several times as fast as `deepcopy`
    *way, last = path
    place = body
    for key in way:
        place = place[key]
    if value == REMOVED:
        del place[last]
    else:
        place[last] = value
    return body


def answer_to(wire: Wire, rule: Rule, body: Any) -> dict[str, Any]:
    """The rule that refuses the body, the place, and what comes back; nothing if it is accepted."""
    violation = judged(wire, rule, body)
    return {} if violation is None else _answer(violation)


def _answer(violation: Violation) -> dict[str, Any]:
    found = {"rule": violation.rule, "at": violation.at, "status": violation.status, "body": violation.body}
    return json.loads(json.dumps(found, default=repr))  # type: ignore[no-any-return]


def refusals() -> Iterator[dict[str, Any]]:
    """One for each sentence that a provider is the first to say on its wire, but for what a breaking sample gets."""
    broken = {rule.id: refusal_of(wire, rule) for wire, rule in rules_to_break()}
    known: set[tuple[str, ...]] = set()
    for wire, rule in rules_to_break():
        if OF_A_MAKER.search(rule.id) or (wire.name == "anthropic-messages" and "/claude-" in rule.id):
            continue  # the maker's own, under another name
        for which in ("accepted", "breaking"):
            body = getattr(rule, which)
            if not isinstance(body, dict) or len(json.dumps(body)) > LARGEST:
                continue
            for path in paths_in(body):
                for value in (REMOVED, *VALUES):
                    violation = judged(wire, rule, changed(body, path, value))
                    if violation is not None and (key := (wire.name, *_sentence(violation))) not in known:
                        known.add(key)
                        answer = _answer(violation)
                        if not broken.get(violation.rule, {"rule": ""}).items() <= answer.items():
                            yield {"of": rule.id, "sample": which, "change": [*path], "to": value, **answer}


def paths_in(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*path, key)
        yield from paths_in(value[key], (*path, key))


def _sentence(violation: Violation) -> tuple[str, str]:
    """The rule, whichever provider has it, and its first sentence without names, numbers and values."""
    first = LARGE.sub("#", violation.message.partition("\n")[0])
    plain = re.sub(r"'[^']*'|`[^`]*`|\"[^\"]*\"|\d+|x{300}|\S+\.\S+", "#", first)
    return violation.rule.partition("/")[2], re.sub(r", [^,]*$", "", plain)


def write() -> None:
    FILES.write((line["of"].partition("/")[0], line) for line in refusals())
