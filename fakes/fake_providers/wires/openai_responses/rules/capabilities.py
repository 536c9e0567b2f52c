"""Rules on what a model does not support. `RequestContext.body` is a `Conversation`.

`RequestContext.body` is a `Conversation`.
"""

from typing import Any, Final

from fake_providers.rulebook import (
    ANY_PARAMETER,
    ANY_TOOL,
    WHOLE_REQUEST,
    Breach,
    ModelRefusal,
    RequestContext,
    Rulebook,
    refuse_by_model,
)
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import TOOL, USER, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.parameters import effort_list, supported_efforts
from fake_providers.wires.openai_shared.wording import breach, unsupported

BOOK = Rulebook(envelope)

REASONING: Final = "o-series and gpt-5*, without gpt-5-chat"
SAMPLING: Final[dict[str, Any]] = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
"""The parameters that a model accepts only while it does not reason, each with the default, which is always
accepted."""

UNSEEN: Final = "logprobs are not supported with reasoning models."


def _not_found(context: RequestContext) -> Breach | None:
    if context.body.body.get("model") != "":
        return None
    return breach("model", "The requested model '' does not exist.", "model_not_found")


def _elsewhere(context: RequestContext) -> Breach | None:
    if "elsewhere" not in context.traits:
        return None
    message = f"The requested model '{context.model}' is not supported with the Responses API."
    return breach("model", message, "model_not_found")


def _sampling(context: RequestContext) -> Breach | None:
    body = context.body.body
    if not _is_reasoning(context):
        return None
    refused = (name for name, default in SAMPLING.items() if body.get(name) not in (None, default))
    name = next(refused, None)
    return None if name is None else breach(name, unsupported(name).message)


def _effort(context: RequestContext) -> Breach | None:
    if _effort_of(context) is None or not context.traits.isdisjoint(("reasoning", "reasons-perhaps")):
        return None
    return unsupported("reasoning.effort")


def _effort_value(context: RequestContext) -> Breach | None:
    effort, supported = _effort_of(context), supported_efforts(context.traits)
    if effort is None or not supported or effort in supported:
        return None
    sentence = f"'{effort}' is not supported with the '{context.model}' model."
    values = f"Supported values are: {effort_list(supported)}."
    return breach("reasoning.effort", f"Unsupported value: {sentence} {values}", "unsupported_value")


def _logprobs(context: RequestContext) -> Breach | None:
    if not _is_reasoning(context):
        return None
    body = context.body.body
    if "message.output_text.logprobs" in (body.get("include") or ()):
        return breach("include", UNSEEN, "unsupported_parameter")
    return breach("top_logprobs", UNSEEN, "unsupported_parameter") if body.get("top_logprobs") else None


def _json_unsaid(context: RequestContext) -> Breach | None:
    conversation = context.body
    format_type = ((conversation.body.get("text") or {}).get("format") or {}).get("type")
    mentions_json = any("json" in str(placed.value).lower() for placed in conversation.items)
    if format_type != "json_object" or mentions_json or not conversation.complete:
        return None
    message = (
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'."
    )
    return breach("input", message)


def _is_reasoning(context: RequestContext) -> bool:
    """Whether the model reasons for this request; without an effort some of the newer ones do not."""
    if "reasoning" not in context.traits:
        return False
    rests = "effort-none-by-default" in context.traits
    return (_effort_of(context) or ("none" if rests else "medium")) != "none"


def _effort_of(context: RequestContext) -> str | None:
    effort: str | None = (context.body.body.get("reasoning") or {}).get("effort")
    return effort


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/responses-model-not-found", "The model does not exist; the fake only knows this of an empty name.",
    ANY_PARAMETER, _not_found,
    wrong=sample_request(model=""), right=sample_request(),
    recorded=(*cite_probe("model empty"), *cite("recordings", "The requested model 'gpt-5.2-proo' does not exist.")))
BOOK.row("openai/responses-model-unsupported", "The model is only available on other endpoints.",
    ANY_PARAMETER, _elsewhere, trait="elsewhere", models="o1-mini, gpt-5-search-api",
    wrong=sample_request(model="o1-mini"), right=sample_request(model="o3-mini"),
    recorded={"recordings, o1-mini, gpt-5-search-api": "is not supported with the Responses API."})
BOOK.row("openai/responses-sampling-unsupported",
    "A temperature other than 1, `top_p` or a penalty is set for a reasoning model.",
    ANY_PARAMETER, _sampling, needs=("frequency_penalty", "presence_penalty", "temperature", "top_p"),
    trait="reasoning", models=f"{REASONING}; from gpt-5.1 on only while the model reasons",
    wrong=sample_request(temperature=0.5), right=sample_request(temperature=1),
    recorded=(*cite_probe("temperature 0.5"),
        *cite("recordings, o1, o3, gpt-5.1-chat-latest", "'temperature' is not supported with this model.")))
