"""Rules on the body and its plain parameters, in the API's own order: their types and ranges."""

import json
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import PROBES, USER, sample_request
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.parameters import (
    EFFORTS,
    LONGEST_ID,
    PARAMETER,
    Parameter,
    ParameterBook,
    fits,
    out_of_range,
    wrong_word,
)
from fake_providers.wires.openai_shared.request_body import uses_beta
from fake_providers.wires.openai_shared.schema_faults import strict_fault
from fake_providers.wires.openai_shared.shared_rules import LIKE_OTHER_TYPES

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

NOT_FOR_REASONING = frozenset({"audio", "modalities", "web_search_options"})
KNOWN = NOT_FOR_REASONING | {
    "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs", "max_completion_tokens",
    "max_tokens", "messages", "metadata", "model", "moderation", "n", "parallel_tool_calls", "prediction",
    "presence_penalty", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "reasoning_effort",
    "response_format", "safety_identifier", "seed", "service_tier", "stop", "store", "stream", "stream_options",
    "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user", "verbosity",
}  # fmt: skip

BODY_BOOK = Rulebook(envelope)
ITEM_RULES = ParameterBook(PARAMETERS)
BOOK = Rulebook(envelope)
DEDUCED = ParameterBook(OPTIONS)
COMBINED = Rulebook(envelope)
"""Rules on parameters that depend on another."""


def _schema_format(**members: Any) -> dict[str, Any]:
    return sample_request(response_format={"type": "json_schema", "json_schema": members})


def _type(parameter: Parameter, value: Any) -> Breach | None:
    expected = say.one_of(parameter.values) if parameter.values else parameter.type
    return None if fits(value, parameter.type) else say.wrong_type(parameter.name, expected, value)


def _format(body: dict[str, Any]) -> dict[str, Any]:
    return body.get("response_format") or {}


def _format_type(body: dict[str, Any]) -> Breach | None:
    format_ = body.get("response_format")
    if format_ is None or (isinstance(format_, dict) and "type" in format_):
        return None
    wrong = not isinstance(format_, dict)
    return say.wrong_type("response_format", "an object", format_) if wrong else say.missing("response_format.type")


def _unknown_parameter(context: RequestContext) -> Breach | None:
    reasoning = "reasoning" in context.traits
    known = KNOWN - NOT_FOR_REASONING if reasoning else KNOWN
    found = [key for key in context.body if key not in known]
    if not found or uses_beta(context.headers):
        return None
    if reasoning:
        return say.unknown(found[0], say.help_with_spelling(found[0], known - context.body.keys()))
    plural = "s" if len(found) > 1 else ""
    return say.breach(None, f"Unrecognized request argument{plural} supplied: {', '.join(found)}", at=found[0])


def _format_name(body: dict[str, Any]) -> Breach | None:
    if _format(body).get("type") != "json_schema":
        return None
    schema = _format(body).get("json_schema")
    if not isinstance(schema, dict):
        return say.missing("response_format.json_schema")
    return None if schema.get("name") else say.missing("response_format.json_schema.name")


def _format_schema(body: dict[str, Any]) -> Breach | None:
    schema = _format(body)["json_schema"] if _format(body).get("type") == "json_schema" else {}
    fault = strict_fault(schema.get("schema")) if schema.get("strict") is True else None
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{schema['name']}': {fault}"
    return say.breach("response_format", message, at="response_format.json_schema.schema")


# A table: two rows are to be compared.
# fmt: off
rules.BODY.add_to(BODY_BOOK, "chat", "openai/", ANY_PARAMETER, sample_request)
BODY_BOOK.row("openai/model-missing", "The request names no model.",
    ANY_PARAMETER, lambda body: not body.get("model"), "you must provide a model parameter", "model",
    remedy=remedies.MODEL_NAME,
    wrong={"messages": [USER]}, right=sample_request(),
    recorded={PROBES: "a missing model beats an unknown key"})
BODY_BOOK.row("openai/model-type", "The model's name is not a string.",
    ANY_PARAMETER, lambda body: not isinstance(body["model"], str)
        and say.wrong_type("model", "a string", body["model"]), remedy=remedies.MODEL_NAME,
    wrong={"model": 7, "messages": [USER]}, right=sample_request(),
    inferred=LIKE_OTHER_TYPES)
