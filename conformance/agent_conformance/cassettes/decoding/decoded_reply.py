"""A recorded response in neutral words, the builder that the wires fill piece by piece, and the values of its body."""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_conformance.cassettes.bodies import is_event_stream, is_frame_stream
from fake_providers.replies.event_frames import NotAFrameError, decode_frames
from fake_providers.reply import Call, Finish, Reply, ServerCall, Source
from fake_providers.values.json_texts import read_json

CallKey = tuple[int, str]
"""Of a call while it is read: a number, and a text that the wire has for it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the provider counted them; None where it did not say."""

    input_tokens: int | None
    output_tokens: int | None


@dataclass(frozen=True, slots=True)
class DecodedReply:
    """What the model said. `reply` is one that a fake can send; it has the pieces of a streamed text in `chunks`.

    `finish_reason` is the provider's own word. `is_complete` is false for a stream that was cut, `error` the sentence
    of an error in place of a reply or in the middle of one. `left_out` names what has no neutral form, such as a
    picture. A call of the provider's own tool has an empty result where the response does not show what it found.
    """

    reply: Reply
    status: int
    is_streamed: bool
    is_complete: bool
    finish_reason: str | None = None
    usage: Usage | None = None
    error: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(slots=True)
class CallPieces:
    """A call while it is read. `arguments` are pieces of text, or a value that the wire has as an object.

    Calls that the provider ran have a `result`, and `server` if the tool is one of an MCP server.
    """

    id: str | None = None
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    value: Any = None
    result: str | None = ""
    server: str | None = None

    def call(self) -> Call:
        if isinstance(self.value, Mapping):
            return Call(self.name, dict(self.value), None, self.id)
        text = "".join(self.arguments)
        value = _object(text)
        return Call(self.name, value, None, self.id) if value is not None else Call(self.name, None, text, self.id)

    def server_call(self) -> ServerCall:
        return ServerCall(self.name, self.call().arguments or {}, self.result, self.server)


def objects(value: Any) -> list[Mapping[str, Any]]:
    """The objects of a list; nothing for any other value. What was recorded may have any shape."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def text_or_none(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


class ReplyBuilder:
    """Collects the pieces of one response, in order."""

    def __init__(self, *, is_streamed: bool) -> None:
        self.is_streamed = is_streamed
        self.texts: list[str] = []
        self.thoughts: list[str] = []
        self.calls: dict[CallKey, CallPieces] = {}
        self.server_calls: dict[CallKey, CallPieces] = {}
        self.sources: dict[Source, None] = {}
        self.finish: Finish | None = None
        self.finish_reason: str | None = None
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.error: str | None = None
        self.is_complete = False
        self.left_out: dict[str, None] = {}

    def add_text(self, text: Any) -> None:
        if isinstance(text, str) and text:
            self.texts.append(text)

    def add_thought(self, text: Any) -> None:
        if isinstance(text, str) and text:
            self.thoughts.append(text)

    def call(self, key: CallKey) -> CallPieces:
        """The call with this key, which begins here if it is new."""
        return self.calls.setdefault(key, CallPieces())

    def server_call(self, key: CallKey) -> CallPieces:
        """The same of a call that the provider runs itself."""
        return self.server_calls.setdefault(key, CallPieces())

    def cite(self, citation: Mapping[str, Any], text: str = "") -> None:
        """A page or a file, with the part of `text` that rests on it, where the citation says which."""
        start, end = citation.get("start_index"), citation.get("end_index")
        cited = text[start:end] if isinstance(start, int) and isinstance(end, int) else ""
        quoted = cited if cited and cited != text else None
        url, title, file = (citation.get(name) for name in ("url", "title", "filename"))
        if isinstance(url, str) and url:
            self.sources[Source(url, title if isinstance(title, str) else "", text=quoted)] = None
        elif isinstance(file, str) and file:
            self.sources[Source(file=file, text=quoted)] = None

    def leave_out(self, kind: Any) -> None:
        self.left_out[str(kind)] = None

    def end(self, reason: Any, finishes: Mapping[str, Finish | None]) -> None:
        """The provider's word for the end, if it is one."""
        if isinstance(reason, str) and reason:
            self.finish_reason, self.finish, self.is_complete = reason, finishes.get(reason, self.finish), True

    def count(self, usage: Any, sent: str, answered: str) -> None:
        """Tokens by the names that the wire has for those sent and those answered; later counts replace earlier."""
        if isinstance(usage, Mapping):
            self.input_tokens = _number(usage.get(sent), self.input_tokens)
            self.output_tokens = _number(usage.get(answered), self.output_tokens)

    def fail(self, error: Any) -> None:
        """An error in any of the shapes that providers have for one."""
        if isinstance(error, Mapping):
            error = error.get("message") or error.get("error") or error.get("detail") or error.get("type")
        self.error = error if isinstance(error, str) else str(error)

    def built(self, status: int) -> DecodedReply:
        counted = (self.input_tokens, self.output_tokens)
        calls = tuple(pieces.call() for pieces in self.calls.values() if pieces.name)
        return DecodedReply(
            reply=Reply(
                text="".join(self.texts) if self.texts else None,
                thinking="".join(self.thoughts) if self.thoughts else None,
                calls=calls,
                finish=self.finish,
                chunks=tuple(self.texts) if self.is_streamed and len(self.texts) > 1 else (),
                server_calls=tuple(pieces.server_call() for pieces in self.server_calls.values() if pieces.name),
                sources=tuple(self.sources),
            ),
            status=status,
            is_streamed=self.is_streamed,
            is_complete=self.is_complete and self.error is None,
            finish_reason=self.finish_reason,
            usage=None if counted == (None, None) else Usage(*counted),
            error=self.error,
            left_out=tuple(self.left_out),
        )


