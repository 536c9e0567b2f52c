"""The fixtures of aimock as the script of `serve`: read, matched as aimock matches, and answered on any wire.

What has no counterpart in a fake is said with its file and line, and left out. The first fixture whose content matches
is chosen, but of those with a `turn` the newest that is not ahead of the conversation. One with a `sequence` matches
when as many requests have matched its content before.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from agent_conformance.cassettes.formats.aimock import match_and_response, said_in
from agent_conformance.cassettes.list_items import CutShort, json_items
from agent_conformance.scenario.yaml_files import did_you_mean
from agent_conformance.scenario.yaml_files.reading import read_data
from agent_conformance.transcripts.redaction import redacted
from fake_providers.replies.call_validation import arguments_object
from fake_providers.reply import MADE_BY_PROVIDER, Call, CannotExpress, Fault, Finish, Reply, StreamTiming, Usage
from fake_providers.values.tokens import tokens_of
from fake_providers.view import View, ViewResult
from fake_providers.wire_facts import WIRE_FACTS, refuse_inexpressible
from fake_providers.wire_neutral_lines import offered_tools


@dataclass(frozen=True, slots=True)
class Match:
    """What aimock compares. Names as in its files: `userMessage` is `user`, `sequenceIndex` is `sequence`.

    `turn` counts the model's messages before, `sequence` the requests that matched before; neither is part of the
    content, which is everything else.
    """

    user: str | None = None
    system: tuple[str, ...] = ()
    tool: str | None = None
    tool_call_id: str | None = None
    result: str | None = None
    has_tool_result: bool | None = None
    model: str | None = None
    has_schema: bool | None = None
    sequence: int | None = None
    turn: int | None = None

    @property
    def content(self) -> "Match":
        """Fixtures that differ in `sequence` alone count together."""
        return replace(self, sequence=None)

    def is_met(self, view: View) -> bool:
        """Whether the content of the request matches."""
        last = _last_result(view)
        return (
            (self.user is None or _is_in(self.user, _last_user_text(view)))
            and all(text in view.system for text in self.system)
            and (self.tool is None or any(tool.name == self.tool for tool in view.tools))
            and (self.tool_call_id is None or (last is not None and last.id == self.tool_call_id))
            and (self.result is None or (last is not None and self.result in last.text))
            and (self.has_tool_result is None or self.has_tool_result == _has_result_in_turn(view))
            and (self.model is None or _is_model(self.model, view.model))
            and (self.has_schema is None or self.has_schema == (view.schema is not None))
        )


@dataclass(frozen=True, slots=True)
class Fixture:
    """`place` is where it is written."""

    match: Match
    reply: Reply
    place: str


def model_messages(view: View) -> int:
    """How often the model has spoken before, which is what `turnIndex` counts."""
    return sum(message.role == "assistant" for message in view.messages)


def _is_in(wanted: str, text: str | None) -> bool:
    return text is not None and wanted in text


def _last_user_text(view: View) -> str | None:
    return next((m.text for m in reversed(view.messages) if m.role == "user" and (m.text or not m.pictures)), None)


def _last_result(view: View) -> ViewResult | None:
    """The last result, where the request ends with results."""
    last = view.messages[-1] if view.messages else None
    return last.results[-1] if last is not None and last.results else None


def _has_result_in_turn(view: View) -> bool:
    """Whether a tool has answered since the user's last message; without one, in the whole conversation."""
    for message in reversed(view.messages):
        if message.results:
            return True
        if message.role == "user":
            return False
    return False


def _is_model(wanted: str, name: str) -> bool:
    """The name itself, or a dated version of it."""
    rest = name.removeprefix(wanted)
    return name == wanted or (rest != name and rest[:1] == "-" and rest[1:2].isdigit())


MOST_FILES = 1000
CONDITIONS: Mapping[str, type | tuple[type, ...]] = {
    "userMessage": str,
    "systemMessage": (str, list),
    "toolName": str,
    "toolCallId": str,
    "toolResultContains": str,
    "hasToolResult": bool,
    "model": str,
    "responseFormat": str,
    "sequenceIndex": int,
    "turnIndex": int,
    "endpoint": str,
}
CANNOT = {
    "inputText": "it is about embeddings, which the server answers without a script",
    "context": "requests of a fake have no context. Use `systemMessage` or `model`, or a server of its own",
}


@dataclass(frozen=True, slots=True)
class Fixtures:
    """`notices` say what was left out, each in one line with its place."""

    fixtures: tuple[Fixture, ...]
    notices: tuple[str, ...]


