"""xAI's chat completions: errors are `{code: sentence, error: string}`. Nearly every shape was recorded as accepted.

Calls come in one piece; reasoning tokens are counted apart from the completion.
"""

import re
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import DIGITS, uuid
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import (
    MESSAGE,
    MESSAGES,
    PART,
    picture_url,
    refuse_unread,
)
from fake_providers.providers.shared.chat_types import TOOLS, Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.chat_values import Values, refuse_values, serde_outside
from fake_providers.providers.shared.pydantic_words import serde_breach
from fake_providers.replies.documents import ByStatus, Document, Envelope, headers
from fake_providers.rulebook import (
    ANY_PARAMETER,
    Breach,
    Rulebook,
    sets,
)
from fake_providers.values.pictures import PICTURES, media_fault
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import NO_PNG, PNG, USER, cite, sample_request, sample_with_picture
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)

MODEL: Final = "grok-4"
INVALID: Final = "Client specified an invalid argument"


BODY: Final = {"code": "<code>", "error": "<message>"}
error_body = Envelope(
    BODY,
    code=ByStatus(
        {
            403: "The caller does not have permission to execute the specified operation",
            404: "Some requested entity was not found",
            429: "Some resource has been exhausted",
            500: "The service is currently unavailable",
        },
        INVALID,
    ),
)


NOT_JSON: Final = Breach("body",
    "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0")  # fmt: skip
BOOK = Rulebook(Envelope(ByStatus({422: {"error": "<message>"}}, BODY), code=INVALID).refusal)
refuse_unread(BOOK, "xai", MESSAGES, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("messages",
        "Failed to deserialize the JSON body into the target type: missing field `messages` at line 1"),
    source="the envelope of other refusals, with the message of other servers in Rust")  # fmt: skip

ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
refuse_wrong_types(BOOK, "xai",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of serde, which it has for tools, in the envelope of its Responses", roles=ROLES,
        required=("messages[].role", "messages[].tool_calls[].function", *TOOLS),
        known={
            "tools-type": ("verbatim",
                cite("public code that quotes it, with status 422",
                    "tools[0].type: unknown variant `web_search`, expected `function` or `live_search`")),
            "member-missing": ("verbatim",
                cite("public code that quotes it, with status 422", "missing field  name  at line 1 column 52195"))}),
    Samples(MODEL), status=422)  # fmt: skip
refuse_values(BOOK, "xai",
    Values(words=serde_outside, source="docs.x.ai, API reference of chat completions; the sentences of serde"),
    Samples(MODEL), status=422)  # fmt: skip

CAMEL = {"presence_penalty": "presencePenalty", "frequency_penalty": "frequencyPenalty", "stop": "stop"}


def _unreadable(part: dict[str, Any]) -> str | None:
    """The type that the picture says to be of, where its bytes are those of none."""
    said = KINDS.match(str(picture_url(part)))
    return said[1].upper() if said and media_fault(picture_url(part), PICTURES) == "bytes" else None


KINDS: Final = re.compile("data:image/(png|jpeg);base64,")

# A table: two rows are to be compared.
# fmt: off
BOOK.row("xai/picture-base64", "The data of a picture cannot be decoded.",
    PART, lambda part: media_fault(picture_url(part), PICTURES) == "base64",
    "Base64 string of provided image cannot be decoded.", ".image_url", needs="image_url", checked="2026-11-30",
    about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=sample_with_picture("data:image/png;base64,[picture]", model="grok-4.5"),
    right=sample_with_picture(PNG, model="grok-4.5"),
    verbatim={"NousResearch/hermes-agent#69078": "Base64 string of provided image cannot be decoded."})
BOOK.row("xai/picture-unreadable", "The bytes of a picture are those of no picture.",
    PART, _unreadable, "Invalid {found} image.", ".image_url", needs="image_url", checked="2026-11-30",
    about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=sample_with_picture(NO_PNG, model="grok-4.5"),
    right=sample_with_picture(PNG, model="grok-4.5"),
    verbatim={"NousResearch/hermes-agent#69104, which every later turn sends again": "Invalid PNG image.",
        "hackerai-tech/hackerai#702": ""})
BOOK.row("xai/content-missing",
    "A message has neither tool calls nor content: its content is missing, null or an empty list.",
    MESSAGE, lambda one: one.get("content") in (None, []) and not one.get("tool_calls"),
    "Invalid request content: Each message must have at least one content element.", ".content", checked="2026-11-21",
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(USER, {"role": "assistant", "content": []}, USER, model=MODEL),
    right=sample_request(USER, {"role": "assistant", "content": "Rain."}, USER, model=MODEL),
    verbatim={"AstrBotDevs/AstrBot#6447": "Each message must have at least one content element.",
        "charmbracelet/crush#964": "", "n8n-io/n8n#14797": ""})
