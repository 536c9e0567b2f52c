"""The parts of Ollama's answer that a plain response and the lines of a stream share."""

import json
import string
from datetime import UTC, datetime, timedelta
from typing import Any, NoReturn

from fakes.http import spaced
from fakes.ids import Ids
from fakes.reply import MADE_BY_PROVIDER, Call, CannotExpress, Reply
from fakes.tokens import count_tokens, tokens_of
from fakes.wire import ReplyContext
from fakes.wires.ollama_chat.model_names import parsed
from fakes.wires.ollama_chat.request import member, model_of, view_of

CREATED = datetime(2025, 11, 20, tzinfo=UTC)
"""When the first line is made: the same script gives the same bytes."""

LETTERS = string.ascii_lowercase + string.digits
NO_TIME = (0, "0", "0s", "0m", "0h")
"""To keep a model for no time at all is to unload it."""


def told_name(body: Any) -> str:
    """A model of the cloud is told by its own name."""
    model = model_of(body)
    name = parsed(model)
    return name.base if name and name.cloud else model


def head(model: str, milliseconds: int) -> dict[str, Any]:
    """The members that begin an answer and each line of one; `model` is as it is told."""
    made = CREATED + timedelta(milliseconds=milliseconds)
    return {"model": model, "created_at": f"{made.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"}


def end(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """What ends an answer. Durations are in nanoseconds; tokens are counted as the fakes count them, one for every
    four characters, and a count of nothing is left out. An answer with calls stops like any other."""
    written = (reply.text or "") + (reply.thinking or "")
    written += "".join(call.name + spaced(_arguments(call)) for call in reply.calls)
    prompt, told = count_tokens(context.view or view_of(context.request)), tokens_of(len(written))
    counted = {
        "total_duration": 120_000_000 + 10_000_000 * told,
        "load_duration": 70_000_000,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": 50_000_000,
        "eval_count": told,
        "eval_duration": 10_000_000 * told,
    }
    reason = "length" if reply.finish == "length" else "stop"
    return {"done": True, "done_reason": reason, **{name: count for name, count in counted.items() if count}}


def call_id(ids: Ids) -> str:
    return ids.make("call_", 8, LETTERS)


def tool_call(call: Call, index: int, ids: Ids) -> dict[str, Any]:
    """A call whole, its arguments an object. Without an id it has no index either, as before November 2025."""
    made = call_id(ids) if call.id is MADE_BY_PROVIDER else call.id
    if made is None:
        return {"function": {"name": call.name, "arguments": _arguments(call)}}
    return {"id": made, "function": {"index": index, "name": call.name, "arguments": _arguments(call)}}


def message(reply: Reply, calls: list[dict[str, Any]]) -> dict[str, Any]:
    told: dict[str, Any] = {"role": "assistant", "content": reply.text or ""}
    if reply.thinking:
        told["thinking"] = reply.thinking
    return {**told, "tool_calls": calls} if calls else told


def loaded(body: Any) -> dict[str, Any]:
    told = {**head(told_name(body), 0), "message": {"role": "assistant", "content": ""}}
    return {**told, "done": True, "done_reason": "unload" if member(body, "keep_alive") in NO_TIME else "load"}


def _arguments(call: Call) -> dict[str, Any]:
    if call.arguments_text is None:
        return dict(call.arguments or {})
    try:
        arguments = json.loads(call.arguments_text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise CannotExpress("arguments-not-json") from None
    if not isinstance(arguments, dict):
        raise CannotExpress("arguments-not-object")
    return arguments


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
