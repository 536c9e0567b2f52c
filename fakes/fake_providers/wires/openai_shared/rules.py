"""The rules that both OpenAI wires word alike, each with its evidence on the two: on the body, the metadata, functions
and their calls, and the schemas of functions, in strict mode or not.
"""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach
from fake_providers.wires.openai_shared import schema_faults
from fake_providers.wires.openai_shared.parameters import metadata_limits, too_long
from fake_providers.wires.openai_shared.request_body import NOT_JSON
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_TYPES,
    Grounds,
    Sample,
    SharedRule,
    SubjectCheck,
    changed,
    grounds,
    is_at_most,
    is_not_empty,
    is_text,
)
from fake_providers.wires.openai_shared.wording import UNPARSED, breach, wrong_pattern, wrong_type

_PROBING = "kangminlee-maker/local-OAuth-CLI-API-adapter"
CHAT_PROBES: Final = f"{_PROBING} test/openai-chat-validation-parity.test.mjs"
"""A table of bodies and the responses of the live API (gpt-5.6-terra, 2026-08-30 to 2026-09-04)."""
RESPONSES_PROBES: Final = (
    "kangminlee-maker/local-OAuth-CLI-API-adapter test/openai-responses-validation-parity.test.mjs"
)
"""The table of Responses (2026-08-30 to 2026-09-10)."""

LONGEST_NAME: Final = 64
NAME_PATTERN: Final = "^[a-zA-Z0-9_-]+$"

Function = dict[str, Any]
"""A function that is offered or called: an object with a name."""
Fault = Callable[[Any], str | None]
"""Returns the error in a schema, or None."""

TYPES: Final = grounds("inferred", *LIKE_OTHER_TYPES)


def as_on_chat(where: str = "") -> Grounds:
    """Inferred for Responses from chat completions, where the rule is recorded, quoted or reported."""
    return grounds("inferred", Citation(f"worded as on chat completions{where}"))


NO_BODY: Final = grounds(
    "inferred", Citation("worded like the refusal of a body that is not JSON; no recording of another value was found")
)
BODY: Final = (
    SharedRule(
        "body-not-json",
        "The body is not JSON; NaN and Infinity are not JSON either.",
        lambda place, body: breach(None, UNPARSED) if body is NOT_JSON else None,
        lambda sample: json.dumps(sample()).encode()[:-1],
        chat=grounds(
            "verbatim", Citation("ChatGPTNextWeb/NextChat#4064", "We could not parse the JSON body of your request.")
        ),
        responses=as_on_chat(", which have the same gateway"),
    ),
    SharedRule(
        "body-not-object",
        "The body is JSON but not an object.",
        lambda place, body: None if isinstance(body, dict) else breach(None, UNPARSED),
        lambda sample: [sample()],
        chat=NO_BODY,
        responses=NO_BODY,
    ),
)

METADATA: Final = SharedRule(
    "metadata-limits",
    "The metadata have more than 16 properties, a name or value that is too long, or a value that is not a string.",
    metadata_limits,
    changed(metadata={"city": 7}),
    accepted=changed(metadata={"city": "Oslo"}),
    chat=grounds(
        "recorded",
        Citation(CHAT_PROBES, "metadata with too many properties"),
        Citation(CHAT_PROBES, "a metadata value over 512 characters"),
    ),
    responses=grounds(
        "recorded",
        Citation(RESPONSES_PROBES, "metadata too many properties"),
        Citation("the same limits of chat completions"),
    ),
)


LONG_ID: Final = SharedRule(
    "id-too-long",
    "`prompt_cache_key`, `safety_identifier` or `user` has more than 64 characters, such as two ids in one.",
    too_long,
    changed(prompt_cache_key="session-" + "0" * 57),
    accepted=changed(prompt_cache_key="session-" + "0" * 56),
    chat=grounds(
        "verbatim",
        Citation("theopenco/llmgateway#3110", "Invalid 'prompt_cache_key': string too long."),
        Citation("BerriAI/litellm, which tells it from a full window", "Invalid 'user': string too long."),
        Citation("https://developers.openai.com/api/reference: `safety_identifier`, a maximum length of 64 characters"),
    ),
    responses=grounds(
        "verbatim",
        Citation("vybestack/llxprt-code#2135", "Invalid 'prompt_cache_key': string too long."),
        Citation("earendil-works/pi#4719, alibaba/open-code-review#1007, buhlergroup/buhler-chat#181 (Azure)"),
    ),
)