BODY_BOOK.row("openai/messages-missing", "The request has no messages.",
    ANY_PARAMETER, lambda body: body.get("messages") is None and say.missing("messages"), remedy=remedies.CONVERSATION,
    wrong={"model": "gpt-4.1"}, right=sample_request(),
    recorded={PROBES: "a missing messages beats an unknown key"})
BODY_BOOK.row("openai/unknown-parameter", "The body has an unknown key; older models report it in an older sentence.",
    ANY_PARAMETER, _unknown_parameter, remedy=remedies.KNOWN_MEMBERS,
    wrong=sample_request(thinking={"type": "enabled"}), right=sample_request(),
    recorded={PROBES: "an unknown key beats a bad type",
        "recording, gpt-4.1-nano": "Unrecognized request argument supplied: chat"})
ITEM_RULES.row("openai/parameter-type", "A parameter has the wrong type.",
    PARAMETER, _type, remedy=remedies.VALUE,
    wrong=sample_request(temperature="0.5"), right=sample_request(temperature=0.5),
    recorded={PROBES: "Invalid type for 'temperature': expected a decimal, but got a string instead."})
ITEM_RULES.row("openai/parameter-value", "A parameter has an unknown word as its value.",
    PARAMETER, wrong_word, remedy=remedies.VALUE,
    wrong=sample_request(service_tier="express"), right=sample_request(service_tier="flex"),
    recorded={PROBES: "an unknown service_tier"})
rules.PARAMETERS.add_to(ITEM_RULES, "chat", "openai/", PARAMETER, sample_request)
ITEM_RULES.row("openai/parameter-range", "A number is below or above the range of its parameter.",
    PARAMETER, out_of_range, remedy=remedies.WHOLE_NUMBER,
    wrong=sample_request(max_completion_tokens=0), right=sample_request(max_completion_tokens=1),
    recorded={"recording, gpt-4o": "Expected a value <= 2, but got 99.0 instead.",
        "recording, gpt-4o-mini": "Invalid 'max_tokens': integer below minimum value.", PROBES: "n below the floor"})
DEDUCED.row("openai/option-type",
    "An option has another type than documented, such as a number for `reasoning_effort`.",
    PARAMETER, _type, remedy=remedies.VALUE,
    wrong=sample_request(stream=True, stream_options="include_usage"),
    right=sample_request(stream=True, stream_options={"include_usage": True}),
    inferred={"openai/openai-python, types/chat/completion_create_params.py": "stream_options: Optional[...Param]"})
DEDUCED.row("openai/option-range", "More choices or log probabilities are asked for than documented.",
    PARAMETER, out_of_range, checked="2026-11-23", remedy=remedies.NO_PARAMETER,
    wrong=sample_request(n=129), right=sample_request(n=128),
    inferred={"openai/openai-openapi 2.3.0: at most 128 choices, and 20 log probabilities": ""})
DEDUCED.row("openai/stop-too-many", "There are more than 4 stop sequences.",
    PARAMETER, lambda parameter, value: parameter.name == "stop" and isinstance(value, list)
        and say.long_array("stop", value, 4), needs="stop", checked="2026-11-22",
    remedy=Remedy("parameters", "Send at most four stop sequences."),
    wrong=sample_request(stop=["1", "2", "3", "4", "5"]), right=sample_request(stop=["1", "2", "3", "4"]),
    verbatim={"continuedev/continue#2461": "Invalid 'stop': array too long. Expected an array with maximum length 4",
        "continuedev/continue#1572": "", "QwenLM/Qwen-Agent#228, Azure": ""})
DEDUCED.row("openai/option-value", "`reasoning_effort` is a word that no model knows.",
    PARAMETER, wrong_word, checked="2026-11-22", remedy=remedies.EFFORT_OF_MODEL.of("parameters"),
    wrong=sample_request(model="gpt-7", reasoning_effort="extreme"),
    right=sample_request(model="gpt-7", reasoning_effort="high"),
    inferred={"the sentence that Responses, by a measured probe, has for `reasoning.effort`": ""})
