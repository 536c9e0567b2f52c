"""Rules on the body and its plain parameters.

The API checks the body first: it is JSON, names a model, and has an input and no unknown key. The types, values, ranges
and members of the parameters follow in an order that was measured with pairs of neighbours of a wrong type. Null is
accepted everywhere. The word JSON is a rule on the whole conversation.
"""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.rulebook import ANY_PARAMETER, Breach, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import MODEL, PROBES, USER, probes, sample_request
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.parameters import (
    EFFORTS,
    LONGEST_ID,
    PARAMETER,
    Parameter,
    ParameterBook,
    fits,
    out_of_range,
)
from fake_providers.wires.openai_shared.request_body import uses_beta
from fake_providers.wires.openai_shared.schema_faults import strict_fault

# `client_metadata` is undocumented, but sent by every codex, to api.openai.com as well;
# `multi_agent` is of a beta, and whether it is refused without its header is not known.
KNOWN: Final = frozenset((
    "access_programs", "background", "background_options", "client_metadata", "context_management", "conversation",
    "frequency_penalty", "image", "include", "input", "instructions", "max_output_tokens", "max_tool_calls",
    "metadata", "model", "moderation", "multi_agent", "parallel_tool_calls", "presence_penalty",
    "previous_response_id", "prompt", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention",
    "reasoning", "safety_identifier", "service_tier", "store", "stream", "stream_options", "temperature", "text",
    "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user",
))  # fmt: skip
RENAMED_PARAMETERS: Final = {
    "messages": "input",
    "response_format": "text.format",
    "max_completion_tokens": "max_output_tokens",
    "verbosity": "text.verbosity",
    "reasoning_effort": "reasoning.effort",
}
"""Parameters of chat completions and their new names. The first is measured, the others are reported."""
INCLUDES: Final = (
    "file_search_call.results",
    "web_search_call.results",
    "web_search_call.action.sources",
    "message.input_image.image_url",
    "computer_call_output.output.image_url",
    "code_interpreter_call.outputs",
    "reasoning.encrypted_content",
    "message.output_text.logprobs",
)
SUMMARIES: Final = ("concise", "detailed", "auto")

BEFORE_TOOLS: Final = (
    Parameter("previous_response_id", "a string"),
    Parameter("prompt", "an object"),
    Parameter("moderation", "an object"),
    Parameter("include", "an array of strings", values=INCLUDES),
)
AFTER_TOOLS: Final = (
    Parameter("metadata", "a metadata object"),
    Parameter("text", "an object", members=frozenset(("format", "verbosity"))),
    Parameter("text.format", "an object"),
    Parameter("text.format.type", "one of", values=("json_object", "text", "json_schema")),
    Parameter("text.verbosity", "one of", values=("low", "medium", "high")),
    Parameter("temperature", "a decimal", least=0, most=2),
    Parameter("top_p", "a decimal", least=0, most=1),
    Parameter("presence_penalty", "a decimal", least=-2, most=2),
    Parameter("frequency_penalty", "a decimal", least=-2, most=2),
    Parameter("parallel_tool_calls", "a boolean"),
    Parameter("stream", "a boolean"),
    Parameter("stream_options", "an object", members=frozenset(("include_obfuscation",))),
    Parameter("background", "a boolean"),
    Parameter("max_output_tokens", "an integer", least=16),
    Parameter("max_tool_calls", "an integer", least=1),
    Parameter(
        "reasoning", "an object", members=frozenset(("effort", "summary", "generate_summary", "mode", "context"))
    ),
    Parameter("reasoning.effort", "one of", values=EFFORTS),
    Parameter("reasoning.summary", "one of", values=SUMMARIES),
    Parameter("reasoning.generate_summary", "one of", values=SUMMARIES),
    Parameter("user", "a string", longest=LONGEST_ID),
    Parameter("safety_identifier", "a string", longest=LONGEST_ID),
    Parameter(
        "prompt_cache_options", "an object", members=frozenset(("mode", "ttl", "comparison_response_id", "prewarm"))
    ),
    Parameter("prompt_cache_key", "a string", longest=LONGEST_ID),
    Parameter("prompt_cache_retention", "one of", values=("in_memory", "24h")),
    Parameter("truncation", "one of", values=("auto", "disabled")),
    Parameter("instructions", "a string"),
    Parameter("store", "a boolean"),
    Parameter(
        "service_tier", "one of", values=("auto", "default", "fast", "flex", "priority"), newer=("scale", "ultrafast")
    ),
    Parameter("top_logprobs", "an integer", least=0, most=20),
    Parameter("context_management", "an array of objects"),
)

BODY_BOOK = Rulebook(envelope)
EARLY = ParameterBook(BEFORE_TOOLS)
LATE = ParameterBook(AFTER_TOOLS)
BOOK = Rulebook(envelope)


def _model_type(body: dict[str, Any]) -> Breach | None:
    model = body.get("model", "")
    if isinstance(model, str) or (model is None and body.get("prompt")):
        return None
    # Null is called an object here and nowhere else.
    return say.wrong_type("model", "a string", {} if model is None else model)


