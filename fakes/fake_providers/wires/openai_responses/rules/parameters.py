"""Rules on the body and its plain parameters.

The API checks the body first: it is JSON, names a model, and has an input and no unknown key. The types, values, ranges
and members of the parameters follow in an order that was measured with pairs of neighbours of a wrong type. Null is
accepted everywhere. The word JSON is a rule on the whole conversation.
"""

from typing import Any, Final

from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.items import wrong_choice
from fake_providers.wires.openai_responses.rules.samples import MODEL, USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.parameters import (
    EFFORTS,
    LONGEST_ID,
    Parameter,
    ParameterBook,
    fits,
    out_of_range,
)
from fake_providers.wires.openai_shared.request_body import uses_beta
from fake_providers.wires.openai_shared.schema_faults import strict_fault
from fake_providers.wires.openai_shared.shared_rules import RuleTable, whole_body
from fake_providers.wires.openai_shared.wording import (
    LONGEST_TEXT,
    breach,
    help_with_spelling,
    long_string,
    missing,
    one_of,
    wrong_type,
    wrong_value,
)

BODY_BOOK = Rulebook(envelope)
BODY_RULES = RuleTable(BODY_BOOK, whole_body, sample_request, selector=ANY_PARAMETER)
BODY_RULES.add_shared("responses", "openai/responses-", *rules.BODY)

KNOWN: Final = frozenset(
    (
        "access_programs",
        "background",
        "background_options",
        "client_metadata",  # undocumented, but sent by every codex, to api.openai.com as well
        "context_management",
        "conversation",
        "frequency_penalty",
        "image",
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "model",
        "moderation",
        "multi_agent",  # of a beta; whether it is refused without its header is not known
        "parallel_tool_calls",
        "presence_penalty",
        "previous_response_id",
        "prompt",
        "prompt_cache_key",
        "prompt_cache_options",
        "prompt_cache_retention",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    )
)
RENAMED_PARAMETERS: Final = {
    "messages": "input",
    "response_format": "text.format",
    "reasoning_effort": "reasoning.effort",
}
"""Parameters of chat completions and their new names. The first is measured, the others are reported."""


def _model_missing(context: RequestContext) -> Breach | None:
    return None if "model" in context.body or context.body.get("prompt") else missing("model")


def _model_type(context: RequestContext) -> Breach | None:
    model = context.body.get("model", "")
    if isinstance(model, str) or (model is None and context.body.get("prompt")):
        return None
    # Null is called an object here and nowhere else.
    return wrong_type("model", "a string", {} if model is None else model)


def _renamed_parameter(context: RequestContext) -> Breach | None:
    old = next((key for key in context.body if key in RENAMED_PARAMETERS), None)
    if old is None:
        return None
    message = (
        f"Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to "
        f"'{RENAMED_PARAMETERS[old]}'. Try again with the new parameter. See the API documentation for more "
        "information: https://platform.openai.com/docs/api-reference/responses/create."
    )
    return breach(None, message, "unsupported_parameter", at=old)


def _input_missing(context: RequestContext) -> Breach | None:
    return None if "input" in context.body or context.body.get("prompt") else missing("input")


def _unknown_parameter(context: RequestContext) -> Breach | None:
    unknown = next((key for key in context.body if key not in KNOWN), None)
    if unknown is None or uses_beta(context.headers):
        return None
    meant = help_with_spelling(unknown, KNOWN - context.body.keys())
    return breach(unknown, f"Unknown parameter: '{unknown}'.{meant}", "unknown_parameter")


def _input_type(context: RequestContext) -> Breach | None:
    input_ = context.body.get("input", "")
    if isinstance(input_, str | list):
        return None
    if input_ is None:
        return None if context.body.get("prompt") else wrong_type("input", "a string", {})
    return wrong_type("input", "one of a string or array of input items", input_)


def _input_too_long(context: RequestContext) -> Breach | None:
    input_ = context.body.get("input")
    if not isinstance(input_, str) or len(input_) <= LONGEST_TEXT:
        return None
    return long_string("input", most=LONGEST_TEXT, length=len(input_))


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


# A table: two rows are to be compared.
# fmt: off
BODY_BOOK.row("openai/responses-model-missing", "The request names no model, nor a prompt that names one.",
    ANY_PARAMETER, _model_missing,
    wrong={"input": [USER]}, right=sample_request(),
    recorded=cite_probe("input absent loses to a missing model"))
