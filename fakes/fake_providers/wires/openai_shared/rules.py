"""The rules that both OpenAI wires word alike, each with its evidence on the two: on the body, the metadata, functions
and their calls, and the schemas of functions, in strict mode or not.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, Condition, RequestContext, Selector
from fake_providers.wires.openai_shared import schema_faults
from fake_providers.wires.openai_shared.parameters import metadata_fault
from fake_providers.wires.openai_shared.request_body import NOT_JSON
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_TYPES,
    Check,
    Sample,
    SharedRows,
    as_on_chat,
    is_at_most,
    is_not_empty,
    is_text,
)
from fake_providers.wires.openai_shared.wording import UNPARSED, breach, long_string, wrong_name, wrong_type

CHAT_PROBES: Final = "kangminlee-maker/local-OAuth-CLI-API-adapter test/openai-chat-validation-parity.test.mjs"
"""A table of bodies and the responses of the live API (gpt-5.6-terra, 2026-08-30 to 2026-09-04)."""
RESPONSES_PROBES: Final = CHAT_PROBES.replace("chat", "responses")
"""The table of Responses (2026-08-30 to 2026-09-10)."""

BODY: Final = SharedRows()
"""On the whole body."""
PARAMETERS: Final = SharedRows()
"""On a parameter and its value."""
FUNCTIONS: Final = SharedRows()
"""On a function that is offered."""
CALL_NAMES: Final = SharedRows()
CALL_ARGUMENTS: Final = SharedRows()
"""On a function that is called."""
SCHEMAS: Final = SharedRows()
"""On the parameters of a function that is offered."""
STRICT: Final = SharedRows()
"""The same, of one that is strict."""

_STRING = {"type": "string"}
CLOSED_SCHEMA: Final = {
    "type": "object",
    "properties": {"city": _STRING},
    "required": ["city"],
    "additionalProperties": False,
}
"""A schema that strict mode takes."""
_LIKE_UNPARSED = {
    "inferred": {"worded like the refusal of a body that is not JSON; no recording of another value was found": ""}
}
_TYPES = {"inferred": LIKE_OTHER_TYPES}
_VALIDATOR = "worded as the validator words its other messages"


def _member_type(function: dict[str, Any], place: str) -> Breach | None:
    description, strict = function.get("description"), function.get("strict")
    if description is not None and not isinstance(description, str):
        return wrong_type(f"{place}.description", "a string", description)
    if strict is not None and not isinstance(strict, bool):
        return wrong_type(f"{place}.strict", "a boolean", strict)
    return None


def _not_object(function: dict[str, Any], place: str) -> Breach | None:
    parameters = function.get("parameters")
    is_right = parameters is None or isinstance(parameters, dict | bool)
    return None if is_right else wrong_type(f"{place}.parameters", "an object", parameters)


def _without(fault: Callable[[Any], str | None]) -> Check:
    """Refuses a function whose schema has this fault."""

    def check(function: dict[str, Any], place: str) -> Breach | None:
        parameters = function.get("parameters")
        error = None if parameters is None else fault(parameters)
        if error is None:
            return None
        message = f"Invalid schema for function '{function['name']}': {error}"
        return breach(f"{place}.parameters", message, "invalid_function_parameters")

    return check


def _has_fault_inside(functions: Selector) -> Condition:
    """Whether the parameters of a tool's functions may have a fault of those that are looked for in all of a schema."""

    def has_fault(context: RequestContext) -> bool:
        found: bool | None = context.read.get("fault inside")
        if found is None:
            schemas = (function.get("parameters") for function, _ in functions.find(context))
            found = context.read["fault inside"] = any(map(schema_faults.has_fault_inside, schemas))
        return found

    return has_fault


def _with(**schema: Any) -> Callable[[Sample], Any]:
    """Makes a sample whose function has this schema."""
    return lambda sample: sample(parameters=schema)


def _with_object(**properties: Any) -> Callable[[Sample], Any]:
    return _with(type="object", properties=properties)


