"""A reply as one provider's items, response and events, before they are encoded. Knows no provider by name."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fake_providers.replies.chunking import pieces
from fake_providers.reply import MADE_BY_PROVIDER, CannotExpress, Reply
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.offered_tools import names_of, offered_tools
from fake_providers.wires.openai_responses.output_items import arguments_text
from fake_providers.wires.openai_responses.provider import Answers, Event, Members, tokens_of_reply
from fake_providers.wires.openai_responses.request import view_of
from fake_providers.wires.openai_responses.response import CREATED, CUT_SHORT
from fake_providers.wires.openai_shared.request_body import body_of


@dataclass(frozen=True, slots=True)
class RenderedReply:
    """`initial` is the response before the first item, `done` the finished one."""

    answers: Answers
    context: ReplyContext
    reply: Reply
    initial: Members
    items: list[Members]
    done: Members

    def events(self) -> Iterator[Event]:
        """All events before the last one, which is `ending`."""
        yield "response.created", {"response": self.initial}
        yield "response.in_progress", {"response": self.initial}
        for index, item in enumerate(self.items):
            yield from self._item(index, item)

    def opening(self) -> Iterator[Event]:
        """Only the first events, for a reply that fails before its first item."""
        yield "response.created", {"response": self.initial}
        yield "response.in_progress", {"response": self.initial}

    def ending(self) -> Event:
        return f"response.{self.done['status']}", {"response": self.done}

    def _item(self, index: int, item: Members) -> Iterator[Event]:
        at = {"output_index": index}
        without_content = {name: value for name, value in item.items() if name not in ("encrypted_content",)}
        empty: Members = {"arguments": ""} if item["type"] == "function_call" else {"content": []}
        if item["type"] == "reasoning":
            empty = {name: [] for name in ("summary", "content")}
        empty_members = {
            name: value for name, value in {"status": "in_progress", **empty}.items() if name in without_content
        }
        yield "response.output_item.added", {**at, "item": {**without_content, **empty_members}}
        pieces_of = {"reasoning": self._thought, "message": self._message, "function_call": self._call}[item["type"]]
        for name, members in pieces_of(item):
            yield f"response.{name}", {**at, "item_id": item["id"], **members}
        yield "response.output_item.done", {**at, "item": item}

    def _thought(self, item: Members) -> Iterator[Event]:
        if self.answers.reasoning_member == "content":
            yield from self._parts(item["content"], "content_part", "reasoning_text", "content_index")
        else:
            yield from self._parts(item["summary"], "reasoning_summary_part", "reasoning_summary_text", "summary_index")

    def _parts(self, parts: list[Members], part_name: str, text_name: str, index_name: str) -> Iterator[Event]:
        for index, part in enumerate(parts):
            at = {index_name: index}
            yield f"{part_name}.added", {**at, "part": {**part, "text": ""}}
            for piece in pieces(part["text"], self.context.split, size=self.answers.text_size):
                yield f"{text_name}.delta", {**at, "delta": piece}
            yield f"{text_name}.done", {**at, "text": part["text"]}
            yield f"{part_name}.done", {**at, "part": part}

    def _message(self, item: Members) -> Iterator[Event]:
        at, part = {"content_index": 0}, item["content"][0]
        refused = part["type"] == "refusal"
        member, name = ("refusal", "refusal") if refused else ("text", "output_text")
        logprobs: Members = {} if refused else {"logprobs": []}
        yield "content_part.added", {**at, "part": {**part, member: ""}}
        given = tuple(self.reply.chunks)
        for piece in pieces(part[member], self.context.split, given=given, size=self.answers.text_size):
            yield f"{name}.delta", {**at, "delta": piece, **logprobs}
        yield f"{name}.done", {**at, member: part[member], **logprobs}
        yield "content_part.done", {**at, "part": part}

    def _call(self, item: Members) -> Iterator[Event]:
        arguments = item["arguments"]
        size = self.answers.call_size
        for piece in pieces(arguments, self.context.split, size=size) if size else [arguments]:
            yield "function_call_arguments.delta", {"delta": piece}
        name = {"name": item["name"]} if self.answers.names_calls else {}
        yield "function_call_arguments.done", {**name, "arguments": arguments}


def render(reply: Reply, context: ReplyContext, answers: Answers, *, streamed: bool) -> RenderedReply:
    """Raises `CannotExpress` for a call without an id."""
    reply = answers.complete_reply(reply, context)
    response_id = answers.id(context.ids)
    initial = answers.unfinished_response(context, response_id, streamed)
    items = list(_items(reply, context, answers, response_id))
    reason = CUT_SHORT.get(reply.finish or "")
    if reason:
        items[-1]["status"] = "incomplete"
    done = {
        **initial,
        "status": "incomplete" if reason else "completed",
        "completed_at": None if reason else CREATED + 1,
        "incomplete_details": {"reason": reason} if reason else None,
        "output": [answers.final_item(item) for item in items],
        "usage": answers.usage(tokens_of_reply(reply, context, view_of(context.request))),
    }
    return RenderedReply(answers, context, reply, initial, items, done)


def _items(reply: Reply, context: ReplyContext, answers: Answers, response_id: str) -> Iterator[Members]:
    """The reasoning, then the message, then the calls."""

    def item_id(kind: str, number: int = 0) -> str:
        return answers.item_id(kind, response_id, number, context.ids)

    if reply.thinking is not None:
        yield answers.reasoning_item(item_id("rs"), reply.thinking, answers.encrypt_reasoning(reply.thinking, context))
    if reply.text is not None or not (reply.calls or reply.thinking):
        text = reply.text or ""
        part = {"type": "refusal", "refusal": text} if reply.finish == "refusal" else answers.text_part(text)
        yield answers.message_item(item_id("msg"), part, bool(reply.calls))
    keys_by_name = {name: key for key, name in names_of(offered_tools(body_of(context.request))).items()}
    for number, call in enumerate(reply.calls):
        if call.id is None:
            raise CannotExpress("call-id-null")
        namespace, name = keys_by_name.get(call.name, ("", call.name))
        call_id = answers.call_id(context.ids, number) if call.id is MADE_BY_PROVIDER else str(call.id)
        item = answers.call_item(item_id("fc", number), call_id, name, arguments_text(call))
        yield {**item, "namespace": namespace} if namespace else item


def message_of(body: Any) -> str:
    """The message in an error's body, whatever its envelope."""
    found = body.get("error", body) if isinstance(body, dict) else body
    return str(found.get("message", "")) if isinstance(found, dict) else str(found)
