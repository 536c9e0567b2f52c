"""OpenRouter's chat completions: its own refusals, and those of the models' makers, passed on in `metadata.raw`.

Every chunk has the name of the provider, comments come while it waits, and errors stand inside a chunk.
"""

from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import Ids
from fake_providers.models import families_of
from fake_providers.providers.openrouter.openrouter_upstream import (
    BOOKS,
    FROM_ELSEWHERE,
    error_body,
    needs_signatures,
)
from fake_providers.providers.shared.chat_reading import (
    MESSAGES,
    json_kind,
    refuse_unread,
)
from fake_providers.providers.shared.chat_types import MISSING, TOOLS, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import CHOICES, FORMATS, Outside, Values, number, refuse_values
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Failure, headers
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, bodiless_rule
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import PLAIN, Answers, Provider, Said, Step
from fake_providers.wires.openai_chat.rendered_reply import CREATED
from fake_providers.wires.openai_chat.rules.samples import TOOL, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, event, model_of

MODEL: Final = "openai/gpt-4.1"
CHECKED: Final = "2026-11-21"
NO_TOOLS: Final = ("google/gemma-3-12b-it", "minimax/minimax-01", "qwen/qwen3-14b:free", "qwen/qwen3-8b:free")
"""Models that were recorded without an endpoint for tools."""
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "openrouter", MESSAGES, model=MODEL, not_json=Breach("body", "Invalid JSON"),
    missing=lambda body: Breach("messages", 'Input required: specify "prompt" or "messages"'),
    source="public code that quotes the sentence for missing messages")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    received = "undefined" if found.value is MISSING else json_kind(found.value)
    expected = " | ".join(f"'{role}'" for role in ROLES) if found.rule == "role-unknown" else " | ".join(found.types)
    return Breach(found.at, f"{found.dotted}: Invalid input: expected {expected}, received {received}")


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
refuse_wrong_types(BOOK, "openrouter",
    Dialect(words=_wrong_type, source="the sentences of zod, with which it validates, in its envelope", roles=ROLES,
        required=("messages[].role", *TOOLS)), Samples(MODEL))  # fmt: skip


def _outside(found: Outside, _context: RequestContext) -> Breach:
    if found.kind == "tool-choice-unknown":
        return Breach(found.at, "tool_choice: Invalid input")
    if found.words:
        known = "|".join(f'"{word}"' for word in found.words)
        return Breach(found.at, f"{found.at}: Invalid option: expected one of {known}")
    low = found.range.is_below(found.value)
    bound = f">={number(found.range.least or 0)}" if low else f"<={number(found.range.most or 0)}"
    return Breach(found.at, f"{found.at}: Too {'small' if low else 'big'}: expected number to be {bound}")


refuse_values(BOOK, "openrouter",
    Values(words=_outside, source="openrouter.ai, OpenAPI of POST /chat/completions; the sentences of zod",
        choices=(*CHOICES, "any"), formats=(*FORMATS, "grammar", "python")), Samples(MODEL))  # fmt: skip


WAITING = b": OPENROUTER PROCESSING\n\n"
SERVERS = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google", "x-ai": "xAI", "mistralai": "Mistral"}
NO_KEY = "Missing Authentication header"
NATIVE = {"tool_calls": "tool_calls", "length": "max_output_tokens"}

MISSING_KEY = missing_key_rule("openrouter/missing-key", recorded={"recording, openai/gpt-4o-mini": NO_KEY})
CONTEXT_LENGTH = bodiless_rule(
    "openrouter/context-length",
    status=400,
    why="The conversation is longer than the context window of every endpoint of the model.",
    recorded={"recording, anthropic/claude-haiku-4.5": "This endpoint's maximum context length is 200000"},
    remedy=remedies.SHORTEN,
)


def _server(model: str) -> str:
    return SERVERS.get(model.partition("/")[0], "DeepInfra")


UNOWNED = {"user": ABSENT}
INTERNAL = Failure("Internal Server Error", UNOWNED)
LIMITED = (
    "{} is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits:"
    " https://openrouter.ai/settings/integrations"
)


def _from_elsewhere(status: int, context: ReplyContext, _retry_after: float | None) -> Any:
    model = model_of(body_of(context.request))
    raw = {"raw": LIMITED.format(model)} if status == 429 else {}
    return error_body(FROM_ELSEWHERE, status=status, metadata={**raw, "provider_name": _server(model)})


FAILURES = ByStatus(
    {
        401: Failure("No auth credentials found", UNOWNED),
        402: "Insufficient credits. Add more using https://openrouter.ai/settings/credits",
        404: "No endpoints found for {model}.",
        500: INTERNAL,
        520: INTERNAL,
    },
    _from_elsewhere,
    _from_elsewhere,
)


def _head(id: str, model: str) -> dict[str, Any]:
    shared = {"id": id, "object": "chat.completion.chunk", "created": CREATED, "model": model}
    return {**shared, "provider": _server(model)}


