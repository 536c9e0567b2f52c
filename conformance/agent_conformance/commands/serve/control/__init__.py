"""The HTTP interface of `serve` for test programs: requests seen, next replies, faults.

The handler finds the operation of a request, and says what is wrong with it.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from agent_conformance.commands.serve.control.operations import OPERATIONS, VERDICTS, BadRequest, ControlRequest
from agent_conformance.commands.serve.script import ConditionalEntry, DefaultEntry
from agent_conformance.commands.serve.sessions import TOKEN_HEADER, Sessions
from agent_conformance.commands.shared.served import print_lines
from agent_conformance.scenario.json_schema import schema_of
from agent_conformance.scenario.model import FaultSpec, ReplySpec
from fake_providers import Handler, Request, Response
from fake_providers.http import json_response

PREFIX = "/__conformance"
DOCUMENT = "/openapi.json"


class Control:
    """Requests to it are in no log."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def handle(self, request: Request) -> Response:
        response = self._answer(request)
        if request.method != "GET" or response.status != 200:
            print_lines(request, f"{request.method} {request.path}: {response.status}")
        return response

    def _answer(self, request: Request) -> Response:
        target = urlsplit(request.path)
        path = target.path.removeprefix(PREFIX)
        if (request.method, path) == ("GET", DOCUMENT):
            return json_response(200, document(PREFIX))
        try:
            here = [operation for operation in OPERATIONS if operation.path == path]
            if not here:
                known = ", ".join(dict.fromkeys(PREFIX + operation.path for operation in OPERATIONS))
                raise BadRequest(f"nothing is at {PREFIX}{path}. There are {known}, and {PREFIX}{DOCUMENT}.", 404)
            found = next((operation for operation in here if operation.method == request.method), None)
            if found is None:
                methods = ", ".join(operation.method for operation in here)
                raise BadRequest(f"{PREFIX}{path} takes {methods}, not {request.method}.", 405)
            operation = found
            query = dict(parse_qsl(target.query))
            unknown = next((name for name in query if name not in (*operation.query, "key")), None)
            if unknown is not None:
                allowed = ", ".join(operation.query) or "none"
                raise BadRequest(f"`{unknown}` is no parameter here. Allowed: {allowed}.")
            return operation.run(ControlRequest(request, query, self._sessions))
        except BadRequest as bad:
            return _error(bad.status, str(bad))
        except ValueError as mistakes:
            return _error(400, str(mistakes))


def write_interface(path: Path) -> None:
    """Write the OpenAPI document."""
    path.write_text(json.dumps(document(PREFIX), indent=2) + "\n", encoding="utf-8")


class WithControl:
    """The control interface at its prefix, and `handler` at every other path."""

    def __init__(self, control: Handler, handler: Handler) -> None:
        self._control = control
        self._handler = handler

    def handle(self, request: Request) -> Response:
        path = request.path
        is_control = path.startswith(PREFIX) and path[len(PREFIX) :][:1] in ("", "/", "?")
        return (self._control if is_control else self._handler).handle(request)


def _error(status: int, message: str) -> Response:
    return json_response(status, {"error": {"message": message}})


TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
DESCRIPTION = f"""\
For test programs in any language. All state belongs to a token: the header `{TOKEN_HEADER}`, or else the API key, in
any of the providers' headers. What is set with one token, another never sees."""
PARAMETERS: dict[str, tuple[dict[str, Any], str]] = {
    "since": (NUMBER, "only requests after the one with this number"),
    "verdict": ({"enum": [*VERDICTS]}, "only requests with this verdict"),
    "provider": (TEXT, "only the fakes of this provider"),
    "wire": (TEXT, "only the fakes on this wire"),
}


@cache
def document(prefix: str) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        failed = {"description": "what is wrong with the request", "content": _content("Error")}
        described = {
            "operationId": operation.name,
            "summary": operation.summary,
            "parameters": [_parameter(name) for name in operation.query],
            "responses": {"200": {"description": "done", "content": _content(operation.answer)}, "default": failed},
        }
        body = {"requestBody": {"required": True, "content": _content(operation.body)}} if operation.body else {}
        paths.setdefault(prefix + operation.path, {})[operation.method.lower()] = {**described, **body}
    types: dict[str, Any] = {
        "Script": list[ReplySpec] | list[ConditionalEntry | DefaultEntry],
        "Faults": dict[str, FaultSpec],
    }
    schemas: dict[str, Any] = {}
    for name, kind in types.items():
        schemas[name] = schema_of(kind, definitions=schemas, within="#/components/schemas/")
    return {
        "openapi": "3.1.0",
        "info": {"title": "agent-conformance serve", "version": "1", "description": DESCRIPTION},
        "paths": paths,
        "components": {
            "schemas": {**schemas, **ANSWERS},
            "securitySchemes": {
                "token": {"type": "apiKey", "in": "header", "name": TOKEN_HEADER},
                "key": {"type": "http", "scheme": "bearer"},
            },
        },
        "security": [{"token": []}, {"key": []}, {}],
    }


def _parameter(name: str) -> dict[str, Any]:
    schema, says = PARAMETERS[name]
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": says}


def _content(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _object(required: Sequence[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def _list_of(schema: Any) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def _reference(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


ENTRY = _object(
    ("number", "time", "provider", "wire", "method", "path", "headers", "body", "status", "verdict"),
    number=NUMBER,
    time={"type": "string", "format": "date-time"},
    provider=TEXT,
    wire=TEXT,
    method=TEXT,
    path=TEXT,
    headers={"type": "object", "additionalProperties": TEXT},
    body={"description": "the JSON value, or the text of a body that is not JSON"},
    status=NUMBER,
    verdict={"enum": [*VERDICTS], "description": "stopped: no reply matched, or two; other: no model request"},
    rule=TEXT,
    at=TEXT,
    message=TEXT,
    demands=TEXT,
    confidence=TEXT,
    advice=_list_of(TEXT),
    sources=_list_of(TEXT),
    reply={"type": "object"},
)
ANSWERS: dict[str, Any] = {
    "Done": _object(("status",), status={"const": "ok"}),
    "Error": _object(("error",), error=_object(("message",), message=TEXT)),
    "Variables": {"type": "object", "additionalProperties": TEXT},
    "Request": ENTRY,
    "Requests": _object(("requests", "count"), requests=_list_of(_reference("Request")), count=NUMBER),
    "ToolCalls": _object(
        ("calls", "count"),
        calls=_list_of(
            _object(
                ("number", "name", "arguments", "outcome", "result"),
                number=NUMBER,
                name=TEXT,
                arguments={"description": "the JSON value that the client sent"},
                outcome={
                    "enum": ["ran", "failed", "refused", "unknown"],
                    "description": "refused: the schema takes no such call; unknown: there is no such tool",
                },
                result=TEXT,
            )
        ),
        count=NUMBER,
    ),
    "UnusedReplies": _object(
        ("unused",),
        unused=_list_of(_object(("provider", "wire", "reply"), provider=TEXT, wire=TEXT, reply={"type": "object"})),
    ),
}