BODY_BOOK.row("openai/responses-model-type", "The model's name is not a string.",
    ANY_PARAMETER, _model_type,
    wrong={"model": 7, "input": [USER]}, right=sample_request(),
    recorded=cite_probe("model as an integer"))
BODY_BOOK.row("openai/responses-moved-parameter",
    "A parameter of chat completions has another name here, such as `messages`.",
    ANY_PARAMETER, _renamed_parameter,
    wrong=sample_request(messages=[USER]), right=sample_request(),
    recorded=cite_probe("In the Responses API, this parameter has moved to 'input'."))
BODY_BOOK.row("openai/responses-input-missing", "The request has no input, nor a prompt that has one.",
    ANY_PARAMETER, _input_missing,
    wrong={"model": MODEL}, right=sample_request(),
    recorded=(*cite_probe("input absent beats an unknown key"), *cite("recording, gpt-4")))
BODY_BOOK.row("openai/responses-unknown-parameter",
    "The body has an unknown key, and the request is of no beta; `n`, `stop`, `seed`, `logprobs` and `max_tokens` "
        "belong to chat completions.",
    ANY_PARAMETER, _unknown_parameter,
    wrong=sample_request(max_tokens=32), right=sample_request(),
    recorded=(*cite_probe("order unknown key beats input item"),
        *cite("https://developers.openai.com/api/docs/guides/responses-multi-agent: keys that come with a header")))
BODY_BOOK.row("openai/responses-input-type", "The input is neither a string nor a list of items.",
    ANY_PARAMETER, _input_type,
    wrong={"model": MODEL, "input": USER}, right={"model": MODEL, "input": "Hello"},
    recorded=cite_probe("input as an object"))
BODY_BOOK.row("openai/responses-input-too-long", "The input is one text of more than 10485760 characters.",
    ANY_PARAMETER, _input_too_long,
    wrong=None, right=None,
    verbatim={"public code that quotes it": "Invalid 'input': string too long. Expected a string with maximum length"})
# fmt: on


EARLY = ParameterBook(BEFORE_TOOLS)
LATE = ParameterBook(AFTER_TOOLS)


