"""Messages and tools of the usual forms, made up: each member has any of the values that its form takes."""

import random
from typing import Any

from msgspec import inspect

from fake_providers.skippable_forms import EMPTY, Usual

TEXTS = (
    "",
    " ",
    "\n",
    "x",
    "{}",
    "{",
    "[1]",
    "7",
    "null",
    '{"city": "Oslo"}',
    "Hello",
    "é",
    "x" * 70,
    "data:image/png;base64,AA",
)
MATCHING = ("get_weather", "a", "A-1", "_", "1" * 40)
VALUES: tuple[Any, ...] = (None, True, 0, -1, 2.5, 10**30, "", "x", [], {}, [[]], {"a": {"b": [1, None]}}, {"": ""})
MOST_LEVELS = 3
MOST_TRIED = 60
"""Messages, most of which do not fit where the conversation is."""


def part_of(usual: Usual, chance: random.Random) -> dict[str, Any]:
    form = usual.forms[chance.choice([*usual.forms])]
    while True:
        made: dict[str, Any] = _value(inspect.type_info(form), chance, 0)
        if usual.read(made) is not None:
            return made


def conversation_of(usual: Usual, chance: random.Random) -> list[dict[str, Any]]:
    """A usual conversation, or one that is cut off."""
    before, said = EMPTY, list[dict[str, Any]]()
    for _ in range(MOST_TRIED):
        message = part_of(usual, chance)
        after = usual.conversation(before, [message])
        if after is not None:
            before = after
            said.append(message)
        if before.is_whole and chance.random() < 0.2:
            break
    return said


def _value(kind: Any, chance: random.Random, level: int) -> Any:
    if isinstance(kind, inspect.UnionType):
        return _value(chance.choice(kind.types if level <= MOST_LEVELS else kind.types[:1]), chance, level)
    if isinstance(kind, inspect.StructType):
        return _object(kind, chance, level)
    if isinstance(kind, inspect.ListType):
        least = kind.min_length or 0
        return [_value(kind.item_type, chance, level + 1) for _ in range(chance.randint(least, 2))]
    if isinstance(kind, inspect.DictType):
        names = chance.sample(MATCHING, 0 if level > MOST_LEVELS else chance.randint(0, 2))
        return {name: _value(kind.value_type, chance, level + 1) for name in names}
    if isinstance(kind, inspect.StrType):
        return chance.choice(MATCHING if kind.pattern else TEXTS)
    if isinstance(kind, inspect.LiteralType):
        return chance.choice(kind.values)
    if isinstance(kind, inspect.BoolType):
        return chance.random() < 0.5
    return None if isinstance(kind, inspect.NoneType) else chance.choice(VALUES)


def _object(kind: inspect.StructType, chance: random.Random, level: int) -> dict[str, Any]:
    made = {
        field.encode_name: _value(field.type, chance, level)
        for field in kind.fields
        if field.required or chance.random() < (0.5 if level <= MOST_LEVELS else 0)
    }
    return made if kind.tag is None or chance.random() < 0.05 else {kind.tag_field: kind.tag, **made}
