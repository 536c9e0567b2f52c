"""OpenRouter's `/api/v1/messages`. It says of a body of the wrong form only that it is one; what Anthropic refuses of
its models comes back as on chat completions."""

from typing import Final

from msgspec.structs import replace

from fake_providers.models import families_of
from fake_providers.providers.openrouter.openrouter_upstream import ANTHROPIC
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.makers_book import OF_MESSAGES, MakersBook
from fake_providers.providers.shared.translated_book import UNCHANGED
from fake_providers.replies.documents import Envelope
from fake_providers.rule import Citation
from fake_providers.rulebook import Breach, Rulebook
from fake_providers.wires.anthropic_messages.provider import KIND, Answers, Provider
from fake_providers.wires.anthropic_messages.response import call_id
from fake_providers.wires.openai_chat.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

MODEL: Final = "anthropic/claude-sonnet-4.6"
WRONG: Final = "Invalid Anthropic Messages API request"


error_body = Envelope(
    {"type": "error", "error": {"type": "<type>", "message": "<message>"}, "request_id": None}, type=KIND
)
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "openrouter", elsewhere.CONVERSATION, model=MODEL, not_json=Breach("body", WRONG),
    missing=lambda body: Breach("messages", WRONG), source="the one sentence that is known of it",
    max_tokens=16)  # fmt: skip
refuse_wrong_types(BOOK, "openrouter",
    Dialect(words=lambda found, context: Breach(found.at, WRONG), source="the one sentence that is known of it",
        members=elsewhere.MEMBERS_OF_MESSAGES, roles=("user", "assistant", "system"),
        required=("model", *elsewhere.REQUIRED),
        known={"content-part-type": ("reported", cite("anthropics/claude-code#31380", WRONG))}),
    elsewhere.samples(MODEL), prefix="anthropic-", table=elsewhere.RULES_OF_MESSAGES)  # fmt: skip

QUOTED: Final = ("farion1231/cc-switch#464, of another maker, on this endpoint", "Provider returned error")
SENT_ON: Final = replace(
    ANTHROPIC, translation=UNCHANGED, quoted=dict.fromkeys(ANTHROPIC.quoted), seen=(Citation(*QUOTED),)
)

PROVIDER = Provider(
    name="openrouter",
    base_path="/api",
    books=(BOOK, MakersBook("openrouter", OF_MESSAGES, SENT_ON, "anthropic", "messages-")),
    traits=families_of("anthropic-messages", "openrouter"),
    answers=Answers(id=lambda ids: ids.make("gen-1763900000-", 20), call_id=call_id, pings=True),
    window=context_length_rule(
        "openrouter/anthropic-context-length", reported={"worded as on chat completions, where it is recorded": ""}
    ),
    too_long=lambda tokens, window: (
        f"This endpoint's maximum context length is {window} tokens. However, you requested about {tokens} tokens. "
        "Please reduce the length of the input."
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "openrouter/anthropic-missing-key",
        reported={"recordings of chat completions without a key": "No cookie auth credentials found"},
    ),
    key_sentence="No cookie auth credentials found",
    envelope=error_body,
    sentences={429: "Provider returned error", 502: "Provider returned error", 503: "No instances available"},
)
