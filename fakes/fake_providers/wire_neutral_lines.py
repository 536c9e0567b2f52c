"""Requests and replies as wire-neutral lines of text, to read and to compare in snapshots."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from fake_providers.reply import Call, Reply
from fake_providers.values.pictures import Picture
from fake_providers.view import View, ViewMessage

_UNPRINTABLE = re.compile(r"[^\n\t\x20-\x7e]")
_COMMAND = re.compile(r"^([ \t]*):(?=:[^\n]*?::)", re.MULTILINE)
"""The runner of GitHub Actions obeys a line such as `::error::`, also behind blanks."""
_COMMAND_ANYWHERE = re.compile(r"#(?=#(?:vso)?\[)")
"""It obeys `##[error]` anywhere in a line, and Azure Pipelines `##vso[...]`."""


def printable(text: str) -> str:
    """The text with escapes for every character that a terminal would not print."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def printable_output(text: str) -> str:
    """The same of a text with lines and tabs, which stay; and no line of it is a command."""
    return without_commands(_UNPRINTABLE.sub(lambda found: printable(found[0]), text.replace("\r\n", "\n")))


def without_commands(text: str) -> str:
    """The text with an escape where a line of it would be a command to whoever runs CI."""
    if "##" in text:
        text = _COMMAND_ANYWHERE.sub(r"\\x23", text)
    return _COMMAND.sub(r"\1\\x3a", text) if "::" in text else text


class CallIds:
    """Ids of calls as `id-1`, `id-2`, in the order of their first appearance."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def name(self, id: str | None) -> str:
        if id is None:
            return "no id"
        return self._names.setdefault(id, f"id-{len(self._names) + 1}")

    @property
    def names(self) -> dict[str, str]:
        return dict(self._names)


def request_lines(view: View, previous: View | None, ids: CallIds, *, indent: str) -> Iterator[str]:
    """What is new in the request since the one before; `again from message 2` if it changed earlier messages."""
    if view.system and (previous is None or previous.system != view.system):
        yield from labelled("system", view.system, indent)
    start = _common(previous.messages if previous else (), view.messages)
    if previous is not None and start < len(previous.messages):
        yield f"{indent}again from message {start + 1}"
    for message in view.messages[start:]:
        yield from message_lines(message, ids, indent)


def offered_tools(view: View) -> str:
    return ", ".join(tool.name for tool in view.tools) or "nothing"


def reply_lines(reply: Reply, calls: Sequence[str], *, indent: str) -> Iterator[str]:
    """`calls` has a line for each call of the reply, since the names and ids that were sent may differ."""
    if reply.fault is not None:
        fields = {name: getattr(reply.fault, name) for name in reply.fault.__slots__}
        yield f"{indent}model fails: {flat_json({key: v for key, v in fields.items() if v not in (None, ())})}"
    if reply.thinking:
        yield from labelled("model thinks", reply.thinking, indent)
    if reply.text is not None:
        yield from labelled("model", reply.text, indent)
    for server_call in reply.server_calls:
        found = "is left open" if server_call.result is None else f"found {_flat(server_call.result)}"
        yield f"{indent}provider's {server_call.name} {flat_json(server_call.arguments)} {found}"
    for source in reply.sources:
        yield f"{indent}model cites {source.url or source.file}"
    yield from (f"{indent}model calls {call}" for call in calls)
    if reply.finish is not None:
        yield f"{indent}model ends: {reply.finish}"


def arguments_of(call: Call) -> str:
    """The arguments of a scripted call in one line, as they are sent."""
    return flat_json(call.arguments) if call.arguments_text is None else _flat(call.arguments_text)


def labelled(label: str, text: str, indent: str = "  ") -> Iterator[str]:
    lines = text.split("\n")
    yield f"{indent}{label}: {lines[0]}".rstrip()
    for line in lines[1:]:
        yield f"{indent}  | {line}".rstrip()


def _flat(text: str) -> str:
    return text.replace("\n", "\\n")


def flat_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr, sort_keys=True)


def _common(old: Sequence[ViewMessage], new: Sequence[ViewMessage]) -> int:
    """How many messages both have in common. If the last old one has grown, it counts as new."""
    count = 0
    for before, now in zip(old, new, strict=False):
        if before != now:
            break
        count += 1
    return count


def message_lines(message: ViewMessage, ids: CallIds, indent: str) -> Iterator[str]:
    if message.thinking:
        yield from labelled(f"{message.role} thinks", message.thinking, indent)
    if message.text or not (message.calls or message.results or message.pictures):
        yield from labelled(message.role, message.text, indent)
    yield from _pictures(message.role, message.pictures, indent)
    for call in message.calls:
        yield f"{indent}{message.role} calls {call.name} {_flat(call.arguments_text)} ({ids.name(call.id)})"
    for result in message.results:
        word = "error" if result.is_error else "result"
        yield from labelled(f"{word} for {ids.name(result.id)}", result.text, indent)
        yield from _pictures(f"{word} for {ids.name(result.id)}", result.pictures, indent)


def _pictures(label: str, pictures: tuple[Picture, ...], indent: str) -> Iterator[str]:
    for picture in pictures:
        yield f"{indent}{label}: a picture, {picture.media_type}, {picture.width} x {picture.height}"
