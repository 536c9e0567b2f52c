"""The members that a plain response and the lines of a stream share."""

import string
from datetime import UTC, datetime, timedelta
from typing import Any

from fake_providers.http import spaced
from fake_providers.ids import Ids
from fake_providers.replies.call_arguments import arguments_object
from fake_providers.reply import MADE_BY_PROVIDER, Call, Reply
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import member, model_of, view_of

CREATED = datetime(2025, 11, 20, tzinfo=UTC)
"""The time of the first line. It is fixed, so that the same script gives the same bytes."""

LETTERS = string.ascii_lowercase + string.digits
NO_TIME = (0, "0", "0s", "0m", "0h")
"""Values of `keep_alive` that unload the model."""


def response_model(body: Any) -> str:
    """The model's name in the response: a model of the cloud has its base name."""
    model = model_of(body)
    name = parse_name(model)
    return name.base if name and name.cloud else model


def first_members(model: str, milliseconds: int) -> dict[str, Any]:
    """The first members of a response and of each line of a stream."""
    created = CREATED + timedelta(milliseconds=milliseconds)
    return {"model": model, "created_at": f"{created.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"}


def final_members(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """The last members of a response. Durations are in nanoseconds, and a zero count is left out. A response with
    calls has the reason `stop` too."""
    characters = len(reply.text or "") + sum(len(call.name + spaced(arguments_object(call))) for call in reply.calls)
    prompt, tokens, _, _ = counted(reply, context.view or view_of(context.request), characters)
    if context.read_tokens is not None:
        prompt = min(prompt, context.read_tokens)
    members = {
        "total_duration": 120_000_000 + 10_000_000 * tokens,
        "load_duration": 70_000_000,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": 50_000_000,
        # Also the token that ends an empty completion is counted; its duration is left out. (ollama/ollama#8553)
        "eval_count": max(1, tokens),
        "eval_duration": 10_000_000 * tokens,
    }
    reason = "length" if reply.finish == "length" else "stop"
    return {"done": True, "done_reason": reason, **{name: count for name, count in members.items() if count}}


def call_id(ids: Ids) -> str:
    return ids.make("call_", 8, LETTERS)


def tool_call(call: Call, index: int, ids: Ids) -> dict[str, Any]:
    """A complete call with its arguments as an object. Without an id it has no index either, as before November
    2025."""
    id_ = call_id(ids) if call.id is MADE_BY_PROVIDER else call.id
    if id_ is None:
        return {"function": {"name": call.name, "arguments": arguments_object(call)}}
    return {"id": id_, "function": {"index": index, "name": call.name, "arguments": arguments_object(call)}}


def message(reply: Reply, calls: list[dict[str, Any]]) -> dict[str, Any]:
    rendered: dict[str, Any] = {"role": "assistant", "content": reply.text or ""}
    if reply.thinking:
        rendered["thinking"] = reply.thinking
    return {**rendered, "tool_calls": calls} if calls else rendered


def load_response(body: Any) -> dict[str, Any]:
    rendered = {**first_members(response_model(body), 0), "message": {"role": "assistant", "content": ""}}
    return {**rendered, "done": True, "done_reason": "unload" if member(body, "keep_alive") in NO_TIME else "load"}
