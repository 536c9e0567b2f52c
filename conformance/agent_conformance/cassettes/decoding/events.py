"""The JSON values of a recorded body: one for a plain response, one for each event of a stream."""

from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_conformance.cassettes.bodies import is_event_stream, is_frame_stream
from fake_providers.replies.event_frames import NotAFrameError, decode_frames
from fake_providers.values.json_texts import read_json

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
