"""Rules on reasoning that comes back encrypted. `RequestContext.body` is a `Conversation`."""

from fake_providers.replies.signature_forms import may_be_openais
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.wires.openai_responses.errors import envelope
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    REASONING_ITEM,
    USER,
    cite,
    item_with,
    sample_request,
)
from fake_providers.wires.openai_shared.wording import breach

BOOK = Rulebook(envelope)

ENCRYPTED_ELSEWHERE = "EqQBCgIYAhIM1gbcDa9GJwZA2b3h"


@BOOK.rule(
    "openai/responses-encrypted-content-invalid",
    why="A reasoning item was encrypted by another provider. Of OpenAI's own only the beginning is checked.",
    confidence="verbatim",
    evidence=(
        *cite("openai/codex#8126", "The encrypted content gAAA...CwHs could not be verified."),
        *cite("Wei-Shaw/sub2api#2863", "Reason: Encrypted content could not be decrypted or parsed."),
        *cite("pydantic/pydantic-ai#4608: reasoning is bound to whom it was issued to"),
    ),
    breaking=sample_request(
        USER, item_with(REASONING_ITEM, encrypted_content=ENCRYPTED_ELSEWHERE), ASSISTANT_MESSAGE, USER
    ),
    accepted=sample_request(USER, REASONING_ITEM, ASSISTANT_MESSAGE, USER),
)
def _encrypted_elsewhere(context: RequestContext) -> Breach | None:
    for placed in context.body.items:
        content = placed.value.get("encrypted_content")
        if placed.value.get("type") != "reasoning" or not isinstance(content, str) or not content:
            continue
        if not may_be_openais(content):
            sentence = (
                f"The encrypted content {content[:4]}...{content[-4:]} could not be verified. Reason: Encrypted "
                "content could not be decrypted or parsed."
            )
            return breach(None, sentence, "invalid_encrypted_content", at=f"{placed.at}.encrypted_content")
    return None
