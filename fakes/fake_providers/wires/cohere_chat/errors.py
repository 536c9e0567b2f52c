"""Cohere's refusals and failures as responses: `{"id": uuid, "message": sentence}`. Knows no rule about bodies."""

import hashlib
from typing import Any, Final

from fake_providers import remedies
from fake_providers.http import Response, json_response
from fake_providers.ids import Ids, uuid
from fake_providers.replies.transport_faults import failed, sentence_in_go
from fake_providers.reply import Fault
from fake_providers.rule import Rule, Violation
from fake_providers.rulebook import Breach, RequestContext, bodiless_rule
from fake_providers.values.go_json_body import body_of
from fake_providers.wire import ReplyContext
from fake_providers.wires.cohere_chat.request import model_of

ERRORS_PAGE: Final = "docs.cohere.com/reference/errors"
NO_KEY: Final = "no api key supplied"
SENTENCES: Final = {
    401: "invalid api token",
    402: "Please add or update your payment method at https://dashboard.cohere.com/billing?tab=payment to continue",
    422: "No valid response generated. Try updating messages",
    429: "You are past the per minute request limit, please wait and try again later.",
    499: "request cancelled",
}
"""422 is recorded, the others stand on Cohere's page of errors. A status that is missing has its standard phrase."""
NOT_FOUND: Final = (
    "model '{}' not found, make sure the correct model ID was used and that you have access to the model."
)
TOO_LONG: Final = (
    "too many tokens: size limit exceeded by {} tokens. Try using shorter or fewer inputs. The limit for this model is "
    "{} tokens."
)


CHECKED: Final = "2026-11-27"
RULES: Final = (
    bodiless_rule(
        "cohere/key-missing",
        401,
        "The request has no key. The fake takes any key.",
        remedies.KEY,
        checked=CHECKED,
        recorded={ERRORS_PAGE: NO_KEY, "recordings, cohere 2026, of a wrong key": "Incorrect API key provided"},
    ),
    bodiless_rule(
        "cohere/model-not-found",
        404,
        "No model has this name, or the account has none. The fake has every model, so this refusal must be scripted.",
        remedies.MODEL_NAME,
        checked=CHECKED,
        recorded={
            "recordings, cohere 2026": NOT_FOUND.format("bad model"),
            "recordings, cohere 2025, of a model that is gone": "model 'command-r-plus' was removed on September 15, "
            "2025.",
        },
    ),
    bodiless_rule(
        "cohere/prompt-too-long",
        400,
        "The conversation is longer than the context window.",
        remedies.SHORTEN,
        checked=CHECKED,
        recorded={"recordings, cohere 2026, command-r7b-12-2024": TOO_LONG.format(19296, 132000)},
    ),
)
"""The rules without sample requests."""


def envelope(_rule: Rule, breach: Breach, context: RequestContext) -> dict[str, Any]:
    """The body of a refusal. Its id is computed from the request, so that judging stays a pure function."""
    try:
        text = repr(context.body)
    except RecursionError:
        text = ""
    return error_body(breach.message, Ids(hashlib.sha256(text.encode(errors="replace")).hexdigest()))


def error_body(message: str, ids: Ids) -> dict[str, Any]:
    return {"id": uuid(ids), "message": message}


def violation_of(rule: Rule, message: str, at: str, ids: Ids) -> Violation:
    return Violation(rule.id, rule.status, error_body(message, ids), message, at, rule.confidence)


def missing_key() -> Violation:
    return violation_of(RULES[0], NO_KEY, "headers.authorization", Ids("no key"))


def too_long(tokens: int, window: int) -> Violation:
    sentence = TOO_LONG.format(tokens - window, window)
    return violation_of(RULES[-1], sentence, "messages", Ids(f"{tokens} {window}"))


def stopped(message: str, ids: Ids) -> Response:
    return json_response(400, error_body(message, ids), [("x-should-retry", "false")])


def sentence_of(status: int, context: ReplyContext) -> str:
    """Cohere's error message for this status."""
    if status == 404:
        return NOT_FOUND.format(model_of(body_of(context.request)))
    return sentence_in_go(SENTENCES, status)


def fail(fault: Fault, context: ReplyContext) -> Response:
    """The response to a fault with a status: Cohere's own body, or the scripted one."""
    return failed(fault, lambda status: error_body(sentence_of(status, context), context.ids))
