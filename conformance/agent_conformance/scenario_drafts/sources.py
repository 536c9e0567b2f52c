"""Reads what an incident left, whatever it is: the content says which kind it is. Drafts nothing.

Each recorder's format is read elsewhere.

OpenAI's, Anthropic's or Gemini's; JSON or JSON Lines.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agent_conformance.cassettes import Problem, RecordedExchange, UnknownFormat, exchanges_of, wire_of
from agent_conformance.cassettes.curl import looks_like_curl, requests_of_curl
from agent_conformance.cassettes.decoding import path_of, request_of, wires_of
from agent_conformance.cassettes.reading import format_of
from agent_conformance.cassettes.recorded_exchange import ABOUT, Place, RecordedResponse, line_after_the_end
from agent_conformance.report_data.encoding import BrokenResults, decoded
from agent_conformance.report_data.model import CaseRecord, RequestResult, Results
from agent_conformance.scenario.yaml_files.reading import LARGEST, read_data
from agent_conformance.scenario_drafts import session_logs, telemetry
from agent_conformance.scenario_drafts.incident import CannotDraft, Evidence, Message, Sent, SourceFile, evidence_of
from agent_conformance.scenario_drafts.logged_bodies import bodies_of_debug_log, is_debug_log
from agent_conformance.scenario_drafts.pasted_texts import CannotFind, paste_in
from agent_conformance.transcripts.redaction import redacted
from fake_providers.http import Request
from fake_providers.models import default_model, knows_model
from fake_providers.provider_facts import own_provider
from fake_providers.registry import PROVIDERS, wire_for
from fake_providers.values.json_texts import read_json

JSON = {"content-type": "application/json"}


def is_body(value: Any) -> bool:
    """Also a line of a batch, which has the body as a member."""
    value = value.get("body", value) if isinstance(value, dict) else None
    lists = [value.get(name) for name in ("messages", "contents", "input")] if isinstance(value, dict) else []
    return any(isinstance(one, list) and not (one and isinstance(one[0], list)) for one in lists)


def evidence_of_body(file: SourceFile) -> Evidence:
    """Several bodies, one a line, are the requests of one conversation. Raises `CannotDraft`."""
    sent = []
    for number, value in file.values():
        body = value.get("body", value) if isinstance(value, dict) else value
        if not is_body(body):
            raise CannotDraft(
                f"{file.label}:{number}: this is no request body. Expected a JSON object with a list `messages`, "
                "`contents` or `input`."
            )
        # At the provider that is named; else at the first one that refuses it, the wire's own before the others. That a
        # provider has no model of this name says nothing: the request was hardly sent there.
        choices = list(_choices(body, file.provider))
        if not choices:
            raise CannotDraft(f"provider `{file.provider}` does not take a body of {' or '.join(wires_of(body))}.")
        named = {**body, "model": file.model} if file.model else body
        body = named if "model" in body else body
        data = json.dumps(body).encode()
        response = None if file.answer is None else _response(file.answer)
        requests = [
            Sent(Request("POST", path_of(name, wire, named), JSON, data), wire, name, response)
            for name, wire in choices
        ]
        sent.append(
            next(
                (
                    one
                    for one in requests
                    if (file.provider or _is_likely(one.provider, one.wire, named.get("model")))
                    and (violation := wire_for(one.provider, one.wire).judge(one.request, provider=one.provider))
                    and (file.provider or violation.at != "model" or one.provider == own_provider(one.wire))
                ),
                requests[0],
            )
        )
    wires = {one.wire for one in sent}
    if len(wires) > 1:
        raise CannotDraft(f"{file.label}: its bodies are of {' and '.join(sorted(wires))}. Give those of one wire.")
    evidence = evidence_of(sent, "request")
    notes = [] if evidence.refusal else ["No provider of the suite refuses the request, and no answer was given."]
    return replace(evidence, unknown=(*evidence.unknown, *notes))


def _choices(body: Any, provider: str) -> list[tuple[str, str]]:
    """Endpoints that are only compatible with another provider's come last: few logs are of these."""
    wires = wires_of(body)
    found = [
        (name, wire)
        for name, offered in PROVIDERS.items()
        if provider in ("", name)
        for wire in offered
        if wire in wires or (provider and len(offered) == 1)
    ]
    return sorted(found, key=lambda one: PROVIDERS[one[0]][0] != one[1] and own_provider(one[1]) != one[0])


