"""From a reply to the response that goes out: told by its wire, remembered by the provider, harmed on its way."""

from fakes.http import Response
from fakes.reply import Reply
from fakes.serving.conversation_store import Conversations
from fakes.transport_faults import damaged
from fakes.wire import Telling, Wire


def respond(wire: Wire, reply: Reply, telling: Telling, conversations: Conversations) -> Response:
    """The provider keeps a response as it sent it, and nothing of one that it could not send.

    Raises `CannotExpress`.
    """
    fault = reply.fault
    if fault is not None and fault.status is not None:
        return damaged(wire.fail(fault, telling), fault, wire=wire.name)
    response = wire.encode(reply, telling)
    if fault is None or fault.is_sent_whole:
        conversations.keep(telling.request, response)
    return damaged(response, fault, wire=wire.name)