def _strict(**changes: Any) -> Callable[[Sample], Any]:
    """Makes a sample whose function is strict; None removes a keyword of its schema."""
    schema = {keyword: value for keyword, value in (CLOSED_SCHEMA | changes).items() if value is not None}
    return lambda sample: sample(strict=True, parameters=schema)


# A table: two rows are to be compared.
# fmt: off
BODY.row("body-not-json", "The body is not JSON; NaN and Infinity are not JSON either.",
    lambda body: body is NOT_JSON and breach(None, UNPARSED), remedy=remedies.JSON_LIBRARY,
    wrong=lambda sample: json.dumps(sample()).encode()[:-1],
    chat={"verbatim": {"ChatGPTNextWeb/NextChat#4064": "We could not parse the JSON body of your request."}},
    responses=as_on_chat(", which have the same gateway"))
BODY.row("body-not-object", "The body is JSON but not an object.",
    lambda body: not isinstance(body, dict) and breach(None, UNPARSED), remedy=remedies.ONE_OBJECT,
    wrong=lambda sample: [sample()], chat=_LIKE_UNPARSED, responses=_LIKE_UNPARSED)
PARAMETERS.row("metadata-limits",
    "The metadata have more than 16 properties, a name or value that is too long, or a value that is not a string.",
    lambda parameter, value: parameter.name == "metadata" and metadata_fault(value), remedy=remedies.METADATA,
    wrong=lambda sample: sample(metadata={"city": 7}), right=lambda sample: sample(metadata={"city": "Oslo"}),
    chat={"recorded": (Citation(CHAT_PROBES, "metadata with too many properties"),
        Citation(CHAT_PROBES, "a metadata value over 512 characters"))},
    responses={
        "recorded": {RESPONSES_PROBES: "metadata too many properties", "the same limits of chat completions": ""}})
PARAMETERS.row("id-too-long",
    "`prompt_cache_key`, `safety_identifier` or `user` has more than 64 characters, such as two ids in one.",
    lambda parameter, value: parameter.longest and long_string(parameter.name, value, parameter.longest),
    remedy=remedies.HASH_ID,
    wrong=lambda sample: sample(prompt_cache_key="session-" + "0" * 57),
    right=lambda sample: sample(prompt_cache_key="session-" + "0" * 56),
    chat={"verbatim": {"theopenco/llmgateway#3110": "Invalid 'prompt_cache_key': string too long.",
        "BerriAI/litellm, which tells it from a full window": "Invalid 'user': string too long.",
        "https://developers.openai.com/api/reference: `safety_identifier`, a maximum length of 64 characters": ""}},
    responses={"verbatim": {"vybestack/llxprt-code#2135": "Invalid 'prompt_cache_key': string too long.",
        "earendil-works/pi#4719, alibaba/open-code-review#1007, buhlergroup/buhler-chat#181 (Azure)": ""}})
FUNCTIONS.row("name-type", "The name of a function is null or not a string.",
    is_text("name"), remedy=remedies.TOOL_MEMBERS,
    wrong=lambda sample: sample(name=7), chat=_TYPES, responses=_TYPES)
FUNCTIONS.row("member-type", "The description of a function is not a string, or `strict` not a boolean.",
    _member_type, remedy=remedies.VALUE.of("declarations"),
    wrong=lambda sample: sample(description=7), chat=_TYPES, responses=_TYPES)
FUNCTIONS.row("name-empty", "The name of a function is empty.",
    is_not_empty("name"), remedy=remedies.TOOL_MEMBERS,
    wrong=lambda sample: sample(name=""), chat={"recorded": {CHAT_PROBES: "a tool function with a blank name"}})
FUNCTIONS.row("name-too-long", "The name of a function has more than 64 characters.",
    is_at_most(64, "name"), remedy=remedies.TOOL_NAMES,
    wrong=lambda sample: sample(name="g" * 65), right=lambda sample: sample(name="g" * 64),
    chat={"verbatim": {"quoted in public code": "Expected a string with maximum length 64"}},
    responses={"reported": {"microsoft/vscode#243602": "limits tool names to 64 chars"}})
