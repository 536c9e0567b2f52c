"""The makers of models behind LiteLLM's proxy: which of their rules are left once it has mended a request, and how it
words their refusals.

Measured by sending the samples of each rule through the proxy to the fake of its maker: what it mended on its way, or
refused itself, is no rule of the maker here.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from fake_providers.models import families_of
from fake_providers.providers.anthropic import anthropic_chat
from fake_providers.providers.deepseek import deepseek_chat as deepseek
from fake_providers.providers.gemini import gemini_chat as gemini
from fake_providers.providers.mistral import mistral_chat_rules as mistral
from fake_providers.providers.shared.makers_book import OF_MESSAGES, JoinedBook, Maker, MakersBook
from fake_providers.providers.shared.translated_book import UNCHANGED
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.rule import Citation, Violation
from fake_providers.rulebook import Rulebook
from fake_providers.values.lenient import listed
from fake_providers.wires.openai_chat.rules import BOOKS as OF_OPENAI
from fake_providers.wires.openai_chat.rules.samples import PNG, sample_request

MEASURED: Final = "LiteLLM 1.110.2, its proxy in front of the fakes, 2026-11-30"
NO_FALLBACK: Final = "\n\nLiteLLM: model group '{model}' failed with the error above. No fallback was attempted."
TOO_LONG: Final = (
    "\nmodel={model}. context_window_fallbacks=None. fallbacks=None.\n\nSet 'context_window_fallback' - "
    "https://docs.litellm.ai/docs/routing#fallbacks"
)
TYPES: Final = {
    401: "authentication_error", 403: "permission_error", 429: "throttling_error", 500: "internal_server_error",
    502: "internal_server_error", 503: "internal_server_error", 529: "internal_server_error",
}  # fmt: skip
KINDS: Final = ByStatus(
    {
        401: "AuthenticationError: AuthenticationError",
        403: "APIError: APIError",
        404: "NotFoundError: NotFoundError",
        429: "RateLimitError: RateLimitError",
        500: "InternalServerError: InternalServerError",
        502: "BadGatewayError: BadGatewayError",
        503: "ServiceUnavailableError: ServiceUnavailableError",
    },
    "APIError: APIError",
)
"""How a failure of OpenAI's begins, after `litellm.`."""
error_body = Envelope(
    {"error": {"message": "<message>", "type": "<type>", "param": "<param>", "code": "<code>"}},
    type=ByStatus(TYPES, "invalid_request_error"),
    param=None,
    code=ByStatus({status: str(status) for status in (*TYPES, 404, 422)}, "400"),
)


def own(sentence: str, model: str) -> str:
    """What LiteLLM itself says of a request, or what it makes of another's words."""
    return f"litellm.{sentence}{NO_FALLBACK.format(model=model)}"


def _by_openai(_maker: Maker, found: Violation, model: str) -> Any:
    """Of OpenAI's error the sentence and the place are left. One that is too long is taken for a full window."""
    error = found.body["error"]
    sentence, at = error["message"], error.get("param")
    if "string too long" in sentence:
        whole = "ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - "
        return error_body(own(f"{whole}{sentence}{TOO_LONG.format(model=model)}", model))
    kind = "NotFoundError: NotFoundError" if found.status == 404 else "BadRequestError"
    return error_body(own(f"{kind}: OpenAIException - {sentence}", model), param=at, status=found.status)


def as_text(maker: Maker, found: Violation, model: str, *, envelope: Envelope = error_body) -> Any:
    """What a maker's refusal becomes: its body as a text, in LiteLLM's own sentence."""
    return envelope(own(f"BadRequestError: {maker.server} - {maker.raw(found.body)}", model), status=found.status)


def measured(names: str) -> Mapping[str, None]:
    """The rules of which a sample came through to the maker, and its refusal back. One that is new is none of them
    until it has been sent through."""
    return dict.fromkeys(names.split())


def _seen(source: str, quote: str) -> tuple[Citation, ...]:
    return (Citation(MEASURED, quote), Citation(source, quote))


def _mended(body: dict[str, Any]) -> dict[str, Any]:
    """The developer's messages become those of the system, and without tools there is no choice of them."""
    sent = [
        {**one, "role": "system"} if isinstance(one, dict) and one.get("role") == "developer" else one
        for one in listed(body.get("messages"))
    ]
    kept = body if body.get("tools") else {name: value for name, value in body.items() if name != "tool_choice"}
    return {**kept, "messages": sent}


def _as_messages(body: dict[str, Any]) -> dict[str, Any]:
    return anthropic_chat.as_messages(_ended(body))


def _ended(body: dict[str, Any]) -> dict[str, Any]:
    """A system message that ends the conversation stays where it is."""
    *before, last = listed(body.get("messages")) or [None]
    is_last = isinstance(last, dict) and last.get("role") in anthropic_chat.SYSTEMS and before
    return {**body, "messages": [*before, {**last, "role": "user"}]} if is_last else body


def _picture(kind: str) -> dict[str, Any]:
    part = {"type": kind, "text": "Look.", "image_url": {"url": PNG}}
    return sample_request({"role": "user", "content": [part]}, model="deepseek-v4-pro")


