"""The operations of the control interface: what each does with the session of its client. Knows no route."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent_conformance.commands.serve.control.entries import entry_json, reply_data, verdict_of
from agent_conformance.commands.serve.control.inputs import faults_from, replies_from
from agent_conformance.commands.serve.control.request import BadRequest, ControlRequest
from fake_providers import Response
from fake_providers.http import AS_ESCAPE, json_response

VERDICTS = ("accepted", "refused", "stopped", "other")
DONE = {"status": "ok"}
LONGEST_NUMBER = 15


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
    since, verdicts = _since(request), _verdicts(request)
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
        for fake in request.fakes
        for reply in fake.unused_replies
    ]
    return json_response(200, {"unused": unused})


def set_replies(request: ControlRequest) -> Response:
    request.begin()
    fakes = request.fakes
    script = replies_from(request.data, [fake.wire.name for fake in fakes])
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


def _since(request: ControlRequest) -> int:
    """Raises `BadRequest`."""
    since = request.query.get("since", "0")
    if not since.isdecimal() or len(since) > LONGEST_NUMBER:
        raise BadRequest(f"`since` is {since!r}; expected the number of a request.")
    return int(since)


def _verdicts(request: ControlRequest) -> Sequence[str]:
    """Raises `BadRequest`."""
    verdict = request.query.get("verdict")
    if verdict is not None and verdict not in VERDICTS:
        raise BadRequest(f"`verdict` is {verdict!r}; expected one of {', '.join(VERDICTS)}.")
    return VERDICTS if verdict is None else (verdict,)


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
        "The replies that no request got yet.",
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
    Operation("GET", "/health", "sayHealth", "Whether the server is up.", say_health),
)