def is_aimock(path: Path) -> bool:
    """Whether it is a folder, or a file of JSON with `fixtures`, as aimock takes both."""
    if path.is_dir():
        return True
    if path.suffix != ".json":
        return False
    return re.search(rb'^\s*\{.*?"fixtures"\s*:\s*\[', read_data(path)[:65536], re.DOTALL) is not None


def read_fixtures(path: Path, *, wire: str) -> Fixtures:
    """Raises `ValueError` with file and line where nothing can be read, and `OSError`."""
    files = list(_files(path)) if path.is_dir() else [path]
    fixtures: list[Fixture] = []
    notices: list[str] = []
    for file in files[:MOST_FILES]:
        text = read_data(file).decode("utf-8", errors="replace")
        try:
            for line, entry in json_items(text, ("fixtures",)):
                _add(entry, f"{file}:{line}", wire, fixtures, notices)
        except CutShort as cut:
            raise ValueError(f"{file}:{cut.line}: {cut}") from None
    if not fixtures:
        told = "\n".join(["", *notices])
        raise ValueError(f"{path}: it has no fixture that a fake of {wire} can answer from.{told}")
    return Fixtures(tuple(fixtures), tuple(notices))


def _files(folder: Path) -> Iterator[Path]:
    """The files of a folder by their names, then those of its folders, as aimock reads them."""
    entries = sorted(folder.iterdir())
    yield from (entry for entry in entries if entry.suffix == ".json" and entry.is_file())
    for entry in entries:
        if entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)


def _add(entry: Any, place: str, wire: str, fixtures: list[Fixture], notices: list[str]) -> None:
    try:
        parts = match_and_response(entry)
        if parts is None:
            raise Unmapped("it has no `match` and `response`, each with members in braces.")
        match, response = parts
        for name, value in match.items():
            if name in CANNOT:
                raise Unmapped(f"`match.{name}`: {CANNOT[name]}.")
            if name not in CONDITIONS:
                raise Unmapped(f"`match.{name}` is no condition of aimock.{did_you_mean(name, CONDITIONS)}")
            if not isinstance(value, CONDITIONS[name]):
                raise Unmapped(f"`match.{name}` is {json.dumps(value)}, which aimock does not take there.")
        if match.get("endpoint", "chat") != "chat":
            raise Unmapped(f"`match.endpoint` is {match['endpoint']!r}; a fake answers chat requests alone.")
        system = match.get("systemMessage", ())
        condition = Match(
            user=match.get("userMessage"),
            system=(system,) if isinstance(system, str) else tuple(map(str, system)),
            tool=match.get("toolName"),
            tool_call_id=match.get("toolCallId"),
            result=match.get("toolResultContains"),
            has_tool_result=match.get("hasToolResult"),
            model=match.get("model"),
            has_schema=_has_schema(match.get("responseFormat")),
            sequence=match.get("sequenceIndex"),
            turn=match.get("turnIndex"),
        )
        reply, ignored = reply_of(entry, response, wire=wire)
        # Raises `Unmapped` for a reply that the wire cannot express
        try:
            refuse_inexpressible(reply, wire)
            for call in reply.calls:
                if "arguments-not-json" in WIRE_FACTS[wire].cannot_say:
                    arguments_object(call)
        except CannotExpress as cannot:
            raise Unmapped(f"{wire} cannot express it ({cannot.feature}). Serve another wire, or change it.") from None
    except Unmapped as reason:
        notices.append(f"{place}: this fixture is left out: {reason}")
        return
    fixtures.append(Fixture(condition, reply, place))
    notices += [f"{place}: {text}" for text in ignored]


def _has_schema(wanted: str | None) -> bool | None:
    if wanted in (None, "json_schema"):
        return None if wanted is None else True
    raise Unmapped(f"`match.responseFormat` is {wanted!r}; only `json_schema` can be told from other requests.")


FINISHES: Final[Mapping[str, Finish | None]] = {
    "stop": None,
    "tool_calls": None,
    "length": "length",
    "content_filter": "content_filter",
}
INPUT: Final = ("input_tokens", "prompt_tokens", "promptTokenCount")
OUTPUT: Final = ("output_tokens", "completion_tokens", "candidatesTokenCount")
OVERRIDES: Final = ("created", "model", "systemFingerprint", "role", "provider", "nativeFinishReason")
IGNORED: Final = {
    "webSearches": "searches of the web are not sent",
    "reasoningSignature": "the fake signs reasoning itself",
    "redactedThinking": "hidden reasoning is not sent",
}
OF_FIXTURE: Final = {
    "disconnectAfterMs": "a connection is not lost by the clock. Use `truncateAfterChunks`",
    "replaySpeed": "recorded times are not replayed",
    "chaos": "nothing fails by chance here. Write a fixture with an `error`",
}
GOOGLE: Final = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}


