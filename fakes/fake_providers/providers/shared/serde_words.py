"""The errors of servers in Rust for a body that does not fit their types: serde's sentences. Knows no provider."""

import json
from typing import Any, Final

from fake_providers.providers.shared.chat_types import MISSING, WrongType, text_before
from fake_providers.rulebook import Breach, RequestContext

UNREADABLE: Final = "Failed to deserialize the JSON body into the target type: "
EXPECTED: Final = {
    "string": "a string",
    "number": "f32",
    "integer": "u32",
    "boolean": "a boolean",
    "array": "a sequence",
    "object": "a map",
}
UNTAGGED: Final = {
    ("string", "array"): "ChatCompletionRequestContent",
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
            return f"unknown variant `{found.value}`, expected one of {', '.join(f'`{role}`' for role in roles)}"
        return f"invalid type: {_kind(found.value)}, expected variant identifier"
    if found.rule == "content-part-type":
        return f"data did not match any variant of untagged enum {UNTAGGED['string', 'array']}"
    if found.types in UNTAGGED:
        return f"data did not match any variant of untagged enum {UNTAGGED[found.types]}"
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
