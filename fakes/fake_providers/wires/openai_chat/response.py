"""Renders a reply as a chat completion, plain or streamed; `stream` makes the chunks.

`response.completion` says how a completion looks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact, quoted
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.call_validation import arguments_as_json
from fake_providers.reply import (
    MADE_BY_PROVIDER,
    NO_FAULT,
    Call,
    CannotExpress,
    Reply,
    Split,
    inside_characters,
    pieces,
)
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.openai_chat.choices import alternatives_asked, choices_asked, joined, logprobs_of
from fake_providers.wires.openai_chat.errors import error_event, fail
from fake_providers.wires.openai_chat.quirks import plain_with_quirks, stream_with_quirks
from fake_providers.wires.openai_chat.request import view_of
from fake_providers.wires.openai_shared.errors import answer_headers, with_fault
from fake_providers.wires.openai_shared.request_body import DONE, body_of, model_of, wants_stream


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as OpenAI would send it; see `fake_providers.wire.Wire.encode`.

    OpenAI counts reasoning, and shows none on this wire.
    """
    fault = reply.fault or NO_FAULT
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    refuse_inexpressible(reply, "openai-chat")
    body = body_of(context.request)
    if (count := choices_asked(body)) > 1 and reply.fault is None:
        return joined([_encode(each, context) for each in reply.choices(count)], streamed=wants_stream(body))
    return _encode(reply, context)


def _encode(reply: Reply, context: ReplyContext) -> Response:
    """With a single choice."""
    fault = reply.fault or NO_FAULT
    if wants_stream(body_of(context.request)):
        return with_fault(response(reply, head(context, reply.id), context), fault)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    text = compact(plain_with_quirks(completion(reply, context), reply.quirks))
    headers = (("content-type", "application/json"), *answer_headers(context))
    return with_fault(Response(200, headers, (text.encode(errors=AS_ESCAPE),)), fault)


