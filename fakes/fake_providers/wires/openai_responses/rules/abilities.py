"""What models cannot do on Responses: modes, formats, hosted tools. `RequestContext.body` is a `Conversation`."""

from typing import Any, Final

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.rules.model_refusals import ModelRefusal, refuse_by_model
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import TOOL, cite, sample_request
from fake_providers.wires.openai_shared.wording import breach

BOOK = Rulebook(envelope)

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
    BOOK,
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
            extra={"param": "tools", "code": None},
        ),
    ),
    body=lambda context: context.body.body,
)


@BOOK.rule(
    "openai/responses-tools-with-minimal-effort",
    why="The effort is `minimal`, and there are hosted tools.",
    models="gpt-5",
    confidence="verbatim",
    evidence=cite(
        "ten public projects", "The following tools cannot be used with reasoning.effort 'minimal': web_search."
    ),
    breaking=sample_request(model="gpt-5", tools=[{"type": "web_search"}], reasoning={"effort": "minimal"}),
    accepted=sample_request(model="gpt-5", tools=[{"type": "web_search"}], reasoning={"effort": "low"}),
    checked="2026-11-23",
)
def _minimal(context: RequestContext) -> Breach | None:
    body = context.body.body
    hosted = [kind for kind in _types(body) if kind in NOT_MINIMAL]
    if (body.get("reasoning") or {}).get("effort") != "minimal" or not hosted:
        return None
    message = f"The following tools cannot be used with reasoning.effort 'minimal': {', '.join(hosted)}."
    return breach("tools", message)
