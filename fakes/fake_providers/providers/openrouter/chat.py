"""OpenRouter's chat completions: its own refusals, and those of other providers, passed on in `metadata.raw`.

A request does not say which provider it is routed to, and so whose rules hold: what is not known here is accepted.
Every chunk has the name of the provider, comments come while it waits, and errors stand inside a chunk.
"""

from collections.abc import Iterator
from typing import Any, Final

from fake_providers.ids import Ids
from fake_providers.models import families_of, traits
from fake_providers.providers.shared.chat_reading import MESSAGES, json_kind, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.rule import Rule
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import TOOL, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, bodiless_rule, missing_key_rule, window_sentence
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, event, model_of

MODEL: Final = "openai/gpt-4.1"
CHECKED: Final = "2026-11-21"
USER_ID: Final = "user_2conformance0000000000000"
NO_TOOLS: Final = ("google/gemma-3-12b-it", "minimax/minimax-01", "qwen/qwen3-14b:free", "qwen/qwen3-8b:free")
"""Models that were recorded without an endpoint for tools."""
OF_GOOGLE: Final = """{
  "error": {
    "code": 400,
    "message": "Function calling config is set without function_declarations.",
    "status": "INVALID_ARGUMENT"
  }
}
"""


def error_body(message: str, code: int, *, metadata: Any = None, owned: bool = True) -> dict[str, Any]:
    """`owned` errors name the user: those that are found after the key was checked."""
    error: dict[str, Any] = {"message": message, "code": code}
    if metadata is not None:
        error["metadata"] = metadata
    return {"error": error, **({"user_id": USER_ID} if owned else {})}


def envelope(rule: Rule, found: Breach, _context: RequestContext) -> Any:
    if rule.id == "openrouter/provider-error":
        metadata = {"raw": OF_GOOGLE, "provider_name": "Google AI Studio", "is_byok": False}
        return error_body(found.message, rule.status, metadata=metadata)
    return error_body(found.message, rule.status, owned=rule.id != "openrouter/no-tool-endpoint")


BOOK = Rulebook(envelope)
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
        required=("messages[].role", "tools[].function.name")), Samples(MODEL))  # fmt: skip


def _choice_without_tools(body: Any, context: RequestContext) -> bool:
    if body.get("tools") or not body.get("tool_choice") or not context.model.startswith("google/gemini"):
        return False
    return "no-lonely-tool-config" in traits("gemini-generate", context.model)


WAITING = b": OPENROUTER PROCESSING\n\n"
SERVERS = {"openai": "OpenAI", "anthropic": "Anthropic", "google": "Google", "x-ai": "xAI", "mistralai": "Mistral"}
NO_KEY = "Missing Authentication header"
NATIVE = {"tool_calls": "tool_calls", "length": "max_output_tokens"}

MISSING_KEY = missing_key_rule(
    "openrouter/missing-key",
    confidence="recorded",
    evidence=cite("recording, openai/gpt-4o-mini", NO_KEY),
)
CONTEXT_LENGTH = bodiless_rule(
    "openrouter/context-length",
    status=400,
    why="The conversation is longer than the context window of every endpoint of the model.",
    confidence="recorded",
    evidence=cite("recording, anthropic/claude-haiku-4.5", "This endpoint's maximum context length is 200000"),
)


def _server(model: str) -> str:
    return SERVERS.get(model.partition("/")[0], "DeepInfra")


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    model = model_of(body_of(context.request))
    if status == 401:
        return error_body("No auth credentials found", 401, owned=False)
    if status == 402:
        return error_body("Insufficient credits. Add more using https://openrouter.ai/settings/credits", 402)
    if status == 404:
        return error_body(f"No endpoints found for {model}.", 404)
    if status == 429:
        wait = "Please retry shortly, or add your own key to accumulate your rate limits:"
        raw = f"{model} is temporarily rate-limited upstream. {wait} https://openrouter.ai/settings/integrations"
        metadata = {"raw": raw, "provider_name": _server(model)}
        return error_body("Provider returned error", 429, metadata=metadata)
    if status in (500, 520):
        return error_body("Internal Server Error", status, owned=False)
    return error_body("Provider returned error", status, metadata={"provider_name": _server(model)})


def _head(id: str, model: str) -> dict[str, Any]:
    shared = {"id": id, "object": "chat.completion.chunk", "created": CREATED, "model": model}
    return {**shared, "provider": _server(model)}


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    return {
        **rendered.tokens.counts,
        "cost": 0.0001,
        "is_byok": False,
        "prompt_tokens_details": {
            "cached_tokens": rendered.tokens.cached,
            "cache_write_tokens": 0,
            "audio_tokens": 0,
            "video_tokens": 0,
        },
        "cost_details": {
            "upstream_inference_cost": 0.0001,
            "upstream_inference_prompt_cost": 0.00004,
            "upstream_inference_completions_cost": 0.00006,
        },
        "completion_tokens_details": {
            "reasoning_tokens": rendered.tokens.thinking,
            "image_tokens": 0,
            "audio_tokens": 0,
        },
    }


