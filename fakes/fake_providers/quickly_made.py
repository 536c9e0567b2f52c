"""Frozen dataclasses that are made as quickly as others. Knows none of them.

A frozen one sets each field by `object.__setattr__`, which takes several times as long as an assignment. Of a request
that is a tenth: it needs a dozen of them.
"""

import sys
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

_T = TypeVar("_T")

IS_LOCKED = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Without the interpreter's lock, changing the class of an object stops all threads."""


def quickly_made(cls: type[_T]) -> type[_T]:
    """The same frozen dataclass with slots, with an `__init__` that assigns the fields while the object is of a class
    that has the same slots and is not frozen. Raises `TypeError` for a field that is made by a factory.
    """
    own: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
    if hasattr(cls, "__post_init__") or not all(field.init and field.default_factory is MISSING for field in own):
        raise TypeError(f"{cls.__name__}: quickly_made needs fields that are given, or that have a plain default")
    if IS_LOCKED:
        cls.__init__ = _quick_init(cls, own)  # type: ignore[method-assign]
    return cls


def _quick_init(cls: type[Any], own: tuple[Field[Any], ...]) -> Callable[..., None]:
    unfrozen = type(cls.__name__, cls.__bases__, {"__slots__": cls.__slots__})
    plain = cls.__init__
    scope: dict[str, Any] = {
        **{f"_default_{field.name}": field.default for field in own},
        "_frozen": cls,
        "_unfrozen": unfrozen,
        "_plain": plain,
        "_set": object.__setattr__,
    }
    lines = [
        f"def __init__({', '.join(_parameters(own))}):",
        "    if self.__class__ is not _frozen:",
        f"        return _plain({', '.join(['self', *(f'{field.name}={field.name}' for field in own)])})",
        "    _set(self, '__class__', _unfrozen)",
        *(f"    self.{field.name} = {field.name}" for field in own),
        "    self.__class__ = _frozen",
    ]
    exec("\n".join(lines), scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__, init.__module__ = plain.__qualname__, plain.__module__
    init.__annotations__ = plain.__annotations__
    return init


def _parameters(own: tuple[Field[Any], ...]) -> list[str]:
    named = [field for field in own if field.kw_only]
    positional = [field for field in own if not field.kw_only]
    shown = [[_parameter(field) for field in some] for some in (positional, named)]
    return ["self", *shown[0], *(["*", *shown[1]] if named else [])]


def _parameter(field: Field[Any]) -> str:
    return field.name if field.default is MISSING else f"{field.name}=_default_{field.name}"
