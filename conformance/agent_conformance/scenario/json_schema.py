"""The types of a scenario, and what is made of them, as a JSON Schema.

msgspec's own leaves out which keys a mapping may have, and loses the order of the words.
"""

from inspect import cleandoc
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from msgspec import NODEFAULT, Meta
from msgspec.structs import fields

from agent_conformance.scenario.base_model import Strict

Schema = dict[str, Any]

_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(kind: Any, *, definitions: dict[str, Schema], within: str = "#/$defs/") -> Schema:
    """The schema of the type. Those of the parts that it names are put into `definitions`, which are found `within`."""

    def inner(kind: Any) -> Schema:
        return schema_of(kind, definitions=definitions, within=within)

    origin, members = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _bounded(inner(members[0]), [one for one in members[1:] if isinstance(one, Meta)])
    if origin is Union or origin is UnionType:
        return {"anyOf": [inner(one) for one in members]}
    if origin is Literal:
        return {**_words(members), "type": _TYPES[type(members[0])]}
    if origin is list:
        return {"items": inner(members[0]), "type": "array"}
    if origin is dict:
        key, value = members
        names = {"propertyNames": _words(get_args(key))} if get_origin(key) is Literal else {}
        return {"additionalProperties": inner(value) or True, **names, "type": "object"}
    if isinstance(kind, type) and issubclass(kind, Strict):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # a part may be within itself
            definitions[kind.__name__] = _of_part(kind, definitions, within)
        return {"$ref": f"{within}{kind.__name__}"}
    return {} if kind is Any else {"type": _TYPES[kind]}


def _of_part(kind: type[Strict], definitions: dict[str, Schema], within: str) -> Schema:
    required = [one.name for one in fields(kind) if one.default is NODEFAULT and one.default_factory is NODEFAULT]
    return {
        "additionalProperties": False,
        **({"description": cleandoc(kind.__doc__)} if kind.__doc__ else {}),
        "properties": {
            one.name: schema_of(one.type, definitions=definitions, within=within)
            | ({} if one.default is NODEFAULT else {"default": one.default})
            for one in fields(kind)
        },
        **({"required": required} if required else {}),
        "type": "object",
    }


def _words(words: tuple[Any, ...]) -> Schema:
    return {"const": words[0]} if len(words) == 1 else {"enum": list(words)}


def _bounded(schema: Schema, bounds: list[Meta]) -> Schema:
    length = {"array": "Items", "object": "Properties"}.get(schema.get("type", ""), "Length")
    for bound in bounds:
        found = {
            "minimum": bound.ge,
            "maximum": bound.le,
            f"min{length}": bound.min_length,
            f"max{length}": bound.max_length,
        }
        schema |= {name: value for name, value in found.items() if value is not None}
    return dict(sorted(schema.items()))
