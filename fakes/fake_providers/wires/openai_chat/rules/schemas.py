"""Rules on the schemas of the functions' parameters, and those of strict mode. What they check is in `schema_rules`."""

from typing import Any

from fake_providers.rulebook import RequestContext
from fake_providers.wires.openai_chat.rules.samples import cite, sample_with_tool
from fake_providers.wires.openai_chat.rules.tools import functions
from fake_providers.wires.openai_shared import schema_rules
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.item_rules import ItemRules
from fake_providers.wires.openai_shared.schema_faults import has_fault_inside
from fake_providers.wires.openai_shared.shared_rules import SharedRules

ITEM_RULES = ItemRules(envelope, "tools")


def _strict_functions(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    # Even without parameters, strict mode requires `additionalProperties`: recorded.
    strict = ((place, function) for place, function in functions(context) if function.get("strict") is True)
    return tuple((place, {"parameters": {"type": "object"}, **function}) for place, function in strict)


def _is_strict(context: RequestContext) -> bool:
    return any(function.get("strict") is True for _, function in functions(context))


def _has_fault_inside(context: RequestContext) -> bool:
    return any(has_fault_inside(function.get("parameters")) for _, function in functions(context))


SCHEMA_RULES = SharedRules(ITEM_RULES, functions, sample_with_tool)
STRICT_RULES = SharedRules(ITEM_RULES, _strict_functions, sample_with_tool, only=_is_strict)

SCHEMA_RULES.add(
    "openai/schema-not-object",
    schema_rules.not_object,
    confidence="verbatim",
    evidence=(
        *cite("public code that quotes it", "Invalid type for 'tools[0].function.parameters': expected an object, but"),
        *cite("FoundationAgents/OpenManus#1162, in other words, of 2025", "[] is not of type 'object', 'boolean'."),
        *cite("llmrb/llm.rb, a recording with gpt-4.1 where the parameters are null"),
    ),
)
SCHEMA_RULES.add(
    "openai/schema-type-unknown",
    schema_rules.type_unknown,
    only=_has_fault_inside,
    confidence="reported",
    evidence=cite("reported for `str` and `int`; worded as the validator words its other messages"),
)
SCHEMA_RULES.add(
    "openai/schema-required-not-list",
    schema_rules.required_not_list,
    only=_has_fault_inside,
    confidence="reported",
    evidence=cite("reported for `required: true`; worded as the validator words its other messages"),
)
SCHEMA_RULES.add(
    "openai/schema-root-type",
    schema_rules.root_type,
    confidence="verbatim",
    evidence=cite("vercel/ai#1485", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'"),
)
SCHEMA_RULES.add(
    "openai/schema-root-union",
    schema_rules.root_union,
    confidence="verbatim",
    evidence=cite("nspady/google-calendar-mcp#39", "schema must have type 'object' and not have 'oneOf'/'anyOf'"),
)
SCHEMA_RULES.add(
    "openai/schema-without-properties",
    schema_rules.without_properties,
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4o-mini", "In context=(), object schema missing properties."),
        *cite("github/github-mcp-server#1548"),
        *cite("spring-projects/spring-ai#4776"),
    ),
)
SCHEMA_RULES.add(
    "openai/schema-array-without-items",
    schema_rules.array_without_items,
    only=_has_fault_inside,
    confidence="verbatim",
    evidence=(
        *cite("sigoden/aichat#1049", "In context=('properties', 'paths'), array schema missing items."),
        *cite("campfirein/byterover-cli#42", "In context=('properties', 'interaction', 'type', '1')"),
        *cite("PrefectHQ/fastmcp#2464", "In context=('properties', 'figsize', 'anyOf', '0')"),
    ),
)

STRICT_RULES.add(
    "openai/strict-further-properties",
    schema_rules.strict_further_properties,
    confidence="recorded",
    evidence=cite("recordings, gpt-4o-mini, gpt-4-turbo", "'additionalProperties' is required to be supplied"),
)
STRICT_RULES.add(
    "openai/strict-optional-property",
    schema_rules.strict_optional_property,
    confidence="recorded",
    evidence=cite("recording, gpt-4", "an array including every key in properties. Missing 'occupation'."),
)
STRICT_RULES.add(
    "openai/strict-not-permitted",
    schema_rules.strict_not_permitted,
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties', 'patch'), 'propertyNames' is not permitted."
    ),
)
STRICT_RULES.add(
    "openai/strict-untyped",
    schema_rules.strict_untyped,
    confidence="verbatim",
    evidence=(
        *cite(
            "apexive/odoo-llm#212", "In context=('properties', 'method_name_filter'), schema must have a 'type' key."
        ),
        *cite("crmne/ruby_llm#480"),
    ),
)
