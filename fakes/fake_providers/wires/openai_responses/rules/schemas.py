"""Rules on the schemas of the functions' parameters, and those of strict mode. What they check is in `schema_rules`.

A function without `strict` is made strict if that is possible, and is never refused for it: recorded.
"""

from typing import Any

from fake_providers.rulebook import RequestContext
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import cite, sample_with_tool
from fake_providers.wires.openai_responses.rules.tools import functions
from fake_providers.wires.openai_shared import schema_rules
from fake_providers.wires.openai_shared.item_rules import ItemRules
from fake_providers.wires.openai_shared.schema_faults import has_fault_inside
from fake_providers.wires.openai_shared.shared_rules import SharedRules

ITEM_RULES = ItemRules(envelope, "tools")


def _strict_functions(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    return functions(context) if context.body.value.get("strict") is True else ()


def _is_strict(context: RequestContext) -> bool:
    return any(function.get("strict") is True for _, function in functions(context))


def _has_fault_inside(context: RequestContext) -> bool:
    return any(has_fault_inside(function.get("parameters")) for _, function in functions(context))


SCHEMA_RULES = SharedRules(ITEM_RULES, functions, sample_with_tool)
STRICT_RULES = SharedRules(ITEM_RULES, _strict_functions, sample_with_tool, only=_is_strict)

SCHEMA_RULES.add(
    "openai/responses-schema-not-object",
    schema_rules.not_object,
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "Invalid type for 'tools[0].parameters': expected an object, but got an"
    ),
)
SCHEMA_RULES.add(
    "openai/responses-schema-type-unknown",
    schema_rules.type_unknown,
    only=_has_fault_inside,
    confidence="inferred",
    evidence=cite("worded as on chat completions"),
)
SCHEMA_RULES.add(
    "openai/responses-schema-required-not-list",
    schema_rules.required_not_list,
    only=_has_fault_inside,
    confidence="inferred",
    evidence=cite("worded as on chat completions"),
)
SCHEMA_RULES.add(
    "openai/responses-schema-root-type",
    schema_rules.root_type,
    confidence="recorded",
    evidence=cite("recording, gpt-3.5-turbo", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \""),
)
SCHEMA_RULES.add(
    "openai/responses-schema-root-union",
    schema_rules.root_union,
    confidence="inferred",
    evidence=cite("worded as on chat completions, nspady/google-calendar-mcp#39"),
)
SCHEMA_RULES.add(
    "openai/responses-schema-without-properties",
    schema_rules.without_properties,
    confidence="inferred",
    evidence=cite("worded as on chat completions, where it is recorded"),
)
SCHEMA_RULES.add(
    "openai/responses-schema-array-without-items",
    schema_rules.array_without_items,
    only=_has_fault_inside,
    confidence="inferred",
    evidence=cite("worded as on chat completions, sigoden/aichat#1049"),
)

STRICT_RULES.add(
    "openai/responses-strict-further-properties",
    schema_rules.strict_further_properties,
    models="all but gpt-4o-mini, which was observed to accept it",
    only=lambda context: "completes-schemas" not in context.traits,
    confidence="recorded",
    evidence=cite("recording, gpt-4o", "'additionalProperties' is required to be supplied and to be false."),
)
STRICT_RULES.add(
    "openai/responses-strict-optional-property",
    schema_rules.strict_optional_property,
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "an array including every key in properties. Missing 'unit'."),
)
STRICT_RULES.add(
    "openai/responses-strict-not-permitted",
    schema_rules.strict_not_permitted,
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties','metadata'), 'propertyNames' is not permitted."
    ),
)
STRICT_RULES.add(
    "openai/responses-strict-untyped",
    schema_rules.strict_untyped,
    confidence="inferred",
    evidence=cite("worded as on chat completions, apexive/odoo-llm#212"),
)