def _object(text: str) -> dict[str, Any] | None:
    """The object that a text of arguments is; None where the text itself says more: no JSON, or a name twice."""
    if not text.strip():
        return {} if not text else None
    try:
        value = read_json(text, strict=True)
    except ValueError:
        return None
    return value if isinstance(value, dict) and not _repeats_a_name(text) else None


def _repeats_a_name(text: str) -> bool:
    repeated = False

    def noted(pairs: list[tuple[str, Any]]) -> None:
        nonlocal repeated
        repeated = repeated or len({name for name, _ in pairs}) < len(pairs)

    json.loads(text, object_pairs_hook=noted)
    return repeated


def _number(value: Any, default: int | None) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Event:
    """`value` is None for data that is not JSON; `text` has it as it was sent."""

    name: str
    text: str
    value: Any


@dataclass(frozen=True, slots=True)
class Body:
    """`events` of a stream; of a plain response, the one value, which is None for a body that is not JSON."""

    is_streamed: bool
    events: tuple[Event, ...]


def read_body(body: bytes, content_type: str) -> Body:
    if is_frame_stream(body, content_type):
        return Body(True, tuple(_frames(body)))
    text = body.decode("utf-8", errors="replace")
    kind = content_type.lower()
    if is_event_stream(body, kind):
        return Body(True, tuple(_server_sent(text)))
    whole = _event("", text)
    if isinstance(whole.value, list):  # Gemini streams an array where no events are asked for
        return Body(True, tuple(Event("", "", value) for value in whole.value))
    lines = [line for line in text.split("\n") if line.strip()]
    if whole.value is None and (len(lines) > 1 or "ndjson" in kind) and all(line.startswith("{") for line in lines):
        return Body(True, tuple(_event("", line) for line in lines))
    return Body("ndjson" in kind, (whole,))


def _server_sent(text: str) -> Iterator[Event]:
    """An event at the end that has no empty line after it counts too: recorders trim the ends of bodies."""
    name, data = "", []
    for line in [*text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""]:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif not line:
            if data:
                yield _event(name, "\n".join(data))
            name, data = "", []


def _frames(body: bytes) -> Iterator[Event]:
    """Each event under its name; what a frame that is cut off or damaged would have said is left out."""
    try:
        for frame in decode_frames(body):
            kind = frame.headers.get(":message-type", "event")
            event = _event(frame.headers.get(f":{kind}-type", ""), frame.payload.decode("utf-8", errors="replace"))
            if event.name == "chunk":
                event = _held_event(event)
            yield Event(event.name, event.text, {event.name: event.value})
    except NotAFrameError as error:
        yield Event("", str(error), {"frameException": {"message": str(error)}})


def _held_event(chunk: Event) -> Event:
    """What a chunk has in Base64, which is an event of the model's vendor."""
    try:
        return _event(chunk.name, b64decode(chunk.value["bytes"], validate=True).decode("utf-8", errors="replace"))
    except (TypeError, LookupError, ValueError):
        return Event(chunk.name, chunk.text, None)


def _event(name: str, text: str) -> Event:
    try:
        return Event(name, text, read_json(text))
    except ValueError:
        return Event(name, text, None)
