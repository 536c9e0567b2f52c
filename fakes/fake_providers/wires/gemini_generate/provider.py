"""What defines a provider of this wire: where the Developer API and Vertex AI differ.

Also how scripted faults reach its clients: error bodies, scripted bodies and content types, cuts.
"""

from collections.abc import Callable
from typing import Any, Protocol

from msgspec import Struct

from fake_providers.http import Request, Response, json_response
from fake_providers.replies.transport_faults import with_fault
from fake_providers.reply import Fault
from fake_providers.rule import Rule
from fake_providers.rulebook import Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.gemini_generate.errors import JSON, in_envelope, send
from fake_providers.wires.gemini_generate.request_validator import FieldViolation
from fake_providers.wires.gemini_generate.rules.rulebook import INPUT_TOO_LONG


class StatusBody(Protocol):
    """The error body for a status."""

    def __call__(self, status: int, request: Request, *, retry_after: float | None = None) -> dict[str, Any]: ...


class Arrangement(Protocol):
    """The body of a response, or of a chunk, with the provider's members and their order."""

    def __call__(self, body: dict[str, Any], *, is_last: bool, has_avg_logprobs: bool) -> dict[str, Any]: ...


class Provider(Struct, frozen=True):
    """One provider of the wire.

    `validate` runs after the parser. `to_json` encodes a chunk, `makes_call_ids` says whether the newer models generate
    ids of calls, and `ends_with_last_piece` whether a stream ends with its last piece of text instead of an empty one
    after it.
    """

    name: str
    books: tuple[Rulebook, ...]
    missing_key: Rule
    validate: Callable[[Any], tuple[FieldViolation, ...]]
    status_body: StatusBody
    arrange: Arrangement
    to_json: Callable[[Any], str]
    makes_call_ids: bool
    ends_with_last_piece: bool

    @property
    def rules(self) -> tuple[Rule, ...]:
        """In the order of the checks."""
        return (self.missing_key, *(rule for book in self.books for rule in book.rules), INPUT_TOO_LONG)


def fail(fault: Fault, context: ReplyContext, provider: Provider) -> Response:
    """Google's body for that status, or the scripted one; the connection may still be cut."""
    if fault.body is not None:
        response = scripted_body(fault, fault.status or 200)
    else:
        status = fault.status or 500
        body = provider.status_body(status, context.request, retry_after=fault.retry_after)
        response = send(context.request, status, in_envelope(context.request, body))
    return with_fault(response, fault, stream=False)


def scripted_body(fault: Fault, status: int) -> Response:
    """The scripted body unchanged: a string as text, everything else as JSON."""
    if not isinstance(fault.body, str):
        return json_response(status, fault.body).of_type(fault.content_type or JSON)
    label = "text/html; charset=UTF-8" if fault.body.lstrip().startswith("<") else "text/plain; charset=UTF-8"
    chunks = (fault.body.encode(errors="replace"),)
    return Response(status, (("content-type", fault.content_type or label),), chunks)


def error_event_body(fault: Fault, context: ReplyContext, provider: Provider) -> dict[str, Any] | None:
    """The error event of a stream: the body of a status, or the scripted sentence as an internal error."""
    if fault.error_event is None:
        return None
    if fault.error_event.isdigit():
        return provider.status_body(int(fault.error_event), context.request, retry_after=fault.retry_after)
    body = provider.status_body(500, context.request, retry_after=fault.retry_after)
    body["error"]["message"] = fault.error_event
    return body
