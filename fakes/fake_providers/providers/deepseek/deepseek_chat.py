"""DeepSeek's responses: reasoning in every answer of a thinking model, usage in the last chunk, errors as
`application/octet-stream`."""

from dataclasses import replace
from typing import Any

from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.deepseek_chat_rules import BOOK, error_body, thinks
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Failure
from fake_providers.reply import Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import USAGE, Answers, Provider, Said
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import body_of, model_of

UNSAID = "Let me see."
"""The reasoning of a model that thinks, if the script has none."""
NO_KEY = "Authentication Fails (auth header format should be Bearer sk-...)"

MISSING_KEY = missing_key_rule("deepseek/missing-key", reported={"recordings with a wrong key": "Authentication Fails"})
CONTEXT_LENGTH = context_length_rule(
    "deepseek/context-length",
    recorded={"recording, deepseek-chat": "This model's maximum context length is 1048565 tokens."},
)
FAMILIES = families_of("openai-chat", "deepseek")


FAILURES = ByStatus(
    {
        400: "The request could not be processed.",
        401: Failure("Authentication Fails, Your api key: ****{key_end} is invalid", {"type": "authentication_error"}),
        402: Failure("Insufficient Balance", {"type": "unknown_error"}),
        404: "The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed {model}.",
        422: "Failed to deserialize the JSON body into the target type: messages[0]: data did not match any variant of "
        "untagged enum ChatCompletionRequestContent at line 1 column 1",
        429: Failure("Rate limit reached. Please slow down your requests.", {"type": "rate_limit_error"}),
        503: Failure(
            "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.",
            {"type": "service_unavailable_error"},
        ),
    },
    Failure("Internal Server Error", {"type": "internal_error"}),
)


def _label(status: int, body: Any) -> str:
    """Plain text for a body that cannot be parsed, JSON for a wrong key, else octets: recorded."""
    if isinstance(body, str):
        return "text/plain; charset=utf-8"
    return "application/octet-stream" if status == 400 else "application/json"


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    """The reply with reasoning: a thinking model always sends some, and requires it back."""
    body = body_of(context.request)
    if reply.thinking or not thinks(body, FAMILIES(model_of(body))):
        return reply
    return replace(reply, thinking=UNSAID)


FINGERPRINT = "fp_058df29938_prod0820_fp8_kvcache_20260402"


def _null_beside_thoughts(said: Said) -> Any:
    return ABSENT if said.rendered.thinking is None else None


PROVIDER = Provider(
    name="deepseek",
    base_path="",
    completes_texts=True,
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long="This model's maximum context length is {window} tokens. However, you requested {tokens} tokens "
        "({tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
        missing_key=MISSING_KEY,
        no_key=Failure(NO_KEY, {"type": "authentication_error"}),
        content_type=_label,
    ),
    answers=Answers(
        id=uuid,
        call_id=lambda ids: ids.make("call_00_", 24),
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document(
            "id object created model choices usage? system_fingerprint", system_fingerprint=FINGERPRINT
        ),
        choice=Document("index message logprobs:null finish_reason"),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
        usage=Document(
            f"{USAGE} completion_tokens_details? prompt_cache_hit_tokens prompt_cache_miss_tokens",
            completion_tokens_details=lambda rendered: (
                ABSENT if rendered.thinking is None else {"reasoning_tokens": rendered.tokens.thinking}
            ),
            prompt_cache_hit_tokens=lambda rendered: rendered.tokens.cached,
            prompt_cache_miss_tokens=lambda rendered: rendered.tokens.prompt - rendered.tokens.cached,
        ),
        chunk=Document(
            "id object created model system_fingerprint choices usage:usage_or_null?", system_fingerprint=FINGERPRINT
        ),
        opening=Document(
            "role content reasoning_content?",
            content=lambda said: "" if said.rendered.thinking is None else None,
            reasoning_content=lambda said: ABSENT if said.rendered.thinking is None else "",
        ),
        thought=Document("content:null reasoning_content:reasoning"),
        text=Document("content reasoning_content?", reasoning_content=_null_beside_thoughts),
        last=Document("content reasoning_content?", content="", reasoning_content=_null_beside_thoughts),
        usage_comes="always",
        complete_reply=_completed,
    ),
    books=(BOOK,),
    traits=FAMILIES,
)
