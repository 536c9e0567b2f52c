"""What models cannot do on chat completions: structured outputs, web search, long answers."""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.rules.model_refusals import ModelRefusal, refuse_by_model
from fake_providers.wires.openai_chat.rules.samples import cite, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.wording import breach

BOOK = Rulebook(envelope)

SCHEMA: Final = {"name": "weather", "schema": {"type": "object", "properties": {}}}
GUIDE: Final = "Learn more about supported models at the Structured Outputs guide"
SEARCHES: Final = "gpt-4o-mini-search-preview"


def _format(body: dict[str, Any]) -> Any:
    return (body.get("response_format") or {}).get("type")


refuse_by_model(
    BOOK,
    (
        ModelRefusal(
            "openai/web-search-unsupported",
            "no-web-search",
            lambda body: "web_search_options" if body.get("web_search_options") is not None else "",
            "Web search options not supported with this model.",
            why="`web_search_options` are set, and the model does not search.",
            models="gpt-4*, gpt-audio; reasoning models do not know the parameter",
            confidence="recorded",
            evidence=cite("recordings, gpt-4o, gpt-4.1, gpt-4.1-nano, gpt-audio", "Web search options not supported"),
            breaking=sample_request(web_search_options={}),
            accepted=sample_request(),
            extra={"param": "web_search_options", "code": None},
        ),
        ModelRefusal(
            "openai/json-schema-unsupported",
            "no-json-schema",
            lambda body: "response_format" if _format(body) == "json_schema" else "",
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. "
            f"{GUIDE}: https://platform.openai.com/docs/guides/structured-outputs",
            why="A `response_format` of type `json_schema` came with gpt-4o.",
            models="gpt-3.5, gpt-4, gpt-4-turbo, gpt-audio",
            confidence="recorded",
            evidence=cite("recordings, gpt-4, gpt-4-turbo, gpt-audio", "is not supported with this model. Learn more"),
            breaking=sample_request(
                model="gpt-4-turbo", response_format={"type": "json_schema", "json_schema": SCHEMA}
            ),
            accepted=sample_request(model="gpt-4o", response_format={"type": "json_schema", "json_schema": SCHEMA}),
            extra={"param": None, "code": None},
        ),
        ModelRefusal(
            "openai/json-object-while-searching",
            "searches",
            lambda body: "response_format" if _format(body) == "json_object" else "",
            "Response format 'json_object' is not supported with web_search.",
            why="A JSON object is asked of a model that searches.",
            models="gpt-4o*-search-preview",
            confidence="recorded",
            evidence=cite(f"recording, {SEARCHES}", "Response format 'json_object' is not supported with web_search."),
            breaking=sample_request(
                {"role": "user", "content": "Say it in JSON."}, model=SEARCHES, response_format={"type": "json_object"}
            ),
            accepted=sample_request(
                {"role": "user", "content": "Say it in JSON."}, model="gpt-4o", response_format={"type": "json_object"}
            ),
            extra={"param": "response_format", "code": None},
        ),
    ),
)

LONGEST: Final = {
    "longest-4096": 4096,
    "longest-8192": 8192,
    "longest-16384": 16_384,
    "longest-32768": 32_768,
    "longest-100000": 100_000,
    "longest-128000": 128_000,
}
"""The tokens of the longest answer, by the trait of its models."""


@BOOK.rule(
    "openai/max-tokens-large",
    why="`max_tokens` or `max_completion_tokens` is larger than the model's longest answer.",
    models="those whose limit is known: 16384 of gpt-4o, 32768 of gpt-4.1, 128000 of gpt-5",
    confidence="verbatim",
    evidence=(
        *cite(
            "seven public projects, gpt-4o",
            "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided",
        ),
        *cite("recording, gpt-4o: 16384 is accepted"),
        *cite("https://developers.openai.com/api/docs/models, the longest answers of the models"),
    ),
    breaking=sample_request(model="gpt-4o", max_tokens=16_385),
    accepted=sample_request(model="gpt-4o", max_tokens=16_384),
    checked="2026-11-23",
)
def _max_tokens_large(context: RequestContext) -> Breach | None:
    most = next((LONGEST[trait] for trait in context.traits if trait in LONGEST), None)
    for name in ("max_tokens", "max_completion_tokens"):
        asked = context.body.get(name)
        if most is not None and asked is not None and asked > most:
            supports = f"This model supports at most {most} completion tokens, whereas you provided {asked}."
            return breach(name, f"{name} is too large: {asked}. {supports}", "invalid_value")
    return None
