"""Scripted faults as a Gemini client receives them: error bodies, scripted bodies and content types, cuts. Knows no
reply."""

from dataclasses import replace
from typing import Any

from fake_providers.http import Response, json_response
from fake_providers.reply import Fault
from fake_providers.wire import ReplyContext
from fake_providers.wires.gemini_generate.errors import JSON, in_envelope, send
from fake_providers.wires.gemini_generate.provider import Provider


def fail(fault: Fault, context: ReplyContext, provider: Provider) -> Response:
    """Google's body for that status, or the scripted one; the connection may still be cut."""
    status = fault.status or 500
    if fault.body is not None:
        response = scripted_body(fault, status)
    else:
        body = provider.status_body(status, context.request, retry_after=fault.retry_after)
        response = send(context.request, status, in_envelope(context.request, body))
    return with_fault(response, fault, stream=False)


def scripted_body(fault: Fault, status: int) -> Response:
    """The scripted body unchanged: a string as text, everything else as JSON."""
    if not isinstance(fault.body, str):
        return with_content_type(json_response(status, fault.body), fault.content_type or JSON)
    label = "text/html; charset=UTF-8" if fault.body.lstrip().startswith("<") else "text/plain; charset=UTF-8"
    chunks = (fault.body.encode(errors="replace"),)
    return Response(status, (("content-type", fault.content_type or label),), chunks)


def with_content_type(response: Response, content_type: str) -> Response:
    headers = [(name, value) for name, value in response.headers if name != "content-type"]
    return replace(response, headers=(("content-type", content_type), *headers))


def with_fault(response: Response, fault: Fault, *, stream: bool) -> Response:
    """The response with the fault's content type and cut: after a number of chunks of a stream, in the middle of a
    plain body."""
    if fault.content_type is not None:
        response = with_content_type(response, fault.content_type)
    if fault.cut_after is None:
        return response
    if stream:
        return replace(response, chunks=response.chunks[: fault.cut_after], cut=True)
    body = response.body
    return replace(response, chunks=(body[: len(body) // 2],), cut=True)


def error_event_body(fault: Fault, context: ReplyContext, provider: Provider) -> dict[str, Any] | None:
    """The error event of a stream: the body of a status, or the scripted sentence as an internal error."""
    if fault.error_event is None:
        return None
    if fault.error_event.isdigit():
        return provider.status_body(int(fault.error_event), context.request, retry_after=fault.retry_after)
    body = provider.status_body(500, context.request, retry_after=fault.retry_after)
    body["error"]["message"] = fault.error_event
    return body
