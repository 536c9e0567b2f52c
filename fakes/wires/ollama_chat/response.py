"""Renders a reply as Ollama's response, plain or streamed; `stream` makes the lines."""

from fakes.http import Response
from fakes.inexpressible import refuse_inexpressible
from fakes.reply import NO_FAULT, CannotExpress, Reply
from fakes.wire import ReplyContext
from fakes.wires.ollama_chat import stream
from fakes.wires.ollama_chat.errors import fail, respond, with_fault
from fakes.wires.ollama_chat.limits import LIMITS
from fakes.wires.ollama_chat.message_parts import (
    final_members,
    first_members,
    load_response,
    message,
    response_model,
    tool_call,
)
from fakes.wires.ollama_chat.request import body_of, loads_only, wants_stream


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as Ollama would send it; see `fakes.wire.Wire.encode`. A request without messages only loads the
    model."""
    refuse_inexpressible(reply, LIMITS)
    fault = reply.fault or NO_FAULT
    body = body_of(context.request)
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    if loads_only(body):
        return respond(200, load_response(body))
    calls = [tool_call(call, index, context.ids) for index, call in enumerate(reply.calls)]
    if wants_stream(body):
        return with_fault(
            stream.response(reply, calls, context, final=final_members(reply, context)), fault, stream=True
        )
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    rendered = {
        **first_members(response_model(body), 0),
        "message": message(reply, calls),
        **final_members(reply, context),
    }
    return with_fault(respond(200, rendered), fault, stream=False)
