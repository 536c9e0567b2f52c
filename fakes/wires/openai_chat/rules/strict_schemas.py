"""Rules of strict mode on the schemas of tools."""

from collections.abc import Callable
from typing import Any

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_chat.rules.samples import cite, sample_with_tool
from fakes.wires.openai_chat.rules.schemas import ITEM_RULES, refused_schema
from fakes.wires.openai_chat.rules.tools import function_of
from fakes.wires.openai_shared.strict_schemas import further_properties, not_permitted, optional_property, untyped

__all__ = ["ITEM_RULES"]


_STRING = {"type": "string"}


def _sample_strict(schema: dict[str, Any]) -> dict[str, Any]:
    return sample_with_tool(strict=True, parameters=schema)


def _schema(**changes: Any) -> dict[str, Any]:
    properties = {"city": _STRING}
    return {"type": "object", "properties": properties, "required": ["city"], "additionalProperties": False, **changes}


def _strict_check(check: Callable[[Any], str | None]) -> Callable[[RequestContext], Breach | None]:
    def found(context: RequestContext) -> Breach | None:
        function = function_of(context.body)
        if function is None or function.get("strict") is not True:
            return None
        # Even without parameters, strict mode requires `additionalProperties`: recorded.
        fault = check(function.get("parameters", {"type": "object"}))
        return None if fault is None else refused_schema(context, function, fault)

    return found


ITEM_RULES.rule(
    "openai/strict-further-properties",
    why="A strict tool does not set `additionalProperties` to false.",
    confidence="recorded",
    evidence=cite("recorded exchanges, gpt-4o-mini, gpt-4-turbo", "'additionalProperties' is required to be supplied"),
    breaking=_sample_strict({name: value for name, value in _schema().items() if name != "additionalProperties"}),
    accepted=_sample_strict(_schema()),
)(_strict_check(further_properties))

ITEM_RULES.rule(
    "openai/strict-optional-property",
    why="A strict tool has an optional property.",
    confidence="recorded",
    evidence=cite("recorded exchange, gpt-4", "an array including every key in properties. Missing 'occupation'."),
    breaking=_sample_strict(_schema(required=[])),
    accepted=_sample_strict(_schema()),
)(_strict_check(optional_property))

ITEM_RULES.rule(
    "openai/strict-not-permitted",
    why="A strict tool has a keyword that strict mode does not support, such as `oneOf` or `uniqueItems`.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "In context=('properties', 'patch'), 'propertyNames' is not permitted."
    ),
    breaking=_sample_strict(_schema(properties={"city": {**_STRING, "propertyNames": {"type": "string"}}})),
    accepted=_sample_strict(_schema(properties={"city": _STRING})),
)(_strict_check(not_permitted))

ITEM_RULES.rule(
    "openai/strict-untyped",
    why="A strict tool has a property without a type.",
    confidence="verbatim",
    evidence=(
        *cite(
            "apexive/odoo-llm#212", "In context=('properties', 'method_name_filter'), schema must have a 'type' key."
        ),
        *cite("crmne/ruby_llm#480"),
    ),
    breaking=_sample_strict(_schema(properties={"city": {}})),
    accepted=_sample_strict(_schema(properties={"city": _STRING})),
)(_strict_check(untyped))
