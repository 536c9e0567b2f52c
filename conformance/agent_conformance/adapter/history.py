"""A history in each wire's own format, for adapters whose agent keeps its conversation as the provider's messages.

It translates and never repairs: what is missing, doubled or out of order stays so, because that is often the subject of
a scenario. With `pictures`, those of users and results stand where the wire has them, for agents with the feature
`images`.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

from agent_conformance.adapter.types import CannotRestore, Message, Part, Tool, ToolCall

History = Iterable[Message]
WireMessage = dict[str, Any]


def leading_system(history: History) -> tuple[str, tuple[Message, ...]]:
    """The text of the system messages at the start, and the other messages. For wires with a field for this text."""
    messages = tuple(history)
    head = 0
    while head < len(messages) and messages[head].role == "system":
        head += 1
    return "\n\n".join(message.text for message in messages[:head]), messages[head:]


def openai_chat_messages(
    history: History, system: str = "", *, thinking_field: str = "", pictures: bool = False
) -> list[WireMessage]:
    """The `messages` of chat completions, with a system message first if `system` is given.

    Argument text stays verbatim. The format has no field for thinking: it is left out, or goes into the field that a
    provider has for it (`thinking_field="reasoning_content"` for DeepSeek). Pictures of results stand in a message of
    the user after them.
    """
    messages: list[WireMessage] = [{"role": "system", "content": system}] if system else []
    for role, run in _runs(_shown(history, pictures)):
        messages.extend(_openai_message(message, thinking_field) for message in run)
        if role == "tool" and (returned := pictures_of(run)):
            messages.append({"role": "user", "content": chat_parts("", returned)})
    return messages


def openai_responses_items(history: History, *, pictures: bool = False) -> list[WireMessage]:
    """The `input` of Responses: a message, each of its calls and each result are separate items.

    Argument text stays verbatim. No item has an `id`, which only the provider's own items may have. System messages
    stay where they are; see `leading_system`. Thinking is left out: the API accepts only what it has encrypted.
    """
    return [item for message in _shown(history, pictures) for item in _responses_items(message)]


def anthropic_messages(history: History, *, pictures: bool = False) -> list[WireMessage]:
    """The `messages` of the Messages API; results in a row share one user message, as the wire has them.

    System messages stay where they are, as `role: system`; see `leading_system`. Thinking is left out: the API accepts
    only blocks that it has signed. Raises `CannotRestore` for argument text that is no JSON: `input` is a JSON value.
    """
    return [message for role, run in _runs(_shown(history, pictures)) for message in _anthropic_run(role, run)]


def gemini_contents(history: History, *, pictures: bool = False) -> list[WireMessage]:
    """The `contents` of generateContent; results in a row share one content, as the wire has them.

    Raises `CannotRestore` for argument text that is no JSON, since `args` is a JSON value, and for a system message,
    since contents have no such role; see `leading_system`.
    """
    return [content for role, run in _runs(_shown(history, pictures)) for content in _gemini_run(role, run)]


def ollama_messages(history: History, system: str = "", *, pictures: bool = False) -> list[WireMessage]:
    """The `messages` of Ollama's chat, with a system message first if `system` is given; thinking has its own field.

    Raises `CannotRestore` for argument text that is no JSON: `arguments` is a JSON value.
    """
    messages = [{"role": "system", "content": system}] if system else []
    messages.extend(_ollama_message(message) for message in _shown(history, pictures))
    return messages


def cohere_messages(history: History, system: str = "", *, pictures: bool = False) -> list[WireMessage]:
    """The `messages` of Cohere's chat, with a system message first if `system` is given.

    A text beside calls is a message before them: it may not stand in theirs, and not every model takes it as a
    `tool_plan`. Argument text stays verbatim, and thinking is left out. Pictures of results stand in a message of the
    user after them.
    """
    messages: list[WireMessage] = [{"role": "system", "content": system}] if system else []
    for role, run in _runs(_shown(history, pictures)):
        messages.extend(wire_message for message in run for wire_message in _cohere_messages(message))
        if role == "tool" and (returned := pictures_of(run)):
            messages.append({"role": "user", "content": chat_parts("", returned)})
    return messages


def _shown(history: History, pictures: bool) -> History:
    """The history, for an agent without the feature `images` with `[image/png]` in place of each picture."""
    return history if pictures else tuple(replace(message, parts=()) for message in history)


def _openai_message(message: Message, thinking_field: str) -> WireMessage:
    if message.role == "tool":
        return _present({"role": "tool", "tool_call_id": message.tool_call_id, "content": text_of(message)})
    if pictures := pictures_of([message]):
        return {"role": message.role, "content": chat_parts(text_of(message), pictures)}
    if message.role != "assistant":
        return {"role": message.role, "content": message.text}
    wire_message: WireMessage = {"role": "assistant", "content": message.text}
    if message.thinking and thinking_field:
        wire_message[thinking_field] = message.thinking
    if message.tool_calls:
        wire_message["content"] = message.text or None
        wire_message["tool_calls"] = [_function_call(call) for call in message.tool_calls]
    return wire_message


def _function_call(call: ToolCall) -> WireMessage:
    return _present({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}})


def _cohere_messages(message: Message) -> Iterator[WireMessage]:
    if message.role == "tool":
        # An empty text is no content; an empty block is one.
        content = text_of(message) or [{"type": "text", "text": ""}]
        yield _present({"role": "tool", "tool_call_id": message.tool_call_id, "content": content})
        return
    if pictures := pictures_of([message]):
        yield {"role": message.role, "content": chat_parts(text_of(message), pictures)}
    elif message.text or not message.tool_calls:
        yield {"role": message.role, "content": message.text}
    if message.tool_calls:
        yield {"role": "assistant", "tool_calls": [_function_call(call) for call in message.tool_calls]}


def _ollama_message(message: Message) -> WireMessage:
    if message.role == "tool":
        wire_message = _present({"role": "tool", "tool_name": message.name, "tool_call_id": message.tool_call_id})
        return wire_message | {"content": text_of(message)} | ollama_images(message)
    wire_message = _present({"role": message.role, "content": text_of(message)}) | ollama_images(message)
    if message.thinking:
        wire_message["thinking"] = message.thinking
    if message.tool_calls:
        wire_message["tool_calls"] = [
            _present({"id": call.id}) | {"function": {"name": call.name, "arguments": _json_arguments(call)}}
            for call in message.tool_calls
        ]
    return wire_message


def _responses_items(message: Message) -> Iterator[WireMessage]:
    if message.role == "tool":
        output: Any = (
            responses_parts(text_of(message), pictures) if (pictures := pictures_of([message])) else message.text
        )
        yield _present({"type": "function_call_output", "call_id": message.tool_call_id, "output": output})
        return
    if pictures := pictures_of([message]):
        yield {"role": message.role, "content": responses_parts(text_of(message), pictures)}
    elif message.text or not message.tool_calls:
        yield {"role": message.role, "content": message.text}
    for call in message.tool_calls:
        item = _present({"type": "function_call", "call_id": call.id, "name": call.name})
        yield item | {"arguments": call.text}


def _anthropic_run(role: str, run: list[Message]) -> Iterator[WireMessage]:
    if role == "tool":
        failed = pictures_of(message for message in run if message.is_error)
        yield {"role": "user", "content": [*map(_anthropic_result, run), *anthropic_parts("", failed)]}
        return
    for message in run:
        if pictures := pictures_of([message]):
            yield {"role": role, "content": anthropic_parts(text_of(message), pictures)}
            continue
        if not message.tool_calls:
            yield {"role": role, "content": message.text}
            continue
        text = [{"type": "text", "text": message.text}] if message.text else []
        yield {
            "role": role,
            "content": [
                *text,
                *(
                    (
                        _present({"type": "tool_use", "id": call.id, "name": call.name})
                        | {"input": _json_arguments(call)}
                    )
                    for call in message.tool_calls
                ),
            ],
        }


def _anthropic_result(message: Message) -> WireMessage:
    """A failed result has text alone: its pictures stand after the results."""
    content: Any = text_of(message)
    if not message.is_error and (pictures := pictures_of([message])):
        content = anthropic_parts(content, pictures)
    result = _present({"type": "tool_result", "tool_use_id": message.tool_call_id, "content": content})
    return result | {"is_error": True} if message.is_error else result


def _gemini_run(role: str, run: list[Message]) -> Iterator[WireMessage]:
    if role == "tool":
        yield {"role": "user", "parts": [_gemini_result(message) for message in run]}
        if pictures := pictures_of(run):
            yield {"role": "user", "parts": gemini_parts(pictures)}
        return
    if role == "system":
        raise CannotRestore("a system message within the history: Gemini's contents have no such role")
    for message in run:
        parts: list[WireMessage] = []
        if message.thinking:
            parts.append({"text": message.thinking, "thought": True})
        parts += gemini_parts(pictures_of([message]))
        if (text := text_of(message)) or not (message.tool_calls or message.thinking or parts):
            parts.append({"text": text})
        for call in message.tool_calls:
            named = _present({"id": call.id, "name": call.name})
            parts.append({"functionCall": named | {"args": _json_arguments(call)}})
        yield {"role": "model" if role == "assistant" else role, "parts": parts}


def _gemini_result(message: Message) -> WireMessage:
    """The keys `output` and `error` are those that Google's reference gives for `FunctionResponse.response`."""
    response = {"error" if message.is_error else "output": text_of(message)}
    return {"functionResponse": _present({"id": message.tool_call_id, "name": message.name, "response": response})}


