"""Ollama's rules, in the server's own order: reading the body, then the model, its abilities, the options, the format.

The server is open source, so the order and most sentences are read off `server/routes.go` and `api/types.go` of
ollama/ollama (commit fb30760, 2026-08-21), beside the threads where people met them. What Ollama does not look at it
accepts: roles, the pairing of calls and results, names of tools.
"""

from fakes.http import Request
from fakes.models import traits
from fakes.rule import Violation
from fakes.rulebook import RequestContext
from fakes.wires.ollama_chat.go_json import mismatch
from fakes.wires.ollama_chat.model_names import parsed
from fakes.wires.ollama_chat.request import TOO_DEEP, body_of, model_of, streams
from fakes.wires.ollama_chat.request_types import REQUEST
from fakes.wires.ollama_chat.rules import json_types, serving
from fakes.wires.ollama_chat.rules.json_types import Read

BOOKS = (json_types.BOOK, serving.BOOK)
RULES = tuple(rule for book in BOOKS for rule in book.rules)


def judge(request: Request, *, provider: str) -> Violation | None:
    value = body_of(request)
    if value is TOO_DEEP:
        return None
    model = model_of(value)
    name = parsed(model)
    try:
        read = Read(value, mismatch(value, REQUEST))
    except RecursionError:  # nested as deep as can just be read: what Ollama would say is not known
        return None
    abilities = name.traits if name else traits("ollama-chat", "")
    context = RequestContext(read, request.headers, model, abilities, streams(value), provider)
    return next((violation for book in BOOKS if (violation := book.judge(context))), None)