FUNCTIONS.row("name-pattern", "The name of a function has characters other than letters, digits, _ and -.",
    lambda function, place: wrong_name(f"{place}.name", function["name"]), remedy=remedies.TOOL_NAMES,
    wrong=lambda sample: sample(name="weather.get"),
    chat={"verbatim": {"brekkylab/ailoy#109": "Invalid 'tools[0].function.name': string does not match pattern.",
        "hackers365/xiaozhi-esp32-server-golang#268": ""}},
    responses={
        "verbatim": {"quoted in three public threads": "Invalid 'tools[0].name': string does not match pattern."},
        "models": "all; seen of gpt-5.6-luna, gpt-6-astra"})
CALL_NAMES.row("name-empty", "The name of a tool call is empty.",
    is_not_empty("name"), remedy=remedies.CALLED_NAME,
    wrong=lambda sample: sample(name=""),
    chat={"verbatim": {"continuedev/continue#11645":
        "Invalid 'messages[69].tool_calls[0].function.name': empty string."}},
    responses=as_on_chat(", continuedev/continue#11645"))
CALL_NAMES.row("name-too-long", "The name of a tool call has more than 64 characters.",
    is_at_most(64, "name"), remedy=remedies.CALLED_NAME,
    wrong=lambda sample: sample(name="g" * 65), right=lambda sample: sample(name="g" * 64),
    chat={"inferred": {"the same limit on the names of tools": ""}}, responses=None)
CALL_NAMES.row("name-pattern", "The name of a tool call has characters other than letters, digits, _ and -.",
    lambda function, place: wrong_name(f"{place}.name", function["name"]), remedy=remedies.CALLED_NAME,
    wrong=lambda sample: sample(name="weather.get"),
    chat={"verbatim": {"mcp-use/mcp-use#90": "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."}},
    responses=as_on_chat(", mcp-use/mcp-use#90"))
CALL_ARGUMENTS.row("arguments-type", "The arguments of a tool call are an object or null instead of a JSON text.",
    is_text("arguments"), remedy=remedies.ARGUMENTS_AS_TEXT,
    wrong=lambda sample: sample(arguments={"city": "Oslo"}),
    chat={"verbatim": {"aaif-goose/goose-mobile#20": "expected a string, but got an object instead."}},
    responses=as_on_chat(", aaif-goose/goose-mobile#20"))
SCHEMAS.row("schema-not-object",
    "The parameters are not a schema but, for example, a list or a text; null counts as none.",
    _not_object, remedy=remedies.OBJECT_SCHEMA,
    wrong=lambda sample: sample(parameters=[]),
    chat={"verbatim": {"public code that quotes it":
        "Invalid type for 'tools[0].function.parameters': expected an object, but",
        "FoundationAgents/OpenManus#1162, in other words, of 2025": "[] is not of type 'object', 'boolean'.",
        "llmrb/llm.rb, a recording with gpt-4.1 where the parameters are null": ""}},
    responses={"verbatim": {"public code that quotes it":
        "Invalid type for 'tools[0].parameters': expected an object, but got an"}})
SCHEMAS.row("schema-type-unknown", "A type in the parameters is not a type of JSON Schema.",
    _without(schema_faults.type_unknown), given=_has_fault_inside, remedy=remedies.CONVERT_SCHEMA,
    wrong=_with_object(city={"type": "str"}), right=_with_object(city=_STRING),
    chat={"reported": {f"reported for `str` and `int`; {_VALIDATOR}": ""}})
SCHEMAS.row("schema-required-not-list",
    "`required` is a boolean on a property instead of a list next to the properties.",
    _without(schema_faults.required_not_list), given=_has_fault_inside, remedy=remedies.REQUIRED_NAMES,
    wrong=_with_object(city={**_STRING, "required": True}), right=_with_object(city=_STRING),
    chat={"reported": {f"reported for `required: true`; {_VALIDATOR}": ""}})
SCHEMAS.row("schema-root-type", "The parameters are not of type object.",
    _without(schema_faults.root_type), remedy=remedies.OBJECT_SCHEMA,
    wrong=_with(type="array", items=_STRING, properties={}), right=_with(type="object", items=_STRING, properties={}),
    chat={"verbatim": {"vercel/ai#1485": "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'"}},
    responses={
        "recorded": {"recording, gpt-3.5-turbo": "schema must be a JSON Schema of 'type: \"object\"', got 'type: \""}})