def _thought(text: str) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}


def _details(said: Said) -> Any:
    """What the model thought, and for Gemini 3 the signature of the first call."""
    thoughts = [] if said.reasoning in (ABSENT, None) else [_thought(said.reasoning)]
    called = [] if said.tool_calls is ABSENT else said.tool_calls
    signed = [
        {
            "id": call["id"],
            "type": "reasoning.encrypted",
            "data": said.rendered.ids.make("", 64),
            "format": "google-gemini-v1",
            "index": 0,
        }
        for call in called
        if call.get("index", 0) == 0 and "id" in call and needs_signatures(said.rendered.model)
    ][:1]
    return [*thoughts, *signed] or ABSENT


def _native(step: Step) -> Any:
    """Nothing where a stream says nothing."""
    if step.finish_reason is None and step.object != PLAIN:
        return None
    return NATIVE.get(step.finish_reason or "", "completed")


def _id(ids: Ids) -> str:
    return ids.make(f"gen-{CREATED}-", 20)


TOO_LONG = (
    "This endpoint's maximum context length is {window} tokens. However, you requested about {tokens} tokens "
    "({tokens} of text input). Please reduce the length of either one, or use the context-compression plugin "
    "to "
    "compress your prompt automatically."
)


# fmt: off
BOOK.row("openrouter/no-tool-endpoint", "The request has tools and no provider serves the model with tools.",
    ANY_PARAMETER, lambda body, context: body.get("tools") and context.model.startswith(NO_TOOLS),
    "No endpoints found that support tool use. To learn more about provider routing, visit: "
        "https://openrouter.ai/docs/guides/routing/provider-selection", "tools", status=404,
    models="google/gemma-3-12b-it, minimax/minimax-01, qwen/qwen3-8b:free, qwen/qwen3-14b:free", checked=CHECKED,
    extra={"user": ABSENT}, remedy=remedies.TOOL_MODEL,
    wrong=sample_request(model="google/gemma-3-12b-it", tools=[TOOL]), right=sample_request(model=MODEL, tools=[TOOL]),
    recorded={"recording, google/gemma-3-12b-it": "No endpoints found that support tool use."})
# fmt: on

PROVIDER = Provider(
    name="openrouter",
    base_path="/api/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=Failure(TOO_LONG, {"metadata": {"provider_name": None}}),
        missing_key=MISSING_KEY,
        no_key=Failure(NO_KEY, UNOWNED),
        # A chunk without choices that contains the error.
        stream_error=lambda body, context: event(
            {
                **_head(_id(context.ids), model_of(body_of(context.request))),
                "choices": [],
                "error": body.get("error", body),
            }
        ),
        limits={"x-ratelimit-limit": "20", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1763596860000"},
    ),
    answers=Answers(
        id=_id,
        call_id=lambda ids: ids.make("call_", 24),
        completion=Document(
            "id object created model provider system_fingerprint:null service_tier:null choices usage?",
            provider=lambda step: _server(step.model),
        ),
        choice=Document("index logprobs:null finish_reason native_finish_reason message", native_finish_reason=_native),
        message=Document(
            "role content refusal:null reasoning tool_calls? reasoning_details?",
            reasoning=lambda said: said.rendered.thinking,
            reasoning_details=_details,
        ),
        usage=Document(
            "prompt_tokens completion_tokens total_tokens cost is_byok prompt_tokens_details cost_details "
            "completion_tokens_details",
            cost=0.0001,
            is_byok=False,
            prompt_tokens_details=lambda rendered: {
                "cached_tokens": rendered.tokens.cached,
                "cache_write_tokens": 0,
                "audio_tokens": 0,
                "video_tokens": 0,
            },
            cost_details={
                "upstream_inference_cost": 0.0001,
                "upstream_inference_prompt_cost": 0.00004,
                "upstream_inference_completions_cost": 0.00006,
            },
            completion_tokens_details=lambda rendered: {
                "reasoning_tokens": rendered.tokens.thinking,
                "image_tokens": 0,
                "audio_tokens": 0,
            },
        ),
        chunk=Document(
            "id object created model provider service_tier? choices usage?",
            provider=lambda step: _server(step.model),
            service_tier=lambda step: None if step.counted else ABSENT,
        ),
        step=Document("index delta finish_reason native_finish_reason", native_finish_reason=_native),
        opening=None,
        thought=Document(
            "role content reasoning reasoning_details",
            content="",
            reasoning_details=_details,
        ),
        text=Document("role content"),
        calling=Document("role content:null reasoning_details? tool_calls", reasoning_details=_details),
        last=Document("role content", content=""),
        usage_comes="again",
        first_chunks=(WAITING,),
    ),
    books=(BOOK, *BOOKS),
    traits=families_of("openai-chat", "openrouter"),
    headers=headers("x-generation-id:id"),
)
