"""What an incident left, as one neutral conversation: also of requests on a wire, with their responses."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

from agent_conformance.cassettes.decoding import decode_response
from agent_conformance.cassettes.decoding.decoded_reply import DecodedReply
from agent_conformance.cassettes.recorded_exchange import RecordedResponse
from agent_conformance.transcripts.redaction import redacted
from fake_providers.http import Request
from fake_providers.registry import wire_for
from fake_providers.reply import Finish, ServerCall, Source
from fake_providers.values.json_texts import read_json
from fake_providers.values.pictures import Picture
from fake_providers.view import View
from fake_providers.wire_facts import WIRE_FACTS

_MARK = re.compile(r"\n?\[image(?:/[\w+.-]+)?\]")
"""What stands in the text of a result for a picture in it."""

Role = Literal["user", "assistant", "tool"]


class CannotDraft(Exception):
    """Says where the source stops, what was understood, what was expected and what to do."""


@dataclass(frozen=True, slots=True)
class Call:
    """`arguments` is the JSON value, or None where the text is not JSON."""

    id: str | None
    name: str
    arguments: Any
    arguments_text: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. That of a tool has one result, as `text`, with the `id` of its call.

    What begins at `finish` is known of a recorded reply alone, so a message of a history equals it without.
    """

    role: Role
    text: str = ""
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    id: str | None = None
    name: str | None = None
    is_error: bool = False
    pictures: tuple[Picture, ...] = ()
    finish: Finish | None = field(default=None, compare=False)
    chunks: tuple[str, ...] = field(default=(), compare=False)
    server_calls: tuple[ServerCall, ...] = field(default=(), compare=False)
    sources: tuple[Source, ...] = field(default=(), compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: Any


@dataclass(frozen=True, slots=True)
class Refusal:
    """`status` and `message` as the provider sent them, or as the fake does; `rule` of the fake, "" if it has none.

    `at` is the place in the request's `body` that the rule is about.
    """

    status: int
    message: str
    provider: str
    rule: str = ""
    at: str = ""
    body: Any = None
    path: str = ""

    @property
    def is_in_scenarios(self) -> bool:
        """Whether a scenario can have what was refused: it has texts, calls, results and tools, and no other field."""
        names = re.findall(r"[A-Za-z_]\w*", self.at)
        if any(name in _SCHEMAS for name in names):
            return True
        is_name = names[-1:] == ["name"] and not _NAMED.intersection(names[:-1])
        return not is_name and all(name in _IN_SCENARIOS for name in names)


_SCHEMAS = frozenset(("parameters", "parametersJsonSchema", "input_schema", "inputSchema", "json"))
_NAMED = frozenset(
    ("tools", "tool_calls", "function", "functionCall", "functionResponse", "functionDeclarations", "toolUse", "custom")
)
_WORDS = """
messages contents input content parts role text system systemInstruction instructions name description arguments args id
call_id tool_call_id tool_use_id toolUseId output response result toolResult status is_error type thinking signature
thoughtSignature thought reasoning_content reasoning summary image image_url url source data inlineData mimeType
media_type format bytes toolSpec toolConfig
"""
_IN_SCENARIOS = _SCHEMAS | _NAMED | frozenset(_WORDS.split())
"""Parts of requests that come from what a scenario has."""


@dataclass(frozen=True, slots=True)
class Round:
    """One request and the model's reply to it, if there was one."""

    messages: tuple[Message, ...]
    reply: Message | None = None
    system: str = ""
    tools: tuple[Tool, ...] = ()
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """`messages` is the conversation as it was lived, `sent` what the last request had of it.

    `unknown` are sentences about what the source does not say.
    """

    kind: str
    wire: str
    provider: str
    messages: tuple[Message, ...]
    sent: tuple[Message, ...]
    system: str = ""
    tools: tuple[Tool, ...] = ()
    refusal: Refusal | None = None
    unknown: tuple[str, ...] = ()


def messages_of(view: View) -> Iterator[Message]:
    """The messages of a request; each result is a message of its own."""
    for message in view.messages:
        for result in message.results:
            text = _MARK.sub("", result.text) if result.pictures else result.text
            yield Message(
                "tool", text, id=result.id, name=result.name, is_error=result.is_error, pictures=result.pictures
            )
        if message.role != "tool":
            calls = tuple(Call(call.id, call.name, call.arguments, call.arguments_text) for call in message.calls)
            yield Message(message.role, message.text, message.thinking, calls, pictures=message.pictures)


def joined(rounds: Iterable[Round]) -> tuple[Message, ...]:
    """The conversation as it was lived: what each request added, and what the model replied.

    What an agent changed or lost of earlier messages is not repeated.
    """
    lived: list[Message] = []
    for one in rounds:
        lived += _news(one.messages, lived) if lived else one.messages
        if one.reply is not None:
            lived.append(one.reply)
    return tuple(lived)


def _news(messages: tuple[Message, ...], lived: list[Message]) -> list[Message]:
    """The messages after the last reply that are not there yet, and that reply if it was not recorded where it was
    sent. A retry has none."""
    start = _after_last_reply(messages)
    known = lived[_after_last_reply(lived) :] if start else lived
    if start and lived[-1].role != "assistant" and messages[start - 1] not in lived:
        start -= 1
    return [message for message in messages[start:] if message not in known]


def _after_last_reply(messages: Iterable[Message]) -> int:
    places = [place for place, message in enumerate(messages, 1) if message.role == "assistant"]
    return places[-1] if places else 0


def answered(messages: Iterable[Message]) -> tuple[Message, ...]:
    """With a made-up result after each call that has none."""
    messages = tuple(messages)
    known = {message.id for message in messages if message.role == "tool"}
    given: list[Message] = []
    for message in messages:
        open_calls = [call for call in message.calls if call.id not in known]
        given += [message, *(Message("tool", "done", id=call.id, name=call.name) for call in open_calls)]
    return tuple(given)


def with_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """With an id for each call that has none, and the same one for its result: the next of that name without one."""
    given: list[Message] = []
    waiting: list[Call] = []
    count = 0
    for old_message in messages:
        message, calls = old_message, []
        for call in message.calls:
            count += 1
            calls.append(call if call.id else replace(call, id=f"call-{count}"))
        waiting += [new for new, old in zip(calls, message.calls, strict=True) if not old.id]
        if message.role == "tool" and not message.id:
            found = next((call for call in waiting if message.name in (None, call.name)), None)
            waiting = [call for call in waiting if call is not found]
            message = replace(message, id=found.id if found else "call-without-id")
        given.append(replace(message, calls=tuple(calls)))
    return tuple(given)


TYPES = {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/svg+xml": "svg"}
"""Media types that the suite draws, by its names for them; any other becomes a PNG."""
USUAL_SIZE = 64
"""Of a picture whose bytes do not say it, or that stands at an address."""
LARGEST_SIZE, LARGEST_GIF = 10_000, 2_000

_PICTURES = ("image", "image_url", "input_image")
_FILES = ("file", "input_file", "document", "input_audio", "audio", "video", "video_url", "blob", "container_upload")
_DATA = ("inlineData", "inline_data", "fileData", "file_data")
_NOT_CONTENT = ("tools", "arguments", "args", "input", "input_schema", "parameters", "source")


def content_with(text: str, pictures: Iterable[Picture]) -> str | list[dict[str, Any]]:
    """A text, or the list of parts that a scenario has where there are pictures."""
    drawn = [_drawn(picture) for picture in pictures]
    if not drawn:
        return text
    return [*([{"text": text}] if text else []), *drawn]


def _drawn(picture: Picture) -> dict[str, Any]:
    name = TYPES.get(picture.media_type, "png")
    largest = LARGEST_GIF if name == "gif" else LARGEST_SIZE
    width, height = (min(size or USUAL_SIZE, largest) for size in (picture.width, picture.height))
    return {"image": {"width": width, "height": height, **({} if name == "png" else {"media_type": name})}}


def notes_on(messages: Iterable[Message], bodies: Iterable[Any]) -> Iterator[str]:
    """What is said of the pictures that are drawn again, and of the parts that are left out."""
    pictures = [picture for message in messages for picture in message.pictures]
    if pictures:
        yield f"{_counted(len(pictures), 'picture')} drawn anew, as noise of the same size."
    left_out: Counter[str] = Counter()
    for body in bodies:
        left_out |= Counter(_left_out(body)) - Counter({"picture": len(pictures)})
    if left_out:
        kinds = ", ".join(f"{count} x {kind}" for kind, count in sorted(left_out.items()))
        many = _counted(left_out.total(), "part")
        yield f"{many} left out ({kinds}): a scenario has texts, and pictures that can be read."


def _counted(count: int, what: str) -> str:
    return f"1 {what} is" if count == 1 else f"{count} {what}s are"


def _left_out(value: Any) -> Iterator[str]:
    """The kind of each picture and each file. What a tool declares or gets is none."""
    if isinstance(value, list):
        for inner in value:
            yield from _left_out(inner)
    elif isinstance(value, dict):
        kind = value.get("type")
        data = next((value[name] for name in _DATA if isinstance(value.get(name), dict)), None)
        if kind in _PICTURES:
            yield "picture"
        elif kind in _FILES:
            yield str(kind)
        elif data is not None:
            media_type = str(data.get("mimeType") or data.get("mime_type") or "file")
            yield "picture" if media_type.startswith("image/") else media_type
        yield from ("picture" for _ in value["images"]) if isinstance(value.get("images"), list) else ()
        for name, inner in value.items():
            if name not in _NOT_CONTENT and name not in _DATA:
                yield from _left_out(inner)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """`answer` is the provider's answer in a file of its own; the other members are "" where nothing is named."""

    label: str
    data: bytes
    answer: bytes | None = None
    provider: str = ""
    case: str = ""
    model: str = ""

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")

    def values(self) -> Iterator[tuple[int, Any]]:
        """Line and value: one of a JSON document, or each of JSON Lines. Raises `CannotDraft` where it is neither."""
        text = self.text
        try:
            yield 1, read_json(text)
            return
        except ValueError:
            lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2 or not _is_json(lines[0][1]):
            raise CannotDraft(_stops(self.label, text))
        for count, (number, line) in enumerate(lines):
            if not _is_json(line):
                read = "1 line was" if count == 1 else f"{count} lines were"
                raise CannotDraft(
                    f"{self.label}:{number}: this line is not JSON; it begins with {redacted(line.strip())[:40]!r}. "
                    f"{read} read before it. Remove it, or give the file whole."
                )
            yield number, read_json(line)


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except ValueError:
        return False
    return True


def _stops(label: str, text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return (
            f"{label}:{error.lineno}: this is not JSON from column {error.colno} on: {error.msg}. Give the file whole."
        )
    except RecursionError:
        pass
    return f"{label}: it is nested too deep to be read."


REFUSED = (400, 404, 413, 422)
"""Statuses of requests that are wrong, rather than of a provider that is busy or a key that is not right."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as the fakes take it. `is_made_up`: its messages are only what matches a fixture."""

    request: Request
    wire: str
    provider: str
    response: RecordedResponse | None = None
    is_made_up: bool = False


def evidence_of(sent: Sequence[Sent], kind: str, unknown: Sequence[str] = ()) -> Evidence:
    """The conversation of these requests up to the last one that was refused, or to their end."""
    rounds = _main(list(map(round_of, sent)))
    refused = [place for place, one in enumerate(rounds, 1) if one.refusal is not None]
    rounds = rounds[: refused[-1]] if refused else rounds
    last = rounds[-1]
    notes = list(unknown)
    if any(b"previous_response_id" in one.request.body for one in sent):
        notes.append("Earlier messages are stored at the provider, and only those in the file are known.")
    if any(one.is_made_up for one in sent):
        notes.append("The file has no results of tools and no declarations: they are made up.")
    lived = with_ids(joined(rounds))
    notes += notes_on(lived, map(_contents, sent))
    return Evidence(
        kind=kind,
        wire=sent[0].wire,
        provider=last.refusal.provider if last.refusal else sent[0].provider,
        messages=answered(lived) if any(one.is_made_up for one in sent) else lived,
        sent=with_ids((*last.messages, *((last.reply,) if last.reply else ()))),
        system=last.system,
        tools=max((one.tools for one in rounds), key=len),
        refusal=last.refusal,
        unknown=tuple(notes),
    )


def _contents(sent: Sent) -> Any:
    """The messages of a request as JSON."""
    try:
        body = read_json(sent.request.body)
    except ValueError:
        return None
    return body.get(WIRE_FACTS[sent.wire].conversation) if isinstance(body, dict) else None


def _main(rounds: list[Round]) -> list[Round]:
    """Without side requests: those without tools that begin otherwise than the requests that have some."""
    begins = {one.messages[0].text for one in rounds if one.tools and one.messages}
    kept = [one for one in rounds if one.tools or not begins or not one.messages or one.messages[0].text in begins]
    return kept or rounds


def round_of(sent: Sent) -> Round:
    """A request with the reply to it, and with what was refused in it."""
    view = wire_for(sent.provider, sent.wire).view(sent.request)
    reply = None if sent.response is None else decode_response(sent.response, sent.wire)
    return Round(
        tuple(_messages(sent)),
        _reply(reply) if reply is not None and reply.status < 400 else None,
        view.system,
        tuple(Tool(tool.name, tool.description, tool.parameters) for tool in view.tools),
        _refusal(sent, reply),
    )


def _messages(sent: Sent) -> Iterator[Message]:
    wire = wire_for(sent.provider, sent.wire)
    name = WIRE_FACTS[sent.wire].conversation
    try:
        body = read_json(sent.request.body)
    except ValueError:
        body = None
    if name == "input" or not isinstance(body, dict) or not isinstance(body.get(name), list):
        yield from messages_of(wire.view(sent.request))
        return
    for entry in body[name]:
        alone = json.dumps({"model": body.get("model", ""), name: [entry]}).encode()
        yield from _messages_alone(sent.provider, sent.wire, sent.request.path, alone)


@lru_cache(maxsize=1024)
def _messages_alone(provider: str, wire: str, path: str, body: bytes) -> tuple[Message, ...]:
    """Each request of a conversation repeats the messages of the one before."""
    return tuple(messages_of(wire_for(provider, wire).view(Request("POST", path, {}, body))))


def _reply(decoded: DecodedReply) -> Message | None:
    reply = decoded.reply
    calls = tuple(
        Call(call.id if isinstance(call.id, str) else None, call.name, call.arguments, call.arguments_text or "")
        for call in reply.calls
    )
    if not (reply.text or calls or reply.thinking or reply.server_calls):
        return None
    text, thinking = reply.text or "", reply.thinking or ""
    recorded = Message("assistant", text, thinking, calls, finish=reply.finish, chunks=reply.chunks)
    return replace(recorded, server_calls=reply.server_calls, sources=reply.sources)


def _refusal(sent: Sent, reply: DecodedReply | None) -> Refusal | None:
    """As it was recorded, with the rule of the fake that refuses the same; without a recorded answer, the fake's."""
    if reply is not None and reply.status not in REFUSED:
        return None
    violation = wire_for(sent.provider, sent.wire).judge(sent.request, provider=sent.provider)
    try:
        body = read_json(sent.request.body)
    except ValueError:
        body = None
    known = (violation.rule, violation.at) if violation else ("", "")
    if reply is not None:
        return Refusal(reply.status, reply.error or "", sent.provider, *known, body, sent.request.path)
    if violation is None:
        return None
    return Refusal(violation.status, violation.message, sent.provider, *known, body, sent.request.path)
