"""LiteLLM's `/v1/messages`: a request for Claude is sent on as it comes, but for what LiteLLM does not know.

Which of Anthropic's refusals come back was measured with the samples of each of its rules.
"""

from functools import partial
from typing import Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.litellm.litellm_chat import CHECKED, CLAUDE, NO_KEY
from fake_providers.providers.litellm.litellm_upstream import ANTHROPIC, MEASURED, as_text, measured
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import refuse_unread
from fake_providers.providers.shared.makers_book import OF_MESSAGES, MakersBook
from fake_providers.providers.shared.translated_book import UNCHANGED
from fake_providers.replies.documents import Envelope
from fake_providers.rulebook import ANY_PARAMETER, Breach, Rulebook
from fake_providers.wires.anthropic_messages.provider import KIND, Answers, Provider
from fake_providers.wires.anthropic_messages.response import call_id
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of

error_body = Envelope({"type": "error", "error": {"type": "<type>", "message": "<message>"}}, type=KIND)
SENT_ON: Final = replace(
    ANTHROPIC,
    translation=UNCHANGED,
    passed_on=partial(as_text, envelope=error_body),
    quoted=measured("""
        adaptive-forced-tool assistant-content-empty block-extra-key block-field-missing block-type-missing
        block-type-unknown cache-control-count cache-control-member cache-control-type cache-ttl-order
        computer-tool-unsupported container-type content-missing content-type document-media-type
        editor-tool-unsupported effort-unsupported effort-value effort-without-thinking failed-result-empty
        failed-result-of-text image-data image-dimensions image-dimensions-many image-empty image-media-type
        image-of-another-type image-source image-unreadable inference-geo-type max-tokens-large max-tokens-type
        message-extra-key message-type messages-empty model-type output-format-unsupported prefill role-missing
        role-unknown server-tool-unanswered server-tool-use-id service-tier-type stop-sequence-blank stop-sequences-type
        strict-boolean-schema strict-circular-schema strict-keyword strict-min-items strict-open-object
        strict-too-many-optional strict-too-many-tools strict-too-many-unions system-message-blank system-message-block
        system-message-empty system-message-first system-message-model system-message-place system-text-blank
        temperature-and-top-p temperature-type text-blank text-empty text-type thinking-between-tools-extra
        thinking-budget-large thinking-budget-small thinking-forced-tool thinking-last thinking-missing
        thinking-modified thinking-top-k thinking-top-p thinking-type-unknown tool-caller-unknown tool-choice-name
        tool-choice-type tool-choice-unknown tool-choice-unknown-tool tool-choice-unsupported tool-choice-without-tools
        tool-deferred-and-cached tool-extra-key tool-field-type tool-name-missing tool-name-pattern tool-names-unique
        tool-property-name tool-reference-unknown tool-result-block tool-result-content tool-result-id
        tool-result-in-assistant tool-result-is-error tool-result-twice tool-result-without-use tool-results-not-first
        tool-schema-invalid tool-schema-missing tool-schema-type tool-schema-union tool-type-unknown tool-use-id
        tool-use-ids-unique tool-use-in-user tool-use-input tool-use-name tool-use-not-last tool-use-unanswered
        tools-all-deferred top-p-type trailing-whitespace user-content-empty user-id-personal user-id-too-long
    """),
)  # fmt: skip
SAMPLE: Final = {"model": CLAUDE, "max_tokens": 16, "messages": [{"role": "user", "content": "Rain?"}]}
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "litellm", elsewhere.CONVERSATION, model=CLAUDE, not_json=Breach("body", "Invalid JSON payload"),
    missing=lambda body: Breach("messages", "anthropic_messages: Missing required parameter: 'messages'."),
    source=MEASURED, max_tokens=16)  # fmt: skip
# A table: two rows are to be compared.
# fmt: off
BOOK.row("litellm/anthropic-max-tokens-missing", "The request has no `max_tokens`.",
    ANY_PARAMETER, lambda body: "max_tokens" not in body,
    "anthropic_messages: Missing required parameter: 'max_tokens'.", "max_tokens", checked=CHECKED,
    remedy=remedies.WHOLE_NUMBER,
    wrong={name: SAMPLE[name] for name in ("model", "messages")}, right=SAMPLE,
    recorded={f"recording, {MEASURED}": "anthropic_messages: Missing required parameter: 'max_tokens'."})
# fmt: on

PROVIDER = Provider(
    name="litellm",
    base_path="",
    books=(BOOK, MakersBook("litellm", OF_MESSAGES, SENT_ON, "anthropic", "messages-")),
    traits=families_of("anthropic-messages", "litellm"),
    answers=Answers(id=lambda ids: ids.make("msg_01", 22), call_id=call_id, pings=True),
    window=context_length_rule("litellm/anthropic-context-length", reported={"Anthropic's, passed on": ""}),
    too_long=lambda tokens, window: f"prompt is too long: {tokens} tokens > {window} maximum",
    body_of=body_of,
    missing_key=missing_key_rule("litellm/anthropic-missing-key", verbatim={"BerriAI/litellm, proxy/auth": NO_KEY}),
    key_sentence=NO_KEY,
    envelope=error_body,
    sentences={},
)
