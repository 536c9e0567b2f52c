"""A reply as Ollama's answer: what a whole one and every line of a stream are made of. `stream` cuts it into lines."""

from fakes.http import Response
from fakes.reply import CannotExpress, Fault, Finish, Reply
from fakes.wire import ReplyContext
from fakes.wire_capabilities import Feature
from fakes.wires.ollama_chat import stream
from fakes.wires.ollama_chat.errors import fail, respond, spoilt
from fakes.wires.ollama_chat.message_parts import end, head, loaded, message, told_name, tool_call
from fakes.wires.ollama_chat.request import body_of, loads_only, streams

UNSAID: dict[Finish | None, Feature] = {
    "content_filter": "finish-content-filter",
    "refusal": "finish-refusal",
    "malformed": "finish-malformed",
}
"""A model on one's own machine ends by itself or at a limit; there is no word for anything else."""


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as Ollama would send it; see `fakes.wire.Wire.encode`. Without messages the model is only loaded."""
    fault = reply.fault or Fault()
    body = body_of(context.request)
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    if reply.finish in UNSAID:
        raise CannotExpress(UNSAID[reply.finish])
    if loads_only(body):
        return respond(200, loaded(body))
    calls = [tool_call(call, index, context.ids) for index, call in enumerate(reply.calls)]
    if streams(body):
        return spoilt(stream.response(reply, calls, context, end=end(reply, context)), fault, stream=True)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    told = {**head(told_name(body), 0), "message": message(reply, calls), **end(reply, context)}
    return spoilt(respond(200, told), fault, stream=False)
