"""Rules on what a model does not support. `RequestContext.body` is a `Conversation`."""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.rulebook import ANY_PARAMETER, ANY_TOOL, WHOLE_REQUEST, Breach, RequestContext, Rulebook, Selector
from fake_providers.wires.openai_responses.conversation import Conversation
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import PROBES, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.parameters import REASONING, effort_list, is_reasoning, supported_efforts
from fake_providers.wires.openai_shared.wording import breach, unsupported

BOOK = Rulebook(envelope)
ABILITIES_BOOK = Rulebook(envelope)

SAMPLING: Final[dict[str, Any]] = {"temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}
"""The parameters that a model accepts only while it does not reason, each with the default, which is always
accepted."""
RESEARCH: Final = "o3-deep-research"
SEARCH: Final = {"type": "web_search_preview"}
RESEARCHES_WITH: Final = ("web_search_preview", "mcp", "file_search")
SCHEMA: Final = {"type": "json_schema", "name": "weather", "schema": {"type": "object", "properties": {}}}
NOT_MINIMAL: Final = ("web_search", "web_search_preview", "code_interpreter", "image_generation", "file_search")

BODY: Final = Selector(
    lambda context: ((context.body.body, _effort_of(context.body.body)),),
    names=("effort",),
    reads="parts",
    unusual=("parameter",),
)
"""The body, and the effort that it asks for: for rules that look at parameters alone."""


def _effort_of(body: Any) -> Any:
    return (body.get("reasoning") or {}).get("effort")


def _is_reasoning(context: RequestContext) -> bool:
    return is_reasoning(context.traits, _effort_of(context.body.body))


def _types(said: Conversation) -> list[str]:
    """The types of the tools; that of deep research's search has other names, too."""
    return [tool["type"] for tool in said.body.get("tools") or ()]


def _format(body: Any) -> Any:
    return ((body.get("text") or {}).get("format") or {}).get("type")


def _effort_value(body: Any, effort: Any, context: RequestContext) -> Breach | None:
    supported = supported_efforts(context.traits)
    if effort is None or not supported or effort in supported:
        return None
    sentence = f"'{effort}' is not supported with the '{context.model}' model."
    values = f"Supported values are: {effort_list(supported)}."
    return breach("reasoning.effort", f"Unsupported value: {sentence} {values}", "unsupported_value")


def _logprobs(body: Any) -> Breach | None:
    message = "logprobs are not supported with reasoning models."
    if "message.output_text.logprobs" in (body.get("include") or ()):
        return breach("include", message, "unsupported_parameter")
    return breach("top_logprobs", message, "unsupported_parameter") if body.get("top_logprobs") else None


def _json_unsaid(said: Conversation) -> Breach | None:
    mentions_json = any("json" in str(placed.value).lower() for placed in said.items)
    if _format(said.body) != "json_object" or mentions_json or not said.complete:
        return None
    message = (
        "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'."
    )
    return breach("input", message)


def _minimal(said: Conversation) -> Breach | None:
    hosted = [kind for kind in _types(said) if kind in NOT_MINIMAL]
    if _effort_of(said.body) != "minimal" or not hosted:
        return None
    message = f"The following tools cannot be used with reasoning.effort 'minimal': {', '.join(hosted)}."
    return breach("tools", message)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/responses-model-not-found", "The model does not exist; the fake only knows this of an empty name.",
    BODY, lambda body: body.get("model") == ""
        and breach("model", "The requested model '' does not exist.", "model_not_found"), remedy=remedies.MODEL_NAME,
    wrong=sample_request(model=""), right=sample_request(),
    recorded={PROBES: "model empty", "recordings": "The requested model 'gpt-5.2-proo' does not exist."})