def _json_arguments(call: ToolCall) -> Any:
    """Whatever JSON value the arguments are: an array stays an array."""
    if call.arguments_text is None:
        return dict(call.arguments or {})
    try:
        return json.loads(call.arguments_text)
    except ValueError:
        text = call.arguments_text[:60]
        raise CannotRestore(
            f"arguments of {call.name} that are no JSON on a wire that takes a value: {text!r}"
        ) from None


def _runs(history: History) -> Iterator[tuple[str, list[Message]]]:
    for role, run in groupby(history, key=lambda message: message.role):
        yield role, list(run)


def _present(fields: WireMessage) -> WireMessage:
    """Without fields that are None: an id or a name that the history does not have is left out."""
    return {key: value for key, value in fields.items() if value is not None}


WirePart = dict[str, Any]

UNSEEN = ("image/svg+xml",)
"""Types that no provider takes as a picture: they stay in the text, as `[image/svg+xml]`."""


def pictures_of(messages: Iterable[Message]) -> list[Part]:
    return [part for message in messages for part in message.parts if _is_picture(part)]


def text_of(message: Message) -> str:
    """The text of a message, without what `pictures_of` has."""
    rest = [part for part in message.parts if not _is_picture(part)]
    return (Tool.text(rest) if rest else "") if message.parts else message.text


