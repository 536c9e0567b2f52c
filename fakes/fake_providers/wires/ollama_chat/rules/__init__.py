"""Ollama's rules in the server's own order: the body, then the model, its capabilities, the options, the format.

The server is open source, so the order and most sentences come from `server/routes.go` and `api/types.go` of
ollama/ollama (commit fb30760, 2026-08-21), and from threads of users. Ollama accepts what it does not check: roles, the
pairing of calls and results, names of tools.
"""

from fake_providers.http import Request
from fake_providers.models import traits
from fake_providers.rule import Violation
from fake_providers.rulebook import RequestContext
from fake_providers.wires.ollama_chat.go_json import REQUEST, mismatch
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import TOO_DEEP, body_of, model_of, wants_stream
from fake_providers.wires.ollama_chat.rules import json_types, model_and_options
from fake_providers.wires.ollama_chat.rules.json_types import ParsedBody

BOOKS = (json_types.BOOK, model_and_options.BOOK)
RULES = tuple(rule for book in BOOKS for rule in book.rules)


def judge(request: Request, *, provider: str) -> Violation | None:
    value = body_of(request)
    if value is TOO_DEEP:
        return None
    model = model_of(value)
    name = parse_name(model)
    try:
        body = ParsedBody(value, mismatch(value, REQUEST))
    except RecursionError:  # nested so deep that Python can just parse it: Ollama's answer is not known
        return None
    capabilities = name.traits if name else traits("ollama-chat", "")
    context = RequestContext(body, request.headers, model, capabilities, wants_stream(value), provider)
    return next((violation for book in BOOKS if (violation := book.judge(context))), None)
