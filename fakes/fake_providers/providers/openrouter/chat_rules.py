"""OpenRouter's envelope and rules: its own refusals, and those of other providers, which it passes on in
`metadata.raw`.

A request does not say which provider it is routed to, and so whose rules hold: what is not known here is accepted.
"""

import json
from typing import Any, Final

from fake_providers.models import traits
from fake_providers.providers.shared.chat_reading import MESSAGES, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.rules.samples import TOOL, cite, sample_request

MODEL: Final = "openai/gpt-4.1"
CHECKED: Final = "2026-11-21"
USER_ID: Final = "user_2conformance0000000000000"
NO_TOOLS: Final = ("google/gemma-3-12b-it", "minimax/minimax-01", "qwen/qwen3-14b:free", "qwen/qwen3-8b:free")
"""Models that were recorded without an endpoint for tools."""


def error_body(message: str, code: int, *, metadata: Any = None, owned: bool = True) -> dict[str, Any]:
    """`owned` errors name the user: those that are found after the key was checked."""
    error: dict[str, Any] = {"message": message, "code": code}
    if metadata is not None:
        error["metadata"] = metadata
    return {"error": error, **({"user_id": USER_ID} if owned else {})}


def handed_on(raw: str, provider: str, code: int = 400) -> dict[str, Any]:
    """Another provider's refusal, unchanged."""
    metadata = {"raw": raw, "provider_name": provider, "is_byok": False}
    return error_body("Provider returned error", code, metadata=metadata)


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    if "raw" in found.extra:
        return handed_on(found.extra["raw"], found.extra["provider"], rule.status)
    return error_body(found.message, rule.status, owned=found.extra.get("owned", True))


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "openrouter",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Invalid JSON"),
    missing=lambda body: Breach("messages", 'Input required: specify "prompt" or "messages"'),
    source="public code that quotes the sentence for missing messages",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    received = "undefined" if found.value is MISSING else NAMES[type(found.value)]
    expected = " | ".join(f"'{role}'" for role in ROLES) if found.rule == "role-unknown" else " | ".join(found.types)
    return Breach(found.at, f"{found.dotted}: Invalid input: expected {expected}, received {received}")


NAMES: Final = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
ROLES: Final = ("system", "developer", "user", "assistant", "tool")
refuse_wrong_types(
    BOOK,
    "openrouter",
    Dialect(
        words=_wrong_type,
        source="the sentences of zod, with which it validates, in its envelope",
        roles=ROLES,
        required=(
            "messages[].role",
            "tools[].function.name",
        ),
    ),
    Samples(MODEL),
)


@BOOK.rule(
    "openrouter/no-tool-endpoint",
    status=404,
    why="The request has tools and no provider serves the model with tools.",
    models="google/gemma-3-12b-it, minimax/minimax-01, qwen/qwen3-8b:free, qwen/qwen3-14b:free",
    confidence="recorded",
    evidence=cite("recording, google/gemma-3-12b-it", "No endpoints found that support tool use."),
    breaking=sample_request(model="google/gemma-3-12b-it", tools=[TOOL]),
    accepted=sample_request(model=MODEL, tools=[TOOL]),
    checked=CHECKED,
)
def _no_tool_endpoint(context: RequestContext) -> Breach | None:
    if not context.body.get("tools") or not context.model.startswith(NO_TOOLS):
        return None
    where = "To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection"
    return Breach("tools", f"No endpoints found that support tool use. {where}", {"owned": False})


@BOOK.rule(
    "openrouter/provider-error",
    why="The request has a `tool_choice` for a Gemini model and no tools; Google's refusal is passed on.",
    models="google/gemini-2.5 and later",
    confidence="verbatim",
    evidence=(
        *cite("tailcallhq/forgecode#1404", "Function calling config is set without function_declarations."),
        *cite("router-for-me/CLIProxyAPI#497"),
        *cite("lobehub/lobehub#7298"),
    ),
    breaking=sample_request(model="google/gemini-2.5-flash", tool_choice="auto"),
    accepted=sample_request(model="google/gemini-2.5-flash"),
    checked=CHECKED,
)
def _tool_choice_without_tools(context: RequestContext) -> Breach | None:
    if (
        context.body.get("tools")
        or not context.body.get("tool_choice")
        or not context.model.startswith("google/gemini")
    ):
        return None
    if "no-lonely-tool-config" not in traits("gemini-generate", context.model):
        return None
    sentence = "Function calling config is set without function_declarations."
    refusal = {"error": {"code": 400, "message": sentence, "status": "INVALID_ARGUMENT"}}
    extra = {"raw": json.dumps(refusal, indent=2) + "\n", "provider": "Google AI Studio"}
    return Breach("tool_choice", "Provider returned error", extra)