def reply_of(entry: Mapping[str, Any], response: Mapping[str, Any], *, wire: str) -> tuple[Reply, list[str]]:
    """The reply, and what of the fixture is ignored. Raises `Unmapped`."""
    ignored = list(_ignored(entry, response))
    if isinstance(response.get("error"), Mapping):
        return Reply(fault=_fault(response, wire)), ignored
    if not any(name in response for name in ("content", "toolCalls", "blocks")):
        members = ", ".join(f"`{name}`" for name in list(response)[:5]) or "nothing"
        raise Unmapped(f"its response has {members}. A fake sends text, reasoning, calls and errors.")
    text, written = said_in(response)
    calls = tuple(map(_call, written))
    if not text and not calls:
        text = ""
    reasoning = response.get("reasoning")
    cut = entry.get("truncateAfterChunks")
    return (
        Reply(
            text=text,
            thinking=reasoning if isinstance(reasoning, str) and reasoning else None,
            calls=calls,
            finish=_finish(response.get("finishReason"), has_calls=bool(calls)),
            chunks=_chunks(text, entry.get("chunkSize")),
            fault=Fault(cut_after=cut) if isinstance(cut, int) and cut > 0 else None,
            timing=timing_of(entry, text),
            usage=_usage(response.get("usage")),
            id=given if isinstance(given := response.get("id"), str) and given else None,
        ),
        ignored,
    )


def _call(call: Mapping[str, Any]) -> Call:
    name, arguments, id = call.get("name"), call.get("arguments", {}), call.get("id") or MADE_BY_PROVIDER
    if not isinstance(name, str) or not name:
        raise Unmapped("a call in it has no `name`.")
    if isinstance(arguments, str):
        try:
            parsed = json.loads(arguments)
        except (ValueError, RecursionError):
            return Call(name, None, arguments, id)
        return Call(name, parsed, None, id) if isinstance(parsed, dict) else Call(name, None, arguments, id)
    if not isinstance(arguments, Mapping):
        raise Unmapped(f"the arguments of the call of {name} are {json.dumps(arguments)}; expected an object.")
    return Call(name, dict(arguments), None, id)


def _finish(reason: Any, *, has_calls: bool) -> Finish | None:
    if reason is None:
        return None
    if reason not in FINISHES:
        raise Unmapped(f"`finishReason` is {json.dumps(reason)}; expected one of {', '.join(FINISHES)}.")
    if reason == "stop" and has_calls:
        return "stop"
    return "tool_calls" if reason == "tool_calls" and not has_calls else FINISHES[reason]


def _chunks(text: str | None, size: Any) -> tuple[str, ...]:
    if not text or not isinstance(size, int) or size < 1:
        return ()
    return tuple(text[start : start + size] for start in range(0, len(text), size))


def _usage(usage: Any) -> Usage | None:
    """The tokens of the prompt and of the answer, by whichever provider's names."""
    if not isinstance(usage, Mapping):
        return None
    sent, answered = (
        next((usage[name] for name in names if isinstance(usage.get(name), int) and usage[name] >= 0), None)
        for names in (INPUT, OUTPUT)
    )
    return None if sent is None and answered is None else Usage(sent, answered)


def _fault(response: Mapping[str, Any], wire: str) -> Fault:
    """The error in the envelope of the wire, with the words of the fixture."""
    error, status = response["error"], response.get("status", 500)
    if not isinstance(status, int) or not 400 <= status <= 599:
        raise Unmapped(f"`status` of its error is {json.dumps(status)}; expected one from 400 to 599.")
    message, kind = str(error.get("message", "")), error.get("type") or "server_error"
    body: Any = {"message": message, "type": kind, "param": error.get("param"), "code": error.get("code")}
    if wire == "anthropic-messages":
        body = {"type": kind, "message": message}
    elif wire == "gemini-generate":
        body = {"code": status, "message": message, "status": GOOGLE.get(status, "INTERNAL")}
    elif wire == "ollama-chat":
        body = message
    elif wire in ("bedrock-converse", "cohere-chat"):
        return Fault(status=status, body={"message": message}, retry_after=_retry_after(response))
    envelope = {"type": "error", "error": body} if wire == "anthropic-messages" else {"error": body}
    return Fault(status=status, body=envelope, retry_after=_retry_after(response))


def _retry_after(response: Mapping[str, Any]) -> float | None:
    after = response.get("retryAfter")
    return after if isinstance(after, int | float) else None


