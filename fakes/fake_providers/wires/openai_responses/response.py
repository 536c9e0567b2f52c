"""Renders a reply as a response object, plain or streamed; `output_items` makes the items and `stream` the events.

Each event has its name twice and a sequence number; there is no `[DONE]`. After the type, the members are in
alphabetical order, as recorded since 2026.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from msgspec import Struct

from fake_providers.http import AS_ESCAPE, Request, Response, compact, quoted
from fake_providers.ids import Ids
from fake_providers.models import traits
from fake_providers.replies.call_validation import arguments_as_json
from fake_providers.reply import NO_FAULT, CannotExpress, Reply, inside_characters, pieces
from fake_providers.values.lenient import objects
from fake_providers.values.tokens import counted
from fake_providers.wire import ReplyContext
from fake_providers.wire_facts import refuse_inexpressible
from fake_providers.wires.openai_responses import output_items, own_tools
from fake_providers.wires.openai_responses.conversation import conversation_id
from fake_providers.wires.openai_responses.errors import answer_headers, error_of, fail, with_fault
from fake_providers.wires.openai_responses.output_items import PIECE
from fake_providers.wires.openai_responses.request import body_of, model_of, view_of, wants_stream
from fake_providers.wires.openai_shared.request_body import PARTS

CREATED: Final = 1763596800
"""2025-11-20: the same script gives the same bytes."""

NO_IMAGE: Final = {"image_tokens": 0, "text_tokens": 0}
TOOL_USAGE: Final = {
    "image_gen": {
        "input_tokens": 0,
        "input_tokens_details": NO_IMAGE,
        "output_tokens": 0,
        "output_tokens_details": NO_IMAGE,
        "total_tokens": 0,
    },
    "web_search": {"num_requests": 0},
}
"""The usage of the built-in tools, apart from searches; sent since the summer of 2026."""

CUT_SHORT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}


def encode(reply: Reply, context: ReplyContext) -> Response:
    """The reply as OpenAI would send it; see `fake_providers.wire.Wire.encode`."""
    refuse_inexpressible(reply, "openai-responses")
    fault = reply.fault or NO_FAULT
    if fault.status is not None or fault.body is not None:
        return fail(fault, context)
    id = reply.id or own_tools.item_id("resp", context.ids)
    items = output_items.items(reply, context)
    streamed = wants_stream(body_of(context.request))
    members = _Members.of(id, reply, items, context)
    if streamed:
        return with_fault(response(reply, members, items, context), fault)
    if fault.error_event is not None:
        raise CannotExpress("error-event")
    headers = (("content-type", "application/json"), *answer_headers(context))
    return with_fault(
        Response(200, headers, (_template(context, _plain).filled(members.done).encode(errors=AS_ESCAPE),)), fault
    )


def call_id(ids: Ids) -> str:
    return ids.make("call_", 24)


HOLES: Final = (
    "id",
    "status",
    "completed_at",
    "error",
    "incomplete_details",
    "output",
    "service_tier",
    "tool_usage",
    "tools",
    "usage",
)
"""The members that do not follow from the parameters of the request."""

Padding = Callable[[str], dict[str, str]]
Texts = Mapping[str, str]
"""The JSON of members, by their names."""


class Template(Struct, frozen=True):
    """The JSON of an object, but for the members that differ from reply to reply."""

    pieces: tuple[str, ...]
    """What is before each hole, and after the last."""
    holes: tuple[str, ...]

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> "Template":
        written, holes = ["{"], []
        for number, (name, value) in enumerate(members.items()):
            written[-1] += f"{',' if number else ''}{quoted(name)}:"
            if name in HOLES:
                holes.append(name)
                written.append("")
            else:
                written[-1] += compact(value)
        return cls((*written[:-1], f"{written[-1]}}}"), tuple(holes))

    def filled(self, texts: Texts) -> str:
        filled = [part for before, hole in zip(self.pieces, self.holes, strict=False) for part in (before, texts[hole])]
        return "".join([*filled, self.pieces[-1]])


def _template(context: ReplyContext, make: Callable[[Any], Template]) -> Template:
    """Kept for the requests with the same parameters: most of a response repeats them."""
    body = context.request.body
    return PARTS.of_parameters(body, make) or make(body_of(context.request))


def _plain(body: Mapping[str, Any]) -> Template:
    """With `billing` after `background`, which the events of a stream do not have."""
    return Template.of(_parameters(body, {"billing": {"payer": "developer"}}))


def _in_events(body: Mapping[str, Any]) -> Template:
    return Template.of(_parameters(body, {}))


def _parameters(body: Mapping[str, Any], billing: Mapping[str, Any]) -> dict[str, Any]:
    """A response, with the request's fields and defaults filled in; `HOLES` are null."""
    reasons = "reasoning" in traits("openai-responses", model_of(body))
    return {
        "id": None,
        "object": "response",
        "created_at": CREATED,
        "status": None,
        "background": _or(body.get("background"), False),
        **billing,
        "completed_at": None,
        "error": None,
        "frequency_penalty": _or(body.get("frequency_penalty"), 0.0),
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "model": model_of(body),
        "moderation": None,
        "output": None,
        "parallel_tool_calls": _or(body.get("parallel_tool_calls"), True),
        "presence_penalty": _or(body.get("presence_penalty"), 0.0),
        "previous_response_id": body.get("previous_response_id"),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": body.get("prompt_cache_retention"),
        "reasoning": {"effort": "medium" if reasons else None, "summary": None, **_members(body.get("reasoning"))},
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": None,
        "store": body.get("store") is not False,
        "temperature": _or(body.get("temperature"), 1.0),
        "text": {"format": {"type": "text"}, "verbosity": "medium", **_members(body.get("text"))},
        "tool_choice": _or(body.get("tool_choice"), "auto"),
        "tool_usage": None,
        "tools": None,
        "top_logprobs": _or(body.get("top_logprobs"), 0),
        "top_p": _or(body.get("top_p"), 1.0),
        "truncation": _or(body.get("truncation"), "disabled"),
        "usage": None,
        "user": body.get("user"),
        "metadata": _or(body.get("metadata"), {}),
        **({"conversation": {"id": named}} if (named := conversation_id(body)) else {}),
    }


