"""Rules on the plain parameters, in the API's own order: their types and ranges."""

import json
from typing import Any, Final

from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, RequestContext, Rulebook
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


def _type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    expected = one_of(parameter.values) if parameter.type == "one of" else parameter.type
    return wrong_type(parameter.name, expected, value)


def _word(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if not parameter.values or value in (*parameter.values, *parameter.newer):
        return None
    return wrong_value(parameter.name, value, parameter.values)


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/parameter-type", "A parameter has the wrong type.",
    ANY_PARAMETER, _type,
    wrong=sample_request(temperature="0.5"), right=sample_request(temperature=0.5),
    recorded=cite_probe("Invalid type for 'temperature': expected a decimal, but got a string instead."))
ITEM_RULES.row("openai/parameter-value", "A parameter has an unknown word as its value.",
    ANY_PARAMETER, _word,
    wrong=sample_request(service_tier="express"), right=sample_request(service_tier="flex"),
    recorded=cite_probe("an unknown service_tier"))
# fmt: on


RuleTable(ITEM_RULES, lambda context: (context.body,), sample_request).add_shared(
    "chat", "openai/", rules.METADATA, rules.LONG_ID
)


def _option_type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    return wrong_type(parameter.name, one_of(parameter.values) if parameter.values else parameter.type, value)