def _is_likely(provider: str, wire: str, model: Any) -> bool:
    """Whether a body that nobody names a provider of can have gone to this one: OpenAI's models are asked of OpenAI."""
    own = own_provider(wire)
    is_anyones = not isinstance(model, str) or "/" in model or model.startswith("gpt-oss")
    return provider == own or is_anyones or not knows_model(wire, model)


def _response(answer: bytes) -> RecordedResponse:
    """The status of an answer that is only a body: its own, or 400 for an error."""
    try:
        value = read_json(answer)
    except ValueError:
        raise CannotDraft("the provider's answer is not JSON. Give its body alone.") from None
    error = value.get("error") if isinstance(value, dict) else None
    error = error if isinstance(error, dict) else {}
    codes = [code for code in (error.get("code"), error.get("status"), value.get("status")) if isinstance(code, int)]
    is_error = bool(error) or (isinstance(value, dict) and value.get("type") == "error")
    status = codes[0] if codes else 400 if is_error else 200
    return RecordedResponse(status, (("content-type", "application/json"),), (answer,))


CUT = ("before it.", "no more are.")
"""How the problem of a file that stops ends; any other is of one entry."""


def evidence_of_cassette(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for a file that was cut, or has no request to a model."""
    try:
        found = list(exchanges_of(file.data, file.label))
    except UnknownFormat as error:
        raise CannotDraft(str(error)) from None
    problems = [one for one in found if isinstance(one, Problem)]
    if problems and problems[-1].message.endswith(CUT):
        raise CannotDraft(f"{problems[-1]} Give the file whole, or without what comes after these entries.")
    sent = [one for exchange in found if isinstance(exchange, RecordedExchange) for one in _sent(exchange)]
    if not sent:
        raise CannotDraft(f"{file.label}: none of its {len(found)} entries is a request to a model that is known here.")
    if (line := line_after_the_end(file.text)) is not None:
        raise CannotDraft(f"{file.label}:{line}: {ABOUT}")
    wires = dict.fromkeys(one.wire for one in sent)
    notes = [f"The entry at line {one.place.line} could not be read." for one in problems]
    if len(wires) > 1:
        notes.append(f"The cassette has requests of {' and '.join(wires)}; those of the first are used.")
    return evidence_of([one for one in sent if one.wire == sent[0].wire], "cassette", notes)


def _sent(exchange: RecordedExchange) -> list[Sent]:
    wire = wire_of(exchange)
    if wire is None:
        return []
    request = request_of(exchange.request, wire)
    return [Sent(request, wire.wire, wire.provider, exchange.response, exchange.is_made_up)]


WORDS = {
    "openai-chat": "OpenAI",
    "anthropic-messages": "Anthropic",
    "gemini-generate": "Gemini",
    "bedrock-converse": "Bedrock",
}
BEDROCK = {"toolUse", "toolResult", "reasoningContent"}
ANTHROPIC = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def is_log(value: Any) -> bool:
    """A message, a list of messages, or an object with little beside such a list."""
    return bool(_listed(value)) and all(map(_is_message, _listed(value)))


def evidence_of_log(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for a log of several formats, or with what is no message."""
    evidence = evidence_of_body(replace(file, data=json.dumps(body_of_log(file)).encode()))
    return replace(evidence, kind="chat-log")


def body_of_log(file: SourceFile) -> dict[str, Any]:
    """The body of a request with these messages. Raises `CannotDraft` as `evidence_of_log` does."""
    messages: list[tuple[int, Any]] = []
    for number, value in file.values():
        messages += [(number, message) for message in _listed(value)]
    wire = _wire(file.label, messages)
    name = "contents" if wire == "gemini-generate" else "messages"
    body: dict[str, Any] = {name: [_prepared(message, wire) for _, message in messages]}
    if wire not in ("gemini-generate", "bedrock-converse"):
        body["model"] = default_model(wire)
    if wire == "anthropic-messages":
        body["max_tokens"] = 1024
    if wire == "bedrock-converse":  # it demands declarations where calls are, which no log has
        names = dict.fromkeys(block["toolUse"].get("name") for block in _blocks(body) if "toolUse" in block)
        specs = [{"toolSpec": {"name": name, "inputSchema": {"json": {"type": "object"}}}} for name in names]
        body |= {"toolConfig": {"tools": specs}} if specs else {}
    return body


def _blocks(body: dict[str, Any]) -> list[dict[str, Any]]:
    contents = [message.get("content") for message in body["messages"]]
    return [block for content in contents if isinstance(content, list) for block in content if isinstance(block, dict)]


def _listed(value: Any) -> Sequence[Any]:
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and "model" not in value and isinstance(value.get("messages"), list):
        listed: list[Any] = value["messages"]
        return listed
    return [value] if _is_message(value) else []


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and "role" in value
        and any(key in value for key in ("content", "parts", "tool_calls"))
        and "attributes" not in value
        and not _is_telemetry(value)
    )


