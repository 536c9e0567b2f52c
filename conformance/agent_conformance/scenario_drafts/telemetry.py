"""Spans and events of OpenTelemetry's conventions for generative AI, exported as JSON: OTLP, or an SDK's own spans.

The conventions have the messages in `gen_ai.input.messages` and `gen_ai.output.messages`; before version 1.37 each
message was an event, as `gen_ai.user.message`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from agent_conformance.scenario_drafts.incident import (
    Call,
    CannotDraft,
    Evidence,
    Message,
    Refusal,
    Round,
    SourceFile,
    Tool,
    joined,
    notes_on,
    with_ids,
)
from fake_providers.provider_facts import own_provider
from fake_providers.values.json_texts import read_json

MEMBERS = ("resourceSpans", "resourceLogs", "resource_spans", "resource_logs")
ROLES = {"user": "user", "assistant": "assistant", "model": "assistant", "tool": "tool"}
EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "choice",
}
WIRES = {
    "anthropic": "anthropic-messages",
    "gcp.gemini": "gemini-generate",
    "gcp.gen_ai": "gemini-generate",
    "aws.bedrock": "bedrock-converse",
    "cohere": "cohere-chat",
}


def is_trace(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(one, dict) and "attributes" in one for one in value)
    return isinstance(value, dict) and (any(name in value for name in MEMBERS) or "attributes" in value)


def has_messages(value: Any) -> bool:
    """Whether a span or event in the value has messages, as they are since version 1.37."""
    return any("gen_ai.input.messages" in _attributes(record) for record in _records(value))


def evidence_of_trace(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for a trace without messages, which instrumentations leave out unless told otherwise."""
    records = list(_records_of(file))
    rounds = [found for record in sorted(records, key=_time) for found in _round(record)] or list(_logged(records))
    if not rounds:
        raise CannotDraft(
            f"{file.label}: {len(records)} spans and events were read, and none has messages. Expected "
            "`gen_ai.input.messages`, or events as `gen_ai.user.message`. Instrumentations record them on request: "
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true."
        )
    refused = [place for place, one in enumerate(rounds, 1) if one.refusal is not None]
    rounds = rounds[: refused[-1]] if refused else rounds
    wire = next((WIRES[name] for record in records if (name := _provider(record)) in WIRES), "openai-chat")
    last = rounds[-1]
    return Evidence(
        kind="trace",
        wire=wire,
        provider=own_provider(wire),
        messages=with_ids(joined(rounds)),
        sent=with_ids((*last.messages, *((last.reply,) if last.reply else ()))),
        system=last.system,
        tools=max((one.tools for one in rounds), key=len),
        refusal=last.refusal,
        unknown=(
            "A trace has no requests: what the provider refused in them cannot be checked.",
            *notes_on((), [_list(_attributes(record).get("gen_ai.input.messages")) for record in records]),
        ),
    )


def _records_of(file: SourceFile) -> Iterator[dict[str, Any]]:
    for number, value in file.values():
        found = list(_records(value))
        if not found:
            raise CannotDraft(
                f"{file.label}:{number}: this is no span and no event of OpenTelemetry. Expected JSON with "
                "`resourceSpans`, `resourceLogs` or `attributes`. Give the trace alone."
            )
        yield from found


def _records(value: Any) -> Iterator[dict[str, Any]]:
    """Every span and every log record, wherever it stands."""
    if isinstance(value, list):
        for inner in value:
            yield from _records(inner)
    elif isinstance(value, dict):
        is_record = "attributes" in value and any(
            name in value for name in ("name", "body", "eventName", "traceId", "context", "events")
        )
        if is_record:
            yield value
        for name, inner in value.items():
            if name not in ("attributes", "events", "body", "resource", "scope"):
                yield from _records(inner)


def _time(record: Mapping[str, Any]) -> str:
    names = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "timeUnixNano", "timestamp")
    return next((str(record[name]) for name in names if record.get(name)), "")


def _attributes(record: Mapping[str, Any]) -> dict[str, Any]:
    found = record.get("attributes")
    if isinstance(found, list):
        pairs = [one for one in found if isinstance(one, dict) and "key" in one]
        return {str(one["key"]): _plain(one.get("value")) for one in pairs}
    return dict(found) if isinstance(found, dict) else {}


def _plain(value: Any) -> Any:
    """A value of OTLP as JSON has it."""
    if not isinstance(value, dict):
        return value
    for name in ("arrayValue", "kvlistValue"):
        if isinstance(value.get(name), dict):
            values = _list(value[name].get("values"))
            if name == "arrayValue":
                return [_plain(inner) for inner in values]
            return {str(one.get("key")): _plain(one.get("value")) for one in values}
    if str(value.get("intValue")).isdecimal():
        return int(value["intValue"])
    return next((inner for name, inner in value.items() if name.endswith("Value")), value)


def _provider(record: Mapping[str, Any]) -> str:
    attributes = _attributes(record)
    return str(attributes.get("gen_ai.provider.name") or attributes.get("gen_ai.system") or "")


