"""The operations of the control interface: what each reads of a request, and does with the session of its client."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import ValidationError

from agent_conformance.cassettes.bodies import is_key_header, keys_in_body
from agent_conformance.commands.serve.script import Script, script_of
from agent_conformance.commands.serve.sessions import TOKEN_HEADER, Entry, Forgotten, Session, Sessions, used_of
from agent_conformance.commands.shared.served import Noted, base_urls, keys_of_request
from agent_conformance.scenario.checks.consistency import mistakes_in_reply
from agent_conformance.scenario.derived.faults import fault_of
from agent_conformance.scenario.model import FaultSpec, ReplySpec
from agent_conformance.scenario.yaml_files import described
from agent_conformance.scenario.yaml_files.reading import KeyPath
from agent_conformance.scenario.yaml_files.validation_messages import messages_of
from agent_conformance.transcripts.redaction import Key, redacted, text_without_keys
from agent_conformance.transcripts.secret_names import is_secret
from fake_providers import Fault, Reply, Request, Response, Violation
from fake_providers.http import AS_ESCAPE, compact, json_response
from fake_providers.replies.transport_faults import features_of
from fake_providers.serving.journal import Stopped
from fake_providers.serving.scripted_fake import ScriptedFake
from fake_providers.values.json_texts import read_json
from fake_providers.wire_facts import can_express

if TYPE_CHECKING:
    from agent_conformance.commands.serve.mcp_tools import ScriptedTools

LARGEST = 256 * 1024
"""Bytes of a body: as many as a file of replies may have."""


class BadRequest(Exception):
    """A request that a test program must change. `status` is that of the response."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class ControlRequest:
    http: Request
    query: Mapping[str, str]
    sessions: Sessions

    @property
    def session(self) -> Session:
        """Raises `BadRequest` where it was forgotten."""
        try:
            return self.sessions.of(self.http)
        except Forgotten as forgotten:
            raise BadRequest(str(forgotten), 410) from None

    def begin(self) -> None:
        """For a client whose replies are set now, it does not matter that others were forgotten."""
        self.sessions.of(self.http, anew=True)

    @property
    def tools(self) -> "ScriptedTools":
        """The tools of the MCP server. Raises `BadRequest` where there is none."""
        if self.sessions.tools is None:
            raise BadRequest("this server has no tools. Start one with --mcp tools.yaml.", 409)
        return self.sessions.tools

    @property
    def fakes(self) -> list[ScriptedFake]:
        """The fakes that `provider` and `wire` of the query choose, or all. Raises `BadRequest`."""
        fakes = self.session.fakes
        if not fakes:
            raise BadRequest(
                "this server answers from a cassette, which has all replies. Start one without --replay.", 409
            )
        chosen = [fake for fake in fakes if self._is_chosen(fake)]
        if not chosen:
            served = ", ".join(f"{fake.provider} on {fake.wire.name}" for fake in fakes)
            raise BadRequest(f"the query chooses no fake. Served are {served}.", 404)
        return chosen

    def _is_chosen(self, fake: ScriptedFake) -> bool:
        provider, wire = self.query.get("provider"), self.query.get("wire")
        return provider in (None, fake.provider) and wire in (None, fake.wire.name)

    @property
    def data(self) -> Any:
        """The value of the body. Raises `BadRequest`."""
        if len(self.http.body) > LARGEST:
            raise BadRequest(f"the body has {len(self.http.body):,} bytes; at most {LARGEST:,} are read.", 413)
        try:
            return read_json(self.http.body, strict=True)
        except ValueError as error:
            raise BadRequest(f"the body is not JSON: {error}.") from None


VERDICTS = ("accepted", "refused", "stopped", "other")
DONE = {"status": "ok"}
LONGEST_NUMBER = 15
VARIABLES = {
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "ollama": "OLLAMA_HOST",
    "bedrock": "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
}
"""Which environment variable a provider's SDK reads its base URL from, where it is not `NAME_BASE_URL`."""


@dataclass(frozen=True, slots=True)
class Operation:
    """`path` is below the prefix of the interface. `body` and `answer` name schemas, `query` the parameters taken."""

    method: str
    path: str
    name: str
    summary: str
    run: Callable[[ControlRequest], Response]
    query: Sequence[str] = ()
    body: str = ""
    answer: str = "Done"


