"""The members that a plain chat completion and a stream share: message, calls, ids, finish reason, usage."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from fake_providers.http import compact
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.reply import MADE_BY_PROVIDER, Call, Reply
from fake_providers.values.tokens import Counted, counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.request import view_of
from fake_providers.wires.openai_shared.request_body import body_of, model_of

CREATED: Final = 1763596800
"""2025-11-20: the same script gives the same bytes."""


def head(context: ReplyContext) -> dict[str, Any]:
    """The members that a completion and all its chunks share, in the order of a chunk."""
    return {
        "id": context.ids.make("chatcmpl-", 29),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": model_of(body_of(context.request)),
        "service_tier": "default",
        "system_fingerprint": None if reasons(context) else "fp_51db84afab",
    }


def message(reply: Reply, ids: Ids) -> dict[str, Any]:
    is_refusal = reply.finish == "refusal"
    members: dict[str, Any] = {"role": "assistant", "content": None if is_refusal else content(reply)}
    if reply.thinking is not None:
        members["reasoning_content"] = reply.thinking
    if reply.calls:
        members["tool_calls"] = [tool_call(call, ids) for call in reply.calls]
    return {**members, "refusal": (reply.text or "") if is_refusal else None, "annotations": []}


def content(reply: Reply) -> str | None:
    """Null next to calls; a reply without text and calls has the empty string."""
    return reply.text if reply.text is not None or reply.calls else ""


def tool_call(call: Call, ids: Ids) -> dict[str, Any]:
    id_ = call_id(ids) if call.id is MADE_BY_PROVIDER else call.id
    function = {"name": call.name, "arguments": arguments_text(call)}
    return {**({} if id_ is None else {"id": id_}), "type": "function", "function": function}


def call_id(ids: Ids) -> str:
    return ids.make("call_", 24)


def arguments_text(call: Call) -> str:
    if call.arguments_text is not None:
        return call.arguments_text
    return compact(call.arguments or {})


def finish_reason(reply: Reply, context: ReplyContext) -> str | None:
    """None where the reply has none. A call that `tool_choice` forces by name ends with `stop`: recorded with gpt-4o,
    and documented."""
    if reply.finish == "none":
        return None
    if reply.finish in ("length", "content_filter", "tool_calls"):
        return str(reply.finish)
    choice = body_of(context.request).get("tool_choice")
    forced = isinstance(choice, Mapping) and choice.get("type") == "function"
    return "tool_calls" if reply.calls and reply.finish is None and not forced else "stop"


def usage(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    return _usage(_counts(reply, context))


def usage_text(reply: Reply, context: ReplyContext) -> str:
    """The JSON of `usage`."""
    return _usage_text(_counts(reply, context))


def _counts(reply: Reply, context: ReplyContext) -> Counted:
    characters = len(reply.text or "")
    for call in reply.calls:
        characters += len(call.name) + len(arguments_text(call))
    return counted(reply, context.view or view_of(context.request), characters)


def _usage(counts: Counted) -> dict[str, Any]:
    return {
        "prompt_tokens": counts.input,
        "completion_tokens": counts.output,
        "total_tokens": counts.input + counts.output,
        "prompt_tokens_details": {"cached_tokens": counts.cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": counts.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


@lru_cache(maxsize=256)
def _usage_text(counts: Counted) -> str:
    return compact(_usage(counts))


def reasons(context: ReplyContext) -> bool:
    """Whether the model reasons; if so, it sends no `logprobs` and no fingerprint."""
    return "reasoning" in traits("openai-chat", model_of(body_of(context.request)))
