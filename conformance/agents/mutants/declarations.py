"""Bugs on the way of a declaration to the model: dropped, cut short, or sent once and never again."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.adapter.types import Tool
from conformance.agents.mutants.mutant import Mutant
from conformance.agents.reference import Parts
from conformance.agents.reference.tools import Declaration, Offer
from conformance.agents.reference.wires.wire import Asking

OPENCLAWP = "https://github.com/lezama/openclawp/pull/83"
FIRST = 10
REFUSED_WORDS = re.compile(r'"(anyOf|const|exclusiveMinimum)":|"type": \[|"enum": \[\d')


def _first_ten(parts: Parts) -> Parts:
    return replace(parts, declare=lambda enabled: parts.declare(dict([*enabled.items()][:FIRST])))


def _first_request_only(parts: Parts) -> Parts:
    def once(asking: Asking) -> Asking:
        return asking if asking.turns[-1].role == "user" else replace(asking, offer=None)

    return replace(parts, whole_request=once)


def _optional_dropped(parts: Parts) -> Parts:
    def required(declaration: Declaration) -> Declaration:
        names = declaration.schema.get("required") or ()
        known = declaration.schema.get("properties") or {}
        schema: dict[str, Any] = {**declaration.schema, "properties": {n: s for n, s in known.items() if n in names}}
        return replace(declaration, schema=schema)

    def declare(enabled: Mapping[str, Tool]) -> Offer | None:
        offer = parts.declare(enabled)
        return offer and replace(offer, declarations=tuple(required(d) for d in offer.declarations))

    return replace(parts, declare=declare)


def _odd_schemas_dropped(parts: Parts) -> Parts:
    def plain(enabled: Mapping[str, Tool]) -> Offer | None:
        return parts.declare({n: t for n, t in enabled.items() if not REFUSED_WORDS.search(json.dumps(t.parameters))})

    return replace(parts, declare=plain)


def _one_level_deep(parts: Parts) -> Parts:
    def described(value: Any) -> Any:
        return {**value, "properties": {}} if isinstance(value, dict) and "properties" in value else value

    def shallow(declaration: Declaration) -> Declaration:
        known = declaration.schema.get("properties") or {}
        schema = {**declaration.schema, "properties": {name: described(value) for name, value in known.items()}}
        return replace(declaration, schema=schema)

    def declare(enabled: Mapping[str, Tool]) -> Offer | None:
        offer = parts.declare(enabled)
        return offer and replace(offer, declarations=tuple(shallow(d) for d in offer.declarations))

    return replace(parts, declare=declare)


def _one_bad_drops_all(parts: Parts) -> Parts:
    def all_or_none(enabled: Mapping[str, Tool]) -> Offer | None:
        return parts.declare(enabled) if all(name == tool.name for name, tool in enabled.items()) else None

    return replace(parts, declare=all_or_none)


MUTANTS = (
    Mutant(
        "M19a_first_ten",
        "all tools are offered, however many there are",
        "https://github.com/diegosouzapw/OmniRoute/issues/13190",
        (("declarations/dozen-tools", "offered"),),
        _first_ten,
    ),
    Mutant(
        "M19b_first_request_only",
        "the tools are offered in every request",
        OPENCLAWP,
        (("declarations/kept-in-every-request", "offered"),),
        _first_request_only,
    ),
    Mutant(
        "M19c_optional_dropped",
        "a declaration has its optional parameters",
        OPENCLAWP,
        (("declarations/offered-whole", "offered"), ("declarations/optional-left-out", "offered")),
        _optional_dropped,
    ),
    Mutant(
        "M19f_one_level_deep",
        "a declaration has the properties within its parameters",
        OPENCLAWP,
        (("declarations/offered-whole", "offered"),),
        _one_level_deep,
    ),
    Mutant(
        "M19d_odd_schemas_dropped",
        "a tool is offered though a word of its schema has to go",
        "mudler/cogito, nullable types: tools dropped in silence",
        (("declarations/schema-words-some-refuse", "offered"),),
        _odd_schemas_dropped,
    ),
    Mutant(
        "M19e_one_bad_drops_all",
        "one odd name does not cost the other tools",
        OPENCLAWP,
        (("declarations/one-odd-name-among-good", "offered"),),
        _one_bad_drops_all,
    ),
)
