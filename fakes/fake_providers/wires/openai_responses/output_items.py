"""Renders a reply as the items of a response's `output`.

With `context_management`, a conversation beyond its threshold is compacted first: recorded as accepted with gpt-4.1.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.call_validation import arguments_as_json, id_of_call
from fake_providers.reply import Call, Reply, Source
from fake_providers.values.lenient import objects
from fake_providers.values.tokens import likely_tokens
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses import own_tools
from fake_providers.wires.openai_responses.conversation import conversation_of
from fake_providers.wires.openai_responses.own_tools import Item, item_id
from fake_providers.wires.openai_responses.request import (
    SEARCH,
    encrypt,
    is_requested,
    names_of,
    offered_tools,
    view_of,
)
from fake_providers.wires.openai_shared.request_body import body_of, model_of


def items(reply: Reply, context: ReplyContext) -> list[dict[str, Any]]:
    """The reasoning, what OpenAI's own tools did, the message, then the calls; the last one is incomplete if the reply
    was cut off."""
    output = list(_items(reply, context))
    if reply.finish in ("length", "content_filter") and "status" in output[-1]:
        output[-1]["status"] = "incomplete"
    for item, id in zip(output, reply.item_ids, strict=False):
        item["id"] = id
    return output


def _items(reply: Reply, context: ReplyContext) -> Iterator[dict[str, Any]]:
    body = body_of(context.request)
    if _is_to_be_compacted(body, context):
        yield compaction(context)
    for thought in reply.thought_blocks:
        yield reasoning(thought, context)
    offered = offered_tools(body) if reply.server_calls or reply.calls else ()
    tools = [tool for _, tool in offered]
    if reply.server_calls and not own_tools.all_offered(reply.server_calls, tools):
        reply = replace(reply, text=own_tools.NOT_OFFERED, blocks=(), finish=None, server_calls=(), sources=())
    if reply.server_calls:
        conversation = conversation_of(body, context.request.stored)
        yield from own_tools.hosted_items(reply.server_calls, tools, conversation, body.get("include"), context.ids)
    if reply.text is not None or not (reply.calls or reply.thinking or reply.server_calls):
        yield message(reply, context)
    if not reply.calls:
        return
    keys_by_name = {name: key for key, name in names_of(offered).items()}
    by_name = {str(tool.get("name") or tool.get("type")): tool for tool in tools}
    yield from _search(reply.calls, body, context.ids)
    for call in reply.calls:
        own = own_tools.client_item(call, by_name.get(call.name), context.ids)
        yield own if own is not None else function_call(call, context.ids, keys_by_name)


def _search(calls: Iterable[Call], body: Mapping[str, Any], ids: Ids) -> Iterator[Item]:
    """OpenAI's own search for the deferred tools that these calls call, unless they were found before."""
    tools = objects(body.get("tools"))
    if not any(tool.get("type") == SEARCH and tool.get("execution") != "client" for tool in tools):
        return
    found = [tool.get("name") for _, tool in offered_tools({"input": body.get("input")})]
    names = [name for call in calls if (name := call.name.rpartition(".")[2]) not in found]
    wanted = [tool for tool in tools if any(_is_deferred(one, names) for one in (tool, *objects(tool.get("tools"))))]
    if wanted:
        members = {"execution": "server", "call_id": None, "status": "completed"}
        paths = {"paths": [tool.get("name") for tool in wanted]}
        yield {"type": "tool_search_call", "id": item_id("tsc", ids), **members, "arguments": paths}
        yield {"type": "tool_search_output", "id": item_id("tso", ids), **members, "tools": wanted}


def _is_deferred(tool: Mapping[str, Any], names: Collection[str]) -> bool:
    return tool.get("defer_loading") is True and tool.get("name") in names