def completion(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    """The body of a plain response."""
    first = head(context, reply.id)
    alternatives = alternatives_asked(body_of(context.request))
    choice = {
        "index": 0,
        "message": message(reply, context.ids),
        **({} if reasons(context) and alternatives is None else {"logprobs": logprobs(reply, alternatives)}),
        "finish_reason": finish_reason(reply, context),
    }
    return {
        "id": first["id"],
        "object": "chat.completion",
        "created": first["created"],
        "model": first["model"],
        "choices": [choice],
        "usage": usage(reply, context),
        "service_tier": first["service_tier"],
        "system_fingerprint": first["system_fingerprint"],
    }


PIECE = 5
"""The approximate length of OpenAI's deltas, which are tokens."""

BLOCK = 16
"""Padding brings all events of a stream to a multiple of this many characters, plus one: recorded."""
OBFUSCATION: Final = len(',"obfuscation":""}')


def response(reply: Reply, head: dict[str, Any], context: ReplyContext) -> Response:
    options = body_of(context.request).get("stream_options")
    options = options if isinstance(options, dict) else {}
    wants_usage = options.get("include_usage") is True
    counts = usage(reply, context) if wants_usage or reply.quirks else {}
    padding = "" if options.get("include_obfuscation") is False else context.ids.make("", BLOCK)
    chunks = _events(reply, head, padding, context, usage=counts if wants_usage else None)
    chunks = stream_with_quirks(chunks, reply.quirks, usage=counts)
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _events(
    reply: Reply, head: dict[str, Any], padding: str, context: ReplyContext, *, usage: dict[str, Any] | None
) -> tuple[bytes, ...]:
    """`usage` is None where the request does not ask for it."""
    ids = quoted(head.pop("id")), padding
    rest = compact(head)[1:-1]
    null = "]" if usage is None else '],"usage":null'
    # Models that reason have none.
    choice_end = "" if head["system_fingerprint"] is None else ',"logprobs":null'
    finish = finish_reason(reply, context)
    alternatives = alternatives_asked(body_of(context.request))
    fault = reply.fault or NO_FAULT
    choices = _choices(reply, choice_end, finish, context.split, context.ids, alternatives)
    events = tuple([_event(ids, rest, f"{choice}{null}").encode(errors=AS_ESCAPE) for choice in choices])
    if fault.error_event is not None:
        return (*events, error_event(fault.error_event, context))
    if usage is None:
        return (*events, DONE)
    return (*events, _event(ids, rest, f'],"usage":{compact(usage)}').encode(errors=AS_ESCAPE), DONE)


def _event(ids: tuple[str, ...], rest: str, choices: str) -> str:
    """`ids` are the JSON of that of the completion, and the letters of the padding; `rest` is that of the other members
    that all events share."""
    id, padding = ids
    text = f'{{"id":{id},{rest},"choices":[{choices}'
    end = f',"obfuscation":"{padding[: (1 - OBFUSCATION - len(text)) % BLOCK]}"' if padding else ""
    return f"data: {text}{end}}}\n\n"


def _choices(
    reply: Reply, choice_end: str, finish: str | None, split: Split, ids: Ids, alternatives: int | None = None
) -> Iterator[str]:
    """The JSON of the choice of each chunk: encoded by itself, as what all chunks have takes as long again."""

    def choice(delta: dict[str, Any], reason: str) -> str:
        end = choice_end
        text = delta.get("content") or delta.get("refusal")
        if alternatives is not None and text:
            end = f',"logprobs":{compact(logprobs(replace(reply, text=text), alternatives))}'
        return f'{{"index":0,"delta":{compact(delta)}{end},"finish_reason":{reason}}}'

    error = reply.fault.error_event if reply.fault else None
    if error is None or reply.text or reply.thinking or reply.calls:
        yield from (choice(delta, "null") for delta in _deltas(reply, split, ids))
    if error is None:
        yield choice({}, "null" if finish is None else f'"{finish}"')


def _deltas(reply: Reply, split: Split, ids: Ids) -> Iterator[dict[str, Any]]:
    """The role, then reasoning, text and calls; a single call without text shares the first delta with the role."""
    calls = [tool_call(call, ids) for call in reply.calls]
    thinking = reply.thinking if "reasoning-content" in reply.quirks else None
    single_call = len(calls) == 1 and not reply.text and not thinking
    if single_call:
        first = {"tool_calls": [_first_delta(0, calls[0])], "refusal": None}
        yield {"role": "assistant", "content": None if reply.text is None else "", **first}
    elif thinking:
        yield {"role": "assistant", "content": None, "reasoning_content": ""}
    elif calls and not reply.text:
        yield {"role": "assistant", "content": None if reply.text is None else ""}
    else:
        yield {"role": "assistant", "content": "", "refusal": None}
    for piece in pieces(thinking or "", split, size=PIECE):
        yield {"reasoning_content": piece}
    member = "refusal" if reply.finish == "refusal" else "content"
    for piece in pieces(reply.text or "", split, given=reply.chunks, size=PIECE):
        yield {member: piece}
    if reply.sources:
        yield {"annotations": annotations(reply)}
    for index, call in enumerate(calls):
        if not single_call:
            yield {"tool_calls": [_first_delta(index, call)]}
        for piece in pieces(call["function"]["arguments"], split, size=PIECE):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _first_delta(index: int, call: dict[str, Any]) -> dict[str, Any]:
    """The first delta of a call: everything but the arguments."""
    return {"index": index, **call, "function": {"name": call["function"]["name"], "arguments": ""}}


CREATED: Final = 1763596800
"""2025-11-20: the same script gives the same bytes."""


def logprobs(reply: Reply, alternatives: int | None) -> dict[str, Any] | None:
    """The log probabilities of the text; None where none are asked for."""
    if alternatives is None:
        return None
    entries = logprobs_of(reply.text or "", alternatives, size=PIECE)
    return {"content": None, "refusal": entries} if reply.finish == "refusal" else {"content": entries, "refusal": None}


def head(context: ReplyContext, id: str | None = None) -> dict[str, Any]:
    """The members that a completion and all its chunks share, in the order of a chunk."""
    return {
        "id": id or context.ids.make("chatcmpl-", 29),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": model_of(body_of(context.request)),
        "service_tier": "default",
        "system_fingerprint": None if reasons(context) else "fp_51db84afab",
    }


def message(reply: Reply, ids: Ids) -> dict[str, Any]:
    is_refusal = reply.finish == "refusal"
    members: dict[str, Any] = {"role": "assistant", "content": None if is_refusal else content(reply)}
    if reply.thinking is not None and "reasoning-content" in reply.quirks:
        members["reasoning_content"] = reply.thinking
    if reply.calls:
        members["tool_calls"] = [tool_call(call, ids) for call in reply.calls]
    return {**members, "refusal": (reply.text or "") if is_refusal else None, "annotations": annotations(reply)}


def annotations(reply: Reply) -> list[dict[str, Any]]:
    """The pages on which the text rests."""
    found = []
    for source in reply.sources:
        start, end = source.span(reply.text or "")
        place = {"end_index": end, "start_index": start, "title": source.title, "url": source.url}
        found.append({"type": "url_citation", "url_citation": place})
    return found


def content(reply: Reply) -> str | None:
    """Null next to calls; a reply without text and calls has the empty string."""
    return reply.text if reply.text is not None or reply.calls else ""


def tool_call(call: Call, ids: Ids) -> dict[str, Any]:
    id_ = call_id(ids) if call.id is MADE_BY_PROVIDER else call.id
    function = {"name": call.name, "arguments": arguments_as_json(call)}
    return {**({} if id_ is None else {"id": id_}), "type": "function", "function": function}


def call_id(ids: Ids) -> str:
    return ids.make("call_", 24)


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


COUNTS_WRITES = "gpt-5.6"
"""Models that were recorded with a count of what they wrote into the cache."""


def usage(reply: Reply, context: ReplyContext) -> dict[str, Any]:
    characters = len(reply.text or "")
    for call in reply.calls:
        characters += len(call.name) + len(arguments_as_json(call))
    counts = counted(reply, context.prompt_tokens(view_of), characters)
    written = {"cache_write_tokens": 0} if model_of(body_of(context.request)).startswith(COUNTS_WRITES) else {}
    return {
        "prompt_tokens": counts.input,
        "completion_tokens": counts.output,
        "total_tokens": counts.input + counts.output,
        "prompt_tokens_details": {"cached_tokens": counts.cached, **written, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": counts.reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def reasons(context: ReplyContext) -> bool:
    """Whether the model reasons; if so, it sends no `logprobs` and no fingerprint."""
    return "reasoning" in traits("openai-chat", model_of(body_of(context.request)))