BOOK.row("openai/responses-model-unsupported", "The model is only available on other endpoints.",
    ANY_PARAMETER, lambda said, context: breach("model",
        f"The requested model '{context.model}' is not supported with the Responses API.", "model_not_found"),
    trait="elsewhere", models="o1-mini, gpt-5-search-api", remedy=remedies.OTHER_MODEL,
    wrong=sample_request(model="o1-mini"), right=sample_request(model="o3-mini"),
    recorded={"recordings, o1-mini, gpt-5-search-api": "is not supported with the Responses API."})
BOOK.row("openai/responses-sampling-unsupported",
    "A temperature other than 1, `top_p` or a penalty is set for a reasoning model.",
    BODY, lambda body: next(
        (breach(name, unsupported(name).message) for name in SAMPLING if body.get(name) not in (None, SAMPLING[name])),
        None), given=_is_reasoning, needs=("frequency_penalty", "presence_penalty", "temperature", "top_p"),
    trait="reasoning", models=f"{REASONING}; from gpt-5.1 on only while the model reasons", remedy=remedies.NO_SAMPLING,
    wrong=sample_request(temperature=0.5), right=sample_request(temperature=1),
    recorded={PROBES: "temperature 0.5",
        "recordings, o1, o3, gpt-5.1-chat-latest": "'temperature' is not supported with this model."})
BOOK.row("openai/responses-effort-unsupported", "An effort is set for a model that does not reason.",
    BODY, lambda body, effort, context: effort is not None
        and context.traits.isdisjoint(("reasoning", "reasons-perhaps")) and unsupported("reasoning.effort"),
    needs="effort", models="gpt-3.5, gpt-4*", remedy=remedies.NO_EFFORT,
    wrong=sample_request(model="gpt-4.1", reasoning={"effort": "low"}),
    right=sample_request(model="gpt-4.1", reasoning={}),
    recorded={"recordings, gpt-4.1, gpt-4.1-mini": "Unsupported parameter: 'reasoning.effort' is not supp"})
BOOK.row("openai/responses-effort-value",
    "The model reasons, but does not support this effort: older ones have no `none`, newer ones no `minimal`.",
    BODY, _effort_value, needs="effort",
    models="those whose efforts are known: o1*, o3*, o4*, gpt-5 to gpt-5.6, gpt-6-astra, -sol, -luna, gpt-6.1",
    checked="2026-11-22", remedy=remedies.EFFORT_OF_MODEL,
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
    BODY, _logprobs, given=_is_reasoning, needs=("include", "top_logprobs"), trait="reasoning",
    models=f"{REASONING}; from gpt-5.1 on only while the model reasons", remedy=remedies.NO_PARAMETER,
    wrong=sample_request(top_logprobs=1), right=sample_request(),
    recorded={PROBES: "include logprobs vs top_logprobs", "recordings, gpt-5, and gpt-5.4 with an effort": "",
        "vercel/ai#10932, OpenAI's notes on gpt-5.1 to gpt-5.4": "only supported when using GPT-5.2 with reason"})
BOOK.row("openai/responses-json-object-unsaid",
    "A JSON object is requested and no item contains the word JSON; the instructions do not count.",
    WHOLE_REQUEST, _json_unsaid, needs="json_object", remedy=remedies.SAY_JSON,
    wrong=sample_request(USER, text={"format": {"type": "json_object"}}),
    right=sample_request({**USER, "content": "Say it in JSON."}, text={"format": {"type": "json_object"}}),
    recorded={"recording, gpt-4o": "Response input messages must contain the word 'json' in some form"})
ABILITIES_BOOK.row("openai/responses-mode-unsupported", "A mode of reasoning is set, which came with gpt-5.6.",
    BODY, lambda body: (body.get("reasoning") or {}).get("mode") is not None
        and breach("reasoning.mode", "`reasoning.mode` is not supported with this model.", "unsupported_value"),
    trait="no-mode", models="gpt-5* up to gpt-5.5", checked="2026-11-23", remedy=remedies.THINKING_OF_MODEL,
    wrong=sample_request(model="gpt-5.4", reasoning={"mode": "pro"}),
    right=sample_request(model="gpt-5.6-terra", reasoning={"mode": "pro"}),
    recorded={"recordings, gpt-5.4, gpt-5.4-nano, gpt-5.5, gpt-5.5-pro; gpt-5.6-terra takes it":
        "`reasoning.mode` is not supported with this model."})