COMBINED.row("openai/stream-options-without-stream", "`stream_options` is set and the request does not stream.",
    ANY_PARAMETER, lambda body, context: not context.stream and body.get("stream_options") is not None
        and say.breach("stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled."),
    needs="stream_options", remedy=Remedy("parameters", "Send `stream_options` only together with `stream`."),
    wrong=sample_request(stream_options={"include_usage": True}),
    right=sample_request(stream_options={"include_usage": True}, stream=True),
    verbatim={"BerriAI/litellm#5803": "The 'stream_options' parameter is only allowed when 'stream' is enabled."})
BOOK.row("openai/response-format-type", "`response_format` is not an object, or has no type.",
    ANY_PARAMETER, _format_type, needs="response_format", remedy=remedies.FORMAT_SHAPE,
    wrong=sample_request(response_format="json_object"), right=sample_request(response_format={"type": "text"}),
    recorded={PROBES: "response_format with no type"})
BOOK.row("openai/response-format-unknown", "`response_format` has an unknown type.",
    ANY_PARAMETER, lambda body: _format(body).get("type") is not None
        and say.unknown_word("response_format.type", _format(body)["type"], ("json_object", "json_schema", "text")),
    needs="response_format", remedy=remedies.FORMAT_SHAPE,
    wrong=sample_request(response_format={"type": "json"}), right=sample_request(response_format={"type": "text"}),
    recorded={PROBES: "an unknown response_format type"})
BOOK.row("openai/response-format-name", "The schema of the response has no name.",
    ANY_PARAMETER, _format_name, needs="response_format", remedy=remedies.FORMAT_SHAPE,
    wrong=_schema_format(schema=rules.CLOSED_SCHEMA), right=_schema_format(schema=rules.CLOSED_SCHEMA, name="answer"),
    recorded={"recording, gpt-4o-mini": "Missing required parameter: 'response_format.json_schema.name'."})
BOOK.row("openai/response-format-name-pattern",
    "The name of the response's schema has characters other than letters, digits, _ and -.",
    ANY_PARAMETER, lambda body: _format(body).get("type") == "json_schema"
        and say.wrong_name("response_format.json_schema.name", _format(body)["json_schema"]["name"]),
    needs="response_format", remedy=remedies.FORMAT_SHAPE,
    wrong=_schema_format(schema=rules.CLOSED_SCHEMA, name="an answer"),
    right=_schema_format(schema=rules.CLOSED_SCHEMA, name="an_answer"),
    verbatim={"public code that quotes it": "Invalid 'response_format.json_schema.name': string does not match pa"})
BOOK.row("openai/response-format-schema",
    "A strict schema of the response has an optional property or allows additional ones.",
    ANY_PARAMETER, _format_schema, needs="response_format", remedy=remedies.CLOSE_FORMAT,
    wrong=_schema_format(name="answer", strict=True, schema={**rules.CLOSED_SCHEMA, "required": []}),
    right=_schema_format(name="answer", strict=True, schema=rules.CLOSED_SCHEMA),
    recorded={"recording, gpt-4o-mini": "'required' is required to be supplied and to be an array including"})
BOOK.row("openai/json-object-unsaid", "A JSON object is requested and no message contains the word JSON.",
    WHOLE_REQUEST, lambda body: _format(body).get("type") == "json_object"
        and "json" not in json.dumps(body["messages"]).lower()
        and say.breach("messages",
        "'messages' must contain the word " "'json' in some form, to use 'response_format' of type 'json_object'."),
    needs="response_format", remedy=remedies.SAY_JSON,
    wrong=sample_request(USER, response_format={"type": "json_object"}),
    right=sample_request({**USER, "content": "Say it in JSON."}, response_format={"type": "json_object"}),
    recorded={"recording, gpt-4o-mini": "'messages' must contain the word 'json' in some form"})
BOOK.row("openai/top-logprobs-alone", "`top_logprobs` is set, and `logprobs` is not true.",
    ANY_PARAMETER, lambda body: body.get("top_logprobs") is not None and body.get("logprobs") is not True
        and say.breach("top_logprobs", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."),
    remedy=remedies.NO_PARAMETER,
    wrong=sample_request(top_logprobs=2, logprobs=False), right=sample_request(top_logprobs=2, logprobs=True),
    verbatim={"four public projects": "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."})
# fmt: on
