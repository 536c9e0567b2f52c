"""The short forms of the format, written out. What has a wrong shape stays as it is: the model rejects it."""

from collections.abc import Iterator
from typing import Any

from agent_conformance.scenario.yaml_files.problems import described, did_you_mean, listed
from agent_conformance.scenario.yaml_files.reading import KeyPath

SHORT_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "array": {"type": "array", "items": {"type": "string"}},
}
"""What a parameter's short type is written out as. Providers refuse an array without `items`."""

_COMBINERS = ("anyOf", "oneOf", "allOf")
_BESIDE_OBJECT = {"type", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"}


def write_out(data: dict[str, Any]) -> list[tuple[KeyPath, str]]:
    """Write out the short forms of one row's data in place; returns path and message of what cannot be."""
    mistakes: list[tuple[KeyPath, str]] = []
    for index, tool in _mappings(data.get("tools")):
        if isinstance(tool.get("parameters"), dict):
            path = ("tools", index, "parameters")
            mistakes += [((*path, name), message) for name, message in _mistakes_in_short(tool["parameters"])]
            tool["parameters"] = full_schema(tool["parameters"])
    if isinstance(data.get("output_schema"), dict):
        wrong = _mistakes_in_short(data["output_schema"])
        mistakes += [(("output_schema", name), message) for name, message in wrong]
        data["output_schema"] = closed_schema(data["output_schema"])
    if isinstance(data.get("effects"), dict):
        data["effects"] = {name: _range_of(wanted) for name, wanted in data["effects"].items()}
    for _, turn in _mappings(data.get("conversation")):
        expect = turn.get("expect")
        if isinstance(expect, dict):
            _write_out_demands(expect)
            if isinstance(expect.get("should"), dict):
                _write_out_demands(expect["should"])
    _fill_in_names(data.get("history"))
    return mistakes


def is_full_schema(parameters: dict[str, Any]) -> bool:
    """Whether this is a JSON Schema and not the short form name: type."""
    properties = parameters.get("properties")
    if isinstance(properties, dict) and all(isinstance(value, dict) for value in properties.values()):
        return True
    if parameters.get("type") == "object" and parameters.keys() <= _BESIDE_OBJECT:
        return True
    return any(key.startswith("$") for key in parameters) or any(
        isinstance(parameters.get(key), list) for key in _COMBINERS
    )


def full_schema(parameters: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of `parameters`: those of the short form are all required, others are allowed."""
    if is_full_schema(parameters):
        return parameters
    properties = {
        name: SHORT_TYPES.get(value, {}) if isinstance(value, str) else value for name, value in parameters.items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | {"required": list(parameters)} if parameters else schema


def closed_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an answer: the short form allows no other properties, which several providers demand."""
    schema = full_schema(properties)
    return schema if schema is properties else schema | {"additionalProperties": False}


def _mistakes_in_short(parameters: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if is_full_schema(parameters):
        return
    for name, value in parameters.items():
        if isinstance(value, dict) or (isinstance(value, str) and value in SHORT_TYPES):
            continue
        near = did_you_mean(value, SHORT_TYPES) if isinstance(value, str) else ""
        allowed = f"Allowed: {listed(SHORT_TYPES)}, or a JSON Schema such as `{{type: string}}`."
        yield name, f"the type of the parameter `{name}` is {described(value)}.{near} {allowed}"


def _write_out_demands(demands: dict[str, Any]) -> None:
    if isinstance(demands.get("reply"), str):
        demands["reply"] = {"equals": demands["reply"]}
    if isinstance(demands.get("executed"), list):
        demands["executed"] = {"in_order": demands["executed"]}
    if "request_count" in demands:
        demands["request_count"] = _range_of(demands["request_count"])


def _range_of(wanted: Any) -> Any:
    """A number alone means exactly so many."""
    return {"min": wanted, "max": wanted} if isinstance(wanted, int) and not isinstance(wanted, bool) else wanted


def _fill_in_names(history: Any) -> None:
    """Give each tool message without a name that of its call: the last call above it with its id."""
    names: dict[str, Any] = {}
    for _, message in _mappings(history):
        assistant, tool = message.get("assistant"), message.get("tool")
        if isinstance(assistant, dict):
            for _, call in _mappings(assistant.get("calls")):
                if isinstance(call.get("id"), str):
                    names[call["id"]] = call.get("name")
        if isinstance(tool, dict) and "name" not in tool and isinstance(tool.get("id"), str) and tool["id"] in names:
            tool["name"] = names[tool["id"]]


def _mappings(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, dict):
                yield index, item
