"""Chat completions, plain and streamed, as OpenAI and all who have the same wire send them."""

from collections.abc import Mapping
from typing import Any, Final

from agent_conformance.cassettes.decoding.decoded_reply import CallPieces, ReplyBuilder, objects, text_or_none
from fake_providers.reply import Finish

FINISHES: Final[Mapping[str, Finish | None]] = {"length": "length", "content_filter": "content_filter"}


def read_response(body: Mapping[str, Any], builder: ReplyBuilder) -> None:
    """Complete also without a reason: some servers send none, or an empty one."""
    _read(body, builder, "message")
    if builder.finish_reason is None and any(choice.get("message") for choice in objects(body.get("choices"))):
        builder.is_complete, builder.finish = True, builder.finish or "none"


def read_event(event: Mapping[str, Any], builder: ReplyBuilder) -> None:
    _read(event, builder, "delta")


def _read(body: Mapping[str, Any], builder: ReplyBuilder, member: str) -> None:
    if body.get("error"):
        builder.fail(body["error"])
    builder.count(body.get("usage"), "prompt_tokens", "completion_tokens")
    for choice in objects(body.get("choices")):
        if choice.get("index", 0) != 0:
            builder.leave_out("choices after the first")
            continue
        message = choice.get(member)
        if isinstance(message, Mapping):
            builder.add_thought(message.get("reasoning_content") or message.get("reasoning"))
            # A text, or Mistral's list of texts and thoughts.
            content = message.get("content")
            for part in content if isinstance(content, list) else [content]:
                if not isinstance(part, Mapping):
                    builder.add_text(part)
                elif part.get("type") == "thinking":
                    for thought in objects(part.get("thinking")):
                        builder.add_thought(thought.get("text"))
                elif part.get("type") in ("text", "output_text"):
                    builder.add_text(part.get("text"))
                else:
                    builder.leave_out(part.get("type"))
            for annotation in objects(message.get("annotations")):
                cited = annotation.get("url_citation")
                builder.cite(cited if isinstance(cited, Mapping) else annotation, "".join(builder.texts))
            if message.get("refusal"):
                builder.add_text(message["refusal"])
                builder.finish = "refusal"
            for position, call in enumerate(objects(message.get("tool_calls"))):
                # A new id begins a new call, whatever the index: some servers give every call the same, or none
                pieces = _call_of(call, position, builder)
                pieces.id = pieces.id or text_or_none(call.get("id"))
                function = call.get("function")
                if isinstance(function, Mapping):
                    _add(pieces, function)
                else:
                    builder.leave_out(call.get("type"))
            if isinstance(message.get("function_call"), Mapping):
                _add(builder.call((0, "function_call")), message["function_call"])
        builder.end(choice.get("finish_reason"), FINISHES)
        if builder.finish_reason == "tool_calls" and not builder.calls:
            builder.finish = "tool_calls"


def _call_of(call: Mapping[str, Any], position: int, builder: ReplyBuilder) -> CallPieces:
    if not builder.is_streamed:
        return builder.call((position, ""))
    id, index = text_or_none(call.get("id")), str(call.get("index"))
    begun = list(builder.calls.items())
    same = [pieces for _, pieces in begun if id is not None and pieces.id == id]
    same = same or [pieces for key, pieces in begun if key[1] == index]
    if same and (id is None or same[-1].id in (None, id)):
        return same[-1]
    if begun and not same and id is None and not _has_name(call):
        return begun[-1][1]
    return builder.call((len(begun), index))


def _has_name(call: Mapping[str, Any]) -> bool:
    function = call.get("function")
    return isinstance(function, Mapping) and bool(function.get("name"))


def _add(pieces: CallPieces, function: Mapping[str, Any]) -> None:
    """Some servers repeat the name in each delta, and some send arguments as an object."""
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(name, str) and name and not pieces.name:
        pieces.name = name
    if isinstance(arguments, str):
        pieces.arguments.append(arguments)
    elif isinstance(arguments, Mapping):
        pieces.value = arguments
