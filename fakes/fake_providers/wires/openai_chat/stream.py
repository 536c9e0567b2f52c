"""Renders a reply as server-sent chunks, one event per chunk. Knows nothing of plain responses."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from fake_providers.http import AS_ESCAPE, Response, compact
from fake_providers.ids import Ids
from fake_providers.replies.chunking import inside_characters, pieces
from fake_providers.reply import Finish, Reply, Split
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.completion_parts import finish_reason, reasons, tool_call
from fake_providers.wires.openai_chat.errors import error_event
from fake_providers.wires.openai_chat.quirks import stream_with_quirks
from fake_providers.wires.openai_chat.text_completion import LONGEST_KEPT, NO_IDS, is_text_alone
from fake_providers.wires.openai_shared.errors import answer_headers
from fake_providers.wires.openai_shared.events import DONE
from fake_providers.wires.openai_shared.request_body import body_of

PIECE = 5
"""The approximate length of OpenAI's deltas, which are tokens."""

BLOCK = 16
"""Padding brings all events of a stream to a multiple of this many characters, plus one: recorded."""
OBFUSCATION: Final = len(',"obfuscation":""}')


def response(reply: Reply, head: dict[str, Any], context: ReplyContext, *, usage: dict[str, Any]) -> Response:
    chunks = stream_with_quirks(tuple(_events(reply, head, context, usage=usage)), reply.quirks, usage=usage)
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _events(reply: Reply, head: dict[str, Any], context: ReplyContext, *, usage: dict[str, Any]) -> Iterator[bytes]:
    options = body_of(context.request).get("stream_options")
    options = options if isinstance(options, dict) else {}
    wants_usage = options.get("include_usage") is True
    is_padded = options.get("include_obfuscation") is not False
    beginning = f'{compact(head)[:-1]},"choices":['
    padding = context.ids.make("", BLOCK) if is_padded else ""
    ends = [f',"obfuscation":"{padding[: (1 - OBFUSCATION - length) % BLOCK]}"' for length in range(BLOCK)]

    def event(choices: str, usage_: str) -> bytes:
        text = f"{beginning}{choices}{usage_}"
        end = ends[len(text) % BLOCK] if is_padded else ""
        return f"data: {text}{end}}}\n\n".encode(errors=AS_ESCAPE)

    null = '],"usage":null' if wants_usage else "]"
    for choice in _choices(reply, context):
        yield event(choice, null)
    error = reply.fault.error_event if reply.fault else None
    if error is not None:
        yield error_event(error, context)
        return
    if wants_usage:
        yield event("", f'],"usage":{compact(usage)}')
    yield DONE


def _choices(reply: Reply, context: ReplyContext) -> Iterable[str]:
    """The JSON of the choice of each chunk: encoded by itself, as what all chunks have takes as long again."""
    choice_end = "" if reasons(context) else ',"logprobs":null'
    finish = finish_reason(reply, context)
    if not is_text_alone(reply) or reply.fault is not None or len(reply.text or "") > LONGEST_KEPT:
        return _choices_anew(reply, choice_end, finish, context.split, context.ids)
    return _choices_of_text(reply.text, reply.finish, tuple(reply.chunks), choice_end, finish, context.split)


@lru_cache(maxsize=16)
def _choices_of_text(
    text: str | None,
    as_finish: Finish | None,
    chunks: tuple[str, ...],
    choice_end: str,
    finish: str | None,
    split: Split,
) -> tuple[str, ...]:
    """Kept, as scripts repeat their last text for as long as somebody asks."""
    reply = Reply(text=text, finish=as_finish, chunks=chunks)
    return tuple(_choices_anew(reply, choice_end, finish, split, NO_IDS))


def _choices_anew(reply: Reply, choice_end: str, finish: str | None, split: Split, ids: Ids) -> Iterator[str]:
    def choice(delta: dict[str, Any], reason: str) -> str:
        return f'{{"index":0,"delta":{compact(delta)}{choice_end},"finish_reason":{reason}}}'

    error = reply.fault.error_event if reply.fault else None
    if error is None or reply.text or reply.thinking or reply.calls:
        yield from (choice(delta, "null") for delta in _deltas(reply, split, ids))
    if error is None:
        yield choice({}, "null" if finish is None else f'"{finish}"')


def _deltas(reply: Reply, split: Split, ids: Ids) -> Iterator[dict[str, Any]]:
    """The role, then reasoning, text and calls; a single call without text shares the first delta with the role."""
    calls = [tool_call(call, ids) for call in reply.calls]
    single_call = len(calls) == 1 and not reply.text and not reply.thinking
    if single_call:
        first = {"tool_calls": [_first_delta(0, calls[0])], "refusal": None}
        yield {"role": "assistant", "content": None if reply.text is None else "", **first}
    elif reply.thinking:
        yield {"role": "assistant", "content": None, "reasoning_content": ""}
    elif calls and not reply.text:
        yield {"role": "assistant", "content": None if reply.text is None else ""}
    else:
        yield {"role": "assistant", "content": "", "refusal": None}
    for piece in pieces(reply.thinking or "", split, size=PIECE):
        yield {"reasoning_content": piece}
    member = "refusal" if reply.finish == "refusal" else "content"
    for piece in pieces(reply.text or "", split, given=reply.chunks, size=PIECE):
        yield {member: piece}
    for index, call in enumerate(calls):
        if not single_call:
            yield {"tool_calls": [_first_delta(index, call)]}
        for piece in pieces(call["function"]["arguments"], split, size=PIECE):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _first_delta(index: int, call: dict[str, Any]) -> dict[str, Any]:
    """The first delta of a call: everything but the arguments."""
    return {"index": index, **call, "function": {"name": call["function"]["name"], "arguments": ""}}
