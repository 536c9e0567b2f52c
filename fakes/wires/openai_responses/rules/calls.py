"""Rules on single calls and results, checked item by item.

Arguments that are not JSON, ids with any characters, and results in parts are accepted: recorded.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from fakes.rulebook import Breach, RequestContext
from fakes.wires.openai_responses.rules.items import ITEM_RULES
from fakes.wires.openai_responses.rules.samples import (
    CALL,
    RESULT,
    USER,
    cite,
    sample_request,
    sample_with_call,
    sample_with_result,
)
from fakes.wires.openai_shared.wording import empty_string, long_string, missing, wrong_pattern, wrong_type

__all__ = ["ITEM_RULES"]

LONGEST_ID: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"
REQUIRED: Final = {
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
}

_SAMPLE_WITH_RESULT = sample_request(USER, CALL, RESULT)
_LONG_ID = "call_" + "1" * 60


def _each(
    member: str, *, kinds: tuple[str, ...] = ("function_call", "function_call_output")
) -> Callable[[Callable[[str, Any], Breach | None]], Callable[[RequestContext], Breach | None]]:
    """Makes a check of one member of calls and results; the check gets its place and its value."""

    def decorated(check: Callable[[str, Any], Breach | None]) -> Callable[[RequestContext], Breach | None]:
        def found(context: RequestContext) -> Breach | None:
            item = context.body.value
            return check(f"{context.body.place}.{member}", item[member]) if item.get("type") in kinds else None

        return found

    return decorated


@ITEM_RULES.rule(
    "openai/responses-call-member-missing",
    why="A call has no `call_id`, `name` or `arguments`, or a result has no `call_id` or `output`.",
    confidence="reported",
    evidence=cite("reported for `call_id` and `output`; the sentence is that of every other missing member"),
    breaking=sample_with_result(output=None),
    accepted=_SAMPLE_WITH_RESULT,
)
def _member_missing(context: RequestContext) -> Breach | None:
    item = context.body.value
    needed = REQUIRED.get(str(item.get("type")), ())
    return next((missing(f"{context.body.place}.{name}") for name in needed if name not in item), None)


@ITEM_RULES.rule(
    "openai/responses-call-id-type",
    why="A `call_id` is null or not a string.",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=sample_with_call(call_id=7),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("call_id")
def _call_id_type(place: str, value: Any) -> Breach | None:
    return None if isinstance(value, str) else wrong_type(place, "a string", value)


@ITEM_RULES.rule(
    "openai/responses-call-id-empty",
    why="A `call_id` is empty.",
    confidence="reported",
    evidence=cite("reported for agents on servers that send no ids", "Invalid 'input[2].call_id': empty string."),
    breaking=sample_with_call(call_id=""),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("call_id")
def _call_id_empty(place: str, value: Any) -> Breach | None:
    return None if value else empty_string(place)


@ITEM_RULES.rule(
    "openai/responses-call-id-too-long",
    why="A `call_id` has more than 64 characters.",
    confidence="verbatim",
    evidence=cite("quoted in public code", "Invalid 'input[2].call_id': string too long."),
    breaking=sample_with_call(call_id=_LONG_ID),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("call_id")
def _call_id_too_long(place: str, value: Any) -> Breach | None:
    return long_string(place, most=LONGEST_ID, length=len(value)) if len(value) > LONGEST_ID else None


@ITEM_RULES.rule(
    "openai/responses-call-name-type",
    why="The name of a call is null or not a string.",
    confidence="inferred",
    evidence=cite("the sentence of every other wrong type"),
    breaking=sample_with_call(name=7),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("name", kinds=("function_call",))
def _call_name_type(place: str, value: Any) -> Breach | None:
    return None if isinstance(value, str) else wrong_type(place, "a string", value)


@ITEM_RULES.rule(
    "openai/responses-call-name-empty",
    why="The name of a call is empty.",
    confidence="inferred",
    evidence=cite("the sentence for a call of chat completions, continuedev/continue#11645"),
    breaking=sample_with_call(name=""),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("name", kinds=("function_call",))
def _call_name_empty(place: str, value: Any) -> Breach | None:
    return None if value else empty_string(place)


@ITEM_RULES.rule(
    "openai/responses-call-name-pattern",
    why="The name of a call has characters other than letters, digits, _ and -.",
    confidence="inferred",
    evidence=cite("the sentence for a call of chat completions, mcp-use/mcp-use#90"),
    breaking=sample_with_call(name="weather.get"),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("name", kinds=("function_call",))
def _call_name_pattern(place: str, value: Any) -> Breach | None:
    return None if re.fullmatch("[a-zA-Z0-9_-]+", value) else wrong_pattern(place, NAME_PATTERN)


@ITEM_RULES.rule(
    "openai/responses-call-arguments-type",
    why="The arguments of a call are an object or null instead of a JSON text.",
    confidence="inferred",
    evidence=cite("the sentence for a call of chat completions, aaif-goose/goose-mobile#20"),
    breaking=sample_with_call(arguments={"city": "Oslo"}),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("arguments", kinds=("function_call",))
def _arguments_type(place: str, value: Any) -> Breach | None:
    return None if isinstance(value, str) else wrong_type(place, "a string", value)


@ITEM_RULES.rule(
    "openai/responses-output-type",
    why="The output of a result is neither a string nor a list of parts; null and objects are refused.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "Invalid type for 'input[0].output': expected one of a string or array of"
    ),
    breaking=sample_with_result(output={"degrees": 7}),
    accepted=_SAMPLE_WITH_RESULT,
)
@_each("output", kinds=("function_call_output",))
def _output_type(place: str, value: Any) -> Breach | None:
    return None if isinstance(value, str | list) else wrong_type(place, "one of a string or array of objects", value)