def _input_type(body: dict[str, Any]) -> Breach | None:
    input_ = body.get("input", "")
    if isinstance(input_, str | list):
        return None
    if input_ is None:
        return None if body.get("prompt") else say.wrong_type("input", "a string", {})
    return say.wrong_type("input", "one of a string or array of input items", input_)


def _type(parameter: Parameter, value: Any) -> Breach | None:
    if fits(value, parameter.type):
        return None
    if parameter.type == "one of":
        return say.wrong_type(parameter.name, _one_of(parameter.values), value)
    # Long names are shortened in the middle, as recorded.
    short = _one_of(tuple(f"{word[:3]}...{word[-3:]}" for word in parameter.values)) if parameter.values else ""
    return say.wrong_type(parameter.name, f"an array of {short}" if short else parameter.type, value)


def _word(parameter: Parameter, value: Any) -> Breach | None:
    words = [(parameter.name, value)] if parameter.type == "one of" else []
    if parameter.type == "an array of strings":
        words = [(f"{parameter.name}[{index}]", word) for index, word in enumerate(value)]
    for param, word in words:
        if word not in (*parameter.values, *parameter.newer):
            wrong = not isinstance(word, str)
            expected = parameter.values
            return say.wrong_type(param, _one_of(expected), word) if wrong else say.wrong_value(param, word, expected)
    return None


def _one_of(values: tuple[str, ...]) -> str:
    # The API itself doubles these words.
    return f"one of {say.one_of(values)} or integer" if values == EFFORTS else say.one_of(values)


def _format_schema(body: dict[str, Any]) -> Breach | None:
    format_ = (body.get("text") or {}).get("format") or {}
    is_strict = format_.get("type") == "json_schema" and format_.get("strict") is True
    fault = strict_fault(format_.get("schema")) if is_strict else None
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{format_['name']}': {fault}"
    return say.breach("text.format.schema", message, "invalid_json_schema")


def _with_format(**members: Any) -> dict[str, Any]:
    return sample_request(text={"format": {"type": "json_schema", **members}})


# A table: two rows are to be compared.
# fmt: off
rules.BODY.add_to(BODY_BOOK, "responses", "openai/responses-", ANY_PARAMETER, sample_request)
BODY_BOOK.row("openai/responses-model-missing", "The request names no model, nor a prompt that names one.",
    ANY_PARAMETER, lambda body: "model" not in body and not body.get("prompt") and say.missing("model"),
    remedy=remedies.MODEL_NAME,
    wrong={"input": [USER]}, right=sample_request(),
    recorded={PROBES: "input absent loses to a missing model"})
BODY_BOOK.row("openai/responses-model-type", "The model's name is not a string.",
    ANY_PARAMETER, _model_type, remedy=remedies.MODEL_NAME,
    wrong={"model": 7, "input": [USER]}, right=sample_request(),
    recorded={PROBES: "model as an integer"})
BODY_BOOK.row("openai/responses-moved-parameter",
    "A parameter of chat completions has another name here, such as `messages`.",
    ANY_PARAMETER, lambda body: (old := next(filter(RENAMED_PARAMETERS.get, body), None)) is not None
        and say.breach(None,
        f"Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to "
        f"'{RENAMED_PARAMETERS[old]}'. Try again with the new parameter. See the API documentation for more "
        "information: https://platform.openai.com/docs/api-reference/responses/create.", "unsupported_parameter",
        at=old), remedy=remedies.PARAMETER_NAME,
    wrong=sample_request(messages=[USER]), right=sample_request(),
    recorded={PROBES: "In the Responses API, this parameter has moved to 'input'.",
        "seven public projects, `max_completion_tokens`": "this parameter has moved to 'max_output_tokens'.",
        "public notes, `verbosity`": "this parameter has moved to 'text.verbosity'."})
BODY_BOOK.row("openai/responses-input-missing", "The request has no input, nor a prompt that has one.",
    ANY_PARAMETER, lambda body: "input" not in body and not body.get("prompt") and say.missing("input"),
    remedy=remedies.CONVERSATION,
    wrong={"model": MODEL}, right=sample_request(),
    recorded={PROBES: "input absent beats an unknown key", "recording, gpt-4": ""})
BODY_BOOK.row("openai/responses-unknown-parameter",
    "The body has an unknown key, and the request is of no beta; `n`, `stop`, `seed`, `logprobs` and `max_tokens` "
        "belong to chat completions.",
    ANY_PARAMETER, lambda body, context: not uses_beta(context.headers)
        and next(
        (say.unknown(name, say.help_with_spelling(name, KNOWN - body.keys())) for name in body if name not in KNOWN),
        None), remedy=remedies.KNOWN_MEMBERS,
    wrong=sample_request(max_tokens=32), right=sample_request(),
    recorded={PROBES: "order unknown key beats input item",
        "https://developers.openai.com/api/docs/guides/responses-multi-agent: keys that come with a header": ""})
