"""A request of the log as JSON, with the rule that it breaks and what to do about it, and without any key."""

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from agent_conformance.cassettes.http_keys import is_key_header, keys_in_body
from agent_conformance.commands.serve.request_log import Entry
from agent_conformance.commands.serve.sessions import TOKEN_HEADER
from agent_conformance.commands.shared.served import Noted, keys_of_request
from agent_conformance.transcripts.redaction import Key, redacted, text_without_keys
from agent_conformance.transcripts.secret_names import is_secret
from fake_providers import Reply, Violation
from fake_providers.http import compact
from fake_providers.reply import Fault
from fake_providers.serving.journal import Stopped
from fake_providers.values.json_texts import read_json

NOT_RECORDED = 404
_KEY_IN_QUERY = re.compile(r"([?&](?:key|access_token)=)[^&]*")


def entry_json(entry: Entry) -> str:
    """One object, as JSON."""
    hidden = (TOKEN_HEADER, "host", "content-length", "connection")
    given = entry.request.headers.items()
    text = compact(
        {
            "number": entry.number,
            "time": datetime.fromtimestamp(entry.seconds, UTC).isoformat(timespec="milliseconds"),
            "provider": entry.provider,
            "wire": entry.wire.name,
            "method": entry.request.method,
            "path": _KEY_IN_QUERY.sub(r"\1$key", entry.request.path),
            "headers": {name: value for name, value in given if name not in hidden and not is_key_header(name)},
            "body": _body(entry.request.body),
            "status": entry.status,
            **_verdict(entry),
        }
    )
    sent = [("key", value) for value in keys_of_request(entry.request)]
    named = [value for name, value in entry.request.headers.items() if name == TOKEN_HEADER or is_key_header(name)]
    sent += [("key", value) for value in named if is_secret(value)]
    return redacted(
        text_without_keys(text, [Key(name, value) for name, value in [*sent, *keys_in_body(entry.request.body)]])
    )


def reply_data(reply: Reply) -> dict[str, Any]:
    """What a reply says, in the words of scripts; what it leaves out is missing."""
    calls = [
        {"name": call.name, **({"arguments": call.arguments} if call.arguments_text is None else {})}
        | ({} if call.arguments_text is None else {"arguments_text": call.arguments_text})
        for call in reply.calls
    ]
    said = {"text": reply.text, "thinking": reply.thinking, "calls": calls or None, "finish": reply.finish}
    fault = _fault(reply.fault) if reply.fault else None
    usage = {name: count for name, count in asdict(reply.usage).items() if count is not None} if reply.usage else None
    return {name: value for name, value in {**said, "usage": usage, "fault": fault}.items() if value is not None}


def _fault(fault: Fault) -> dict[str, Any]:
    given = {field.name: getattr(fault, field.name) for field in fields(fault)}
    return {name: list(value) if name == "noise" else value for name, value in given.items() if value not in (None, ())}


def verdict_of(entry: Entry) -> str:
    answer = entry.answer
    if isinstance(answer, Violation):
        return "refused"
    if isinstance(answer, Stopped) or (isinstance(answer, Noted) and entry.status == NOT_RECORDED):
        return "stopped"
    # Whether the model's answer comes from a cassette, of which the fake says nothing or in which it disagrees.
    return (
        "accepted"
        if isinstance(answer, Reply) or (entry.status < NOT_RECORDED and entry.wire.route(entry.request) is not None)
        else "other"
    )


def _verdict(entry: Entry) -> dict[str, Any]:
    answer = entry.answer
    if isinstance(answer, Violation):
        place = {"rule": answer.rule, "at": answer.at, "message": answer.message.strip()}
        return {"verdict": "refused", **place, **_explanation(answer.rule)}
    verdict = {"verdict": verdict_of(entry)}
    if isinstance(answer, Stopped):
        return {**verdict, "message": answer.message, "advice": []}
    if isinstance(answer, Noted):
        return {**verdict, "message": "\n".join(answer.lines).strip()}
    return {**verdict, "reply": reply_data(answer)} if isinstance(answer, Reply) else verdict


@lru_cache(maxsize=256)
def _explanation(rule: str) -> Mapping[str, Any]:
    """What the rule demands, where it is known from, and what usually fixes it."""
    from agent_conformance.explain.explanation import UnknownId
    from agent_conformance.explain.rules import explain_rule

    try:
        explained = explain_rule(rule)
    except UnknownId:  # the key is missing, or the conversation is too long
        return {"advice": []}
    confidence = dict(explained.facts)["confidence"]
    sources = [source.source for source in explained.evidence]
    return {
        "demands": explained.demands,
        "confidence": confidence,
        "advice": list(explained.fixes),
        "sources": sources,
    }


def _body(body: bytes) -> Any:
    """The JSON value, or the text of a body that is none."""
    try:
        return read_json(body)
    except (ValueError, RecursionError):
        return body.decode(errors="replace")
