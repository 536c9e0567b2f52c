"""Rules on the plain parameters, in the API's own order: their types and ranges."""

import json
from typing import Any, Final

from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.parameters import (
    EFFORTS,
    LONGEST_ID,
    Parameter,
    ParameterBook,
    fits,
    out_of_range,
)
from fake_providers.wires.openai_shared.schema_faults import strict_fault
from fake_providers.wires.openai_shared.shared_rules import RuleTable, whole_body
from fake_providers.wires.openai_shared.wording import (
    breach,
    help_with_spelling,
    long_array,
    missing,
    one_of,
    unknown_word,
    wrong_type,
    wrong_value,
)

PARAMETERS: Final = (
    Parameter("parallel_tool_calls", "a boolean"),
    Parameter("max_tokens", "an integer", least=1),
    Parameter("max_completion_tokens", "an integer", least=1),
    Parameter("n", "an integer", least=1),
    Parameter("temperature", "a decimal", least=0, most=2),
    Parameter("top_p", "a decimal", least=0, most=1),
    Parameter("presence_penalty", "a decimal", least=-2, most=2),
    Parameter("frequency_penalty", "a decimal", least=-2, most=2),
    Parameter("logprobs", "a boolean"),
    Parameter("top_logprobs", "an integer"),
    Parameter("user", "a string", longest=LONGEST_ID),
    Parameter("seed", "an integer"),
    Parameter("safety_identifier", "a string", longest=LONGEST_ID),
    Parameter("prompt_cache_options", "an object"),
    Parameter("prompt_cache_key", "a string", longest=LONGEST_ID),
    Parameter("service_tier", "one of", values=("auto", "default", "fast", "flex", "priority"), newer=("scale",)),
    Parameter("stream", "a boolean"),
    Parameter("store", "a boolean"),
    Parameter("metadata", "a metadata object"),
    Parameter("verbosity", "one of", values=("low", "medium", "high")),
)
"""The order was measured with pairs of neighbours of a wrong type; `max_tokens` has the place of its successor."""


OPTIONS: Final = (
    Parameter("stop", "one of a string or array of strings"),
    Parameter("stream_options", "an object"),
    Parameter("logit_bias", "an object"),
    Parameter("prediction", "an object"),
    Parameter("web_search_options", "an object"),
    Parameter("reasoning_effort", "one of", values=EFFORTS),
    Parameter("n", "an integer", most=128),
    Parameter("top_logprobs", "an integer", least=0, most=20),
    Parameter("prompt_cache_retention", "one of", values=("in_memory", "24h")),
    Parameter("functions", "an array of objects"),
    Parameter("modalities", "an array of strings"),
    Parameter("audio", "an object"),
    Parameter("moderation", "an object"),
)
"""Parameters of which only types and ranges are documented; their error messages are deduced from the others."""


ITEM_RULES = ParameterBook(PARAMETERS)
DEDUCED = ParameterBook(OPTIONS)
MOST_STOPS: Final = 4
COMBINED = Rulebook(envelope)
"""Rules on parameters that depend on another."""


@ITEM_RULES.rule(
    "openai/parameter-type",
    why="A parameter has the wrong type.",
    confidence="recorded",
    evidence=cite_probe("Invalid type for 'temperature': expected a decimal, but got a string instead."),
    breaking=sample_request(temperature="0.5"),
    accepted=sample_request(temperature=0.5),
)
def _type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    expected = one_of(parameter.values) if parameter.type == "one of" else parameter.type
    return wrong_type(parameter.name, expected, value)


