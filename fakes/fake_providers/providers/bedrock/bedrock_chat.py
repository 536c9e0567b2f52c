"""Bedrock's chat completions, at `/openai/v1`: gpt-oss and other models, behind the service's gateway.

What the gateway refuses is in OpenAI's envelope, what the model's own server refuses a text within it that has another.
Shapes: 20 recordings of gpt-oss-20b by ogx-ai/ogx, and one by pydantic/pydantic-ai. The service writes the reasoning of
gpt-oss before the text, within `<reasoning>`: a script can say so, and `thinking` alone is not sent.
"""

from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.http import compact
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import TOOLS, Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.replies.documents import ByStatus, Document, Envelope, Failure
from fake_providers.rule import Remedy, Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule

MODEL: Final = "openai.gpt-oss-20b-1:0"
CHECKED: Final = "2026-11-29"
ROLES: Final = ("system", "developer", "user", "assistant", "tool")
SOURCE: Final = "the sentences of serde, which the service has for a namespace of tools (openai/codex#25034)"
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
bedrock = partial(sample_request, model=MODEL)

error_body = Envelope(
    {"error": {"code": "<code>", "message": "<message>", "param": "<param>", "type": "<type>"}},
    code=ByStatus(
        {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded", 500: "internal_server_error"},
        "validation_error",
    ),
    param=None,
    type=ByStatus(
        {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 500: "server_error"},
        "invalid_request_error",
    ),
)


def _of_the_model(rule: Rule, found: Breach, context: RequestContext | None) -> Any:
    """The refusal of the model's own server, as text within the gateway's."""
    return error_body(compact(error_body.refusal(rule, found, context)), status=rule.status)


BOOK = Rulebook(error_body.refusal)
MODEL_BOOK = Rulebook(_of_the_model)

chat.refuse_unread(BOOK, "bedrock", replace(chat.MESSAGES, rules="chat-"), model=MODEL,
    not_json=f"{UNREADABLE}EOF while parsing a value at line 1 column 0",
    missing=f"{UNREADABLE}missing field `messages` at line 1", source=SOURCE)  # fmt: skip
refuse_wrong_types(BOOK, "bedrock",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES), source=SOURCE, roles=ROLES,
        required=("messages[].role", *TOOLS)),
    Samples(MODEL), prefix="chat-")  # fmt: skip

# A table: two rows are to be compared.
# fmt: off
BOOK.row("bedrock/chat-model-not-served", "The model is one of Anthropic's, which this endpoint does not serve.",
    ANY_PARAMETER, lambda body: "anthropic." in str(body.get("model")),
    "The model doesn't exist or doesn't support this API. Retry your request with a different model ID.", "model",
    status=404, models="Claude", checked=CHECKED,
    remedy=Remedy("models", "Use Converse or `invoke` for Claude, or a model that `/openai/v1/models` lists."),
    wrong=bedrock(model="anthropic.claude-sonnet-4-5-20250929-v1:0"), right=bedrock(),
    verbatim={"aws-samples/bedrock-access-gateway#185": "..."})
MODEL_BOOK.row("bedrock/chat-pictures-unsupported", "A message has a picture, and the model takes none.",
    chat.PART, lambda part: part.get("type") == "image_url",
    "Model does not support image modality", trait="no-pictures", models="gpt-oss", checked=CHECKED, about="picture",
    remedy=remedies.MEDIA_OF_MODEL,
    wrong=bedrock({**USER, "content": [PICTURE]}),
    right=bedrock({**USER, "content": [PICTURE]}, model="openai.gpt-5.6-luna"),
    recorded={"recording, gpt-oss-20b (ogx-ai/ogx)": "..."})
# fmt: on

MISSING_KEY = missing_key_rule(
    "bedrock/chat-missing-key", inferred={"NousResearch/hermes-agent#87190, of a wrong key": "Invalid bearer token"}
)
CONTEXT_LENGTH = context_length_rule(
    "bedrock/chat-context-length",
    reported={"langchain-ai/langchain-aws and strands, of open models": "This model's maximum context length is"},
)
FAILURES = ByStatus(
    {
        401: "Invalid bearer token",
        404: "The model doesn't exist or doesn't support this API. Retry your request with a different model ID.",
        429: "Too many requests, please wait before trying again.",
        500: "The system encountered an unexpected error during processing. Try your request again.",
    },
    "The request could not be processed.",
)

PROVIDER = Provider(
    name="bedrock",
    base_path="/openai/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=Failure(
            "This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} "
            "tokens. Please reduce the length of the messages."
        ),
        missing_key=MISSING_KEY,
    ),
    answers=Answers(
        id=lambda ids: f"chatcmpl-{uuid(ids)}",
        call_id=lambda ids: ids.make("chatcmpl-tool-", 16, "0123456789abcdef"),
        completion=Document("choices created id model object service_tier usage?", service_tier="default"),
        choice=Document("finish_reason index logprobs:null message"),
        message=Document("content:content_or_null refusal:null role tool_calls?"),
        call=Document("function id? type"),
        usage=Document("completion_tokens prompt_tokens total_tokens"),
        chunk=Document("choices created id model object service_tier usage:usage_or_null?", service_tier="default"),
        step=Document(
            "delta finish_reason index logprobs:null obfuscation",
            obfuscation=lambda step: step.rendered.ids.make("", 40),
        ),
        varies=("obfuscation",),
        thought=None,
        calls="after_the_first_piece",
        last=Document(),
    ),
    books=(BOOK, MODEL_BOOK),
    traits=families_of("openai-chat", "bedrock"),
)
