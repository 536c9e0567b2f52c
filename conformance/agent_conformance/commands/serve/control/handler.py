"""The control interface as a handler of requests: finds the operation, and says what is wrong with a request."""

import json
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from agent_conformance.commands.serve.control.openapi import document
from agent_conformance.commands.serve.control.operations import OPERATIONS, Operation
from agent_conformance.commands.serve.control.request import BadRequest, ControlRequest
from agent_conformance.commands.serve.sessions import Sessions
from agent_conformance.commands.shared.served import print_lines
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
            operation = _operation(request.method, path)
            query = dict(parse_qsl(target.query))
            _check_query(operation, query)
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


def _operation(method: str, path: str) -> Operation:
    """Raises `BadRequest`."""
    here = [operation for operation in OPERATIONS if operation.path == path]
    if not here:
        known = ", ".join(dict.fromkeys(PREFIX + operation.path for operation in OPERATIONS))
        raise BadRequest(f"nothing is at {PREFIX}{path}. There are {known}, and {PREFIX}{DOCUMENT}.", 404)
    found = next((operation for operation in here if operation.method == method), None)
    if found is None:
        methods = ", ".join(operation.method for operation in here)
        raise BadRequest(f"{PREFIX}{path} takes {methods}, not {method}.", 405)
    return found


def _check_query(operation: Operation, query: dict[str, str]) -> None:
    unknown = next((name for name in query if name not in (*operation.query, "key")), None)
    if unknown is not None:
        allowed = ", ".join(operation.query) or "none"
        raise BadRequest(f"`{unknown}` is no parameter here. Allowed: {allowed}.")


def _error(status: int, message: str) -> Response:
    return json_response(status, {"error": {"message": message}})