@ITEM_RULES.rule(
    "openai/parameter-value",
    why="A parameter has an unknown word as its value.",
    confidence="recorded",
    evidence=cite_probe("an unknown service_tier"),
    breaking=sample_request(service_tier="express"),
    accepted=sample_request(service_tier="flex"),
)
def _word(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if not parameter.values or value in (*parameter.values, *parameter.newer):
        return None
    return wrong_value(parameter.name, value, parameter.values)


RuleTable(ITEM_RULES, lambda context: (context.body,), sample_request).add_shared(
    "chat", "openai/", rules.METADATA, rules.LONG_ID
)


ITEM_RULES.rule(
    "openai/parameter-range",
    why="A number is below or above the range of its parameter.",
    confidence="recorded",
    evidence=(
        *cite("recording, gpt-4o", "Expected a value <= 2, but got 99.0 instead."),
        *cite("recording, gpt-4o-mini", "Invalid 'max_tokens': integer below minimum value."),
        *cite_probe("n below the floor"),
    ),
    breaking=sample_request(max_completion_tokens=0),
    accepted=sample_request(max_completion_tokens=1),
)(out_of_range)


@DEDUCED.rule(
    "openai/option-type",
    why="An option has another type than documented, such as a number for `reasoning_effort`.",
    confidence="inferred",
    evidence=(
        Citation("openai/openai-python, types/chat/completion_create_params.py", "stream_options: Optional[...Param]"),
    ),
    breaking=sample_request(stream=True, stream_options="include_usage"),
    accepted=sample_request(stream=True, stream_options={"include_usage": True}),
)
def _option_type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    return wrong_type(parameter.name, one_of(parameter.values) if parameter.values else parameter.type, value)


DEDUCED.rule(
    "openai/option-range",
    why="More choices or log probabilities are asked for than documented.",
    confidence="inferred",
    evidence=cite("openai/openai-openapi 2.3.0: at most 128 choices, and 20 log probabilities"),
    checked="2026-11-23",
    breaking=sample_request(n=129),
    accepted=sample_request(n=128),
)(out_of_range)


@DEDUCED.rule(
    "openai/stop-too-many",
    why="There are more than 4 stop sequences.",
    confidence="verbatim",
    evidence=(
        *cite("continuedev/continue#2461", "Invalid 'stop': array too long. Expected an array with maximum length 4"),
        *cite("continuedev/continue#1572"),
        *cite("QwenLM/Qwen-Agent#228, Azure"),
    ),
    checked="2026-11-22",
    breaking=sample_request(stop=["1", "2", "3", "4", "5"]),
    accepted=sample_request(stop=["1", "2", "3", "4"]),
)
def _stop_too_many(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if parameter.name != "stop" or isinstance(value, str) or len(value) <= MOST_STOPS:
        return None
    return long_array("stop", most=MOST_STOPS, length=len(value))


DEDUCED.rule(
    "openai/option-value",
    why="`reasoning_effort` is a word that no model knows.",
    confidence="inferred",
    evidence=cite("the sentence that Responses, by a measured probe, has for `reasoning.effort`"),
    checked="2026-11-22",
    breaking=sample_request(model="gpt-7", reasoning_effort="extreme"),
    accepted=sample_request(model="gpt-7", reasoning_effort="high"),
)(_word)


@COMBINED.rule(
    "openai/stream-options-without-stream",
    why="`stream_options` is set and the request does not stream.",
    confidence="verbatim",
    evidence=cite("BerriAI/litellm#5803", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
    breaking=sample_request(stream_options={"include_usage": True}),
    accepted=sample_request(stream_options={"include_usage": True}, stream=True),
)
def _stream_options(context: RequestContext) -> Breach | None:
    if context.stream or context.body.get("stream_options") is None:
        return None
    return breach("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")


BOOK = Rulebook(envelope)

FORMATS: Final = ("json_object", "json_schema", "text")

_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def _schema_format(**members: Any) -> dict[str, Any]:
    return sample_request(response_format={"type": "json_schema", "json_schema": members})


@BOOK.rule(
    "openai/response-format-type",
    why="`response_format` is not an object, or has no type.",
    confidence="recorded",
    evidence=cite_probe("response_format with no type"),
    breaking=sample_request(response_format="json_object"),
    accepted=sample_request(response_format={"type": "text"}),
)
def _format_type(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format")
    if format_ is None:
        return None
    if not isinstance(format_, dict):
        return wrong_type("response_format", "an object", format_)
    return None if "type" in format_ else missing("response_format.type")


@BOOK.rule(
    "openai/response-format-unknown",
    why="`response_format` has an unknown type.",
    confidence="recorded",
    evidence=cite_probe("an unknown response_format type"),
    breaking=sample_request(response_format={"type": "json"}),
    accepted=sample_request(response_format={"type": "text"}),
)
def _format_unknown(context: RequestContext) -> Breach | None:
    kind = (context.body.get("response_format") or {}).get("type")
    return None if kind is None else unknown_word("response_format.type", kind, FORMATS)


@BOOK.rule(
    "openai/response-format-name",
    why="The schema of the response has no name.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "Missing required parameter: 'response_format.json_schema.name'."),
    breaking=_schema_format(schema=_SCHEMA),
    accepted=_schema_format(schema=_SCHEMA, name="answer"),
)
def _format_name(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_schema":
        return None
    if not isinstance(format_.get("json_schema"), dict):
        return missing("response_format.json_schema")
    return None if format_["json_schema"].get("name") else missing("response_format.json_schema.name")


@BOOK.rule(
    "openai/response-format-name-pattern",
    why="The name of the response's schema has characters other than letters, digits, _ and -.",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Invalid 'response_format.json_schema.name': string does not match pa"),
    breaking=_schema_format(schema=_SCHEMA, name="an answer"),
    accepted=_schema_format(schema=_SCHEMA, name="an_answer"),
)
def _format_name_pattern(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    name = format_["json_schema"]["name"] if format_.get("type") == "json_schema" else None
    return rules.wrong_name_characters("response_format.json_schema.name", name) if isinstance(name, str) else None


@BOOK.rule(
    "openai/response-format-schema",
    why="A strict schema of the response has an optional property or allows additional ones.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "'required' is required to be supplied and to be an array including"),
    breaking=_schema_format(name="answer", strict=True, schema={**_SCHEMA, "required": []}),
    accepted=_schema_format(name="answer", strict=True, schema=_SCHEMA),
)
def _format_schema(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_schema" or format_["json_schema"].get("strict") is not True:
        return None
    fault = strict_fault(format_["json_schema"].get("schema"))
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{format_['json_schema']['name']}': {fault}"
    return breach("response_format", message, at="response_format.json_schema.schema")


@BOOK.rule(
    "openai/json-object-unsaid",
    why="A JSON object is requested and no message contains the word JSON.",
    confidence="recorded",
    evidence=cite("recording, gpt-4o-mini", "'messages' must contain the word 'json' in some form"),
    breaking=sample_request(USER, response_format={"type": "json_object"}),
    accepted=sample_request({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
)
def _json_unsaid(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_object" or "json" in json.dumps(context.body["messages"]).lower():
        return None
    message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return breach("messages", message)


@BOOK.rule(
    "openai/top-logprobs-alone",
    why="`top_logprobs` is set, and `logprobs` is not true.",
    confidence="verbatim",
    evidence=cite("four public projects", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."),
    breaking=sample_request(top_logprobs=2, logprobs=False),
    accepted=sample_request(top_logprobs=2, logprobs=True),
)
def _top_logprobs(context: RequestContext) -> Breach | None:
    if context.body.get("top_logprobs") is None or context.body.get("logprobs") is True:
        return None
    return breach("top_logprobs", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.")


BODY_BOOK = Rulebook(envelope)
RuleTable(BODY_BOOK, whole_body, sample_request).add_shared("chat", "openai/", *rules.BODY)

NOT_FOR_REASONING = frozenset({"audio", "modalities", "web_search_options"})
KNOWN = NOT_FOR_REASONING | {
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
}


@BODY_BOOK.rule(
    "openai/model-missing",
    why="The request names no model.",
    confidence="recorded",
    evidence=cite_probe("a missing model beats an unknown key"),
    breaking={"messages": [USER]},
    accepted=sample_request(),
)
def _model_missing(context: RequestContext) -> Breach | None:
    return None if context.body.get("model") else breach(None, "you must provide a model parameter", at="model")


@BODY_BOOK.rule(
    "openai/model-type",
    why="The model's name is not a string.",
    confidence="inferred",
    evidence=cite("worded like the refusals of other wrong types"),
    breaking={"model": 7, "messages": [USER]},
    accepted=sample_request(),
)
def _model_type(context: RequestContext) -> Breach | None:
    model = context.body["model"]
    return None if isinstance(model, str) else wrong_type("model", "a string", model)


@BODY_BOOK.rule(
    "openai/messages-missing",
    why="The request has no messages.",
    confidence="recorded",
    evidence=cite_probe("a missing messages beats an unknown key"),
    breaking={"model": "gpt-4.1"},
    accepted=sample_request(),
)
def _messages_missing(context: RequestContext) -> Breach | None:
    return missing("messages") if context.body.get("messages") is None else None


@BODY_BOOK.rule(
    "openai/unknown-parameter",
    why="The body has an unknown key; older models report it in an older sentence.",
    confidence="recorded",
    evidence=(
        *cite_probe("an unknown key beats a bad type"),
        *cite("recording, gpt-4.1-nano", "Unrecognized request argument supplied: chat"),
    ),
    breaking=sample_request(thinking={"type": "enabled"}),
    accepted=sample_request(),
)
def _unknown_parameter(context: RequestContext) -> Breach | None:
    reasoning = "reasoning" in context.traits
    known = KNOWN - NOT_FOR_REASONING if reasoning else KNOWN
    unknown = [key for key in context.body if key not in known]
    if not unknown:
        return None
    if reasoning:
        meant = help_with_spelling(unknown[0], known - context.body.keys())
        return breach(unknown[0], f"Unknown parameter: '{unknown[0]}'.{meant}", "unknown_parameter")
    plural = "s" if len(unknown) > 1 else ""
    return breach(None, f"Unrecognized request argument{plural} supplied: {', '.join(unknown)}", at=unknown[0])
