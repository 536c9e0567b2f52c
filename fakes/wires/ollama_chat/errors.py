"""Ollama's refusals and failures as responses: `{"error": sentence}` and nothing else. Knows no rule about bodies."""

import math
import re
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from fakes.http import Response, compact
from fakes.reply import Fault
from fakes.rule import Citation, Rule, Violation
from fakes.rulebook import Breach, RequestContext
from fakes.wire import ReplyContext
from fakes.wires.ollama_chat.request import body_of, model_of, streams

JSON = "application/json; charset=utf-8"
STOPPED_RUNNER = (
    "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error, check ollama "
    "server logs for details"
)
BUSY = "server busy, please try again.  maximum pending requests exceeded"
SENTENCES = {
    401: "unauthorized",
    403: "ollama cloud is disabled: remote model is unavailable",
    429: "you've reached your hourly usage limit, please wait or upgrade to continue",
    499: "request canceled",
    500: STOPPED_RUNNER,
    503: BUSY,
}
"""429 is quoted by users of Ollama's cloud, the others stand in the server's source; a status that is missing here is
told by its own name."""

TOO_LONG = (
    "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the "
    "context length in settings, or use a model with a longer context length"
)

RULES = (
    Rule(
        id="ollama/model-not-found",
        status=404,
        why="the model was not pulled: no body shows it, since the fake has every model; scripted as a fault",
        models="all",
        confidence="recorded",
        evidence=(Citation("recorded exchanges, ollama 2025 and 2026", "model 'bad_model' not found"),),
        checked="2026-11-20",
        breaking=None,
        accepted=None,
    ),
    Rule(
        id="ollama/busy",
        status=503,
        why="the queue is full: no body shows it; scripted as a fault",
        models="all",
        confidence="verbatim",
        evidence=(Citation("ollama/ollama server/sched.go, ErrMaxQueue", BUSY),),
        checked="2026-11-20",
        breaking=None,
        accepted=None,
    ),
    Rule(
        id="ollama/prompt-too-long",
        status=400,
        why="the conversation is longer than the window, and the server may not drop its beginning (`shift: false`)",
        models="all",
        confidence="reported",
        evidence=(Citation("ollama/ollama llm/llama_server.go, completionPromptForRequest", TOO_LONG),),
        checked="2026-11-20",
        breaking=None,
        accepted=None,
    ),
)
"""The rules that no body shows."""


def envelope(_rule: Rule, found: Breach, _asked: RequestContext) -> dict[str, Any]:
    return {"error": found.message}


ESCAPED = re.compile("[<>&\u2028\u2029]")


def written(value: Any) -> bytes:
    """JSON as Go writes it: compact, text unescaped but for `<`, `>`, `&` and two line separators."""
    text = compact(value)
    if ESCAPED.search(text):
        text = ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode(errors="replace")


def respond(status: int, body: Any, *headers: tuple[str, str]) -> Response:
    return Response(status, (("content-type", JSON), *headers), (written(body),))


def refuse(violation: Violation) -> Response:
    return respond(violation.status, violation.body)


def stopped(message: str) -> Response:
    return respond(400, {"error": message}, ("x-should-retry", "false"))


def too_long() -> Violation:
    rule = RULES[-1]
    return Violation(rule.id, rule.status, {"error": TOO_LONG}, TOO_LONG, "messages", rule.confidence)


def sentence(status: int, context: ReplyContext) -> str:
    """What Ollama says with this status."""
    if status == 404:
        return f"model '{model_of(body_of(context.request))}' not found"
    named = {one.value: one.phrase.lower() for one in HTTPStatus}
    return SENTENCES.get(status) or named.get(status, "unexpected error")


def fail(fault: Fault, context: ReplyContext) -> Response:
    """The answer for a fault with a status: Ollama's own body, or the scripted one."""
    status = fault.status or 200
    headers = _retry_headers(fault.retry_after)
    if isinstance(fault.body, str):
        label = "text/html" if fault.body.lstrip().startswith("<") else "text/plain; charset=utf-8"
        text = fault.body.encode(errors="replace")
        response = Response(status, (("content-type", label), *headers), (text,))
    else:
        body = {"error": sentence(status, context)} if fault.body is None else fault.body
        response = respond(status, body, *headers)
        if status >= 500 and streams(body_of(context.request)):
            response = replace(response, headers=(("content-type", "application/json"), *headers))
    return spoilt(response, fault, stream=False)


def spoilt(response: Response, fault: Fault, *, stream: bool) -> Response:
    """The response with the fault's content type, and cut: a stream after so many lines, a plain body in its middle."""
    if fault.content_type is not None:
        rest = tuple(header for header in response.headers if header[0] != "content-type")
        response = replace(response, headers=(("content-type", fault.content_type), *rest))
    if fault.cut_after is None:
        return response
    if stream:
        return replace(response, chunks=response.chunks[: fault.cut_after], cut=True)
    return replace(response, chunks=(response.body[: len(response.body) // 2],), cut=True)


def error_line(told: str, context: ReplyContext) -> bytes:
    """An error in the middle of a stream, for a status (`"500"`) or in these words."""
    return written({"error": sentence(int(told), context) if told.isdecimal() else told}) + b"\n"


def _retry_headers(retry_after: float | None) -> tuple[tuple[str, str], ...]:
    """Ollama sends none of its own: what a proxy in front of it would say, in milliseconds where the wait is none."""
    if retry_after is None:
        return ()
    if retry_after <= 0:
        return (("retry-after-ms", "1"),)
    return (("retry-after", str(math.ceil(retry_after))), ("retry-after-ms", str(round(retry_after * 1000))))