class _Members(Struct, frozen=True):
    """The JSON of the members that fill a template: before any output, and when all is done."""

    before: Texts
    done: Texts
    status: str

    @classmethod
    def of(cls, id: str, reply: Reply, items: list[dict[str, Any]], context: ReplyContext) -> "_Members":
        reason = CUT_SHORT.get(reply.finish or "")
        searches = sum(item["type"] == "web_search_call" for item in items)
        status = "incomplete" if reason else "completed"
        before = {
            "id": quoted(id),
            "status": '"in_progress"',
            "completed_at": "null",
            "error": "null",
            "incomplete_details": "null",
            "output": "[]",
            "service_tier": '"auto"',
            "tool_usage": _tool_usage(0),
            "tools": tools_of(context.request) if context.repeated is None else context.repeated,
            "usage": "null",
        }
        done = before | {
            "status": f'"{status}"',
            "completed_at": "null" if reason else str(CREATED + 1),
            "incomplete_details": compact({"reason": reason}) if reason else "null",
            "output": compact(items),
            "service_tier": '"default"',
            "tool_usage": _tool_usage(searches),
            "usage": usage(reply, context),
        }
        return cls(before, done, status)


@cache
def _tool_usage(searches: int) -> str:
    return compact({**TOOL_USAGE, "web_search": {"num_requests": searches}})


def tools_of(request: Request) -> str:
    """Their JSON, as a response repeats them."""
    tools = PARTS.made(request.body, "tools", _tools)
    return _tools(body_of(request).get("tools")) if tools is None else tools


def _tools(tools: Any) -> str:
    return compact([_tool(tool) for tool in objects(tools)])


def usage(reply: Reply, context: ReplyContext) -> str:
    """Its JSON."""
    size = len(reply.text or "") + sum(len(call.name) + len(arguments_as_json(call)) for call in reply.calls)
    input, output, thought, cached = counted(reply, context.prompt_tokens(view_of), size)
    return (
        f'{{"input_tokens":{input},"input_tokens_details":{{"cache_write_tokens":0,"cached_tokens":{cached}}},'
        f'"output_tokens":{output},"output_tokens_details":{{"reasoning_tokens":{thought}}},'
        f'"total_tokens":{input + output}}}'
    )


