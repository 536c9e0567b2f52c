"""xAI's `/v1/messages`: serde's sentences, in xAI's envelope."""

from typing import Final

from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.providers.xai.xai_chat import INVALID, MODEL, NOT_JSON, error_body
from fake_providers.replies.documents import ByStatus
from fake_providers.rulebook import Breach, Rulebook
from fake_providers.wires.anthropic_messages.provider import Answers, Provider
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

ROLES: Final = ("user", "assistant")
BOOK = Rulebook(error_body.but(code=INVALID).refusal)
refuse_unread(BOOK, "xai", elsewhere.CONVERSATION, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("messages", f"{UNREADABLE}missing field `messages` at line 1"),
    source="worded like its refusals of chat completions", max_tokens=16)  # fmt: skip
refuse_wrong_types(BOOK, "xai",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES),
        source="worded like its refusals of chat completions", members=elsewhere.MEMBERS_OF_MESSAGES,
        roles=(*ROLES, "system"), required=elsewhere.REQUIRED), elsewhere.samples(MODEL), prefix="anthropic-",
    table=elsewhere.RULES_OF_MESSAGES)  # fmt: skip

NO_KEY = "No API key was provided. Send it as `Authorization: Bearer`, or as `x-api-key`."
FAILED = "The service failed"
KINDS = {
    400: INVALID,
    401: "Unauthenticated request",
    404: "Some requested entity was not found",
    429: "Some resource has been exhausted",
}


PROVIDER = Provider(
    name="xai",
    base_path="",
    books=(BOOK,),
    traits=families_of("anthropic-messages", "xai"),
    answers=Answers(id=uuid, call_id=lambda ids: ids.make("call_", 8, "0123456789")),
    window=context_length_rule(
        "xai/anthropic-context-length", reported={"worded as on chat completions, where it is recorded": ""}
    ),
    too_long=lambda tokens, window: (
        f"This model's maximum prompt length is {window} but the request contains {tokens} tokens."
    ),
    body_of=body_of,
    missing_key=missing_key_rule(
        "xai/anthropic-missing-key", inferred={"as on chat completions; the words are ours": ""}
    ),
    key_sentence=NO_KEY,
    envelope=error_body.but(code=ByStatus(KINDS, FAILED)),
)
