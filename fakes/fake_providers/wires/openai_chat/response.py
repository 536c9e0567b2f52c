"""Renders a reply as a chat completion, plain or streamed; `stream` makes the chunks."""

from typing import Any

from fake_providers.http import AS_ESCAPE, Response, compact
from fake_providers.replies.unsupported import refuse_inexpressible
from fake_providers.reply import NO_FAULT, CannotExpress, Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat import stream
from fake_providers.wires.openai_chat.completion_parts import finish_reason, head, message, reasons, usage
from fake_providers.wires.openai_chat.errors import fail
from fake_providers.wires.openai_chat.limits import LIMITS
from fake_providers.wires.openai_chat.quirks import plain_with_quirks
from fake_providers.wires.openai_chat.text_completion import is_text_alone, text_completion
from fake_providers.wires.openai_shared.errors import answer_headers, with_fault
from fake_providers.wires.openai_shared.request_body import body_of, wants_stream


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as OpenAI would send it; see `fake_providers.wire.Wire.encode`."""
    fault = reply.fault or NO_FAULT
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    refuse_inexpressible(reply, LIMITS)
    if wants_stream(body_of(context.request)):
        return with_fault(stream.response(reply, head(context), context, usage=usage(reply, context)), fault)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    if is_text_alone(reply):
        text = text_completion(reply, context)
    else:
        text = compact(plain_with_quirks(completion(reply, context), reply.quirks))
    headers = (("content-type", "application/json"), *answer_headers(context))
    return with_fault(Response(200, headers, (text.encode(errors=AS_ESCAPE),)), fault)


def completion(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """The body of a plain response."""
    first = head(context)
    choice = {
        "index": 0,
        "message": message(reply, context.ids),
        **({} if reasons(context) else {"logprobs": None}),
        "finish_reason": finish_reason(reply, context),
    }
    return {
        "id": first["id"],
        "object": "chat.completion",
        "created": first["created"],
        "model": first["model"],
        "choices": [choice],
        "usage": usage(reply, context),
        "service_tier": first["service_tier"],
        "system_fingerprint": first["system_fingerprint"],
    }
