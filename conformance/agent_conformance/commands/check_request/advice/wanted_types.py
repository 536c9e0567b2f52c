"""Which JSON types a refusal asks for, as far as its words say."""

import re

_NOT_WANTED = (
    re.compile(r"but got .*", re.DOTALL),
    re.compile(r"cannot unmarshal \w+ into"),
    re.compile(r"\(type [^)]*\)$"),
)
_TYPES = {
    "string": re.compile(r"\bstring\b|\btext\b"),
    "list": re.compile(r"\barray\b|\blist\b|\[\]|\bsequence\b"),
    "object": re.compile(r"\bobject\b|\bdict|\bmapping\b|\bmap\[|Struct\b|expected shape"),
    "number": re.compile(r"\binteger\b|\bnumber\b|\bdecimal\b|\bfloat|\bint\d*\b|duration"),
    "boolean": re.compile(r"\bbool"),
}
EVERY = frozenset(_TYPES)


def wanted_types(message: str, why: str) -> frozenset[str]:
    """From the provider's message; where it names none, from the sentence of the rule."""
    if "not repeating" in message or "cannot start list" in message:
        return EVERY - {"list"}
    for pattern in _NOT_WANTED:
        message = pattern.sub("", message)
    return _named(message) or _named(why)


def _named(text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _TYPES.items() if pattern.search(text))


def type_of(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object" if isinstance(value, dict) else ""
