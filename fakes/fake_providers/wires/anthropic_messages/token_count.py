"""`POST /v1/messages/count_tokens`: which message it is about, and its count. Knows no rule.

Shapes: `MessageCountTokensParams` and `MessageTokensCount` of anthropic-sdk-python.
"""

import hashlib
from dataclasses import replace
from typing import Any

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.wires.anthropic_messages.errors import headers
from fake_providers.wires.anthropic_messages.json_body import NOTHING, tolerant

ENDPOINT = "POST /v1/messages/count_tokens"
ENDING = "/v1/messages/count_tokens"


def counted(request: Request) -> Request | None:
    """The request for a message; it gets the least `max_tokens` that its thinking allows, since a count has none."""
    path = request.path.partition("?")[0]
    if request.method.upper() != "POST" or not path.endswith(ENDING):
        return None
    return replace(request, path=path.removesuffix("/count_tokens"), body=_body(request))


def _body(request: Request) -> bytes:
    body = tolerant(request)
    if body is NOTHING:
        return request.body
    return compact({**body, "max_tokens": _budget(body) + 1}).encode(errors=AS_ESCAPE)


def _budget(body: dict[str, Any]) -> int:
    thinking = body.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, dict) else None
    return budget if type(budget) is int and budget > 0 else 0


def count_response(request: Request, tokens: int) -> Response:
    request_id = f"req_011C{hashlib.sha256(request.body).hexdigest()[:20]}"
    return json_response(200, {"input_tokens": tokens}, headers(request_id))