SCHEMAS.row("schema-root-union", "The parameters are a union at the top level.",
    _without(schema_faults.root_union), remedy=remedies.NO_ROOT_UNION,
    wrong=_with(type="object", properties={}, anyOf=[{"required": []}]), right=_with_object(),
    chat={"verbatim": {"nspady/google-calendar-mcp#39": "schema must have type 'object' and not have 'oneOf'/'anyOf'"}},
    responses=as_on_chat(", nspady/google-calendar-mcp#39"))
SCHEMAS.row("schema-without-properties", "The parameters are an object without `properties`.",
    _without(schema_faults.without_properties), remedy=remedies.OBJECT_SCHEMA,
    wrong=_with(type="object"), right=_with_object(),
    chat={"recorded": {"recording, gpt-4o-mini": "In context=(), object schema missing properties.",
        "github/github-mcp-server#1548": "", "spring-projects/spring-ai#4776": ""}},
    responses=as_on_chat(", where it is recorded"))
SCHEMAS.row("schema-array-without-items", "An array in the parameters has no `items`.",
    _without(schema_faults.array_without_items), given=_has_fault_inside, remedy=remedies.ARRAY_ITEMS,
    wrong=_with_object(cities={"type": "array"}), right=_with_object(cities={"type": "array", "items": _STRING}),
    chat={"verbatim": {"sigoden/aichat#1049": "In context=('properties', 'paths'), array schema missing items.",
        "campfirein/byterover-cli#42": "In context=('properties', 'interaction', 'type', '1')",
        "PrefectHQ/fastmcp#2464": "In context=('properties', 'figsize', 'anyOf', '0')"}},
    responses=as_on_chat(", sigoden/aichat#1049"))
STRICT.row("strict-further-properties", "A strict tool does not set `additionalProperties` to false.",
    _without(schema_faults.further_properties), remedy=remedies.CLOSE_OBJECTS,
    wrong=_strict(additionalProperties=None), right=_strict(),
    chat={"recorded": {"recordings, gpt-4o-mini, gpt-4-turbo": "'additionalProperties' is required to be supplied"}},
    responses={"recorded": {"recording, gpt-4o": "'additionalProperties' is required to be supplied and to be false."},
        "models": "all; gpt-4o-mini was observed to accept it",
        "given": lambda context: "completes-schemas" not in context.traits})
STRICT.row("strict-optional-property", "A strict tool has an optional property.",
    _without(schema_faults.optional_property), remedy=remedies.CLOSE_OBJECTS,
    wrong=_strict(required=[]), right=_strict(),
    chat={"recorded": {"recording, gpt-4": "an array including every key in properties. Missing 'occupation'."}},
    responses={"recorded": {"recording, gpt-4o-mini": "an array including every key in properties. Missing 'unit'."}})
STRICT.row("strict-not-permitted",
    "A strict tool has a keyword that strict mode does not support, such as `oneOf` or `uniqueItems`.",
    _without(schema_faults.not_permitted), remedy=remedies.STRICT_KEYWORD,
    wrong=_strict(properties={"city": {**_STRING, "propertyNames": _STRING}}),
    right=_strict(properties={"city": _STRING}),
    chat={"verbatim": {"public code that quotes it":
        "In context=('properties', 'patch'), 'propertyNames' is not permitted."}},
    responses={"verbatim": {"public code that quotes it":
        "In context=('properties','metadata'), 'propertyNames' is not permitted."}})
STRICT.row("strict-untyped", "A strict tool has a property without a type.",
    _without(schema_faults.untyped), remedy=remedies.STRICT_KEYWORD,
    wrong=_strict(properties={"city": {}}), right=_strict(properties={"city": _STRING}),
    chat={"verbatim": {"apexive/odoo-llm#212":
        "In context=('properties', 'method_name_filter'), schema must have a 'type' key.", "crmne/ruby_llm#480": ""}},
    responses=as_on_chat(", apexive/odoo-llm#212"))
# fmt: on