def _ignored(entry: Mapping[str, Any], response: Mapping[str, Any]) -> Iterator[str]:
    for name in (name for name in OVERRIDES if name in response):
        yield f"`response.{name}` is ignored: the fake makes it as the provider does."
    if isinstance(response.get("usage"), Mapping) and "cost" in response["usage"]:
        yield "`response.usage.cost` is ignored: the fake makes it as the provider does."
    for name in (name for name in IGNORED if name in response):
        yield f"`response.{name}` is ignored: {IGNORED[name]}."
    for name in (name for name in OF_FIXTURE if name in entry):
        yield f"`{name}` is ignored: {OF_FIXTURE[name]}."


PIECE = 20
"""Characters of a piece in aimock, where the fixture has no `chunkSize`."""


def timing_of(entry: Mapping[str, Any], text: str | None) -> StreamTiming | None:
    """None for a fixture that is answered at once. Raises `Unmapped`."""
    profile, latency = entry.get("streamingProfile"), entry.get("latency")
    if isinstance(profile, Mapping):
        ttft, pieces_per_second = _number(profile.get("ttft")) / 1000, _number(profile.get("tps"))
        jitter = min(_number(profile.get("jitter")), 1.0)
    elif _number(latency):
        ttft, pieces_per_second, jitter = _number(latency) / 1000, 1000 / _number(latency), 0.0
    else:
        return None
    # On average, since a fake counts tokens and not pieces
    size = int(_number(entry.get("chunkSize"))) or PIECE
    length = len(text or "")
    pieces = -(-length // size)
    per_second = pieces_per_second * (tokens_of(length) / pieces if pieces else 1.0) or None
    try:
        return StreamTiming(ttft=ttft, tokens_per_second=per_second, jitter=jitter)
    except ValueError as error:
        raise Unmapped(f"its timing cannot be: {error}") from None


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0.0


class Unmapped(ValueError):
    """The fixture has no counterpart. The message says what to do."""


__all__ = ["FixtureReplies", "is_aimock", "read_fixtures"]

LONGEST = 100
"""Characters of the user's message in an error."""


class FixtureReplies:
    """Not thread-safe: the fake calls `next_reply` and `sent` in turns, one client after the other."""

    def __init__(self, fixtures: Sequence[Fixture]) -> None:
        self._fixtures = tuple(fixtures)
        self._matched: dict[Match, int] = {}
        self._chosen: Fixture | None = None
        self._used: set[int] = set()

    @property
    def unused(self) -> Sequence[Reply]:
        return tuple(fixture.reply for fixture in self._fixtures if id(fixture) not in self._used)

    def next_reply(self, view: View) -> Reply | str:
        """The reply, or the message that a request is stopped with which no fixture matches."""
        candidates = [fixture for fixture in self._fixtures if fixture.match.is_met(view) and self._is_next(fixture)]
        self._chosen = _chosen(candidates, model_messages(view)) if candidates else None
        return _no_match(view) if self._chosen is None else self._chosen.reply

    def sent(self) -> None:
        if self._chosen is not None:
            content = self._chosen.match.content
            self._used.add(id(self._chosen))
            self._matched[content] = self._matched.get(content, 0) + (self._chosen.match.sequence is not None)

    def _is_next(self, fixture: Fixture) -> bool:
        sequence = fixture.match.sequence
        return sequence is None or sequence == self._matched.get(fixture.match.content, 0)


def _chosen(candidates: Sequence[Fixture], spoken: int) -> Fixture:
    """`spoken` is how often the model has spoken before."""
    anytime = next((number for number, fixture in enumerate(candidates) if fixture.match.turn is None), None)
    turns = [
        (number, fixture.match.turn) for number, fixture in enumerate(candidates) if fixture.match.turn is not None
    ]
    reached = [(turn, -number) for number, turn in turns if turn <= spoken]
    if reached:
        turn, place = max(reached)
        is_earlier = anytime is not None and anytime < -place and turn == spoken
        return candidates[anytime if is_earlier and anytime is not None else -place]
    if anytime is not None:
        return candidates[anytime]
    return candidates[min(turns, key=lambda one: (one[1], one[0]))[0]]


def _no_match(view: View) -> str:
    text = next((message.text for message in reversed(view.messages) if message.role == "user"), "")
    text = redacted(text)
    user = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    return (
        f"no fixture matches this request (user: {user!r}; model: {view.model}; offers {offered_tools(view)}; "
        f"the model has spoken {model_messages(view)} times). Add one for it, or one with an empty `match` at the end."
    )