def _thought(text: str) -> dict[str, Any]:
    return {"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}


def _native(rendered: RenderedReply) -> str:
    return NATIVE.get(rendered.finish or "", "completed")


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {
        "role": "assistant",
        "content": rendered.content,
        "refusal": None,
        "reasoning": rendered.thinking,
    }
    if rendered.calls:
        message["tool_calls"] = [call.delta(index, call.arguments) for index, call in enumerate(rendered.calls)]
    if rendered.thinking is not None:
        message["reasoning_details"] = [_thought(rendered.thinking)]
    finish = {"logprobs": None, "finish_reason": rendered.finish, "native_finish_reason": _native(rendered)}
    return {
        **_head(rendered.id, rendered.model),
        "object": "chat.completion",
        "system_fingerprint": None,
        "service_tier": None,
        "choices": [{"index": 0, **finish, "message": message}],
        "usage": _usage(rendered),
    }


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    ended = {"finish_reason": finish, "native_finish_reason": _native(rendered) if finish else None}
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, **ended}
    return {**_head(rendered.id, rendered.model), "choices": [choice]}


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    """Every delta has the role; calls are opened and then continued."""
    for piece in rendered.thoughts():
        yield _chunk(rendered, {"content": "", "reasoning": piece, "reasoning_details": [_thought(piece)]})
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        yield _chunk(rendered, {"content": None, "tool_calls": [call.delta(index, "")]})
        for piece in arguments:
            more = {"index": index, "function": {"arguments": piece}}
            yield _chunk(rendered, {"content": None, "tool_calls": [more]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The usage is always sent, in a chunk like the last one."""
    yield _chunk(rendered, {"content": ""}, rendered.finish)
    last = _chunk(rendered, {"content": ""}, rendered.finish)
    choices = last.pop("choices")
    yield {**last, "service_tier": None, "choices": choices, "usage": _usage(rendered)}


def _id(ids: Ids) -> str:
    return ids.make(f"gen-{CREATED}-", 20)


TOO_LONG = (
    "This endpoint's maximum context length is {window} tokens. However, you requested about {tokens} tokens "
    "({tokens} of text input). Please reduce the length of either one, or use the context-compression plugin "
    "to "
    "compress your prompt automatically."
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openrouter/no-tool-endpoint", "The request has tools and no provider serves the model with tools.",
    ANY_PARAMETER, lambda body, context: body.get("tools") and context.model.startswith(NO_TOOLS),
    "No endpoints found that support tool use. To learn more about provider routing, visit: "
        "https://openrouter.ai/docs/guides/routing/provider-selection", "tools", status=404,
    models="google/gemma-3-12b-it, minimax/minimax-01, qwen/qwen3-8b:free, qwen/qwen3-14b:free", checked=CHECKED,
    wrong=sample_request(model="google/gemma-3-12b-it", tools=[TOOL]), right=sample_request(model=MODEL, tools=[TOOL]),
    recorded={"recording, google/gemma-3-12b-it": "No endpoints found that support tool use."})
BOOK.row("openrouter/provider-error",
    "The request has a `tool_choice` for a Gemini model and no tools; Google's refusal is passed on.",
    ANY_PARAMETER, _choice_without_tools, "Provider returned error", "tool_choice",
    models="google/gemini-2.5 and later", checked=CHECKED,
    wrong=sample_request(model="google/gemini-2.5-flash", tool_choice="auto"),
    right=sample_request(model="google/gemini-2.5-flash"),
    verbatim={"tailcallhq/forgecode#1404": "Function calling config is set without function_declarations.",
        "router-for-me/CLIProxyAPI#497": "", "lobehub/lobehub#7298": ""})
# fmt: on

PROVIDER = Provider(
    name="openrouter",
    base_path="/api/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=lambda message: error_body(message, 400),
        window=CONTEXT_LENGTH,
        too_long=window_sentence(
            TOO_LONG,
            lambda message: error_body(message, 400, metadata={"provider_name": None}),
        ),
        missing_key=MISSING_KEY,
        no_key=(NO_KEY, error_body(NO_KEY, 401, owned=False)),
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
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
        stream_content_type="text/event-stream",
        first_chunks=(WAITING,),
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "openrouter"),
)
