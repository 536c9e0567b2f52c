"""The rules of xAI's `/v1/messages`: serde's sentences, in xAI's envelope."""

from typing import Any, Final

from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.messages_rules import CONVERSATION, REQUIRED, samples
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.providers.shared.types_elsewhere import MEMBERS_OF_MESSAGES, RULES_OF_MESSAGES
from fake_providers.providers.xai.chat_rules import MODEL, error_body
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook

ROLES: Final = ("user", "assistant")


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return error_body(found.message)


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "xai",
    CONVERSATION,
    model=MODEL,
    not_json=Breach("body", "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0"),
    missing=lambda body: Breach("messages", f"{UNREADABLE}missing field `messages` at line 1"),
    source="worded like its refusals of chat completions",
    max_tokens=16,
)
refuse_wrong_types(
    BOOK,
    "xai",
    Dialect(
        words=lambda found, context: serde_breach(found, context, ROLES),
        source="worded like its refusals of chat completions",
        members=MEMBERS_OF_MESSAGES,
        roles=(*ROLES, "system"),
        required=REQUIRED,
    ),
    samples(MODEL),
    prefix="anthropic-",
    table=RULES_OF_MESSAGES,
)
