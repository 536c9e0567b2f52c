"""xAI's chat completions: errors are `{code: sentence, error: string}`. Nearly every shape was recorded as accepted.

Calls come in one piece; reasoning tokens are counted apart from the completion.
"""

from typing import Final

from fake_providers.ids import DIGITS, uuid
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, messages, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import serde_breach
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rulebook import ANY_MESSAGE, Breach, ModelRefusal, RequestContext, Rulebook, refuse_by_model, sets
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import USER, cite, sample_request
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

BOOK = Rulebook(Envelope(ByStatus({422: {"error": "<message>"}}, BODY), code=INVALID).refusal)

refuse_unread(
    BOOK,
    "xai",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0"),
    missing=lambda body: Breach(
        "messages", "Failed to deserialize the JSON body into the target type: missing field `messages` at line 1"
    ),
    source="the envelope of other refusals, with the message of other servers in Rust",
)

ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
refuse_wrong_types(
    BOOK,
    "xai",
    Dialect(
        words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of serde, which it has for tools, in the envelope of its Responses",
        roles=ROLES,
        required=("messages[].role", "messages[].tool_calls[].function", "tools[].function.name"),
        known={
            "tools-type": (
                "verbatim",
                cite(
                    "public code that quotes it, with status 422",
                    "tools[0].type: unknown variant `web_search`, expected `function` or `live_search`",
                ),
            ),
            "member-missing": (
                "verbatim",
                cite("public code that quotes it, with status 422", "missing field  name  at line 1 column 52195"),
            ),
        },
    ),
    Samples(MODEL),
    status=422,
)


def _content_missing(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("content") in (None, []) and not message.get("tool_calls"):
            sentence = "Invalid request content: Each message must have at least one content element."
            return Breach(f"messages[{index}].content", sentence)
    return None


ALL_SET: Final = cite("ten public projects, grok-4", "Model grok-4 does not support parameter presencePenalty.")


def _unsupported(name: str, camel: str) -> ModelRefusal:
    return ModelRefusal(
        f"xai/{name.replace('_', '-')}-unsupported",
        "no-penalty",
        sets(name),
        f"Model {{model}} does not support parameter {camel}.",
        why=f"`{name}` is set for a model that reasons.",
        models="grok-4, grok-4.5, grok-code-fast-1",
        confidence="verbatim",
        evidence=ALL_SET,
        breaking=sample_request(model=MODEL, **{name: ["END"] if name == "stop" else 0.5}),
        accepted=sample_request(model=MODEL, **{name: None}),
    )


# A table: two rows are to be compared.
# fmt: off
BOOK.row("xai/content-missing",
    "A message has neither tool calls nor content: its content is missing, null or an empty list.",
    ANY_MESSAGE, _content_missing, checked="2026-11-21",
    wrong=sample_request(USER, {"role": "assistant", "content": []}, USER, model=MODEL),
    right=sample_request(USER, {"role": "assistant", "content": "Rain."}, USER, model=MODEL),
    verbatim={"AstrBotDevs/AstrBot#6447": "Each message must have at least one content element.",
        "charmbracelet/crush#964": "", "n8n-io/n8n#14797": ""})
# fmt: on


refuse_by_model(
    BOOK,
    (
        _unsupported("presence_penalty", "presencePenalty"),
        _unsupported("frequency_penalty", "frequencyPenalty"),
        _unsupported("stop", "stop"),
        ModelRefusal(
            "xai/effort-unsupported",
            "no-effort",
            sets("reasoning_effort"),
            "Model {model} does not support parameter reasoningEffort.",
            why="An effort is set for a model that has none.",
            models="grok-code-fast-1",
            confidence="recorded",
            evidence=cite("recording, grok-code-fast-1", "does not support parameter reasoningEffort."),
            breaking=sample_request(model="grok-code-fast-1", reasoning_effort="low"),
            accepted=sample_request(model="grok-code-fast-1"),
        ),
    ),
)


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
)