def _round(record: Mapping[str, Any]) -> Iterator[Round]:
    """What a span says of one request; nothing for a span of a tool or of a whole agent."""
    attributes = _attributes(record)
    if attributes.get("gen_ai.operation.name") in ("execute_tool", "invoke_agent", "create_agent"):
        return
    messages = _list(attributes.get("gen_ai.input.messages"))
    if not messages:
        events = [event for event in record.get("events") or () if isinstance(event, dict)]
        yield from _round_of_events([(str(one.get("name")), _attributes(one)) for one in events], _refusal(record))
        return
    output = [one for entry in _list(attributes.get("gen_ai.output.messages")) for one in _messages(entry)]
    texts = [part.get("content") for part in _list(attributes.get("gen_ai.system_instructions"))]
    system = [str(text) for text in texts] + [str(_text(one)) for one in messages if one.get("role") == "system"]
    yield Round(
        tuple(message for entry in messages for message in _messages(entry)),
        output[0] if output else None,
        "\n".join(system),
        tuple(_tools(_list(attributes.get("gen_ai.tool.definitions")))),
        _refusal(record),
    )


def _logged(records: list[dict[str, Any]]) -> Iterator[Round]:
    """The older events as log records: those of one span are one request."""
    spans: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for record in sorted(records, key=_time):
        attributes = _attributes(record)
        name = str(record.get("eventName") or attributes.get("event.name") or record.get("name"))
        body = _plain(record.get("body"))
        content = body if isinstance(body, dict) else attributes
        spans.setdefault(str(record.get("spanId")), []).append((name, content))
    for events in spans.values():
        yield from _round_of_events(events, None)


def _round_of_events(events: list[tuple[str, dict[str, Any]]], refusal: Refusal | None) -> Iterator[Round]:
    said = [(EVENTS[name], _parsed(content)) for name, content in events if name in EVENTS]
    messages = [_of_event(role, one) for role, one in said if role in ROLES]
    answers = [_of_event("assistant", _parsed(one.get("message") or one)) for role, one in said if role == "choice"]
    if messages:
        system = "\n".join(str(one.get("content", "")) for role, one in said if role == "system")
        yield Round(tuple(messages), answers[0] if answers else None, system, (), refusal)


def _of_event(role: str, content: Mapping[str, Any]) -> Message:
    text = content.get("content")
    shown = text if isinstance(text, str) else "" if text is None else json.dumps(text, ensure_ascii=False)
    if role == "tool":
        return Message("tool", shown, id=_id(content.get("id")))
    functions = [(one, one.get("function") or one) for one in _list(content.get("tool_calls"))]
    calls = tuple(_call(one.get("id"), function.get("name"), function.get("arguments")) for one, function in functions)
    return Message("user" if role == "user" else "assistant", shown, calls=calls)


def _messages(entry: Mapping[str, Any]) -> Iterator[Message]:
    """A message by its parts; each result is one of its own."""
    parts = _list(entry.get("parts"))
    for part in parts:
        if part.get("type") == "tool_call_response":
            result = part.get("response", part.get("result"))
            shown = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
            yield Message("tool", shown, id=_id(part.get("id")))
    calls = [part for part in parts if part.get("type") == "tool_call"]
    thoughts = [str(part.get("content", "")) for part in parts if part.get("type") in ("reasoning", "thinking")]
    role, text = entry.get("role"), _text(entry)
    if role == "user" and text:
        yield Message("user", text)
    elif role in ("assistant", "model"):
        made = tuple(_call(one.get("id"), one.get("name"), one.get("arguments")) for one in calls)
        yield Message("assistant", text, "\n".join(thoughts), made)


def _text(entry: Mapping[str, Any]) -> str:
    parts = _list(entry.get("parts"))
    return "\n".join(str(part.get("content", "")) for part in parts if part.get("type") == "text")


def _call(id: Any, name: Any, arguments: Any) -> Call:
    if not isinstance(arguments, str):
        return Call(_id(id), str(name), arguments if isinstance(arguments, dict) else {}, json.dumps(arguments))
    try:
        return Call(_id(id), str(name), read_json(arguments), arguments)
    except ValueError:
        return Call(_id(id), str(name), None, arguments)


def _tools(definitions: list[dict[str, Any]]) -> Iterator[Tool]:
    for one in definitions:
        inner = one.get("function")
        function = inner if isinstance(inner, dict) else one
        yield Tool(str(function.get("name")), str(function.get("description") or ""), function.get("parameters"))


def _refusal(record: Mapping[str, Any]) -> Refusal | None:
    """Of a span that ended with a provider's 4xx; the status is in `error.type` or in the attribute of HTTP."""
    attributes = _attributes(record)
    codes = [str(attributes.get(name, "")) for name in ("http.response.status_code", "error.type")]
    status = next((int(code) for code in codes if code in ("400", "404", "413", "422")), None)
    about = record.get("status")
    message = str(about.get("message") or about.get("description") or "") if isinstance(about, dict) else ""
    failed = status is not None or "BadRequest" in codes[1] or "invalid_request" in codes[1]
    return Refusal(status or 400, message, "", "") if failed else None


def _list(value: Any) -> list[dict[str, Any]]:
    """A list of objects, also as JSON text, as spans have it where they cannot have structures."""
    value = _json(value) if isinstance(value, str) else value
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _parsed(content: Any) -> dict[str, Any]:
    content = _json(content) if isinstance(content, str) else content
    if not isinstance(content, dict):
        return {}
    return {name: _json(value) if name in ("tool_calls", "message") else value for name, value in content.items()}


def _json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return read_json(value)
    except ValueError:
        return value


def _id(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