def _is_to_be_compacted(body: Mapping[str, Any], context: ReplyContext) -> bool:
    options = body.get("context_management")
    if not isinstance(options, list):
        return False
    thresholds = [
        option.get("compact_threshold")
        for option in options
        if isinstance(option, dict) and option.get("type") == "compaction"
    ]
    least = min((number for number in thresholds if isinstance(number, int)), default=None)
    return least is not None and context.prompt_tokens(view_of) > least


def compaction(context: ReplyContext) -> dict[str, Any]:
    """What stands for all items before it from now on."""
    return {"id": item_id("cmp", context.ids), "type": "compaction", "encrypted_content": encrypt("compacted")}


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
    body = body_of(context.request)
    phase = None
    if "phases" in traits("openai-responses", model_of(body)):
        phase = "commentary" if reply.calls else "final_answer"
    return message_item(item_id("msg", context.ids), contents(reply, alternatives_asked(body)), phase)


def message_item(id: str, content: list[dict[str, Any]], phase: str | None, *, status: str = "completed") -> Item:
    with_phase = {} if phase is None else {"phase": phase}
    return {"id": id, "type": "message", "status": status, "content": content, **with_phase, "role": "assistant"}


PIECE = 5
"""The approximate length of OpenAI's deltas, which are tokens."""
LOGPROBS = "message.output_text.logprobs"
"""What `include` names for log probabilities."""


def alternatives_asked(body: Any) -> int | None:
    """How many of the likeliest tokens stand beside each token; None where no log probabilities are asked for."""
    included = body.get("include") if isinstance(body, dict) else None
    if not isinstance(included, list) or LOGPROBS not in included:
        return None
    most = body.get("top_logprobs")
    return max(0, min(most, 20)) if isinstance(most, int) else 0


def contents(reply: Reply, alternatives: int | None = None) -> list[dict[str, Any]]:
    if reply.finish == "refusal":
        return [{"type": "refusal", "refusal": reply.text or ""}]
    return [
        {
            "type": "output_text",
            "annotations": annotations(reply.sources, text),
            "logprobs": [] if alternatives is None else logprobs_of(text, alternatives, size=PIECE),
            "text": text,
        }
        for text in reply.text_blocks or ("",)
    ]


def logprobs_of(text: str, alternatives: int, *, size: int, in_events: bool = False) -> list[dict[str, Any]]:
    """One entry for each piece of the text of `size` characters; the events of a stream have no bytes."""
    return [
        {
            **_logprob(found.token, found.logprob, in_events=in_events),
            "top_logprobs": [_logprob(*other, in_events=in_events) for other in found.likeliest],
        }
        for found in likely_tokens(text, alternatives, size=size)
    ]


def _logprob(token: str, logprob: float, *, in_events: bool) -> dict[str, Any]:
    entry = {"token": token, "logprob": logprob}
    return entry if in_events else {**entry, "bytes": list(token.encode(errors="replace"))}


def annotations(sources: Iterable[Source], text: str) -> list[dict[str, Any]]:
    """The annotations of a text. One that quotes another block of the text is left out."""
    found = []
    for source in sources:
        if source.text is not None and source.text not in text:
            continue
        start, end = source.span(text)
        if source.file is not None:
            file_id = "file-" + sha256(source.file.encode(errors="replace")).hexdigest()[:22]
            found.append({"type": "file_citation", "file_id": file_id, "filename": source.file, "index": end})
        else:
            place = {"end_index": end, "start_index": start}
            found.append({"type": "url_citation", **place, "title": source.title, "url": source.url})
    return found


def function_call(call: Call, ids: Ids, keys_by_name: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    """A call's item; `keys_by_name` maps the names of the neutral view to namespace and name."""
    namespace, name = keys_by_name.get(call.name, ("", call.name))
    item = {
        "id": item_id("fc", ids),
        "type": "function_call",
        "status": "completed",
        "arguments": arguments_as_json(call),
        "call_id": id_of_call(call, lambda: ids.make("call_", 24)),
        "name": name,
    }
    return {**item, "namespace": namespace} if namespace else item