ABILITIES_BOOK.row("openai/responses-json-schema-unsupported", "A format of type `json_schema` came with gpt-4o.",
    BODY, lambda body, context: _format(body) == "json_schema"
        and breach("text.format",
        f"Invalid parameter: 'text.format' of type 'json_schema' is not supported with model version "
        f"`{context.model}`."), trait="no-json-schema",
    models="gpt-3.5, gpt-35, gpt-4, gpt-4-turbo", checked="2026-11-23",
    remedy=remedies.FORMAT_IN_WORDS,
    wrong=sample_request(model="gpt-4-turbo", text={"format": SCHEMA}),
    right=sample_request(model="gpt-4o", text={"format": SCHEMA}),
    recorded={"recording, gpt-4-turbo": "is not supported with model version `gpt-4-turbo`."})
ABILITIES_BOOK.row("openai/responses-file-search-unsupported",
    "Files are to be searched, and the model has no hosted tools.",
    WHOLE_REQUEST, lambda said, context: "file_search" in _types(said)
        and breach("tools", f"Hosted tool 'file_search' is not supported with {context.model}."),
    trait="no-file-search", models="gpt-4", checked="2026-11-23", remedy=remedies.HOSTED_TOOLS,
    wrong=sample_request(model="gpt-4", tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
    right=sample_request(model="gpt-4o", tools=[{"type": "file_search", "vector_store_ids": ["vs_1"]}]),
    recorded={"recording, gpt-4": "Hosted tool 'file_search' is not supported with gpt-4."})
ABILITIES_BOOK.row("openai/responses-research-tools", "A function is declared to a model of deep research.",
    WHOLE_REQUEST, lambda said: {*_types(said)} - {*RESEARCHES_WITH, "code_interpreter", "web_search"}
        and breach("tools",
        "Deep research models only support the 'web_search_preview', 'code_interpreter', 'mcp', and "
        "'file_search' tools."), trait="researches", models="o3-deep-research, o4-mini-deep-research",
    checked="2026-11-23", remedy=remedies.HOSTED_TOOLS,
    wrong=sample_request(model=RESEARCH, tools=[SEARCH, TOOL]), right=sample_request(model=RESEARCH, tools=[SEARCH]),
    recorded={"recordings, o3-deep-research, o4-mini-deep-research": "Deep research models only support"})
ABILITIES_BOOK.row("openai/responses-research-without-tools", "A model of deep research has nothing to search with.",
    WHOLE_REQUEST, lambda said: not {*_types(said)} & {*RESEARCHES_WITH, "web_search"}
        and breach("tools",
        "Deep research models require at least one of 'web_search_preview', 'mcp', or 'file_search' tools."),
    trait="researches", models="o3-deep-research, o4-mini-deep-research", checked="2026-11-23",
    remedy=remedies.HOSTED_TOOLS,
    wrong=sample_request(model=RESEARCH), right=sample_request(model=RESEARCH, tools=[SEARCH]),
    recorded={"recordings, o3-deep-research, o4-mini-deep-research": "require at least one of"})
ABILITIES_BOOK.row("openai/responses-tools-with-minimal-effort", "The effort is `minimal`, and there are hosted tools.",
    ANY_TOOL, _minimal, needs="minimal", trait="efforts-minimal-to-high", models="gpt-5", checked="2026-11-23",
    remedy=remedies.HOSTED_TOOLS.of("declarations"),
    wrong=sample_request(model="gpt-5", tools=[{"type": "web_search"}], reasoning={"effort": "minimal"}),
    right=sample_request(model="gpt-5", tools=[{"type": "web_search"}], reasoning={"effort": "low"}),
    verbatim={"ten public projects": "The following tools cannot be used with reasoning.effort 'minimal': web_search."})
# fmt: on