def _stop_too_many(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if parameter.name != "stop" or isinstance(value, str) or len(value) <= MOST_STOPS:
        return None
    return long_array("stop", most=MOST_STOPS, length=len(value))


def _stream_options(context: RequestContext) -> Breach | None:
    if context.stream or context.body.get("stream_options") is None:
        return None
    return breach("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/parameter-range", "A number is below or above the range of its parameter.",
    ANY_PARAMETER, out_of_range,
    wrong=sample_request(max_completion_tokens=0), right=sample_request(max_completion_tokens=1),
    recorded=(*cite("recording, gpt-4o", "Expected a value <= 2, but got 99.0 instead."),
        *cite("recording, gpt-4o-mini", "Invalid 'max_tokens': integer below minimum value."),
        *cite_probe("n below the floor")))
DEDUCED.row("openai/option-type",
    "An option has another type than documented, such as a number for `reasoning_effort`.",
    ANY_PARAMETER, _option_type,
    wrong=sample_request(stream=True, stream_options="include_usage"),
    right=sample_request(stream=True, stream_options={"include_usage": True}),
    inferred={"openai/openai-python, types/chat/completion_create_params.py": "stream_options: Optional[...Param]"})
DEDUCED.row("openai/option-range", "More choices or log probabilities are asked for than documented.",
    ANY_PARAMETER, out_of_range, checked="2026-11-23",
    wrong=sample_request(n=129), right=sample_request(n=128),
    inferred={"openai/openai-openapi 2.3.0: at most 128 choices, and 20 log probabilities": ""})
DEDUCED.row("openai/stop-too-many", "There are more than 4 stop sequences.",
    ANY_PARAMETER, _stop_too_many, needs="stop", checked="2026-11-22",
    wrong=sample_request(stop=["1", "2", "3", "4", "5"]), right=sample_request(stop=["1", "2", "3", "4"]),
    verbatim={"continuedev/continue#2461": "Invalid 'stop': array too long. Expected an array with maximum length 4",
        "continuedev/continue#1572": "", "QwenLM/Qwen-Agent#228, Azure": ""})
DEDUCED.row("openai/option-value", "`reasoning_effort` is a word that no model knows.",
    ANY_PARAMETER, _word, checked="2026-11-22",
    wrong=sample_request(model="gpt-7", reasoning_effort="extreme"),
    right=sample_request(model="gpt-7", reasoning_effort="high"),
    inferred={"the sentence that Responses, by a measured probe, has for `reasoning.effort`": ""})
COMBINED.row("openai/stream-options-without-stream", "`stream_options` is set and the request does not stream.",
    ANY_PARAMETER, _stream_options, needs="stream_options",
    wrong=sample_request(stream_options={"include_usage": True}),
    right=sample_request(stream_options={"include_usage": True}, stream=True),
    verbatim={"BerriAI/litellm#5803": "The 'stream_options' parameter is only allowed when 'stream' is enabled."})
# fmt: on


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


def _format_type(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format")
    if format_ is None:
        return None
    if not isinstance(format_, dict):
        return wrong_type("response_format", "an object", format_)
    return None if "type" in format_ else missing("response_format.type")


def _format_unknown(context: RequestContext) -> Breach | None:
    kind = (context.body.get("response_format") or {}).get("type")
    return None if kind is None else unknown_word("response_format.type", kind, FORMATS)


def _format_name(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_schema":
        return None
    if not isinstance(format_.get("json_schema"), dict):
        return missing("response_format.json_schema")
    return None if format_["json_schema"].get("name") else missing("response_format.json_schema.name")


def _format_name_pattern(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    name = format_["json_schema"]["name"] if format_.get("type") == "json_schema" else None
    return rules.wrong_name_characters("response_format.json_schema.name", name) if isinstance(name, str) else None


def _format_schema(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_schema" or format_["json_schema"].get("strict") is not True:
        return None
    fault = strict_fault(format_["json_schema"].get("schema"))
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{format_['json_schema']['name']}': {fault}"
    return breach("response_format", message, at="response_format.json_schema.schema")


def _json_unsaid(context: RequestContext) -> Breach | None:
    format_ = context.body.get("response_format") or {}
    if format_.get("type") != "json_object" or "json" in json.dumps(context.body["messages"]).lower():
        return None
    message = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
    return breach("messages", message)


def _top_logprobs(context: RequestContext) -> Breach | None:
    if context.body.get("top_logprobs") is None or context.body.get("logprobs") is True:
        return None
    return breach("top_logprobs", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/response-format-type", "`response_format` is not an object, or has no type.",
    ANY_PARAMETER, _format_type, needs="response_format",
    wrong=sample_request(response_format="json_object"), right=sample_request(response_format={"type": "text"}),
    recorded=cite_probe("response_format with no type"))
BOOK.row("openai/response-format-unknown", "`response_format` has an unknown type.",
    ANY_PARAMETER, _format_unknown, needs="response_format",
    wrong=sample_request(response_format={"type": "json"}), right=sample_request(response_format={"type": "text"}),
    recorded=cite_probe("an unknown response_format type"))
BOOK.row("openai/response-format-name", "The schema of the response has no name.",
    ANY_PARAMETER, _format_name, needs="response_format",
    wrong=_schema_format(schema=_SCHEMA), right=_schema_format(schema=_SCHEMA, name="answer"),
    recorded={"recording, gpt-4o-mini": "Missing required parameter: 'response_format.json_schema.name'."})
BOOK.row("openai/response-format-name-pattern",
    "The name of the response's schema has characters other than letters, digits, _ and -.",
    ANY_PARAMETER, _format_name_pattern, needs="response_format",
    wrong=_schema_format(schema=_SCHEMA, name="an answer"), right=_schema_format(schema=_SCHEMA, name="an_answer"),
    verbatim={"public code that quotes it": "Invalid 'response_format.json_schema.name': string does not match pa"})
BOOK.row("openai/response-format-schema",
    "A strict schema of the response has an optional property or allows additional ones.",
    ANY_PARAMETER, _format_schema, needs="response_format",
    wrong=_schema_format(name="answer", strict=True, schema={**_SCHEMA, "required": []}),
    right=_schema_format(name="answer", strict=True, schema=_SCHEMA),
    recorded={"recording, gpt-4o-mini": "'required' is required to be supplied and to be an array including"})
BOOK.row("openai/json-object-unsaid", "A JSON object is requested and no message contains the word JSON.",
    WHOLE_REQUEST, _json_unsaid, needs="response_format",
    wrong=sample_request(USER, response_format={"type": "json_object"}),
    right=sample_request({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
    recorded={"recording, gpt-4o-mini": "'messages' must contain the word 'json' in some form"})
BOOK.row("openai/top-logprobs-alone", "`top_logprobs` is set, and `logprobs` is not true.",
    ANY_PARAMETER, _top_logprobs,
    wrong=sample_request(top_logprobs=2, logprobs=False), right=sample_request(top_logprobs=2, logprobs=True),
    verbatim={"four public projects": "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."})
# fmt: on


BODY_BOOK = Rulebook(envelope)
RuleTable(BODY_BOOK, whole_body, sample_request, selector=ANY_PARAMETER).add_shared("chat", "openai/", *rules.BODY)

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


def _model_missing(context: RequestContext) -> Breach | None:
    return None if context.body.get("model") else breach(None, "you must provide a model parameter", at="model")


def _model_type(context: RequestContext) -> Breach | None:
    model = context.body["model"]
    return None if isinstance(model, str) else wrong_type("model", "a string", model)


def _messages_missing(context: RequestContext) -> Breach | None:
    return missing("messages") if context.body.get("messages") is None else None


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


# A table: two rows are to be compared.
# fmt: off
BODY_BOOK.row("openai/model-missing", "The request names no model.",
    ANY_PARAMETER, _model_missing,
    wrong={"messages": [USER]}, right=sample_request(),
    recorded=cite_probe("a missing model beats an unknown key"))
BODY_BOOK.row("openai/model-type", "The model's name is not a string.",
    ANY_PARAMETER, _model_type,
    wrong={"model": 7, "messages": [USER]}, right=sample_request(),
    inferred={"worded like the refusals of other wrong types": ""})
BODY_BOOK.row("openai/messages-missing", "The request has no messages.",
    ANY_PARAMETER, _messages_missing,
    wrong={"model": "gpt-4.1"}, right=sample_request(),
    recorded=cite_probe("a missing messages beats an unknown key"))
BODY_BOOK.row("openai/unknown-parameter", "The body has an unknown key; older models report it in an older sentence.",
    ANY_PARAMETER, _unknown_parameter,
    wrong=sample_request(thinking={"type": "enabled"}), right=sample_request(),
    recorded=(*cite_probe("an unknown key beats a bad type"),
        *cite("recording, gpt-4.1-nano", "Unrecognized request argument supplied: chat")))
# fmt: on
