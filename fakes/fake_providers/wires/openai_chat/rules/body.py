"""Rules that OpenAI checks first: the body is JSON, names a model, and has messages and no unknown key."""

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared import body_rules
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.shared_rules import SharedRules
from fake_providers.wires.openai_shared.wording import breach, help_with_spelling, missing, wrong_type

BOOK = Rulebook(envelope)
BODY_RULES = SharedRules(BOOK, lambda context: (("", context.body),), sample_request)

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


BODY_RULES.add(
    "openai/body-not-json",
    body_rules.not_json,
    confidence="verbatim",
    evidence=cite("ChatGPTNextWeb/NextChat#4064", "We could not parse the JSON body of your request."),
)
BODY_RULES.add(
    "openai/body-not-object",
    body_rules.not_object,
    confidence="inferred",
    evidence=cite("worded like the refusal of a body that is not JSON; no recording of another value was found"),
)


@BOOK.rule(
    "openai/model-missing",
    why="The request names no model.",
    confidence="recorded",
    evidence=cite_probe("a missing model beats an unknown key"),
    breaking={"messages": [USER]},
    accepted=sample_request(),
)
def _model_missing(context: RequestContext) -> Breach | None:
    return None if context.body.get("model") else breach(None, "you must provide a model parameter", at="model")


@BOOK.rule(
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


@BOOK.rule(
    "openai/messages-missing",
    why="The request has no messages.",
    confidence="recorded",
    evidence=cite_probe("a missing messages beats an unknown key"),
    breaking={"model": "gpt-4.1"},
    accepted=sample_request(),
)
def _messages_missing(context: RequestContext) -> Breach | None:
    return missing("messages") if context.body.get("messages") is None else None


@BOOK.rule(
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