MENDED: Final = replace(UNCHANGED, native=_mended)
CHAT_OF_OPENAI: Final = JoinedBook(*OF_OPENAI)
CHAT_OF_MISTRAL: Final = JoinedBook(mistral.BOOK, mistral.CHAT_CONVERSATION_RULES_BOOK)
compact: Final = partial(json.dumps, separators=(",", ":"))
OPENAI: Final = Maker(
    "openai/",
    "OpenAIException",
    families_of("openai-chat", "openai"),
    measured("""
        audio-missing audio-unsupported content-null content-type file-data-type files-unsupported
        function-call-without-functions function-member-type function-message-without-name function-name-empty
        function-name-missing function-name-pattern function-name-too-long function-name-type id-too-long image-base64
        image-format image-url-type images-unsupported json-object-unsaid json-object-while-searching
        json-schema-unsupported max-tokens-large max-tokens-twice message-name-pattern messages-empty option-range
        option-value parallel-tool-calls-without-tools parameter-range parameter-type parameter-value
        response-format-name response-format-name-pattern response-format-schema response-format-unknown
        result-id-missing result-id-too-long result-id-type result-of-unknown-call role-unknown role-unsupported
        schema-array-without-items schema-not-object schema-required-not-list schema-root-type schema-root-union
        schema-type-unknown schema-without-properties strict-further-properties strict-not-permitted
        strict-optional-property strict-untyped text-part-without-text tool-call-arguments-missing
        tool-call-arguments-type tool-call-function-missing tool-call-id-missing tool-call-id-too-long tool-call-id-type
        tool-call-name-empty tool-call-name-missing tool-call-name-pattern tool-call-name-too-long tool-call-type
        tool-call-type-missing tool-call-type-null tool-calls-empty tool-calls-type tool-calls-unanswered
        tool-choice-undeclared tool-choice-unknown tool-function-missing tool-type-missing tool-type-unknown
        tool-without-call tools-empty tools-too-many tools-unsupported tools-while-reasoning top-logprobs-alone
        unknown-parameter web-search-unsupported
    """),
    replace(UNCHANGED, pairs={"openai/unknown-parameter": (
        sample_request(model="gpt-4.1", top_k=5), sample_request(model="gpt-4.1"))}),
    _by_openai,
    _seen("public threads of three projects", "litellm.BadRequestError: OpenAIException - "),
)  # fmt: skip
ANTHROPIC: Final = Maker(
    "anthropic/",
    "AnthropicException",
    families_of("anthropic-messages", "anthropic"),
    dict.fromkeys((
        "tool-names-unique", "tool-schema-invalid", "tool-property-name", "tool-use-name", "tool-use-input",
        "max-tokens-large", "temperature-and-top-p", "tool-result-without-use", "tool-result-twice",
        "thinking-budget-small", "thinking-budget-large", "thinking-temperature", "thinking-top-p",
        "thinking-forced-tool", "prefill", "tool-choice-unknown-tool", "image-data", "image-empty", "image-unreadable",
    )) | {"tool-use-unanswered": ("BerriAI/litellm#16525", "litellm.BadRequestError: AnthropicException - ")},
    replace(
        anthropic_chat.TRANSLATION,
        native=_as_messages,
        place=lambda at, body: anthropic_chat.TRANSLATION.place(at, _ended(body)),
    ),
    as_text,
    _seen("anthropics/claude-code#11302", "litellm.BadRequestError: AnthropicException - "),
    raw=compact,
)  # fmt: skip
DEEPSEEK: Final = Maker(
    "deepseek/",
    "DeepseekException",
    families_of("openai-chat", "deepseek"),
    measured("""
        arguments-type call-type content-part-unknown content-type content-type-text function-name-pattern
        json-schema-unavailable json-unmentioned logprobs-unsupported member-missing parameter-type
        reasoning-content-required result-type result-type-text role-unknown schema-root-type schema-type
        tool-calls-unanswered tool-choice-unknown tool-choice-while-thinking tool-without-call top-logprobs-unsupported
        value-range
    """),
    replace(MENDED, pairs={"deepseek/content-part-unknown": (_picture("image_url"), _picture("text"))}),
    as_text,
    _seen("public threads", "litellm.BadRequestError: DeepseekException - "),
    raw=compact,
)  # fmt: skip
MISTRAL: Final = Maker(
    "mistral/",
    "MistralException",
    families_of("openai-chat", "mistral"),
    measured("""
        audio-unread audio-unsupported call-name call-response-count call-type content-type last-role member-missing
        parameter-type pictures-unsupported result-type role-order role-unknown tool-call-id tool-name tool-type
        value-range word-unknown
    """),
    MENDED,
    as_text,
    _seen("public threads", "litellm.BadRequestError: MistralException - "),
    raw=compact,
)  # fmt: skip
GEMINI: Final = Maker(
    "gemini/",
    "GeminiException BadRequestError",
    gemini.FAMILIES,
    {"tool-calls-before-user": None},
    MENDED,
    lambda maker, found, model: as_text(maker, replace(found, body=found.body[0]), model),
    _seen("public threads", "GeminiException BadRequestError - "),
    raw=compact,
)
_book: Final = partial(MakersBook, "litellm")
BOOKS: Final[tuple[Rulebook, ...]] = (
    _book(CHAT_OF_OPENAI, OPENAI, "openai"),
    _book(OF_MESSAGES, ANTHROPIC, "anthropic"),
    _book(deepseek.BOOK, DEEPSEEK, "deepseek"),
    _book(CHAT_OF_MISTRAL, MISTRAL, "mistral"),
    _book(gemini.BOOK, GEMINI, "gemini"),
)