# fmt: on
for name, camel in CAMEL.items():
    BOOK.row(f"xai/{name.replace('_', '-')}-unsupported", f"`{name}` is set for a model that reasons.",
        ANY_PARAMETER, sets(name), f"Model {{model}} does not support parameter {camel}.", name, trait="no-penalty",
        models="grok-4, grok-4.5, grok-code-fast-1", checked="2026-11-23", remedy=remedies.NO_PARAMETER,
        wrong=sample_request(model=MODEL, **{name: ["END"] if name == "stop" else 0.5}),
        right=sample_request(model=MODEL, **{name: None}),
        verbatim={"ten public projects, grok-4":
            "Model grok-4 does not support parameter presencePenalty."})  # fmt: skip


WHERE = "You can obtain an API key from https://console.x.ai."
NO_KEY = f"No API key provided. {WHERE}"
FINGERPRINT = "fp_eb3c003fc66c14ed"

MISSING_KEY = missing_key_rule(
    "xai/missing-key", inferred={"recordings with a wrong key, answered with status 400": "Incorrect API key provided:"}
)
CONTEXT_LENGTH = context_length_rule(
    "xai/context-length",
    recorded={"recording, grok-3-mini": "This model's maximum prompt length is 131072 but the request"},
)


WRONG_KEY = f"Incorrect API key provided: {{key}}. {WHERE}"
FAILURES = ByStatus(
    {
        400: WRONG_KEY,
        401: WRONG_KEY,
        403: "Your team does not have access to this model.",
        404: "The model {model} does not exist or your team does not have access.",
        429: "Too many requests. Please wait before you try again.",
        500: "Service temporarily unavailable. The model is at capacity and currently cannot serve this request. "
        "Please try again later.",
    },
    "The request could not be processed.",
)
TOO_LONG = "This model's maximum prompt length is {window} but the request contains {tokens} tokens."


# A table: two rows are to be compared.
# fmt: off
BOOK.row("xai/effort-unsupported", "An effort is set for a model that has none.",
    ANY_PARAMETER, sets("reasoning_effort"), "Model {model} does not support parameter reasoningEffort.",
    "reasoning_effort", trait="no-effort", models="grok-code-fast-1, grok-4, grok-4-1-fast, grok-4.20",
    checked="2026-11-29", remedy=remedies.NO_EFFORT,
    wrong=sample_request(model="grok-code-fast-1", reasoning_effort="low"),
    right=sample_request(model="grok-code-fast-1"),
    recorded={"recording, grok-code-fast-1": "does not support parameter reasoningEffort.",
        "BerriAI/litellm#16265, grok-4": "", "NousResearch/hermes-agent#23088, grok-4-1-fast": "",
        "chenyme/grok2api#814, grok-4.20-0309-reasoning": ""})
# fmt: on

PROVIDER = Provider(
    name="xai",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=TOO_LONG,
        missing_key=MISSING_KEY,
        no_key=NO_KEY,
    ),
    answers=Answers(
        id=uuid,
        call_id=lambda ids: ids.make("call_", 8, DIGITS),
        completion=Document(
            "id object created model choices usage? system_fingerprint service_tier",
            system_fingerprint=FINGERPRINT,
            service_tier="default",
        ),
        message=Document("role content:text reasoning_content:reasoning? tool_calls? refusal:null"),
        call=Document("id? function type"),
        usage=Document(
            "prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details "
            "num_sources_used cost_in_usd_ticks",
            # The tokens of reasoning are in the total, and not in the completion.
            completion_tokens=lambda rendered: rendered.tokens.completion - rendered.tokens.thinking,
            prompt_tokens_details=lambda rendered: {
                "text_tokens": rendered.tokens.prompt,
                "audio_tokens": 0,
                "image_tokens": 0,
                "cached_tokens": rendered.tokens.cached,
            },
            completion_tokens_details=lambda rendered: {
                "reasoning_tokens": rendered.tokens.thinking,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
            num_sources_used=0,
            cost_in_usd_ticks=0,
        ),
        chunk=Document("id object created model choices usage? system_fingerprint", system_fingerprint=FINGERPRINT),
        step=Document("index delta finish_reason:finish_at_end?"),
        opening=None,
        thought=Document("reasoning_content:reasoning role:role_if_first?"),
        text=Document("content role:role_if_first?"),
        calls="together",
        calling=Document("role:role_if_first? tool_calls"),
        opened_call=Document("id? function index type"),
        last=Document(),
        says_nothing=True,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "xai"),
    headers=headers(
        x_request_id=lambda rendered: uuid(rendered.ids),
        x_ratelimit_limit_tokens="10000000",
        x_ratelimit_remaining_tokens="10000000",
        x_ratelimit_limit_requests="1800",
        x_ratelimit_remaining_requests="1800",
    ),
)