def list_requests(request: ControlRequest) -> Response:
    log = request.session.log
    verdict = request.query.get("verdict")
    if verdict is not None and verdict not in VERDICTS:
        raise BadRequest(f"`verdict` is {verdict!r}; expected one of {', '.join(VERDICTS)}.")
    since, verdicts = _since(request), (VERDICTS if verdict is None else (verdict,))
    chosen = [entry for entry in log.entries() if entry.number > since and verdict_of(entry) in verdicts]
    listed = ",".join(map(entry_json, chosen))
    text = f'{{"requests":[{listed}],"count":{log.count}}}'
    return Response(200, (("content-type", "application/json"),), (text.encode(errors=AS_ESCAPE),))


def forget_requests(request: ControlRequest) -> Response:
    request.session.log.clear()
    return json_response(200, DONE)


def list_unused_replies(request: ControlRequest) -> Response:
    unused = [
        {"provider": fake.provider, "wire": fake.wire.name, "reply": reply_data(reply)}
        for fake in used_of(request.fakes)
        for reply in fake.unused_replies
    ]
    return json_response(200, {"unused": unused})


def set_replies(request: ControlRequest) -> Response:
    request.begin()
    fakes = request.fakes
    script = replies_from(request.data, fakes)
    request.session.is_scripted = True
    for fake in fakes:
        fake.set_replies(script.new_replies())
    return json_response(200, DONE)


def restore_replies(request: ControlRequest) -> Response:
    request.begin()
    for fake in request.fakes:
        fake.set_replies(request.sessions.new_replies(fake.wire.name))
    return json_response(200, DONE)


def set_faults(request: ControlRequest) -> Response:
    fakes = request.fakes
    faults = faults_from(request.data, [fake.wire.name for fake in fakes])
    request.session.is_scripted = True
    for fake in fakes:
        fake.set_faults(faults)
    return json_response(200, DONE)


def remove_faults(request: ControlRequest) -> Response:
    for fake in request.fakes:
        fake.set_faults({})
    return json_response(200, DONE)


def reset(request: ControlRequest) -> Response:
    request.sessions.forget(request.http)
    return json_response(200, DONE)


def say_health(request: ControlRequest) -> Response:
    return json_response(200, DONE)


def list_variables(request: ControlRequest) -> Response:
    """Under the name by which the client has reached the server."""
    url = f"http://{request.http.headers.get('host', '')}"
    variables: dict[str, str] = {}
    for provider, _, base_url in base_urls(request.session.providers, url):
        variables.setdefault(VARIABLES.get(provider) or f"{provider.upper().replace('-', '_')}_BASE_URL", base_url)
    return json_response(200, variables)


def list_tool_calls(request: ControlRequest) -> Response:
    return json_response(200, request.tools.calls())


def begin_tools_anew(request: ControlRequest) -> Response:
    request.tools.begin_anew()
    return json_response(200, DONE)


def _since(request: ControlRequest) -> int:
    """Raises `BadRequest`."""
    since = request.query.get("since", "0")
    if not since.isdecimal() or len(since) > LONGEST_NUMBER:
        raise BadRequest(f"`since` is {since!r}; expected the number of a request.")
    return int(since)


