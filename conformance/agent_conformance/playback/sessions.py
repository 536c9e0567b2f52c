"""The conversations of a cassette: which recorded requests belong together. Knows no file and no scenario."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from agent_conformance.cassettes import RecordedExchange, wire_of
from agent_conformance.cassettes.decoding.response import decode_response
from agent_conformance.cassettes.decoding.wires import request_of
from agent_conformance.drafts.evidence import Message, Round
from agent_conformance.drafts.requests import Sent, round_of
from fake_providers.registry import wire_for

_PREVIOUS = re.compile(rb'"previous_response_id"\s*:\s*"([^"]+)"')
_RESPONSE = re.compile(rb'"id"\s*:\s*"(resp[^"]+)"')

Mark = tuple[str, ...]
"""What a later request repeats of a reply."""


@dataclass(slots=True)
class RecordedSession:
    """The requests of one conversation with their replies, in order. `line` is that of the first request.

    `modes` and `model` are as recorded; fixtures, which have no requests, have neither.
    """

    wire: str
    provider: str
    line: int
    rounds: list[Round] = field(default_factory=list)
    modes: dict[str, None] = field(default_factory=dict)
    model: str = ""
    is_made_up: bool = False
    is_chained: bool = False
    """The provider has the earlier messages, so that requests do not repeat them."""

    @property
    def has_tools(self) -> bool:
        return any(one.tools for one in self.rounds)

    @property
    def first_words(self) -> str:
        messages = self.rounds[0].messages
        return next((message.text for message in messages if message.role == "user" and message.text.strip()), "")


def sessions_of(exchanges: Iterable[RecordedExchange]) -> list[RecordedSession]:
    """In the order in which they begin, without side requests: those without tools that quote another conversation."""
    sessions: list[RecordedSession] = []
    by_mark: dict[Mark, RecordedSession] = {}
    for exchange in exchanges:
        found = wire_of(exchange)
        if found is None:
            continue
        request = request_of(exchange.request, found)
        one = _round(Sent(request, found.wire, found.provider, exchange.response, exchange.is_made_up), exchange)
        marks = _marks_of_request(exchange, found.wire, one)
        session = next((by_mark[mark] for mark in marks if mark in by_mark), None)
        session = session or _begun_alike(sessions, one, found.wire)
        if session is None:
            session = RecordedSession(found.wire, found.provider, exchange.place.line)
            sessions.append(session)
        session.rounds.append(one)
        session.is_made_up |= exchange.is_made_up
        session.is_chained |= _PREVIOUS.search(exchange.request.body) is not None
        if not exchange.is_made_up:
            view = wire_for(found.provider, found.wire).view(request)
            session.modes["stream" if view.stream else "plain"] = None
            session.model = session.model or view.model
        by_mark.update(dict.fromkeys(_marks_of_reply(exchange, found.wire, one), session))
    for session in sessions:
        if not session.is_chained:
            _leave_out_asides(session)
    return [session for session in sessions if not _is_aside(session, sessions)]


def _round(sent: Sent, exchange: RecordedExchange) -> Round:
    """Without a reply that was cut off."""
    one = round_of(sent)
    if one.reply is None:
        return one
    is_whole = decode_response(exchange.response, sent.wire).is_complete and not exchange.response.is_cut
    return replace(one, reply=replace(one.reply, line=exchange.place.line) if is_whole else None)


def _marks_of_request(exchange: RecordedExchange, wire: str, one: Round) -> Iterator[Mark]:
    """The latest first."""
    previous = _PREVIOUS.search(exchange.request.body)
    if previous:
        yield wire, "response", previous[1].decode(errors="replace")
    for message in reversed(one.messages):
        yield from _marks(wire, message)


def _marks_of_reply(exchange: RecordedExchange, wire: str, one: Round) -> Iterator[Mark]:
    if one.reply is None:
        return
    yield from _marks(wire, one.reply)
    named = _RESPONSE.search(exchange.response.body) if wire == "openai-responses" else None
    if named:
        yield wire, "response", named[1].decode(errors="replace")


def _marks(wire: str, message: Message) -> Iterator[Mark]:
    if message.role != "assistant":
        return
    for call in message.calls:
        yield wire, "call", call.id or "", call.name, call.arguments_text if not call.id else ""
    if message.text.strip():
        yield wire, "text", message.text.strip()


def _begun_alike(sessions: list[RecordedSession], one: Round, wire: str) -> RecordedSession | None:
    """The conversation in which this is the next try, or a longer request that begins with the same message."""
    for session in reversed(sessions):
        last = session.rounds[-1]
        if session.wire != wire or last.messages[:1] != one.messages[:1]:
            continue
        if last.reply is None or len(one.messages) > len(last.messages) or session.is_made_up:
            return session
    return None


def _leave_out_asides(session: RecordedSession) -> None:
    """Requests whose last message and reply no later request has: for a summary, with the conversation before it."""
    later: list[Message] = []
    kept: list[Round] = []
    for one in reversed(session.rounds):
        last = one.messages[-1] if one.messages else None
        is_lost = last is not None and last.role == "user" and last not in later
        if not (later and is_lost and one.reply is not None and not _is_echoed(one.reply, later)):
            kept.append(one)
        later = [*one.messages] if not later else later + [message for message in one.messages if message not in later]
    session.rounds = kept[::-1]


def _is_echoed(reply: Message, messages: Iterable[Message]) -> bool:
    texts = [message.text for message in messages if message.role == "assistant" and message.text]
    names = {call.name for message in messages for call in message.calls}
    return any(call.name in names for call in reply.calls) or any(
        text in reply.text or reply.text in text for text in texts if reply.text
    )


def _is_aside(session: RecordedSession, sessions: list[RecordedSession]) -> bool:
    """A request for a title or a summary."""
    if session.has_tools:
        return False
    texts = "\n".join(message.text for message in session.rounds[0].messages)
    others = (other for other in sessions if other is not session and other.has_tools)
    return any(other.first_words and other.first_words in texts for other in others)