def _type(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if fits(value, parameter.type):
        return None
    if parameter.type == "one of":
        return wrong_type(parameter.name, _one_of(parameter.values), value)
    expected = _one_of_abridged(parameter.values) if parameter.type == "an array of strings" else parameter.type
    return wrong_type(parameter.name, expected, value)


def _word(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if parameter.type == "one of" and value not in (*parameter.values, *parameter.newer):
        return _wrong(parameter.name, value, parameter.values)
    if parameter.type == "an array of strings":
        for index, word in enumerate(value):
            if word not in parameter.values:
                return _wrong(f"{parameter.name}[{index}]", word, parameter.values)
    return None


def _member(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    unknown = [name for name in value if name not in parameter.members] if parameter.members is not None else []
    if not unknown:
        return None
    param = f"{parameter.name}.{unknown[0]}"
    return breach(param, f"Unknown parameter: '{param}'.", "unknown_parameter")


# A table: two rows are to be compared.
# fmt: off
EARLY.row("openai/responses-early-parameter-type",
    "`include`, `prompt`, `moderation` or `previous_response_id` has the wrong type.",
    ANY_PARAMETER, _type,
    wrong=sample_request(include="reasoning.encrypted_content"),
    right=sample_request(include=["reasoning.encrypted_content"]),
    recorded=cite_probe("include as a string"))
EARLY.row("openai/responses-include-unknown", "`include` contains an unknown value.",
    ANY_PARAMETER, _word, needs="include",
    wrong=sample_request(include=["reasoning.text"]), right=sample_request(include=["reasoning.encrypted_content"]),
    recorded=cite_probe("include unknown member"))
LATE.row("openai/responses-parameter-type", "A parameter has the wrong type.",
    ANY_PARAMETER, _type,
    wrong=sample_request(max_output_tokens="32"), right=sample_request(max_output_tokens=32),
    recorded=cite_probe("Invalid type for 'temperature': expected a decimal, but got a string instead."))
LATE.row("openai/responses-parameter-value", "A parameter has an unknown word as its value.",
    ANY_PARAMETER, _word,
    wrong=sample_request(reasoning={"effort": "extreme"}), right=sample_request(reasoning={"effort": "high"}),
    recorded=(*cite_probe("truncation unknown"), *cite_probe("reasoning.effort unknown")))
LATE.row("openai/responses-parameter-range",
    "A number is below or above the range of its parameter; `max_output_tokens` is at least 16.",
    ANY_PARAMETER, out_of_range,
    wrong=sample_request(max_output_tokens=0), right=sample_request(max_output_tokens=16),
    recorded=(*cite_probe("max_output_tokens 15"),
        *cite("recordings, gpt-4o-mini, o1-mini", "Expected a value >= 16, but got 5 instead.")))
LATE.row("openai/responses-parameter-member",
    "An option has an unknown member, such as `stream_options.include_usage` of chat completions.",
    ANY_PARAMETER, _member,
    wrong=sample_request(stream=True, stream_options={"include_usage": True}),
    right=sample_request(stream=True, stream_options={}),
    recorded=cite_probe("stream_options include_usage"))
# fmt: on


RuleTable(LATE, lambda context: (context.body,), sample_request).add_shared(
    "responses", "openai/responses-", rules.METADATA, rules.LONG_ID
)


def _format_name(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if parameter.name != "text.format" or value.get("type") != "json_schema" or value.get("name"):
        return None
    return missing("text.format.name")


def _format_name_pattern(context: RequestContext) -> Breach | None:
    parameter, value = context.body
    if parameter.name != "text.format" or value.get("type") != "json_schema":
        return None
    name = value["name"]
    return rules.wrong_name_characters("text.format.name", name) if isinstance(name, str) else None


def _one_of(values: tuple[str, ...]) -> str:
    # The API itself doubles these words.
    return f"one of {one_of(values)} or integer" if values == EFFORTS else one_of(values)


def _one_of_abridged(values: tuple[str, ...]) -> str:
    """Long names are shortened in the middle, as recorded."""
    return f"an array of {_one_of(tuple(f'{value[:3]}...{value[-3:]}' for value in values))}"


def _wrong(param: str, value: Any, values: tuple[str, ...]) -> Breach:
    if not isinstance(value, str):
        return wrong_type(param, _one_of(values), value)
    return wrong_choice(param, value, values) if len(values) == 2 else wrong_value(param, value, values)


# A table: two rows are to be compared.
# fmt: off
LATE.row("openai/responses-format-name", "The schema of the response has no name.",
    ANY_PARAMETER, _format_name, needs="json_schema",
    wrong=sample_request(text={"format": {"type": "json_schema", "schema": {"type": "object"}}}),
    right=sample_request(text={"format": {"type": "json_schema", "schema": {"type": "object"}, "name": "answer"}}),
    recorded=(*cite("recording, gpt-5-nano", "Missing required parameter: 'text.format.name'."),
        *cite_probe("text json_schema without a name")))
LATE.row("openai/responses-format-name-pattern",
    "The name of the response's schema has characters other than letters, digits, _ and -.",
    ANY_PARAMETER, _format_name_pattern, needs="json_schema",
    wrong=sample_request(text={"format": {"type": "json_schema", "schema": {"type": "object"}, "name": "an answer"}}),
    right=sample_request(text={"format": {"type": "json_schema", "schema": {"type": "object"}, "name": "an_answer"}}),
    reported={"public code that quotes its first half": "Invalid 'text.format.name': string does not match pattern"})
# fmt: on


BOOK = Rulebook(envelope)

_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


def _format(**members: Any) -> dict[str, Any]:
    return sample_request(text={"format": {"type": "json_schema", "name": "answer", "strict": True, **members}})


def _format_schema(context: RequestContext) -> Breach | None:
    format_ = (context.body.get("text") or {}).get("format") or {}
    if format_.get("type") != "json_schema" or format_.get("strict") is not True:
        return None
    fault = strict_fault(format_.get("schema"))
    if fault is None:
        return None
    message = f"Invalid schema for response_format '{format_['name']}': {fault}"
    return breach("text.format.schema", message, "invalid_json_schema")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/responses-format-schema",
    "A strict schema of the response has an optional property or allows additional ones.",
    ANY_PARAMETER, _format_schema, needs="json_schema",
    wrong=_format(schema={**_SCHEMA, "required": []}), right=_format(schema=_SCHEMA),
    recorded={"recording, gpt-4o-mini": "Invalid schema for response_format 'response': In context=(),"})
# fmt: on
