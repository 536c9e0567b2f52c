"""Rules that OpenAI checks first: the body is JSON, names a model, and has an input and no unknown key."""

from typing import Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import MODEL, USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared import shared_rules
from fake_providers.wires.openai_shared.request_body import uses_beta
from fake_providers.wires.openai_shared.shared_rules import SharedRules
from fake_providers.wires.openai_shared.wording import (
    LONGEST_TEXT,
    breach,
    help_with_spelling,
    long_string,
    missing,
    wrong_type,
)

BOOK = Rulebook(envelope)
BODY_RULES = SharedRules(BOOK, lambda context: (("", context.body),), sample_request)

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


BODY_RULES.add(
    "openai/responses-body-not-json",
    shared_rules.not_json,
    confidence="inferred",
    evidence=cite("worded as on chat completions, which have the same gateway"),
)
BODY_RULES.add(
    "openai/responses-body-not-object",
    shared_rules.not_object,
    confidence="inferred",
    evidence=cite("worded like the refusal of a body that is not JSON; no recording of another value was found"),
)


@BOOK.rule(
    "openai/responses-model-missing",
    why="The request names no model, nor a prompt that names one.",
    confidence="recorded",
    evidence=cite_probe("input absent loses to a missing model"),
    breaking={"input": [USER]},
    accepted=sample_request(),
)
def _model_missing(context: RequestContext) -> Breach | None:
    return None if "model" in context.body or context.body.get("prompt") else missing("model")


@BOOK.rule(
    "openai/responses-model-type",
    why="The model's name is not a string.",
    confidence="recorded",
    evidence=cite_probe("model as an integer"),
    breaking={"model": 7, "input": [USER]},
    accepted=sample_request(),
)
def _model_type(context: RequestContext) -> Breach | None:
    model = context.body.get("model", "")
    if isinstance(model, str) or (model is None and context.body.get("prompt")):
        return None
    # Null is called an object here and nowhere else.
    return wrong_type("model", "a string", {} if model is None else model)


@BOOK.rule(
    "openai/responses-moved-parameter",
    why="A parameter of chat completions has another name here, such as `messages`.",
    confidence="recorded",
    evidence=cite_probe("In the Responses API, this parameter has moved to 'input'."),
    breaking=sample_request(messages=[USER]),
    accepted=sample_request(),
)
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


@BOOK.rule(
    "openai/responses-input-missing",
    why="The request has no input, nor a prompt that has one.",
    confidence="recorded",
    evidence=(*cite_probe("input absent beats an unknown key"), *cite("recording, gpt-4")),
    breaking={"model": MODEL},
    accepted=sample_request(),
)
def _input_missing(context: RequestContext) -> Breach | None:
    return None if "input" in context.body or context.body.get("prompt") else missing("input")


@BOOK.rule(
    "openai/responses-unknown-parameter",
    why=(
        "The body has an unknown key, and the request is of no beta; `n`, `stop`, `seed`, `logprobs` and `max_tokens` "
        "belong to chat completions."
    ),
    confidence="recorded",
    evidence=(
        *cite_probe("order unknown key beats input item"),
        *cite("https://developers.openai.com/api/docs/guides/responses-multi-agent: keys that come with a header"),
    ),
    breaking=sample_request(max_tokens=32),
    accepted=sample_request(),
)
def _unknown_parameter(context: RequestContext) -> Breach | None:
    unknown = next((key for key in context.body if key not in KNOWN), None)
    if unknown is None or uses_beta(context.headers):
        return None
    meant = help_with_spelling(unknown, KNOWN - context.body.keys())
    return breach(unknown, f"Unknown parameter: '{unknown}'.{meant}", "unknown_parameter")


@BOOK.rule(
    "openai/responses-input-type",
    why="The input is neither a string nor a list of items.",
    confidence="recorded",
    evidence=cite_probe("input as an object"),
    breaking={"model": MODEL, "input": USER},
    accepted={"model": MODEL, "input": "Hello"},
)
def _input_type(context: RequestContext) -> Breach | None:
    input_ = context.body.get("input", "")
    if isinstance(input_, str | list):
        return None
    if input_ is None:
        return None if context.body.get("prompt") else wrong_type("input", "a string", {})
    return wrong_type("input", "one of a string or array of input items", input_)


@BOOK.rule(
    "openai/responses-input-too-long",
    why="The input is one text of more than 10485760 characters.",
    confidence="verbatim",
    evidence=cite(
        "public code that quotes it", "Invalid 'input': string too long. Expected a string with maximum length"
    ),
    breaking=None,
    accepted=None,
)
def _input_too_long(context: RequestContext) -> Breach | None:
    input_ = context.body.get("input")
    if not isinstance(input_, str) or len(input_) <= LONGEST_TEXT:
        return None
    return long_string("input", most=LONGEST_TEXT, length=len(input_))