BOOK.row("openai/responses-effort-unsupported", "An effort is set for a model that does not reason.",
    ANY_PARAMETER, _effort, needs="effort", models="gpt-3.5, gpt-4*",
    wrong=sample_request(model="gpt-4.1", reasoning={"effort": "low"}),
    right=sample_request(model="gpt-4.1", reasoning={}),
    recorded={"recordings, gpt-4.1, gpt-4.1-mini": "Unsupported parameter: 'reasoning.effort' is not supp"})
BOOK.row("openai/responses-effort-value",
    "The model reasons, but does not support this effort: older ones have no `none`, newer ones no `minimal`.",
    ANY_PARAMETER, _effort_value, needs="effort",
    models="those whose efforts are known: o-series, gpt-5 to gpt-5.6, gpt-6-astra, gpt-6-sol, gpt-6-luna, gpt-6.1",
    checked="2026-11-22",
    wrong=sample_request(model="gpt-5.1", reasoning={"effort": "minimal"}),
    right=sample_request(model="gpt-5.1", reasoning={"effort": "none"}),
    recorded={"recordings, o1, o3, gpt-5*, gpt-5.1-codex, gpt-5.2-chat-latest, gpt-5.4-pro, gpt-5.5-pro":
        "Unsupported value: 'none' is not supported with the 'gpt-5' model. Supported values are: 'minimal',",
        "openai/openai-agents-python#2089, gpt-5.1": "Unsupported value: 'minimal' is not supported with",
        "earendil-works/pi#1334, gpt-5.2 and gpt-5.3-codex": "'none', 'low', 'medium', 'high', and 'xhigh'.",
        "pydantic/pydantic-ai#7081, gpt-5.6, live": "'none', 'low', 'medium', 'high', 'xhigh', and 'max'.",
        "BerriAI/litellm-docs#1173, gpt-6-astra, live: `none` and `minimal` are refused": "",
        "https://developers.openai.com/api/docs/models, the efforts of gpt-6 and gpt-6.1": ""})
BOOK.row("openai/responses-logprobs-unsupported", "Logprobs are requested from a reasoning model.",
    ANY_PARAMETER, _logprobs, needs=("include", "top_logprobs"), trait="reasoning",
    models=f"{REASONING}; from gpt-5.1 on only while the model reasons",
    wrong=sample_request(top_logprobs=1), right=sample_request(),
    recorded=(*cite_probe("include logprobs vs top_logprobs"), *cite("recordings, gpt-5, and gpt-5.4 with an effort"),
        *cite("vercel/ai#10932, OpenAI's notes on gpt-5.1 to gpt-5.4",
        "only supported when using GPT-5.2 with reason")))
BOOK.row("openai/responses-json-object-unsaid",
    "A JSON object is requested and no item contains the word JSON; the instructions do not count.",
    WHOLE_REQUEST, _json_unsaid, needs="json_object",
    wrong=sample_request(USER, text={"format": {"type": "json_object"}}),
    right=sample_request({**USER, "content": "Say it in JSON."}, text={"format": {"type": "json_object"}}),
    recorded={"recording, gpt-4o": "Response input messages must contain the word 'json' in some form"})
# fmt: on


ABILITIES_BOOK = Rulebook(envelope)

RESEARCH: Final = "o3-deep-research"
SEARCH: Final = {"type": "web_search_preview"}
RESEARCHES_WITH: Final = ("web_search_preview", "mcp", "file_search")
SCHEMA: Final = {"type": "json_schema", "name": "weather", "schema": {"type": "object", "properties": {}}}
NOT_MINIMAL: Final = ("web_search", "web_search_preview", "code_interpreter", "image_generation", "file_search")


def _types(body: dict[str, Any]) -> list[str]:
    """The types of the tools; that of deep research's search has other names, too."""
    return [tool["type"] for tool in body.get("tools") or ()]


def _format(body: dict[str, Any]) -> Any:
    return ((body.get("text") or {}).get("format") or {}).get("type")