def _is_telemetry(value: dict[str, Any]) -> bool:
    """Parts of OpenTelemetry have a type, those of Gemini have none."""
    parts = value.get("parts")
    return isinstance(parts, list) and any(isinstance(part, dict) and "type" in part for part in parts)


def _wire(label: str, messages: Sequence[tuple[int, Any]]) -> str:
    """Of all messages: a text alone may be of any."""
    found = ""
    for number, message in messages:
        if not _is_message(message):
            raise CannotDraft(f"{label}:{number}: this is no message. Expected an object with `role` and `content`.")
        wire = _wire_of(message)
        if found and wire and wire != found:
            raise CannotDraft(
                f"{label}:{number}: this message is {WORDS[wire]}'s, and those before it are {WORDS[found]}'s. "
                "Give the messages of one format."
            )
        found = found or wire
    return found or "openai-chat"


def _wire_of(message: dict[str, Any]) -> str:
    if "parts" in message:
        return "gemini-generate"
    if message.get("tool_calls") or message.get("role") == "tool":
        return "openai-chat"
    content = message.get("content")
    if isinstance(content, list) and any(isinstance(one, dict) and BEDROCK & {*one} for one in content):
        return "bedrock-converse"
    blocks = [block.get("type") for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return "anthropic-messages" if any(kind in ANTHROPIC for kind in blocks) else ""


def _prepared(message: dict[str, Any], wire: str) -> dict[str, Any]:
    """With the members that the wire has; logs have times and names of models beside them."""
    known = ("role", "content", "parts", "tool_calls", "tool_call_id", "name", "reasoning_content")
    return {key: value for key, value in message.items() if key in known}


def is_report(value: Any) -> bool:
    return isinstance(value, dict) and "cases" in value and "bodies" in value


def evidence_of_report(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for results without such a case, or without its requests."""
    try:
        results = decoded(file.data, where=file.label)
    except BrokenResults as error:
        raise CannotDraft(str(error)) from None
    case = _case(results, file)
    requests = [request for turn in case.turns for request in turn.requests if request.request in results.bodies]
    sent = [_sent_in_report(request, results) for request in requests if request.wire == case.wire]
    if not sent:
        raise CannotDraft(f"{file.label}: {case.id} has no bodies of requests. Run it alone with --agent-report.")
    if any(results.bodies[request.request].cut for request in requests):
        raise CannotDraft(f"{file.label}: a request of {case.id} was too long to be kept whole. Run it alone.")
    return evidence_of(sent, "report")


def _case(results: Results, file: SourceFile) -> CaseRecord:
    failing = [case for case in results.cases if case.turns and case.findings]
    chosen = [case for case in failing if file.case in ("", case.id)]
    if chosen:
        return chosen[0]
    known = ", ".join(case.id for case in failing[:3]) or "none"
    raise CannotDraft(
        f"{file.label}: no case {file.case or 'with a finding'} has its requests here. There are {known}."
    )


def _sent_in_report(request: RequestResult, results: Results) -> Sent:
    body = results.bodies[request.request]
    answer = results.bodies.get(request.response)
    response = None if answer is None else RecordedResponse(answer.status, answer.headers, (answer.text.encode(),))
    posted = Request(body.method or "POST", body.path, dict(body.headers), body.text.encode())
    return Sent(posted, request.wire, request.provider, response)


def evidence_of_session(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for a session without a message."""
    session = session_logs.session_in(value for _, value in file.values())
    if session.body is None:
        raise CannotDraft(f"{file.label}: it looks like {session.source}, and nobody says anything in it.")
    provider = "anthropic" if session.provider == "anthropic" else "openai"
    asked = replace(file, data=json.dumps(session.body).encode(), provider=file.provider or provider)
    evidence = replace(evidence_of_body(asked), kind=f"{session.source} log")
    if evidence.refusal is None:
        evidence = replace(evidence, wire=session.wire, provider=file.provider or session.provider)
    if session.reply:
        evidence = replace(evidence, messages=(*evidence.messages, Message("assistant", session.reply)))
    return evidence


def evidence_of_spans(file: SourceFile) -> Evidence:
    """Of OpenTelemetry's own conventions, or of OpenInference's. Raises `CannotDraft`."""
    is_session = any(session_logs.source_of(value) for _, value in file.values())
    return evidence_of_session(file) if is_session else telemetry.evidence_of_trace(file)


def evidence_of_debug_log(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` where no request can be read: its line may have been cut."""
    bodies = bodies_of_debug_log(file.text)
    if not bodies:
        raise CannotDraft(f"{file.label}: none of its lines `Request options: {{...}}` has a body that can be read.")
    lines = b"\n".join(json.dumps(body).encode() for body in bodies)
    asked = replace(file, data=lines, provider=file.provider or "openai")
    return replace(evidence_of_body(asked), kind="debug log")


def evidence_of_curl(file: SourceFile) -> Evidence:
    """Raises `CannotDraft` for commands without a body."""
    requests = [one for one in requests_of_curl(file.text, file.label) if not isinstance(one, Problem) and one.body]
    if not requests:
        raise CannotDraft(f"{file.label}: no command `curl` in it has a body that can be read here.")
    sent = RecordedExchange(requests[0], RecordedResponse(200, (), ()), Place(file.label, 1))
    wire = wire_of(sent)
    lines = b"\n".join(_one_line(one.body) for one in requests)
    return evidence_of_body(replace(file, data=lines, provider=file.provider or (wire.provider if wire else "")))


def _one_line(body: bytes) -> bytes:
    try:
        return json.dumps(read_json(body)).encode()
    except ValueError:
        return body


def evidence_of_paste(file: SourceFile) -> Evidence:
    """The bodies or messages in a text of any kind. Raises `CannotDraft` where there are none."""
    try:
        paste = paste_in(file.text, provider=file.provider)
    except CannotFind as error:
        said = (
            str(error) or f"no request and no conversation was found in it. Expected {READ}, or a text with one in it."
        )
        raise CannotDraft(f"{file.label}: {said}") from None
    provider, model = file.provider or paste.provider, file.model or paste.model
    file = replace(file, provider=provider, model=model, answer=file.answer or paste.answer)
    if paste.bodies:
        lines = b"\n".join(json.dumps(body).encode() for body in paste.bodies)
        evidence = evidence_of_body(replace(file, data=lines))
    elif paste.session:
        lines = b"\n".join(json.dumps(value).encode() for value in paste.session)
        evidence = evidence_of_session(replace(file, data=lines))
    elif paste.spans:
        lines = b"\n".join(json.dumps(value).encode() for value in paste.spans)
        evidence = telemetry.evidence_of_trace(replace(file, data=lines))
    else:
        evidence = evidence_of_log(replace(file, data=json.dumps(paste.messages).encode()))
    return replace(evidence, kind="pasted text", unknown=(*evidence.unknown, *paste.notes))


READ = "a request body, a cassette, a log or session of a framework or agent, a trace, curl, or a results.json"


@dataclass(frozen=True, slots=True)
class Kind:
    """`is_it` looks at the value, or at the first value of JSON Lines."""

    is_it: Callable[[Any], bool]
    evidence: Callable[[SourceFile], Evidence]


KINDS: Mapping[str, Kind] = {
    "report": Kind(is_report, evidence_of_report),
    "curl": Kind(lambda value: False, evidence_of_curl),
    "debug-log": Kind(lambda value: False, evidence_of_debug_log),
    "session": Kind(lambda value: bool(session_logs.source_of(value)), evidence_of_session),
    "trace": Kind(telemetry.is_trace, evidence_of_spans),
    "cassette": Kind(lambda value: False, evidence_of_cassette),
    "chat-log": Kind(is_log, evidence_of_log),
    "request": Kind(is_body, evidence_of_body),
    "paste": Kind(lambda value: False, evidence_of_paste),
}
LOOSE = ("curl", "debug-log", "session", "trace")
"""Kinds whose looks a paste may have that is none."""
STANDARD_INPUT = Path("-")


def evidence_in(
    path: Path,
    *,
    kind: str | None = None,
    answer: Path | None = None,
    provider: str = "",
    case: str = "",
    model: str = "",
) -> Evidence:
    """Raises `CannotDraft`."""
    label = "standard input" if path == STANDARD_INPUT else str(path)
    file = SourceFile(label, _data(path), None if answer is None else _data(answer), provider, case, model)
    found = KINDS[kind].evidence(file) if kind else _evidence_of(file)
    if not found.messages:
        raise CannotDraft(f"{label}: it has no message of a conversation. Expected {READ} with at least one.")
    return found


def _evidence_of(file: SourceFile) -> Evidence:
    """Of the kind that its content says; and where none can be read, of the requests that stand somewhere in it."""
    kind = ""
    try:
        kind = kind_of(file)
        return KINDS[kind].evidence(file)
    except CannotDraft as error:
        if kind not in ("", *LOOSE) or not file.text.strip() or "ends in the middle" in str(error):
            raise
        if kind == "trace" and "this is no span" in str(error):
            raise
        try:
            return evidence_of_paste(file)
        except CannotDraft as of_paste:
            is_unread = "no request and no conversation" in str(of_paste) or (kind and "was cut" in str(of_paste))
            raise (error if is_unread else of_paste) from None


def kind_of(file: SourceFile) -> str:
    """Raises `CannotDraft` for a file of no kind, with what it looks like and where it stops being JSON."""
    if looks_like_curl(file.text):
        return "curl"
    try:
        format_of(file.text, file.label)
        return "cassette"
    except UnknownFormat:
        if is_debug_log(file.text):
            return "debug-log"
        first = _first_value(file)
    found = next((name for name, kind in KINDS.items() if kind.is_it(first)), None)
    if found is None:
        if not isinstance(first, dict | list):
            raise CannotDraft(f"{file.label}: no request and no conversation was found in it. Expected {READ}.")
        shape = f"an object with {_members(first)}" if isinstance(first, dict) else redacted(json.dumps(first))[:40]
        raise CannotDraft(f"{file.label}: its kind is not known. Expected {READ}; found {shape}. `--kind` names it.")
    return found


def _first_value(file: SourceFile) -> Any:
    text = file.text.lstrip()
    if not text:
        raise CannotDraft(f"{file.label}: it is empty. Expected {READ}.")
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except json.JSONDecodeError as error:
        raise CannotDraft(f"{file.label}:{error.lineno}: {_why(text, error)} Expected {READ}.") from None
    except RecursionError:
        raise CannotDraft(f"{file.label}: it is nested too deep to be read. Expected {READ}.") from None
    except ValueError as error:
        raise CannotDraft(f"{file.label}: it has a number that cannot be read: {error}. Expected {READ}.") from None


def _why(text: str, error: json.JSONDecodeError) -> str:
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        return "the JSON ends in the middle; the file was cut. Nothing of it is used."
    if error.pos == 0:
        return f"this is no JSON and no cassette; it begins with {redacted(text)[:40]!r}."
    return f"this is not JSON from column {error.colno} on: {error.msg}. Nothing of it is used."


def _members(value: Mapping[str, Any]) -> str:
    return ", ".join(f"`{name}`" for name in list(value)[:6]) or "no members"


def _data(path: Path) -> bytes:
    try:
        if path == STANDARD_INPUT:
            data = sys.stdin.buffer.read(LARGEST + 1)
            if len(data) > LARGEST:
                raise OSError(f"it has more than {LARGEST:,} bytes")
            return data
        return read_data(path)
    except OSError as error:
        most = f"At most {LARGEST // 1024 // 1024} MB are read; give the request or the session that failed alone."
        reason = error.strerror or str(error)
        raise CannotDraft(f"{path}: cannot be read: {reason}. {most if 'bytes' in reason else ''}".rstrip()) from None