def _tool(tool: Any) -> Any:
    """A function as the response repeats it: strict unless it says otherwise."""
    if not isinstance(tool, dict) or tool.get("type") != "function":
        return tool
    return {
        "type": "function",
        "description": tool.get("description"),
        "name": tool.get("name"),
        "parameters": tool.get("parameters"),
        "strict": _or(tool.get("strict"), True),
    }


def _members(value: Any) -> dict[str, Any]:
    return {name: member for name, member in value.items() if member is not None} if isinstance(value, dict) else {}


def _or(value: Any, default: Any) -> Any:
    return default if value is None else value


BLOCK = 16
"""Characters: a delta and its `obfuscation` have a multiple of them together, so that nobody learns its length."""
TYPE: Final = '{"type":"'

Event = tuple[str, dict[str, Any]] | str
"""The name of an event and its members; or its JSON before the number, where that is the last member."""


def response(reply: Reply, members: _Members, items: list[dict[str, Any]], context: ReplyContext) -> Response:
    template = _template(context, _in_events)
    initial = template.filled(members.before)
    beginning = [f'{TYPE}response.created","response":{initial}', f'{TYPE}response.in_progress","response":{initial}']
    error = reply.fault.error_event if reply.fault else None
    said = (
        _said(reply, items, context, len(beginning))
        if error is None or reply.text or reply.thinking or reply.calls
        else ()
    )
    if error is None:
        ending: list[Event] = [f'{TYPE}response.{members.status}","response":{template.filled(members.done)}']
    else:
        ending = _failure(error, members, template, context)
    first, last = _numbered(beginning, 0), _numbered(ending, len(beginning) + len(said))
    chunks = (*map(_encoded, first), *said, *map(_encoded, last))
    if context.split == "bytes":
        chunks = inside_characters(chunks)
    return Response(200, (("content-type", "text/event-stream; charset=utf-8"), *answer_headers(context)), chunks)


def _encoded(event: str) -> bytes:
    return event.encode(errors=AS_ESCAPE)


def _numbered(events: Iterable[Event], first: int) -> Iterator[str]:
    for number, given in enumerate(events, first):
        if isinstance(given, str):
            name = given[len(TYPE) : given.index('"', len(TYPE))]
            yield f'event: {name}\ndata: {given},"sequence_number":{number}}}\n\n'
        else:
            name, members = given
            ordered = dict(sorted({**members, "sequence_number": number}.items()))
            yield f"event: {name}\ndata: {compact({'type': name, **ordered})}\n\n"


def _failure(error_text: str, members: _Members, template: Template, context: ReplyContext) -> list[Event]:
    error = error_of(error_text, context)
    failure = {"code": error["code"], "message": error["message"]}
    failed = template.filled({**members.before, "status": '"failed"', "error": compact(failure)})
    return [("error", {"error": error}), f'{TYPE}response.failed","response":{failed}']


def _said(reply: Reply, items: list[dict[str, Any]], context: ReplyContext, number: int) -> tuple[bytes, ...]:
    """The events of the items, counted from this number."""
    events = (event for index, item in enumerate(items) for event in _item(index, item, reply, context))
    return tuple([_encoded(event) for event in _numbered(events, number)])


def _item(index: int, item: dict[str, Any], reply: Reply, context: ReplyContext) -> Iterator[Event]:
    pieces_of = {"reasoning": _reasoning, "message": _message, "function_call": _call}.get(item["type"], _own_tool)
    return _around(index, item, pieces_of(item, reply, context))


def _around(index: int, item: dict[str, Any], said: Iterable[Event]) -> Iterator[Event]:
    place = {"output_index": index}
    yield "response.output_item.added", {**place, "item": own_tools.unfinished(item)}
    for one in said:
        if isinstance(one, str):
            yield f'{one},"output_index":{index}'
            continue
        name, members = one
        # The events of a shell's commands have no id of their item: openai-python's types.
        named = {} if "command_index" in members else {"item_id": item["id"]}
        yield f"response.{name}", {**place, **named, **members}
    yield "response.output_item.done", {**place, "item": item}