refuse_by_model(
    ABILITIES_BOOK,
    (
        ModelRefusal(
            "openai/responses-mode-unsupported",
            "no-mode",
            lambda body: "reasoning.mode" if (body.get("reasoning") or {}).get("mode") is not None else "",
            "`reasoning.mode` is not supported with this model.",
            why="A mode of reasoning is set, which came with gpt-5.6.",
            models="gpt-5 to gpt-5.5",
            confidence="recorded",
            evidence=cite(
                "recordings, gpt-5.4, gpt-5.4-nano, gpt-5.5, gpt-5.5-pro; gpt-5.6-terra takes it",
                "`reasoning.mode` is not supported with this model.",
            ),
            breaking=sample_request(model="gpt-5.4", reasoning={"mode": "pro"}),
            accepted=sample_request(model="gpt-5.6-terra", reasoning={"mode": "pro"}),
            extra={"param": "reasoning.mode", "code": "unsupported_value"},
        ),
        ModelRefusal(
            "openai/responses-json-schema-unsupported",
            "no-json-schema",
            lambda body: "text.format" if _format(body) == "json_schema" else "",
            "Invalid parameter: 'text.format' of type 'json_schema' is not supported with model version `{model}`.",
            why="A format of type `json_schema` came with gpt-4o.",
            models="gpt-3.5, gpt-4, gpt-4-turbo",
            confidence="recorded",
            evidence=cite("recording, gpt-4-turbo", "is not supported with model version `gpt-4-turbo`."),
            breaking=sample_request(model="gpt-4-turbo", text={"format": SCHEMA}),
            accepted=sample_request(model="gpt-4o", text={"format": SCHEMA}),
            extra={"param": "text.format", "code": None},
        ),
        ModelRefusal(
            "openai/responses-file-search-unsupported",
            "no-file-search",
            lambda body: "tools" if "file_search" in _types(body) else "",
            "Hosted tool 'file_search' is not supported with {model}.",
            why="Files are to be searched, and the model has no hosted tools.",
            models="gpt-4",
            confidence="recorded",
            evidence=cite("recording, gpt-4", "Hosted tool 'file_search' is not supported with gpt-4."),
            breaking=sample_request(model="gpt-4", tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
            accepted=sample_request(model="gpt-4o", tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
            selector=WHOLE_REQUEST,
            extra={"param": "tools", "code": None},
        ),
        ModelRefusal(
            "openai/responses-research-tools",
            "researches",
            lambda body: "tools" if {*_types(body)} - {*RESEARCHES_WITH, "code_interpreter", "web_search"} else "",
            "Deep research models only support the 'web_search_preview', 'code_interpreter', 'mcp', and 'file_search' "
            "tools.",
            why="A function is declared to a model of deep research.",
            models="o3-deep-research, o4-mini-deep-research",
            confidence="recorded",
            evidence=cite("recordings, o3-deep-research, o4-mini-deep-research", "Deep research models only support"),
            breaking=sample_request(model=RESEARCH, tools=[SEARCH, TOOL]),
            accepted=sample_request(model=RESEARCH, tools=[SEARCH]),
            selector=WHOLE_REQUEST,
            extra={"param": "tools", "code": None},
        ),
        ModelRefusal(
            "openai/responses-research-without-tools",
            "researches",
            lambda body: "" if {*_types(body)} & {*RESEARCHES_WITH, "web_search"} else "tools",
            "Deep research models require at least one of 'web_search_preview', 'mcp', or 'file_search' tools.",
            why="A model of deep research has nothing to search with.",
            models="o3-deep-research, o4-mini-deep-research",
            confidence="recorded",
            evidence=cite("recordings, o3-deep-research, o4-mini-deep-research", "require at least one of"),
            breaking=sample_request(model=RESEARCH),
            accepted=sample_request(model=RESEARCH, tools=[SEARCH]),
            selector=WHOLE_REQUEST,
            extra={"param": "tools", "code": None},
        ),
    ),
    body=lambda context: context.body.body,
)


def _minimal(context: RequestContext) -> Breach | None:
    body = context.body.body
    hosted = [kind for kind in _types(body) if kind in NOT_MINIMAL]
    if (body.get("reasoning") or {}).get("effort") != "minimal" or not hosted:
        return None
    message = f"The following tools cannot be used with reasoning.effort 'minimal': {', '.join(hosted)}."
    return breach("tools", message)


# A table: two rows are to be compared.
# fmt: off
ABILITIES_BOOK.row("openai/responses-tools-with-minimal-effort", "The effort is `minimal`, and there are hosted tools.",
    ANY_TOOL, _minimal, needs="minimal", models="gpt-5", checked="2026-11-23",
    wrong=sample_request(model="gpt-5", tools=[{"type": "web_search"}], reasoning={"effort": "minimal"}),
    right=sample_request(model="gpt-5", tools=[{"type": "web_search"}], reasoning={"effort": "low"}),
    verbatim={"ten public projects": "The following tools cannot be used with reasoning.effort 'minimal': web_search."})
# fmt: on
