"""The types of a scenario for pydantic, which finds all mistakes at once and writes the JSON Schema. A right scenario
does not load it.
"""

import warnings
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

from msgspec import NODEFAULT, Meta
from msgspec.structs import fields
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model, model_validator

from agent_conformance.scenario.base_model import Strict, default_of


def adapter_of(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(_type_of(kind))


def errors_in(data: Any, kind: Any) -> list[Any]:
    """What pydantic says of each mistake in the data, by which it is no value of this type."""
    try:
        adapter_of(kind).validate_python(data)
    except ValidationError as error:
        return list(error.errors(include_url=False))
    return []


def _type_of(kind: Any) -> Any:
    """The annotation, with pydantic's models and bounds in the place of msgspec's."""
    origin, inner = get_origin(kind), get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Strict):
        return _model_of(kind)
    if origin is Annotated:
        bounds = [one for one in inner[1:] if isinstance(one, Meta)]
        return Annotated[(_type_of(inner[0]), *map(_bound, bounds))] if bounds else _type_of(inner[0])
    if origin is Union or origin is UnionType:
        return reduce(or_, map(_type_of, inner))
    if origin in (list, dict):
        return origin[tuple(map(_type_of, inner))]
    return kind


def _bound(meta: Meta) -> Any:
    return Field(ge=meta.ge, le=meta.le, min_length=meta.min_length, max_length=meta.max_length)


@cache
def _model_of(kind: type[Strict]) -> type[BaseModel]:
    written: dict[str, Any] = {}
    for field in fields(kind):
        is_needed = field.default is NODEFAULT and field.default_factory is NODEFAULT
        written[field.name] = (_type_of(field.type), ... if is_needed else _default(field))

    def one_more(self: Any) -> Any:
        if (mistake := kind.mistake(self, self.model_fields_set)) is not None:
            raise ValueError(mistake)
        return self

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a field named `json` hides pydantic's deprecated method
        return create_model(
            kind.__name__,
            __doc__=kind.__doc__,
            __config__=ConfigDict(extra="forbid", strict=True),
            __validators__={"one_more": cast(Any, model_validator(mode="after")(one_more))},
            **written,
        )


def _default(field: Any) -> Any:
    """Of a part, no matter: pydantic says nothing about it."""
    default = default_of(field)
    return Field(default_factory=lambda: default) if isinstance(default, Strict | dict | list) else default