CHOICE = ("provider", "wire")
OPERATIONS: Sequence[Operation] = (
    Operation(
        "GET",
        "/requests",
        "listRequests",
        "The requests of this token, oldest first, each with its verdict. A refused one has the rule and the advice.",
        list_requests,
        query=("since", "verdict"),
        answer="Requests",
    ),
    Operation("DELETE", "/requests", "forgetRequests", "Forget the requests. Their numbers go on.", forget_requests),
    Operation(
        "PUT",
        "/replies",
        "setReplies",
        "The replies from the next request on: a script, in order or with conditions.",
        set_replies,
        query=CHOICE,
        body="Script",
    ),
    Operation(
        "GET",
        "/replies",
        "listUnusedReplies",
        "The replies that no request got yet, on the wires that were asked; on all, where none was.",
        list_unused_replies,
        query=CHOICE,
        answer="UnusedReplies",
    ),
    Operation(
        "DELETE",
        "/replies",
        "restoreReplies",
        "Back to the script that the server was started with, from its beginning.",
        restore_replies,
        query=CHOICE,
    ),
    Operation(
        "PUT",
        "/faults",
        "setFaults",
        "What goes wrong, by the number of the request; 1 is the next model request to each fake.",
        set_faults,
        query=CHOICE,
        body="Faults",
    ),
    Operation("DELETE", "/faults", "removeFaults", "Nothing goes wrong any more.", remove_faults, query=CHOICE),
    Operation(
        "POST", "/reset", "reset", "Forget everything of this token: requests, replies, faults, conversations.", reset
    ),
    Operation(
        "GET",
        "/tool-calls",
        "listToolCalls",
        "The calls of the tools of `--mcp`, by all clients, oldest first.",
        list_tool_calls,
        answer="ToolCalls",
    ),
    Operation(
        "DELETE",
        "/tool-calls",
        "beginToolsAnew",
        "Forget the calls; the next result of each tool is its first.",
        begin_tools_anew,
    ),
    Operation("GET", "/health", "sayHealth", "Whether the server is up.", say_health),
    Operation(
        "GET",
        "/variables",
        "listVariables",
        "The environment variables by which the providers' SDKs find the server, such as OPENAI_BASE_URL.",
        list_variables,
        answer="Variables",
    ),
)


# What a test program sends to the control interface, checked.


def replies_from(data: Any, fakes: Sequence[ScriptedFake]) -> Script:
    """Raises `ValueError` with all mistakes, a line each."""
    script = script_of(data, lambda path: shown_path("replies", path))
    any_reply = not all(fake.strict_replies for fake in fakes)
    script.check_for([(fake.provider, fake.wire.name) for fake in fakes], any_reply=any_reply)
    return script


def faults_from(data: Any, wires: Sequence[str]) -> dict[int, Fault]:
    """By the number of the request. Raises `ValueError` with all mistakes, a line each."""
    if not isinstance(data, dict):
        raise ValueError(
            f"faults: {described(data)}; expected a mapping from the number of a request to its fault, such as "
            '`{"1": {"status": 503}}`; 1 is the next request.'
        )
    faults: dict[int, Fault] = {}
    mistakes: list[str] = []
    for name, value in data.items():
        found = list(_mistakes(name, value))
        mistakes += found
        if not found:
            fault = fault_of(ReplySpec(fault=FaultSpec.read(value)))
            assert fault is not None
            faults[int(name)] = fault
            mistakes += _inexpressible(name, faults[int(name)], wires)
    if mistakes:
        raise ValueError("\n".join(mistakes))
    return faults


def shown_path(root: str, path: KeyPath) -> str:
    """`replies[2].when.user`."""
    return root + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def _mistakes(name: str, value: Any) -> Iterator[str]:
    if not name.isdecimal() or len(name) > 9 or int(name) < 1:
        yield f"faults.{name}: a fault is for a request, counted from 1. Write a whole number."
        return
    try:
        spec = FaultSpec.read(value)
    except ValidationError as error:
        yield from (f"{shown_path('faults', (name, *at))}: {said}" for at, said in messages_of(error, value, FaultSpec))
        return
    for at, said in mistakes_in_reply(ReplySpec(text="", fault=spec)):
        yield f"{shown_path('faults', (name, *at[1:]))}: {said}"


def _inexpressible(name: str, fault: Fault, wires: Sequence[str]) -> Iterator[str]:
    for feature in features_of(fault):
        if not any(can_express(feature, wire=wire, mode="stream") for wire in wires):
            yield f"faults.{name}: {' or '.join(wires)} cannot express this fault ({feature}). Leave it out."


# A request of the log as JSON, with the rule that it breaks and what to do about it, and without any key


NOT_RECORDED = 404
_KEY_IN_QUERY = re.compile(r"([?&](?:key|access_token)=)[^&]*")
"""Gemini's clients may send the key in the address."""


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
    from agent_conformance.explain import explain_rule
    from agent_conformance.explain.texts import UnknownId

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
