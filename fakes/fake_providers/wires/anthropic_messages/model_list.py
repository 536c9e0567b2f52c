"""`GET /v1/models` and `GET /v1/models/<id>`: the Models API, with one page of models."""

import re
from typing import Any, Final
from urllib.parse import parse_qs, unquote

from fake_providers.http import Request, Response, json_response
from fake_providers.models import traits
from fake_providers.wire import ServedModels

PATH: Final = re.compile(r".*/v1/models(?:/([^/]+))?")
WINDOW: Final = 200_000
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    path, _, query = request.path.partition("?")
    found = PATH.fullmatch(unquote(path).rstrip("/"))
    if request.method.upper() != "GET" or found is None:
        return None
    if found[1]:
        return json_response(200, _model(found[1], served))
    asked = parse_qs(query)
    data = [] if asked.keys() & {"after_id", "before_id"} else [_model(id, served) for id in served.names]
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return json_response(200, {"data": data, "has_more": False, **ends})


def _model(id: str, served: ServedModels) -> dict[str, Any]:
    return {
        "type": "model",
        "id": id,
        "display_name": _title(id),
        "created_at": "2026-02-17T00:00:00Z",
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "max_input_tokens": served.window or WINDOW,
        "max_tokens": 64_000,
        "capabilities": _capabilities(traits("anthropic-messages", id)),
    }


def _title(id: str) -> str:
    """`Claude Sonnet 4.6` of `claude-sonnet-4-6`."""
    undated = re.sub(r"-20\d{6}$", "", id)
    return re.sub(r"(?<=\d) (?=\d)", ".", undated.replace("-", " ").title())


def _capabilities(traits: frozenset[str]) -> dict[str, Any]:
    """As far as rules of the fake say what the model refuses."""
    budgets, old = "adaptive-only" not in traits, "thinking-first" in traits
    effort = "no-effort" not in traits and "words-of-2025" not in traits
    return {
        **{name: _is(True) for name in ("batch", "citations", "code_execution", "image_input", "pdf_input")},
        "structured_outputs": _is(True),
        "effort": {
            **_is(effort),
            **{level: _is(effort) for level in ("low", "medium", "high")},
            "max": _is(effort),
            "xhigh": _is(effort and "effort-but-xhigh" not in traits),
        },
        "thinking": {
            **_is(True),
            "types": {
                "adaptive": _is(not old),
                "between_tools": _is("between-tools" in traits),
                "disabled": _is("always-thinks" not in traits and "between-tools" not in traits),
                "enabled": _is(budgets),
            },
        },
        "context_management": {
            **_is(True),
            "clear_thinking_20251015": _is(True),
            "clear_tool_uses_20250919": _is(True),
            "compact_20260112": _is(not old),
        },
        "server_tools": {**_is(True), "code_execution": _is(True), "web_search": _is(True)},
    }


def _is(supported: bool) -> dict[str, Any]:
    return {"supported": supported}