def _own_tool(item: dict[str, Any], _reply: Reply, context: ReplyContext) -> Iterator[Event]:
    padding = _padding(context)

    def deltas(text: str) -> Iterator[dict[str, Any]]:
        return ({"delta": piece, **padding(piece)} for piece in pieces(text, context.split, size=PIECE))

    return own_tools.events(item, deltas)


def _reasoning(item: dict[str, Any], _reply: Reply, context: ReplyContext) -> Iterator[Event]:
    for index, part in enumerate(item["summary"]):
        at = {"summary_index": index}
        yield "reasoning_summary_part.added", {**at, "part": {"type": "summary_text", "text": ""}}
        padding = _padding(context)
        for piece in pieces(part["text"], context.split, size=PIECE):
            yield "reasoning_summary_text.delta", {**at, "delta": piece, **padding(piece)}
        yield "reasoning_summary_text.done", {**at, "text": part["text"]}
        yield "reasoning_summary_part.done", {**at, "part": part}


def _message(item: dict[str, Any], reply: Reply, context: ReplyContext) -> Iterator[Event]:
    alternatives = output_items.alternatives_asked(body_of(context.request))
    for index, part in enumerate(item["content"]):
        at = {"content_index": index}
        refused = part["type"] == "refusal"
        member = "refusal" if refused else "text"
        name = "refusal" if refused else "output_text"
        empty = {member: "", **({} if refused else {"annotations": [], "logprobs": []})}
        yield "content_part.added", {**at, "part": {**part, **empty}}
        padding = _no_padding if refused else _padding(context)
        texts = pieces(part[member], context.split, given=reply.chunks, size=PIECE)
        if refused or alternatives is not None:
            for piece in texts:
                logprobs = _logprobs(part, piece, len(piece), alternatives)
                yield f"{name}.delta", {**at, "delta": piece, **logprobs, **padding(piece)}
        else:
            yield from _text_deltas(index, item["id"], texts, padding)
        for number, annotation in enumerate(part.get("annotations", ())):
            yield "output_text.annotation.added", {**at, "annotation_index": number, "annotation": annotation}
        yield f"{name}.done", {**at, member: part[member], **_logprobs(part, part[member], PIECE, alternatives)}
        yield "content_part.done", {**at, "part": part}


def _text_deltas(index: int, item_id: str, texts: Iterable[str], padding: Padding) -> Iterator[str]:
    """Nearly all events of a stream: their JSON but for the place of the item and the number."""
    begin = f'{TYPE}response.output_text.delta","content_index":{index},"delta":'
    padded = [padding("x" * length).get("obfuscation") for length in range(BLOCK)]
    rest = f',"item_id":{compact(item_id)},"logprobs":[]'
    ends = [rest if one is None else f'{rest},"obfuscation":"{one}"' for one in padded]
    for text in texts:
        yield f"{begin}{quoted(text)}{ends[len(text) % BLOCK]}"


def _logprobs(part: Mapping[str, Any], text: str, size: int, alternatives: int | None) -> dict[str, list[Any]]:
    """A refusal has none."""
    if part["type"] == "refusal":
        return {}
    is_asked = alternatives is not None and bool(text)
    return {
        "logprobs": output_items.logprobs_of(text, alternatives or 0, size=size, in_events=True) if is_asked else []
    }


def _call(item: dict[str, Any], _reply: Reply, context: ReplyContext) -> Iterator[Event]:
    padding = _padding(context)
    for piece in pieces(item["arguments"], context.split, size=PIECE):
        yield "function_call_arguments.delta", {"delta": piece, **padding(piece)}
    yield "function_call_arguments.done", {"arguments": item["arguments"]}


def _padding(context: ReplyContext) -> Padding:
    """Padding that brings a delta to a multiple of 16 characters; refusals have none: recorded."""
    options = body_of(context.request).get("stream_options")
    if isinstance(options, dict) and options.get("include_obfuscation") is False:
        return _no_padding
    letters = context.ids.make("", BLOCK)
    return lambda piece: {"obfuscation": letters[: -len(piece) % BLOCK]}


def _no_padding(piece: str) -> dict[str, str]:
    return {}
