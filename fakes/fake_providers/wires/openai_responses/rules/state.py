"""Rules on what the request refers to, and on an empty input. `RequestContext.body` is a `Conversation`.

Only a served fake knows which responses it has sent; without a store every reference counts as valid.
"""

from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import MODEL, cite, cite_probe, sample_request
from fake_providers.wires.openai_shared.wording import breach

BOOK = Rulebook(envelope)

_TWO_STATES = {"conversation": "conv_1", "previous_response_id": "resp_1"}


@BOOK.rule(
    "openai/responses-state-twice",
    why="`conversation` and `previous_response_id` are both set.",
    confidence="recorded",
    evidence=cite_probe("conversation with previous_response_id"),
    breaking=sample_request(**_TWO_STATES),
    accepted=sample_request(previous_response_id="resp_1"),
)
def _twice(context: RequestContext) -> Breach | None:
    if not all(context.body.body.get(name) for name in _TWO_STATES):
        return None
    message = "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'."
    return breach(None, message, "mutually_exclusive_parameters", at="previous_response_id")


@BOOK.rule(
    "openai/responses-previous-not-found",
    why="`previous_response_id` names a response that was never sent or not stored.",
    confidence="recorded",
    evidence=cite_probe("previous_response_id unknown"),
    breaking=None,
    accepted=None,
)
def _previous(context: RequestContext) -> Breach | None:
    named = context.body.unknown_previous_response
    if named is None:
        return None
    message = f"Previous response with id '{named}' not found."
    return breach("previous_response_id", message, "previous_response_not_found")


@BOOK.rule(
    "openai/responses-item-not-persisted",
    status=404,
    why="An `item_reference` names an item that was never sent or not stored.",
    confidence="verbatim",
    evidence=cite(
        "quoted in three public threads, once with status 400", "Items are not persisted when `store` is set"
    ),
    breaking=None,
    accepted=None,
)
def _not_persisted(context: RequestContext) -> Breach | None:
    if not context.body.missing:
        return None
    at, item_id = context.body.missing[0]
    message = (
        f"Item with id '{item_id}' not found. Items are not persisted when `store` is set to false. Try again with "
        "`store` set to true, or remove this item from your input."
    )
    return breach("input", message, at=at)


@BOOK.rule(
    "openai/responses-input-empty",
    why="The input is an empty text or list, and the request continues nothing else.",
    confidence="recorded",
    evidence=(
        *cite_probe("input empty loses to the state phase"),
        *cite_probe("input empty beats the capability pass"),
    ),
    breaking={"model": MODEL, "input": ""},
    accepted={"model": MODEL, "input": "Hello"},
)
def _empty(context: RequestContext) -> Breach | None:
    body = context.body.body
    if body.get("input") or any(body.get(name) for name in ("previous_response_id", "prompt", "conversation")):
        return None
    message = "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be provided."
    return breach(None, message, "missing_required_parameter", at="input")