BODY_BOOK.row("openai/responses-input-type", "The input is neither a string nor a list of items.",
    ANY_PARAMETER, _input_type, remedy=remedies.MESSAGE_LIST,
    wrong={"model": MODEL, "input": USER}, right={"model": MODEL, "input": "Hello"},
    recorded={PROBES: "input as an object"})
BODY_BOOK.row("openai/responses-input-too-long", "The input is one text of more than 10485760 characters.",
    ANY_PARAMETER, lambda body: say.long_string("input", body.get("input"), say.LONGEST_TEXT), remedy=remedies.SHORTEN,
    wrong=None, right=None,
    verbatim={"public code that quotes it": "Invalid 'input': string too long. Expected a string with maximum length"})
EARLY.row("openai/responses-early-parameter-type",
    "`include`, `prompt`, `moderation` or `previous_response_id` has the wrong type.",
    PARAMETER, _type, remedy=remedies.VALUE,
    wrong=sample_request(include="reasoning.encrypted_content"),
    right=sample_request(include=["reasoning.encrypted_content"]),
    recorded={PROBES: "include as a string"})
EARLY.row("openai/responses-include-unknown", "`include` contains an unknown value.",
    PARAMETER, _word, needs="include", remedy=remedies.KNOWN_MEMBERS,
    wrong=sample_request(include=["reasoning.text"]), right=sample_request(include=["reasoning.encrypted_content"]),
    recorded={PROBES: "include unknown member"})
LATE.row("openai/responses-parameter-type", "A parameter has the wrong type.",
    PARAMETER, _type, remedy=remedies.VALUE,
    wrong=sample_request(max_output_tokens="32"), right=sample_request(max_output_tokens=32),
    recorded={PROBES: "Invalid type for 'temperature': expected a decimal, but got a string instead."})
LATE.row("openai/responses-parameter-value", "A parameter has an unknown word as its value.",
    PARAMETER, _word, remedy=remedies.VALUE,
    wrong=sample_request(reasoning={"effort": "extreme"}), right=sample_request(reasoning={"effort": "high"}),
    recorded=probes("truncation unknown", "reasoning.effort unknown"))
LATE.row("openai/responses-parameter-range",
    "A number is below or above the range of its parameter; `max_output_tokens` is at least 16.",
    PARAMETER, out_of_range, remedy=remedies.WHOLE_NUMBER,
    wrong=sample_request(max_output_tokens=0), right=sample_request(max_output_tokens=16),
    recorded={PROBES: "max_output_tokens 15",
        "recordings, gpt-4o-mini, o1-mini": "Expected a value >= 16, but got 5 instead."})
LATE.row("openai/responses-parameter-member",
    "An option has an unknown member, such as `stream_options.include_usage` of chat completions.",
    PARAMETER, lambda parameter, value: parameter.members is not None
        and next((say.unknown(f"{parameter.name}.{name}") for name in value if name not in parameter.members), None),
    remedy=remedies.KNOWN_MEMBERS,
    wrong=sample_request(stream=True, stream_options={"include_usage": True}),
    right=sample_request(stream=True, stream_options={}),
    recorded={PROBES: "stream_options include_usage"})
rules.PARAMETERS.add_to(LATE, "responses", "openai/responses-", PARAMETER, sample_request)
LATE.row("openai/responses-format-name", "The schema of the response has no name.",
    PARAMETER, lambda parameter, value: parameter.name == "text.format" and value.get("type") == "json_schema"
        and not value.get("name") and say.missing("text.format.name"), needs="json_schema",
        remedy=remedies.FORMAT_SHAPE,
    wrong=_with_format(schema={"type": "object"}), right=_with_format(schema={"type": "object"}, name="answer"),
    recorded={"recording, gpt-5-nano": "Missing required parameter: 'text.format.name'.",
        PROBES: "text json_schema without a name"})
LATE.row("openai/responses-format-name-pattern",
    "The name of the response's schema has characters other than letters, digits, _ and -.",
    PARAMETER, lambda parameter, value: parameter.name == "text.format" and value.get("type") == "json_schema"
        and say.wrong_name("text.format.name", value["name"]), needs="json_schema", remedy=remedies.FORMAT_SHAPE,
    wrong=_with_format(schema={"type": "object"}, name="an answer"),
    right=_with_format(schema={"type": "object"}, name="an_answer"),
    reported={"public code that quotes its first half": "Invalid 'text.format.name': string does not match pattern"})
BOOK.row("openai/responses-format-schema",
    "A strict schema of the response has an optional property or allows additional ones.",
    ANY_PARAMETER, _format_schema, needs="json_schema", remedy=remedies.CLOSE_FORMAT,
    wrong=_with_format(name="answer", strict=True, schema={**rules.CLOSED_SCHEMA, "required": []}),
    right=_with_format(name="answer", strict=True, schema=rules.CLOSED_SCHEMA),
    recorded={"recording, gpt-4o-mini": "Invalid schema for response_format 'response': In context=(),"})
# fmt: on
