"""Ollama's refusals and failures as responses: `{"error": sentence}` and nothing else."""

import re
from collections.abc import Iterable
from typing import Any

from fake_providers import remedies
from fake_providers.http import AS_ESCAPE, Response, compact
from fake_providers.replies.transport_faults import failed, sentence_in_go
from fake_providers.reply import Fault
from fake_providers.rule import Remedy, Rule, Violation
from fake_providers.rulebook import Breach, RequestContext, bodiless_rule
from fake_providers.values.go_json_body import body_of
from fake_providers.wire import ReplyContext
from fake_providers.wires.ollama_chat.request import model_of, wants_stream

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
"""The sentence of 429 is quoted by users of Ollama's cloud, the others are in the server's source. A status that is
missing here has its standard phrase."""

TOO_LONG = (
    "the prompt is longer than the context length currently available to the model; shorten the prompt, adjust the "
    "context length in settings, or use a model with a longer context length"
)

CHECKED = "2026-11-20"
RULES = (
    bodiless_rule(
        "ollama/model-not-found",
        404,
        "The model was not pulled. The fake has every model, so this refusal must be scripted as a fault.",
        remedies.MODEL_NAME,
        checked=CHECKED,
        recorded={"recordings, ollama 2025 and 2026": "model 'bad_model' not found"},
    ),
    bodiless_rule(
        "ollama/busy",
        503,
        "The queue of requests is full. This refusal must be scripted as a fault.",
        Remedy("models", "Wait and send the same request again."),
        checked=CHECKED,
        verbatim={"ollama/ollama server/sched.go, ErrMaxQueue": BUSY},
    ),
    bodiless_rule(
        "ollama/prompt-too-long",
        400,
        "The conversation is longer than the context window, and the server may not drop its beginning (`shift: "
        "false`).",
        remedies.SHORTEN,
        checked=CHECKED,
        reported={"ollama/ollama llm/llama_server.go, completionPromptForRequest": TOO_LONG},
    ),
)
"""The rules without sample requests."""


def envelope(_rule: Rule, breach: Breach, _context: RequestContext) -> dict[str, Any]:
    return {"error": breach.message}


ESCAPED = re.compile("[<>&\u2028\u2029]")
"""What Go's `encoding/json` escapes for HTML and JavaScript."""


def encode_json(value: Any) -> bytes:
    """JSON as Go writes it: compact, with escapes for `<`, `>`, `&` and two line separators."""
    text = compact(value)
    if ESCAPED.search(text):
        text = ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
    return text.encode(errors=AS_ESCAPE)


def respond(status: int, body: Any, *headers: tuple[str, str]) -> Response:
    return Response(status, (("content-type", JSON), *headers), (encode_json(body),))


def refuse(violation: Violation) -> Response:
    return respond(violation.status, violation.body)


def stopped(message: str) -> Response:
    return respond(400, {"error": message}, ("x-should-retry", "false"))


def too_long() -> Violation:
    rule = RULES[-1]
    return Violation(rule.id, rule.status, {"error": TOO_LONG}, TOO_LONG, "messages", rule.confidence)


def sentence_of(status: int, context: ReplyContext) -> str:
    """Ollama's error message for this status."""
    if status == 404:
        return f"model '{model_of(body_of(context.request))}' not found"
    return sentence_in_go(SENTENCES, status)


def fail(fault: Fault, context: ReplyContext) -> Response:
    """The response to a fault with a status: Ollama's own body, or the scripted one."""

    def answer(status: int, body: Any, headers: Iterable[tuple[str, str]]) -> Response:
        response = respond(status, body, *headers)
        is_streamed = status >= 500 and wants_stream(body_of(context.request))
        return response.of_type("application/json") if is_streamed else response

    return failed(fault, lambda status: {"error": sentence_of(status, context)}, answer)


def error_line(error: str, context: ReplyContext) -> bytes:
    """An error line in a stream: the message of a status (`"500"`), or the scripted message."""
    return encode_json({"error": sentence_of(int(error), context) if error.isdecimal() else error}) + b"\n"
