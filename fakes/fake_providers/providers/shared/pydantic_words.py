"""The problems that pydantic lists of a value of a wrong type."""

import json
from typing import Any, Final

from fake_providers.providers.shared.chat_types import MISSING, WrongType, text_before
from fake_providers.rulebook import Breach, RequestContext

PROBLEMS: Final = {
    "string": ("string_type", "Input should be a valid string"),
    "array": ("list_type", "Input should be a valid list"),
    "object": ("dict_type", "Input should be a valid dictionary"),
}
BRANCHES: Final = {"string": "str", "array": "list", "object": "dict", "boolean": "bool", "integer": "int"}


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


def printed(kind: str, loc: tuple[Any, ...], message: str, value: Any, **more: Any) -> str:
    """One problem, as Python prints a list of it."""
    return str([{"type": kind, "loc": ("body", *loc), "msg": message, "input": value, **more}])


def pydantic_breach(found: WrongType, context: RequestContext, roles: tuple[str, ...] = ()) -> Breach:
    """All problems of the value as Python prints them."""
    problems = problems_of(found, ["body", *found.path], whole=found.owner(context.body), roles=roles)
    return Breach(found.at, str([{**problem, "loc": tuple(problem["loc"])} for problem in problems]))


def unread(member: str) -> dict[str, Any]:
    """What `refuse_unread` says where pydantic's problems are printed."""
    not_json = "[{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': {}}]"
    missing = f"[{{'type': 'missing', 'loc': ('body', '{member}'), 'msg': 'Field required'}}]"
    return {"not_json": Breach("body", not_json), "missing": lambda body: Breach(member, missing)}


UNREADABLE: Final = "Failed to deserialize the JSON body into the target type: "
EXPECTED: Final = {
    "string": "a string", "number": "f32", "integer": "u32", "boolean": "a boolean", "array": "a sequence",
    "object": "a map",
}  # fmt: skip
CONTENT: Final = "ChatCompletionRequestContent"
UNTAGGED: Final[dict[tuple[str, ...], str]] = {
    ("string", "array"): CONTENT,
    ("string", "object"): "ChatCompletionToolChoiceOption",
}
"""By types: the enum whose variants the value may have."""


def serde_breach(found: WrongType, context: RequestContext, roles: tuple[str, ...]) -> Breach:
    """Within a message, whose type its role chooses, the place is that of the whole message."""
    in_message = found.path[0] == "messages" and len(found.path) > 2
    prefix = f"messages[{found.path[1]}]" if in_message else found.at
    if found.path[-1] == "role":
        prefix = found.at
    if found.value is MISSING and not in_message:
        prefix = found.at.rpartition(".")[0]
    column = len(text_before(context, found))
    return Breach(found.at, f"{UNREADABLE}{prefix}: {_reason(found, roles)} at line 1 column {column}")


def _reason(found: WrongType, roles: tuple[str, ...]) -> str:
    if found.value is MISSING:
        return f"missing field `{found.path[-1]}`"
    if found.types == ("role",):
        if isinstance(found.value, str):
            known = [f"`{role}`" for role in roles]
            expected = " or ".join(known) if len(known) < 3 else f"one of {', '.join(known)}"
            return f"unknown variant `{found.value}`, expected {expected}"
        return f"invalid type: {_kind(found.value)}, expected variant identifier"
    untagged = CONTENT if found.rule == "content-part-type" else UNTAGGED.get(found.types)
    if untagged is not None:
        return f"data did not match any variant of untagged enum {untagged}"
    return f"invalid type: {_kind(found.value)}, expected {EXPECTED[found.types[0]]}"


def _kind(value: Any) -> str:
    """serde's name for a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"boolean `{json.dumps(value)}`"
    if isinstance(value, str):
        return f"string {json.dumps(value, ensure_ascii=False)}"
    if isinstance(value, list | dict):
        return "sequence" if isinstance(value, list) else "map"
    return f"{'integer' if isinstance(value, int) else 'floating point'} `{value}`"
