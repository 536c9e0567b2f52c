"""Renders a reply as Ollama's response, plain or streamed; `stream` makes the lines."""

from fake_providers.http import Response
from fake_providers.replies.unsupported import refuse_inexpressible
from fake_providers.reply import NO_FAULT, CannotExpress, Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.ollama_chat import stream
from fake_providers.wires.ollama_chat.errors import fail, respond, with_fault
from fake_providers.wires.ollama_chat.limits import LIMITS
from fake_providers.wires.ollama_chat.message_parts import (
    final_members,
    first_members,
    load_response,
    message,
    response_model,
    tool_call,
)
from fake_providers.wires.ollama_chat.request import body_of, loads_only, wants_stream


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as Ollama would send it; see `fake_providers.wire.Wire.encode`. A request without messages only loads
    the model.
    """
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