def wrong_name_characters(place: str, name: str) -> Breach | None:
    """The breach of a name with characters that names of functions and of schemas must not have."""
    return None if re.fullmatch("[a-zA-Z0-9_-]+", name) else wrong_pattern(place, NAME_PATTERN)


def name_pattern(place: str, function: Function) -> Breach | None:
    return wrong_name_characters(f"{place}.name", function["name"])


def member_type(place: str, function: Function) -> Breach | None:
    description, strict = function.get("description"), function.get("strict")
    if description is not None and not isinstance(description, str):
        return wrong_type(f"{place}.description", "a string", description)
    if strict is not None and not isinstance(strict, bool):
        return wrong_type(f"{place}.strict", "a boolean", strict)
    return None


FUNCTIONS: Final = (
    SharedRule(
        "name-type",
        "The name of a function is null or not a string.",
        is_text("name"),
        changed(name=7),
        chat=TYPES,
        responses=TYPES,
    ),
    SharedRule(
        "member-type",
        "The description of a function is not a string, or `strict` not a boolean.",
        member_type,
        changed(description=7),
        chat=TYPES,
        responses=TYPES,
    ),
    SharedRule(
        "name-empty",
        "The name of a function is empty.",
        is_not_empty("name"),
        changed(name=""),
        chat=grounds("recorded", Citation(CHAT_PROBES, "a tool function with a blank name")),
        responses=as_on_chat(),
    ),
    SharedRule(
        "name-too-long",
        "The name of a function has more than 64 characters.",
        is_at_most(LONGEST_NAME, "name"),
        changed(name="g" * 65),
        accepted=changed(name="g" * 64),
        chat=grounds("verbatim", Citation("quoted in public code", "Expected a string with maximum length 64")),
        responses=grounds("reported", Citation("microsoft/vscode#243602", "limits tool names to 64 chars")),
    ),
    SharedRule(
        "name-pattern",
        "The name of a function has characters other than letters, digits, _ and -.",
        name_pattern,
        changed(name="weather.get"),
        chat=grounds(
            "verbatim",
            Citation("brekkylab/ailoy#109", "Invalid 'tools[0].function.name': string does not match pattern."),
            Citation("hackers365/xiaozhi-esp32-server-golang#268"),
        ),
        responses=grounds(
            "verbatim",
            Citation("quoted in three public threads", "Invalid 'tools[0].name': string does not match pattern."),
            models="gpt-5.6-luna, gpt-6-astra observed",
        ),
    ),
)
"""The rules on the functions that are offered."""

CALL_NAMES: Final = (
    SharedRule(
        "name-empty",
        "The name of a tool call is empty.",
        is_not_empty("name"),
        changed(name=""),
        chat=grounds(
            "verbatim",
            Citation("continuedev/continue#11645", "Invalid 'messages[69].tool_calls[0].function.name': empty string."),
        ),
        responses=as_on_chat(", continuedev/continue#11645"),
    ),
    SharedRule(
        "name-too-long",
        "The name of a tool call has more than 64 characters.",
        is_at_most(LONGEST_NAME, "name"),
        changed(name="g" * 65),
        accepted=changed(name="g" * 64),
        chat=grounds("inferred", Citation("the same limit on the names of tools")),
        responses=None,
    ),
    SharedRule(
        "name-pattern",
        "The name of a tool call has characters other than letters, digits, _ and -.",
        name_pattern,
        changed(name="weather.get"),
        chat=grounds(
            "verbatim", Citation("mcp-use/mcp-use#90", "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.")
        ),
        responses=as_on_chat(", mcp-use/mcp-use#90"),
    ),
)
CALL_ARGUMENTS: Final = SharedRule(
    "arguments-type",
    "The arguments of a tool call are an object or null instead of a JSON text.",
    is_text("arguments"),
    changed(arguments={"city": "Oslo"}),
    chat=grounds("verbatim", Citation("aaif-goose/goose-mobile#20", "expected a string, but got an object instead.")),
    responses=as_on_chat(", aaif-goose/goose-mobile#20"),
)

