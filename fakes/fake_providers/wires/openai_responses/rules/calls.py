"""Rules on single calls and results, checked item by item.

Arguments that are not JSON, ids with any characters, and results in parts are accepted: recorded.
"""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.openai_responses.rules.items import ITEM_RULES
from fake_providers.wires.openai_responses.rules.samples import (
    CALL,
    RESULT,
    USER,
    cite,
    sample_request,
    sample_with_call,
    sample_with_result,
)
from fake_providers.wires.openai_shared import function_rules
from fake_providers.wires.openai_shared.shared_rules import SharedRules, each
from fake_providers.wires.openai_shared.wording import empty_string, long_string, missing, wrong_type

__all__ = ["ITEM_RULES"]

LONGEST_ID: Final = 64
REQUIRED: Final = {
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
}

_SAMPLE_WITH_RESULT = sample_request(USER, CALL, RESULT)
_LONG_ID = "call_" + "1" * 60


def _calls(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    item = context.body.value
    return ((context.body.place, item),) if item.get("type") == "function_call" else ()


def _call_ids(context: RequestContext) -> tuple[tuple[str, Any], ...]:
    """The `call_id` of a call or a result, with its place."""
    item = context.body.value
    return ((f"{context.body.place}.call_id", item["call_id"]),) if item.get("type") in REQUIRED else ()


def _outputs(context: RequestContext) -> tuple[tuple[str, Any], ...]:
    item = context.body.value
    return ((f"{context.body.place}.output", item["output"]),) if item.get("type") == "function_call_output" else ()


CALL_RULES = SharedRules(ITEM_RULES, _calls, sample_with_call)


@ITEM_RULES.rule(
    "openai/responses-call-member-missing",
    why="A call has no `call_id`, `name` or `arguments`, or a result has no `call_id` or `output`.",
    confidence="reported",
    evidence=cite("reported for `call_id` and `output`; worded like the refusals of other missing members"),
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
    evidence=cite("worded like the refusals of other wrong types"),
    breaking=sample_with_call(call_id=7),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_call_ids)
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
@each(_call_ids)
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
@each(_call_ids)
def _call_id_too_long(place: str, value: Any) -> Breach | None:
    return long_string(place, most=LONGEST_ID, length=len(value)) if len(value) > LONGEST_ID else None


@ITEM_RULES.rule(
    "openai/responses-call-name-type",
    why="The name of a call is null or not a string.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
    breaking=sample_with_call(name=7),
    accepted=_SAMPLE_WITH_RESULT,
)
@each(_calls)
def _call_name_type(place: str, call: dict[str, Any]) -> Breach | None:
    return None if isinstance(call["name"], str) else wrong_type(f"{place}.name", "a string", call["name"])


CALL_RULES.add(
    "openai/responses-call-name-empty",
    function_rules.call_name_empty,
    confidence="inferred",
    evidence=cite("worded as on chat completions, continuedev/continue#11645"),
)
CALL_RULES.add(
    "openai/responses-call-name-pattern",
    function_rules.call_name_pattern,
    confidence="inferred",
    evidence=cite("worded as on chat completions, mcp-use/mcp-use#90"),
)
CALL_RULES.add(
    "openai/responses-call-arguments-type",
    function_rules.call_arguments_type,
    confidence="inferred",
    evidence=cite("worded as on chat completions, aaif-goose/goose-mobile#20"),
)


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
@each(_outputs)
def _output_type(place: str, value: Any) -> Breach | None:
    if not isinstance(value, str | list):
        return wrong_type(place, "one of a string or array of objects", value)
    wrong = next((index for index, part in enumerate(value) if not isinstance(part, dict)), None)
    if isinstance(value, str) or wrong is None:
        return None
    return wrong_type(f"{place}[{wrong}]", "an object", value[wrong])
