"""A tool as a typed, documented Python function, for frameworks that accept nothing else.

It does not check arguments: everything that the framework passes goes to the tool, which records it and checks it with
its schema.
"""

import inspect
import keyword
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    from agent_conformance.adapter.types import Tool

MOST_REFERENCES = 4
SCALARS: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}


@dataclass(frozen=True, slots=True)
class Field:
    """One argument: `name` in the schema, `parameter` in Python, and whether it is required."""

    name: str
    parameter: str
    annotation: Any
    required: bool
    default: Any
    description: str


def typed_function(tool: "Tool") -> Callable[..., Any]:
    """A function that runs the tool; its signature, annotations and `Args:` section come from the schema.

    An optional argument that is None, its default, is not passed to the tool. Arguments that the schema does not know
    are passed, so that the tool refuses them and the attempt is recorded. Parts are returned as text.
    """
    fields = fields_of(tool.parameters)

    def function(*args: Any, **kwargs: Any) -> Any:
        return _without_parts(tool, tool.call(_arguments(function, fields, args, kwargs)))

    return _with_signature(function, tool, fields)


def typed_async_function(tool: "Tool") -> Callable[..., Awaitable[Any]]:
    """The same as a coroutine function."""
    fields = fields_of(tool.parameters)

    async def function(*args: Any, **kwargs: Any) -> Any:
        return _without_parts(tool, await tool.acall(_arguments(function, fields, args, kwargs)))

    return _with_signature(function, tool, fields)


def fields_of(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """The arguments of an object schema, required ones first, as Python demands of parameters without a default."""
    schema = without_union(schema)
    required = set(schema.get("required", ()))
    fields: list[Field] = []
    taken: set[str] = set()
    for name, passed in schema.get("properties", {}).items():
        parameter = _unused(identifier(name), taken)
        taken.add(parameter)
        part: Mapping[str, Any] = passed if isinstance(passed, Mapping) else {}
        fields.append(
            Field(
                name=name,
                parameter=parameter,
                annotation=annotation_of(part) if name in required else _union((annotation_of(part), None)),
                required=name in required,
                default=part.get("default"),
                description=" ".join(str(part.get("description", "")).split()),
            )
        )
    return tuple(sorted(fields, key=lambda field: not field.required))


def without_union(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """A union at the top as one object: with the arguments of all its members, which a function cannot demand, unless
    all of them hold."""
    properties, required = dict(schema.get("properties", {})), [*schema.get("required", ())]
    words = [word for word in ("anyOf", "oneOf", "allOf") if schema.get(word)]
    for word in words:
        for member in (without_union(one) for one in schema[word] if isinstance(one, Mapping)):
            properties = {**member.get("properties", {}), **properties}
            required += member.get("required", ()) if word == "allOf" else ()
    return {**schema, "properties": properties, "required": required} if words else schema


def annotation_of(schema: Mapping[str, Any]) -> Any:
    """The Python type that is nearest to a schema; `Any` if there is none."""
    if schema.get("enum"):
        values = tuple(value for value in schema["enum"] if isinstance(value, str | int | bool) or value is None)
        return Literal[values] if len(values) == len(schema["enum"]) else Any
    if "anyOf" in schema or "oneOf" in schema:
        return _union(annotation_of(part) for part in schema.get("anyOf") or schema["oneOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _union(annotation_of({**schema, "type": one}) for one in kind)
    if kind == "array":
        items = schema.get("items")
        return list[annotation_of(items)] if isinstance(items, Mapping) else list[Any]  # type: ignore[misc]
    if kind == "object":
        return dict[str, Any]
    return SCALARS.get(kind, Any) if isinstance(kind, str) else Any


def identifier(name: str) -> str:
    """The nearest Python identifier: `get-weather` is `get_weather`, `3d` is `_3d`, `from` is `from_`."""
    safe = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    safe = f"_{safe}" if safe[0].isdigit() else safe
    return f"{safe}_" if keyword.iskeyword(safe) else safe


def _without_parts(tool: "Tool", value: Any) -> Any:
    """Frameworks would show the fields of a part to the model, its base64 among them."""
    has_parts = isinstance(value, list) and bool(value) and hasattr(value[0], "media_type")
    return tool.text(value) if has_parts else value


def _arguments(
    function: Callable[..., Any], fields: tuple[Field, ...], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    if len(args) > len(fields):
        name = getattr(function, "__name__", "function")
        raise TypeError(f"{name}() takes {len(fields)} positional arguments but {len(args)} were given")
    passed = dict(zip((field.parameter for field in fields), args, strict=False)) | dict(kwargs)
    known = {field.parameter: field for field in fields}
    arguments = {}
    for parameter, value in passed.items():
        field = known.get(parameter)
        if field is None:
            arguments[parameter] = value
        elif value is not None or field.required:
            arguments[field.name] = value
    return arguments


def _with_signature(function: Callable[..., Any], tool: "Tool", fields: tuple[Field, ...]) -> Callable[..., Any]:
    name = identifier(tool.name)
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [
        inspect.Parameter(
            field.parameter,
            kind,
            annotation=field.annotation,
            default=inspect.Parameter.empty if field.required else field.default,
        )
        for field in fields
    ]
    typed: Any = function
    typed.__name__ = typed.__qualname__ = name
    typed.__doc__ = _docstring(tool.description, fields)
    typed.__annotations__ = {field.parameter: field.annotation for field in fields} | {"return": Any}
    typed.__signature__ = inspect.Signature(parameters, return_annotation=Any)
    return function


def _docstring(description: str, fields: tuple[Field, ...]) -> str:
    if not fields:
        return description
    lines = [f"    {field.parameter}: {field.description or field.name}" for field in fields]
    return "\n".join([description, "", "Args:", *lines])


def _union(parts: Iterable[Any]) -> Any:
    types = tuple(parts)
    return Any if Any in types or not types else Union[types]  # noqa: UP007  (the members are known at run time only)


def _unused(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def property_schemas(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The schema of each property on its own: what it refers to in the definitions is written in its place.

    A definition that refers to itself is written out a few times, and is left open below that.
    """
    properties = without_union(parameters).get("properties") or {}
    return {name: _written_out(schema, parameters, MOST_REFERENCES) for name, schema in properties.items()}


def _written_out(schema: Any, root: Mapping[str, Any], references: int) -> Any:
    if isinstance(schema, list):
        return [_written_out(member, root, references) for member in schema]
    if not isinstance(schema, Mapping):
        return schema
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return {key: _written_out(value, root, references) for key, value in schema.items()}
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    definition = referred(reference, root) if references else None
    if not isinstance(definition, Mapping):
        definition = {}
    return {**_written_out(definition, root, references - 1), **_written_out(beside, root, references)}


def referred(reference: str, root: Any) -> Any:
    """`#/$defs/Contact` in `root`; None for what points nowhere or elsewhere."""
    found = root
    for part in reference.removeprefix("#").strip("/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