_STRING = {"type": "string"}


def not_object(place: str, function: Function) -> Breach | None:
    parameters = function.get("parameters")
    if parameters is None or isinstance(parameters, dict | bool):
        return None
    return wrong_type(f"{place}.parameters", "an object", parameters)


def without(fault: Fault) -> SubjectCheck:
    """Refuses a function whose schema has this fault."""

    def check(place: str, function: Function) -> Breach | None:
        parameters = function.get("parameters")
        error = None if parameters is None else fault(parameters)
        if error is None:
            return None
        message = f"Invalid schema for function '{function['name']}': {error}"
        return breach(f"{place}.parameters", message, "invalid_function_parameters")

    return check


def _parameters(**schema: Any) -> Callable[[Sample], Any]:
    """Makes a sample whose function has this schema."""
    return changed(parameters=schema)


def _properties(**properties: Any) -> Callable[[Sample], Any]:
    return _parameters(type="object", properties=properties)


def _strict(**changes: Any) -> Callable[[Sample], Any]:
    """Makes a sample whose function is strict; None removes a keyword of its schema."""
    schema = {"type": "object", "properties": {"city": _STRING}, "required": ["city"], "additionalProperties": False}
    schema = {keyword: value for keyword, value in (schema | changes).items() if value is not None}
    return changed(strict=True, parameters=schema)


SCHEMA_NOT_OBJECT: Final = SharedRule(
    "schema-not-object",
    "The parameters are not a schema but, for example, a list or a text; null counts as none.",
    not_object,
    changed(parameters=[]),
    chat=grounds(
        "verbatim",
        Citation(
            "public code that quotes it", "Invalid type for 'tools[0].function.parameters': expected an object, but"
        ),
        Citation("FoundationAgents/OpenManus#1162, in other words, of 2025", "[] is not of type 'object', 'boolean'."),
        Citation("llmrb/llm.rb, a recording with gpt-4.1 where the parameters are null"),
    ),
    responses=grounds(
        "verbatim",
        Citation(
            "public code that quotes it", "Invalid type for 'tools[0].parameters': expected an object, but got an"
        ),
    ),
)
SCHEMA_INSIDE: Final = (
    SharedRule(
        "schema-type-unknown",
        "A type in the parameters is not a type of JSON Schema.",
        without(schema_faults.type_unknown),
        _properties(city={"type": "str"}),
        accepted=_properties(city=_STRING),
        chat=grounds(
            "reported", Citation("reported for `str` and `int`; worded as the validator words its other messages")
        ),
        responses=as_on_chat(),
    ),
    SharedRule(
        "schema-required-not-list",
        "`required` is a boolean on a property instead of a list next to the properties.",
        without(schema_faults.required_not_list),
        _properties(city={**_STRING, "required": True}),
        accepted=_properties(city=_STRING),
        chat=grounds(
            "reported", Citation("reported for `required: true`; worded as the validator words its other messages")
        ),
        responses=as_on_chat(),
    ),
)
SCHEMA_ROOT: Final = (
    SharedRule(
        "schema-root-type",
        "The parameters are not of type object.",
        without(schema_faults.root_type),
        _parameters(type="array", items=_STRING, properties={}),
        accepted=_parameters(type="object", items=_STRING, properties={}),
        chat=grounds(
            "verbatim",
            Citation("vercel/ai#1485", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"array\"'"),
        ),
        responses=grounds(
            "recorded",
            Citation("recording, gpt-3.5-turbo", "schema must be a JSON Schema of 'type: \"object\"', got 'type: \""),
        ),
    ),
    SharedRule(
        "schema-root-union",
        "The parameters are a union at the top level.",
        without(schema_faults.root_union),
        _parameters(type="object", properties={}, anyOf=[{"required": []}]),
        accepted=_parameters(type="object", properties={}),
        chat=grounds(
            "verbatim",
            Citation("nspady/google-calendar-mcp#39", "schema must have type 'object' and not have 'oneOf'/'anyOf'"),
        ),
        responses=as_on_chat(", nspady/google-calendar-mcp#39"),
    ),
    SharedRule(
        "schema-without-properties",
        "The parameters are an object without `properties`.",
        without(schema_faults.without_properties),
        _parameters(type="object"),
        accepted=_parameters(type="object", properties={}),
        chat=grounds(
            "recorded",
            Citation("recording, gpt-4o-mini", "In context=(), object schema missing properties."),
            Citation("github/github-mcp-server#1548"),
            Citation("spring-projects/spring-ai#4776"),
        ),
        responses=as_on_chat(", where it is recorded"),
    ),
)
ARRAY_WITHOUT_ITEMS: Final = SharedRule(
    "schema-array-without-items",
    "An array in the parameters has no `items`.",
    without(schema_faults.array_without_items),
    _properties(cities={"type": "array"}),
    accepted=_properties(cities={"type": "array", "items": _STRING}),
    chat=grounds(
        "verbatim",
        Citation("sigoden/aichat#1049", "In context=('properties', 'paths'), array schema missing items."),
        Citation("campfirein/byterover-cli#42", "In context=('properties', 'interaction', 'type', '1')"),
        Citation("PrefectHQ/fastmcp#2464", "In context=('properties', 'figsize', 'anyOf', '0')"),
    ),
    responses=as_on_chat(", sigoden/aichat#1049"),
)