def chat_parts(text: str, pictures: Iterable[Part]) -> list[WirePart]:
    images = [{"type": "image_url", "image_url": {"url": _url(picture)}} for picture in pictures]
    return [*_texts("text", text), *images]


def responses_parts(text: str, pictures: Iterable[Part]) -> list[WirePart]:
    images = [{"type": "input_image", "image_url": _url(picture)} for picture in pictures]
    return [*_texts("input_text", text), *images]


def anthropic_parts(text: str, pictures: Iterable[Part]) -> list[WirePart]:
    sources = [{"type": "base64", "media_type": picture.media_type, "data": picture.data} for picture in pictures]
    return [*_texts("text", text), *({"type": "image", "source": source} for source in sources)]


def gemini_parts(pictures: Iterable[Part]) -> list[WirePart]:
    return [{"inlineData": {"mimeType": picture.media_type, "data": picture.data}} for picture in pictures]


def ollama_images(message: Message) -> WirePart:
    """The field `images` of a message, if it has pictures."""
    data = [picture.data for picture in pictures_of([message])]
    return {"images": data} if data else {}


def _texts(kind: str, text: str) -> list[WirePart]:
    return [{"type": kind, "text": text}] if text else []


def _url(picture: Part) -> str:
    return f"data:{picture.media_type};base64,{picture.data}"


def _is_picture(part: Part) -> bool:
    return part.type == "image" and part.media_type not in UNSEEN
