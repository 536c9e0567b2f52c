"""OpenRouter's envelope and its rules for Responses: requests are parsed strictly, and nothing is stored.

A request does not say which provider it is routed to, and so whose rules hold: what is not known here is accepted.
Calls and results without item ids, and assistant messages whose content is a string, were recorded as accepted.
"""

import json
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import CHECKED, INPUT, refuse_unread
from fake_providers.providers.shared.responses_reading import items, objects
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.rules.samples import ASSISTANT_MESSAGE, USER, cite, item_with, sample_request

MODEL: Final = "openai/gpt-4.1"
UNREAD: Final = "Invalid Responses API request"
OPENAPI: Final = "openrouter.ai, OpenAPI of POST /responses"


def error_body(message: str, code: str = "invalid_prompt", *, raw: Any = None) -> dict[str, Any]:
    """`raw` are the issues found when parsing the request, as text."""
    metadata = None if raw is None else {"raw": json.dumps(raw, indent=2)}
    return {"error": {"code": code, "message": message}, "metadata": metadata}


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return error_body(found.message, raw=found.extra.get("raw"))


def unread(at: str, issue: str, *, code: str = "invalid_union", **more: Any) -> Breach:
    """The breach that the parser reports at this place of the body."""
    path = [int(step) if step.isdecimal() else step for step in at.replace("]", "").replace("[", ".").split(".")]
    return Breach(at, UNREAD, {"raw": [{"code": code, **more, "path": path, "message": issue}]})


def routed(*conversation: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=MODEL, **fields)


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "openrouter",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "Invalid JSON"),
    missing=lambda body: unread("input", "Invalid input"),
    status=400,
    source="the envelope for other requests that cannot be parsed",
)


@BOOK.rule(
    "openrouter/responses-model-missing",
    why="The request has neither `model` nor `models`.",
    confidence="reported",
    evidence=cite("openrouter.ai, Responses API, overview", "Missing required parameter: 'model'."),
    breaking=item_with(routed(), model=None),
    accepted=routed(),
    checked=CHECKED,
)
def _model_missing(context: RequestContext) -> Breach | None:
    if context.body.get("model") or context.body.get("models"):
        return None
    return Breach("model", "Missing required parameter: 'model'.")


@BOOK.rule(
    "openrouter/responses-message-without-id",
    why="An assistant message with `output_text` parts has no id.",
    confidence="verbatim",
    evidence=(
        *cite("microsoft/agent-framework#3795", UNREAD),
        *cite("openai/codex#12114"),
        *cite("CherryHQ/cherry-studio#10477"),
        *cite(OPENAPI),
    ),
    breaking=routed(USER, item_with(ASSISTANT_MESSAGE, id=None), USER),
    accepted=routed(USER, ASSISTANT_MESSAGE, USER),
    checked=CHECKED,
)
def _message_without_id(context: RequestContext) -> Breach | None:
    for at, item in items(context):
        if item.get("role") != "assistant" or "id" in item:
            continue
        if any(part.get("type") in ("output_text", "refusal") for _, part in objects(item.get("content"))):
            issue = {"expected": "string", "code": "invalid_type", "path": ["id"]}
            rendered = {**issue, "message": "Invalid input: expected string, received undefined"}
            return unread(at, "Invalid input", errors=[[rendered]])
    return None


@BOOK.rule(
    "openrouter/responses-previous",
    why="The request has a `previous_response_id`; OpenRouter stores no responses.",
    confidence="reported",
    evidence=(*cite(OPENAPI, "Requests with a non-null value are rejected with a 400 error."),),
    breaking=routed(previous_response_id="gen-1"),
    accepted=routed(previous_response_id=None),
    checked=CHECKED,
)
def _previous(context: RequestContext) -> Breach | None:
    if context.body.get("previous_response_id") is None:
        return None
    return unread("previous_response_id", "previous_response_id is not supported", code="custom")


@BOOK.rule(
    "openrouter/responses-store",
    why="The request has `store: true`; OpenRouter stores no responses.",
    confidence="inferred",
    evidence=cite(f"{OPENAPI}, where `store` is the constant false"),
    breaking=routed(store=True),
    accepted=routed(store=False),
    checked=CHECKED,
)
def _store(context: RequestContext) -> Breach | None:
    if context.body.get("store") is not True:
        return None
    return unread("store", "Invalid input: expected false", code="invalid_value", values=[False])
