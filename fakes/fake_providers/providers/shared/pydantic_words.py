"""The problems that pydantic lists of a value of a wrong type. Knows no provider."""

from typing import Any, Final

from fake_providers.providers.shared.chat_types import MISSING, WrongType

PROBLEMS: Final = {
    "string": ("string_type", "Input should be a valid string"),
    "array": ("list_type", "Input should be a valid list"),
    "object": ("dict_type", "Input should be a valid dictionary"),
}
BRANCHES: Final = {"string": "str", "array": "list", "object": "dict"}


def problems_of(
    found: WrongType, loc: list[Any], *, whole: Any, roles: tuple[str, ...], branches: dict[str, str] = BRANCHES
) -> list[dict[str, Any]]:
    """A problem for each type that the value might have had; `loc` is its place, `whole` the object that has it.

    `branches` are the names of the types of a union in the place.
    """
    if found.value is MISSING:
        return [{"type": "missing", "loc": loc, "msg": "Field required", "input": whole}]
    if found.types == ("role",):
        expected = ", ".join(f"'{role}'" for role in roles)
        sentence = f"Input tag '{found.value}' found using 'role' does not match any of the expected tags: {expected}"
        context = {"discriminator": "'role'", "tag": str(found.value), "expected_tags": expected}
        return [{"type": "union_tag_invalid", "loc": loc[:-1], "msg": sentence, "input": whole, "ctx": context}]
    several = len(found.types) > 1
    return [_problem(type_, found.value, [*loc, branches[type_]] if several else loc) for type_ in found.types]


def _problem(type_: str, value: Any, loc: list[Any]) -> dict[str, Any]:
    kind, sentence = PROBLEMS.get(type_) or _number_or_flag(type_, value)
    return {"type": kind, "loc": loc, "msg": sentence, "input": value}


def _number_or_flag(type_: str, value: Any) -> tuple[str, str]:
    read = isinstance(value, str)
    if type_ == "boolean":
        if read or isinstance(value, int):
            return "bool_parsing", "Input should be a valid boolean, unable to interpret input"
        return "bool_type", "Input should be a valid boolean"
    if type_ == "integer":
        if isinstance(value, float):
            return "int_from_float", "Input should be a valid integer, got a number with a fractional part"
        if read:
            return "int_parsing", "Input should be a valid integer, unable to parse string as an integer"
        return "int_type", "Input should be a valid integer"
    if read:
        return "float_parsing", "Input should be a valid number, unable to parse string as a number"
    return "float_type", "Input should be a valid number"
