"""From a scripted reply to the response: rendered by its wire, stored by the provider, with its transport fault."""

from fake_providers.http import Response
from fake_providers.replies.transport_faults import with_transport_fault
from fake_providers.reply import Reply
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.wire import ReplyContext, Wire


def respond(wire: Wire, reply: Reply, context: ReplyContext, conversations: ConversationStore) -> Response:
    """The provider stores a response as it sent it, and nothing of one that it could not send.

    Raises `CannotExpress`.
    """
    fault = reply.fault
    if fault is not None and fault.status is not None:
        return with_transport_fault(wire.fail(fault, context), fault, wire=wire.name)
    response = wire.encode(reply, context)
    if fault is None or fault.is_sent_whole:
        response = conversations.keep(context.request, response)
    return with_transport_fault(response, fault, wire=wire.name)