STRICT: Final = (
    SharedRule(
        "strict-further-properties",
        "A strict tool does not set `additionalProperties` to false.",
        without(schema_faults.further_properties),
        _strict(additionalProperties=None),
        accepted=_strict(),
        chat=grounds(
            "recorded",
            Citation("recordings, gpt-4o-mini, gpt-4-turbo", "'additionalProperties' is required to be supplied"),
        ),
        responses=grounds(
            "recorded",
            Citation("recording, gpt-4o", "'additionalProperties' is required to be supplied and to be false."),
            models="all but gpt-4o-mini, which was observed to accept it",
            only=lambda context: "completes-schemas" not in context.traits,
        ),
    ),
    SharedRule(
        "strict-optional-property",
        "A strict tool has an optional property.",
        without(schema_faults.optional_property),
        _strict(required=[]),
        accepted=_strict(),
        chat=grounds(
            "recorded",
            Citation("recording, gpt-4", "an array including every key in properties. Missing 'occupation'."),
        ),
        responses=grounds(
            "recorded",
            Citation("recording, gpt-4o-mini", "an array including every key in properties. Missing 'unit'."),
        ),
    ),
    SharedRule(
        "strict-not-permitted",
        "A strict tool has a keyword that strict mode does not support, such as `oneOf` or `uniqueItems`.",
        without(schema_faults.not_permitted),
        _strict(properties={"city": {**_STRING, "propertyNames": _STRING}}),
        accepted=_strict(properties={"city": _STRING}),
        chat=grounds(
            "verbatim",
            Citation(
                "public code that quotes it", "In context=('properties', 'patch'), 'propertyNames' is not permitted."
            ),
        ),
        responses=grounds(
            "verbatim",
            Citation(
                "public code that quotes it",
                "In context=('properties','metadata'), 'propertyNames' is not permitted.",
            ),
        ),
    ),
    SharedRule(
        "strict-untyped",
        "A strict tool has a property without a type.",
        without(schema_faults.untyped),
        _strict(properties={"city": {}}),
        accepted=_strict(properties={"city": _STRING}),
        chat=grounds(
            "verbatim",
            Citation(
                "apexive/odoo-llm#212",
                "In context=('properties', 'method_name_filter'), schema must have a 'type' key.",
            ),
            Citation("crmne/ruby_llm#480"),
        ),
        responses=as_on_chat(", apexive/odoo-llm#212"),
    ),
)
