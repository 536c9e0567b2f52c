"""Requests on a wire, with their responses, become evidence."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from agent_conformance.cassettes.decoding import decode_response
from agent_conformance.cassettes.decoding.decoded_reply import DecodedReply
from agent_conformance.cassettes.recorded_exchange import RecordedResponse
from agent_conformance.scenario_drafts.incident import (
    Call,
    Evidence,
    Message,
    Refusal,
    Round,
    Tool,
    answered,
    joined,
    messages_of,
    notes_on,
    with_ids,
)
from fake_providers.http import Request
from fake_providers.registry import wire_for
from fake_providers.values.json_texts import read_json
from fake_providers.wire_facts import WIRE_FACTS

REFUSED = (400, 404, 413, 422)
"""Statuses of requests that are wrong, rather than of a provider that is busy or a key that is not right."""
NO_MESSAGE = "the request has no messages"


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
