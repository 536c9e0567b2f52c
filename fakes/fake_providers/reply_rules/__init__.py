"""Could this provider have sent this reply to this request? What each provider is known never to send."""

from dataclasses import replace

from fake_providers.http import Request
from fake_providers.reply import Reply
from fake_providers.reply_rules.asked_for import BOOK as ASKED_FOR
from fake_providers.reply_rules.book import Hides, ReplyRule, Sending, Unsent
from fake_providers.reply_rules.calls import BOOK as CALLS
from fake_providers.reply_rules.ids import BOOK as IDS
from fake_providers.reply_rules.texts import BOOK as TEXTS
from fake_providers.reply_rules.texts import makers_of
from fake_providers.reply_rules.usage import BOOK as USAGE
from fake_providers.view import View

__all__ = ["REPLY_RULES", "ReplyRule", "Unsent", "in_full", "makers_of", "why_unsent", "without"]

BOOKS = (TEXTS, ASKED_FOR, CALLS, IDS, USAGE)
REPLY_RULES: tuple[ReplyRule, ...] = tuple(rule for book in BOOKS for rule in book.rules)


def why_unsent(
    reply: Reply,
    *,
    provider: str,
    wire: str,
    model: str = "",
    request: Request | None = None,
    view: View | None = None,
    makers: frozenset[str] | None = None,
    anywhere: bool = False,
) -> Unsent | None:
    """Why this provider does not send this reply; None where it may.

    Without `request` and its `view`, what hangs on the request is passed over. `makers` are those whose models are
    known to write such a text. `anywhere`: gateways and servers of open models may answer as well.
    """
    is_plain = reply.is_text_alone and reply.usage is None and reply.finish in (None, "stop", "length")
    if is_plain and makers is None:
        asks_for_more = view is not None and (view.forces or view.answer_format != "text")
        if not asks_for_more:  # as most replies are, and nothing is known of these
            return None
    sending = Sending(provider, wire, model, reply, request, view, makers)
    return next((found for book in BOOKS if (found := book.check(sending, anywhere=anywhere)) is not None), None)


def without(reply: Reply, hides: Hides) -> Reply:
    """The reply without what a rule `hides`: its cached tokens, or its thinking."""
    if hides == "cached":
        return replace(reply, usage=replace(reply.usage, cached=None) if reply.usage is not None else None)
    return replace(reply, thinking=None, thoughts=())


def in_full(unsent: Unsent, reply: Reply) -> str:
    """Where the reply is written, why it cannot come, and what would."""
    place = f"{reply.place}: " if reply.place else ""
    return f"{place}{unsent}. What would come: {unsent.rule.instead}"
