"""Rules on the schemas of functions' parameters, which both wires check alike, in strict mode or not.

A check gets the place of a function and the function. Samples are made with changes to the function.
"""

from collections.abc import Callable
from typing import Any

from fake_providers.rulebook import Breach
from fake_providers.wires.openai_shared import schema_faults
from fake_providers.wires.openai_shared.shared_rules import Sample, SharedRule, shared_rule
from fake_providers.wires.openai_shared.wording import breach, wrong_type

Function = dict[str, Any]
Fault = Callable[[Any], str | None]
"""Returns the error in a schema, or None."""

_STRING = {"type": "string"}


def refused_schema(place: str, function: Function, fault: str) -> Breach:
    message = f"Invalid schema for function '{function['name']}': {fault}"
    return breach(f"{place}.parameters", message, "invalid_function_parameters")


@shared_rule(
    "The parameters are not a schema but, for example, a list or a text; null counts as none.",
    breaking=lambda sample: sample(parameters=[]),
)
def not_object(place: str, function: Function) -> Breach | None:
    parameters = function.get("parameters")
    if parameters is None or isinstance(parameters, dict | bool):
        return None
    return wrong_type(f"{place}.parameters", "an object", parameters)


def _rule(
    why: str, fault: Fault, *, breaking: Callable[[Sample], Any], accepted: Callable[[Sample], Any]
) -> SharedRule:
    def check(place: str, function: Function) -> Breach | None:
        parameters = function.get("parameters")
        error = None if parameters is None else fault(parameters)
        return None if error is None else refused_schema(place, function, error)

    return SharedRule(why, check, breaking, accepted)


def _parameters(**schema: Any) -> Callable[[Sample], Any]:
    """Makes a sample whose function has this schema."""
    return lambda sample: sample(parameters=schema)


def _properties(**properties: Any) -> Callable[[Sample], Any]:
    return _parameters(type="object", properties=properties)


def _strict(**changes: Any) -> Callable[[Sample], Any]:
    """Makes a sample whose function is strict; None removes a keyword of its schema."""
    schema = {"type": "object", "properties": {"city": _STRING}, "required": ["city"], "additionalProperties": False}
    schema = {keyword: value for keyword, value in (schema | changes).items() if value is not None}
    return lambda sample: sample(strict=True, parameters=schema)


type_unknown = _rule(
    "A type in the parameters is not a type of JSON Schema.",
    schema_faults.type_unknown,
    breaking=_properties(city={"type": "str"}),
    accepted=_properties(city=_STRING),
)
required_not_list = _rule(
    "`required` is a boolean on a property instead of a list next to the properties.",
    schema_faults.required_not_list,
    breaking=_properties(city={**_STRING, "required": True}),
    accepted=_properties(city=_STRING),
)
root_type = _rule(
    "The parameters are not of type object.",
    schema_faults.root_type,
    breaking=_parameters(type="array", items=_STRING, properties={}),
    accepted=_parameters(type="object", items=_STRING, properties={}),
)
root_union = _rule(
    "The parameters are a union at the top level.",
    schema_faults.root_union,
    breaking=_parameters(type="object", properties={}, anyOf=[{"required": []}]),
    accepted=_parameters(type="object", properties={}),
)
without_properties = _rule(
    "The parameters are an object without `properties`.",
    schema_faults.without_properties,
    breaking=_parameters(type="object"),
    accepted=_parameters(type="object", properties={}),
)
array_without_items = _rule(
    "An array in the parameters has no `items`.",
    schema_faults.array_without_items,
    breaking=_properties(cities={"type": "array"}),
    accepted=_properties(cities={"type": "array", "items": _STRING}),
)

strict_further_properties = _rule(
    "A strict tool does not set `additionalProperties` to false.",
    schema_faults.further_properties,
    breaking=_strict(additionalProperties=None),
    accepted=_strict(),
)
strict_optional_property = _rule(
    "A strict tool has an optional property.",
    schema_faults.optional_property,
    breaking=_strict(required=[]),
    accepted=_strict(),
)
strict_not_permitted = _rule(
    "A strict tool has a keyword that strict mode does not support, such as `oneOf` or `uniqueItems`.",
    schema_faults.not_permitted,
    breaking=_strict(properties={"city": {**_STRING, "propertyNames": _STRING}}),
    accepted=_strict(properties={"city": _STRING}),
)
strict_untyped = _rule(
    "A strict tool has a property without a type.",
    schema_faults.untyped,
    breaking=_strict(properties={"city": {}}),
    accepted=_strict(properties={"city": _STRING}),
)
