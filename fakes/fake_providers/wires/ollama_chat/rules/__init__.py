"""Ollama's rules in the server's own order: the body, then the model, its capabilities, the options, the format.

The server is open source, so the order and most sentences come from `server/routes.go` and `api/types.go` of
ollama/ollama (commit fb30760, 2026-08-21), and from threads of users. Ollama accepts what it does not check: roles, the
pairing of calls and results, names of tools.
"""

from typing import Any

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Violation
from fake_providers.rulebook import Reads, RequestContext
from fake_providers.rules.request_parts import AcceptedParts
from fake_providers.wires.ollama_chat.go_json import REQUEST, mismatch
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import PARTS, TOO_DEEP, body_of, model_of, wants_stream
from fake_providers.wires.ollama_chat.rules import json_types, model_and_options
from fake_providers.wires.ollama_chat.rules.json_types import ParsedBody

_ACCEPTED = AcceptedParts()
BOOKS = (json_types.BOOK, model_and_options.BOOK)
RULES = tuple(rule for book in BOOKS for rule in book.rules)


def judge(request: Request, *, provider: str) -> Violation | None:
    value = body_of(request)
    if value is TOO_DEEP:
        return None
    model = model_of(value)
    name = parse_name(model)
    capabilities = name.traits if name else traits("ollama-chat", "")

    def found_in(value: Any, reads: Reads | None = None) -> Violation | None:
        body = ParsedBody(value, mismatch(value, REQUEST) if reads in (None, "parts") else None)
        context = RequestContext(body, request.headers, model, capabilities, wants_stream(value), provider)
        return next((violation for book in BOOKS if (violation := book.judge(context, reads))), None)

    try:
        parts = PARTS.read(request.body)
        return found_in(value) if parts is None else _ACCEPTED.judge(request, parts, provider=provider, judge=found_in)
    except RecursionError:  # nested so deep that Python can just parse it: Ollama's answer is not known
        return None
