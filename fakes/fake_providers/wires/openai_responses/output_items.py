"""Renders a reply as the items of a response's `output`. Knows neither the response around them nor streams."""

from collections.abc import Iterator, Mapping
from typing import Any

from fake_providers.http import compact
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.reply import MADE_BY_PROVIDER, Call, CannotExpress, Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.request import encrypt, is_requested, names_of, offered_tools
from fake_providers.wires.openai_shared.request_body import body_of, model_of

HEX = "0123456789abcdef"


def items(reply: Reply, context: ReplyContext) -> list[dict[str, Any]]:
    """The reasoning, then the message, then the calls; the last one is incomplete if the reply was cut off."""
    output = list(_items(reply, context))
    if reply.finish in ("length", "content_filter") and "status" in output[-1]:
        output[-1]["status"] = "incomplete"
    return output


def _items(reply: Reply, context: ReplyContext) -> Iterator[dict[str, Any]]:
    if reply.thinking is not None:
        yield reasoning(reply.thinking, context)
    if reply.text is not None or not (reply.calls or reply.thinking):
        yield message(reply, context)
    body = body_of(context.request)
    keys_by_name = {name: key for key, name in names_of(offered_tools(body)).items()}
    for call in reply.calls:
        yield function_call(call, context.ids, keys_by_name)


def reasoning(thinking: str, context: ReplyContext) -> dict[str, Any]:
    """A reasoning item, with a summary and encrypted reasoning only if the request wants them."""
    body = body_of(context.request)
    reasoning_options = body.get("reasoning")
    wants_summary = isinstance(reasoning_options, dict) and reasoning_options.get("summary") is not None
    item: dict[str, Any] = {"id": item_id("rs", context.ids), "type": "reasoning"}
    if is_requested(body):
        item["encrypted_content"] = encrypt(thinking)
    return {**item, "summary": [{"type": "summary_text", "text": thinking}] if wants_summary and thinking else []}


def message(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    item: dict[str, Any] = {
        "id": item_id("msg", context.ids),
        "type": "message",
        "status": "completed",
        "content": contents(reply),
    }
    if "phases" in traits("openai-responses", model_of(body_of(context.request))):
        item["phase"] = "commentary" if reply.calls else "final_answer"
    return {**item, "role": "assistant"}


def contents(reply: Reply) -> list[dict[str, Any]]:
    if reply.finish == "refusal":
        return [{"type": "refusal", "refusal": reply.text or ""}]
    texts = reply.text_blocks or ("",)
    return [{"type": "output_text", "annotations": [], "logprobs": [], "text": text} for text in texts]


def function_call(call: Call, ids: Ids, keys_by_name: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """A call's item; `keys_by_name` maps the names of the neutral view to namespace and name."""
    if call.id is None:
        raise CannotExpress("call-id-null")
    namespace, name = keys_by_name.get(call.name, ("", call.name))
    item = {
        "id": item_id("fc", ids),
        "type": "function_call",
        "status": "completed",
        "arguments": arguments_text(call),
        "call_id": ids.make("call_", 24) if call.id is MADE_BY_PROVIDER else call.id,
        "name": name,
    }
    return {**item, "namespace": namespace} if namespace else item


def arguments_text(call: Call) -> str:
    if call.arguments_text is not None:
        return call.arguments_text
    return compact(call.arguments or {})


def item_id(prefix: str, ids: Ids) -> str:
    return ids.make(f"{prefix}_", 50, HEX)
