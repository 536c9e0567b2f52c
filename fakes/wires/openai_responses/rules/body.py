"""What is looked at first: that the body is JSON, names a model, has an input and no key that is unknown."""

from typing import Final

from fakes.rulebook import Breach, RequestContext, Rulebook
from fakes.wires.openai_chat.rules.body import UNPARSED
from fakes.wires.openai_chat.rules.messages import LONGEST_TEXT
from fakes.wires.openai_responses.errors import envelope
from fakes.wires.openai_responses.request import NOT_JSON
from fakes.wires.openai_responses.rules.samples import MODEL, USER, asking, cite, probed
from fakes.wires.openai_shared.wording import breach, help_with_spelling, long_string, missing, wrong_type

BOOK = Rulebook(envelope)

KNOWN: Final = frozenset(
    (
        "access_programs",
        "background",
        "background_options",
        "client_metadata",  # in no reference, and sent by every codex, to api.openai.com as well
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
MOVED: Final = {"messages": "input", "response_format": "text.format", "reasoning_effort": "reasoning.effort"}
"""Parameters of chat completions, and where they went. The first is measured, the others are reported."""


@BOOK.rule(
    "openai/responses-body-not-json",
    why="the body is no JSON; NaN and Infinity are none",
    confidence="inferred",
    evidence=cite("the sentence of chat completions, which share the front"),
    breaking=b'{"model": "gpt-5.6-terra", "input": [',
    accepted=asking(),
)
def _not_json(context: RequestContext) -> Breach | None:
    return breach(None, UNPARSED) if context.body is NOT_JSON else None


@BOOK.rule(
    "openai/responses-body-not-object",
    why="the body is JSON but no object",
    confidence="inferred",
    evidence=cite("the sentence for a body that is no JSON; no exchange with another value was found"),
    breaking=[asking()],
    accepted=asking(),
)
def _not_object(context: RequestContext) -> Breach | None:
    return None if isinstance(context.body, dict) else breach(None, UNPARSED)


@BOOK.rule(
    "openai/responses-model-missing",
    why="no model is named, nor a prompt that names one",
    confidence="recorded",
    evidence=probed("input absent loses to a missing model"),
    breaking={"input": [USER]},
    accepted=asking(),
)
def _model_missing(context: RequestContext) -> Breach | None:
    return None if "model" in context.body or context.body.get("prompt") else missing("model")


@BOOK.rule(
    "openai/responses-model-type",
    why="the model's name is no string",
    confidence="recorded",
    evidence=probed("model as an integer"),
    breaking={"model": 7, "input": [USER]},
    accepted=asking(),
)
def _model_type(context: RequestContext) -> Breach | None:
    model = context.body.get("model", "")
    if isinstance(model, str) or (model is None and context.body.get("prompt")):
        return None
    # Null is called an object here and nowhere else.
    return wrong_type("model", "a string", {} if model is None else model)


@BOOK.rule(
    "openai/responses-moved-parameter",
    why="a parameter of chat completions has another name here, such as `messages`",
    confidence="recorded",
    evidence=probed("In the Responses API, this parameter has moved to 'input'."),
    breaking=asking(messages=[USER]),
    accepted=asking(),
)
def _moved(context: RequestContext) -> Breach | None:
    old = next((key for key in context.body if key in MOVED), None)
    if old is None:
        return None
    message = (
        f"Unsupported parameter: '{old}'. In the Responses API, this parameter has moved to '{MOVED[old]}'. Try again "
        "with the new parameter. See the API documentation for more information: "
        "https://platform.openai.com/docs/api-reference/responses/create."
    )
    return breach(None, message, "unsupported_parameter", at=old)


@BOOK.rule(
    "openai/responses-input-missing",
    why="there is no input, nor a prompt that brings one",
    confidence="recorded",
    evidence=(*probed("input absent beats an unknown key"), *cite("recorded exchange, gpt-4")),
    breaking={"model": MODEL},
    accepted=asking(),
)
def _input_missing(context: RequestContext) -> Breach | None:
    return None if "input" in context.body or context.body.get("prompt") else missing("input")


@BOOK.rule(
    "openai/responses-unknown-parameter",
    why="a key of the body is not known; `n`, `stop`, `seed`, `logprobs` and `max_tokens` are chat completions' own",
    confidence="recorded",
    evidence=probed("order unknown key beats input item"),
    breaking=asking(max_tokens=32),
    accepted=asking(),
)
def _unknown_parameter(context: RequestContext) -> Breach | None:
    unknown = next((key for key in context.body if key not in KNOWN), None)
    if unknown is None:
        return None
    meant = help_with_spelling(unknown, KNOWN - context.body.keys())
    return breach(unknown, f"Unknown parameter: '{unknown}'.{meant}", "unknown_parameter")


@BOOK.rule(
    "openai/responses-input-type",
    why="the input is neither a text nor a list of items",
    confidence="recorded",
    evidence=probed("input as an object"),
    breaking={"model": MODEL, "input": USER},
    accepted={"model": MODEL, "input": "Hello"},
)
def _input_type(context: RequestContext) -> Breach | None:
    rendered = context.body.get("input", "")
    if isinstance(rendered, str | list):
        return None
    if rendered is None:
        return None if context.body.get("prompt") else wrong_type("input", "a string", {})
    return wrong_type("input", "one of a string or array of input items", rendered)


@BOOK.rule(
    "openai/responses-input-too-long",
    why="the input is one text of more than 10485760 characters",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "Invalid 'input': string too long. Expected a string with maximum length"
    ),
    breaking=None,
    accepted=None,
)
def _input_too_long(context: RequestContext) -> Breach | None:
    rendered = context.body.get("input")
    if not isinstance(rendered, str) or len(rendered) <= LONGEST_TEXT:
        return None
    return long_string("input", most=LONGEST_TEXT, length=len(rendered))
