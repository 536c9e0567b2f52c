"""Bodies, checked by every provider of their wire: which accept them, which refuse them, and what to do.

A body is given as JSON, JSON Lines, a `curl` command or a cassette.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agent_conformance.cassettes import Problem, RecordedExchange, RecordedRequest, UnknownFormat, exchanges_of
from agent_conformance.cassettes.bodies import keys_in_body
from agent_conformance.cassettes.curl import looks_like_curl, requests_of_curl
from agent_conformance.commands.check_request.advice import Advice, advise
from agent_conformance.commands.check_request.targets import Target, targets_of
from agent_conformance.commands.shared import fitted, json_text
from agent_conformance.scenario.yaml_files.reading import read_data
from agent_conformance.scenario_drafts.incident import CannotDraft, SourceFile
from agent_conformance.scenario_drafts.logged_bodies import bodies_of_debug_log, is_debug_log
from agent_conformance.scenario_drafts.pasted_texts import CannotFind, paste_in
from agent_conformance.scenario_drafts.session_logs import session_in, source_of
from agent_conformance.scenario_drafts.sources import body_of_log, is_log
from agent_conformance.transcripts.redaction import SECRETS, redacted
from fake_providers import Violation, judge
from fake_providers.models import traits
from fake_providers.values.json_texts import read_json
from fake_providers.wire_neutral_lines import printable

STANDARD_INPUT = "-"
MOST_BYTES = 64 * 1024 * 1024
BODIES = ("messages", "contents", "input", "model")
CASSETTES = ("cassette", "fixtures", "interactions", "http_interactions", "log")
JSON_HEADERS: Mapping[str, str] = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Posted:
    """A body with its label for the output. `path` and `host` are "" where nothing says where it is sent."""

    label: str
    body: bytes
    path: str = ""
    host: str = ""
    headers: Mapping[str, str] = field(default_factory=lambda: JSON_HEADERS)


@dataclass(frozen=True, slots=True)
class Unusable:
    """What cannot be checked: where it stands, what was expected, and what to do."""

    label: str
    message: str

    def __str__(self) -> str:
        return f"{self.label}: {self.message}"


def posted_in(source: str) -> Iterator[Posted | Unusable]:
    """Each body of a file, or of standard input for `-`."""
    try:
        data = sys.stdin.buffer.read(MOST_BYTES + 1) if source == STANDARD_INPUT else read_data(Path(source))
    except OSError as error:
        yield Unusable(source, f"cannot be read: {error.strerror}")
        return
    label = "standard input" if source == STANDARD_INPUT else source
    if len(data) > MOST_BYTES:
        yield Unusable(label, f"it has more than {MOST_BYTES // 1024 // 1024} MB. Give each body in a file of its own.")
        return
    found = list(_bodies(data, label))
    yield from found or [Unusable(label, "it has no request with a body. Expected at least one POST.")]


def _bodies(data: bytes, label: str) -> Iterator[Posted | Unusable]:
    text = data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
    if looks_like_curl(text):
        yield from _of_curl(text, label)
    elif found := _of_log(text):
        yield from (Posted(label if len(found) == 1 else f"{label}: {n}", body) for n, body in enumerate(found, 1))
    elif _is_cassette(text):
        try:
            for exchange in exchanges_of(data, label):
                if isinstance(exchange, RecordedExchange):
                    if exchange.request.method == "POST":
                        yield _of_request(exchange.request, str(exchange.place))
                else:
                    yield Unusable(str(exchange.place), exchange.message)
        except UnknownFormat as error:
            yield Unusable(label, str(error).removeprefix(f"{label}: "))
    elif _parsed(text) is None and (pasted := _pasted(text)):
        yield from (Posted(label if len(pasted) == 1 else f"{label}: {n}", body) for n, body in enumerate(pasted, 1))
    elif _is_json_lines(text):
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                value = _parsed(line)
                here = f"{label}:{number}"
                yield Unusable(here, _not_json(line)) if value is None else _of_value(value, line.encode(), here)
    elif not text.strip():
        yield Unusable(label, "it is empty. Expected a JSON body, JSON Lines, or a curl command.")
    else:
        yield _of_value(_parsed(text), data, label)


def _of_log(text: str) -> list[bytes]:
    """What a session or a log says, as the bodies of requests; none for anything else."""
    if is_debug_log(text):
        return [_written(body) for body in bodies_of_debug_log(text)]
    values = [value] if (value := _parsed(text)) is not None else [_parsed(line) for line in text.splitlines()[:20]]
    if isinstance(value, list) and not source_of(value) and is_log(value):
        with suppress(CannotDraft):
            return [_written(body_of_log(SourceFile("", text.encode("utf-8", errors="surrogateescape"))))]
    if not any(map(source_of, values)):
        return []
    lines = (_parsed(line) for line in text.splitlines() if line.strip())
    return _of_session(values if value is not None else lines)


def _of_session(values: Iterable[Any]) -> list[bytes]:
    session = session_in(values)
    return [] if session.body is None else [_written(session.body)]


def _pasted(text: str) -> list[bytes]:
    """The bodies in a text that is not JSON: none in JSON Lines, of which each has to be a body."""
    if _is_json_lines(text):
        return []
    with suppress(CannotFind, CannotDraft):
        paste = paste_in(text)
        if paste.bodies:
            return [_written(body) for body in paste.bodies]
        if paste.session:
            return _of_session(paste.session)
        return [_written(body_of_log(SourceFile("", _written(paste.messages))))]
    return []


def _of_curl(text: str, label: str) -> Iterator[Posted | Unusable]:
    found = list(requests_of_curl(text, label))
    for request in found:
        if isinstance(request, Problem):
            yield Unusable(str(request.place), request.message)
        else:
            yield _of_request(request, label if len(found) == 1 else f"{label}: {request.path}")


def _of_request(request: RecordedRequest, label: str) -> Posted:
    return Posted(label, request.body, request.path, request.host, {**JSON_HEADERS, **request.headers_by_name})


def _of_value(value: Any, data: bytes, label: str) -> Posted:
    """A line of a batch has the body and its path as members."""
    if isinstance(value, dict) and isinstance(value.get("body"), dict) and not any(key in value for key in BODIES):
        url = value.get("url")
        address = urlsplit(url) if isinstance(url, str) else urlsplit("")
        return Posted(label, _written(value["body"]), address.path, address.hostname or "")
    return Posted(label, data)


def _written(value: Any) -> bytes:
    return json.dumps(value).encode()


def _is_cassette(text: str) -> bool:
    if re.match(r"(?:---\s*)?(?:version\s*:.*\n)?(?:http_)?interactions\s*:", text.lstrip()):
        return True
    value = _parsed(text) if text.lstrip().startswith("{") else None
    first = value if value is not None else _parsed(text.lstrip().partition("\n")[0])
    if not isinstance(first, dict) or any(key in first for key in BODIES):
        return False
    return any(isinstance(first.get(key), list | dict) or key == "cassette" for key in CASSETTES if key in first)


def _is_json_lines(text: str) -> bool:
    """Several lines, of which the first is an object: the others should be."""
    lines = [line for line in text.splitlines() if line.strip()]
    return len(lines) > 1 and isinstance(_parsed(lines[0]), dict)


def _not_json(line: str) -> str:
    begins = redacted(line.strip())[:40]
    return f"this line is no JSON; it begins with {begins!r}. In JSON Lines each line is one whole body."


def _parsed(text: str) -> Any:
    """None for what is no JSON."""
    try:
        return read_json(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Check:
    """What one provider says of a body; `advice` where it refuses it."""

    target: Target
    violation: Violation | None
    advice: Advice | None = None


@dataclass(frozen=True, slots=True)
class CheckedBody:
    """A body with the checks of every provider that serves its wire."""

    posted: Posted
    checks: tuple[Check, ...]


def checked(posted: Posted, *, providers: tuple[str, ...], path: str, model: str = "") -> CheckedBody | Unusable:
    """`path` is where the user says that it is posted, and `model` the one of a path that nobody gave."""
    at = path or posted.path
    SECRETS.learn_all(keys_in_body(posted.body))
    try:
        body = read_json(posted.body)
    except ValueError:
        body = None
    targets = tuple(targets_of(body, providers=providers, path=at, host=posted.host))
    if not targets:
        who = ", ".join(providers) or "no provider"
        found = f"{who} has no" if providers else f"{who} has a"
        return Unusable(posted.label, f"{found} wire with the path {at}. Expected one of a model request.")
    if model and at:
        return Unusable(posted.label, f"--model is for bodies without an address; this one is posted to {at}.")
    if model and not any(target.model for target in targets):
        return Unusable(posted.label, "--model is for wires whose paths name the model; here the body names it.")
    return CheckedBody(posted, tuple(_checks(posted, targets, model)))


def _checks(posted: Posted, targets: tuple[Target, ...], model: str) -> Iterator[Check]:
    for inferred in targets:
        target = inferred.at_model(model) if model and inferred.model else inferred
        violation = judge(target.provider, target.path, posted.body, posted.headers)
        advice = advise(target, posted.body, posted.headers, violation) if violation is not None else None
        yield Check(target, violation, advice)


def check_request(sources: list[str], *, providers: tuple[str, ...], path: str, is_json: bool, model: str = "") -> int:
    """Print a block for each provider. 1: a provider refuses a body; 2: a body cannot be checked."""
    found = list(chain.from_iterable(posted_in(source) for source in sources))
    results = []
    for posted in found:
        result = (
            posted if isinstance(posted, Unusable) else checked(posted, providers=providers, path=path, model=model)
        )
        results.append(result)
        if not is_json:
            label = posted.label if len(found) > 1 else ""
            if isinstance(result, Unusable):
                print(result, file=sys.stderr)
                continue
            if label:
                print(label)
            print(fitted("\n".join(line for check in result.checks for line in check_lines(check))), flush=True)
    if is_json:
        print(json_text(as_json(results)))
    bodies = [result for result in results if isinstance(result, CheckedBody)]
    if len(bodies) < len(results) or not results:
        return 2
    return int(any(check.violation for body in bodies for check in body.checks))


NOTHING_TRIED = "no change was found that is accepted and keeps the conversation as it is"


def check_lines(check: Check) -> Iterator[str]:
    """One line for an accepted body, a block for a refused one."""
    violation = check.violation
    if violation is None or check.advice is None:
        yield f"{check.target.provider}: accepted{_of_model(check)}"
        return
    yield f"{check.target.provider}: refused by {violation.rule}{_of_model(check)}"
    yield _labelled("status", str(violation.status))
    yield _labelled("message", violation.message.strip())
    yield _labelled("at", violation.at or "the body")
    if violation.confidence == "inferred":
        yield _labelled("confidence", "inferred: the real provider may accept it")
    yield _labelled("remedy", check.advice.remedy)
    for number, change in enumerate(check.advice.changes):
        yield _labelled("or" if number else "tried", change.words)
    if not check.advice.changes:
        yield _labelled("tried", NOTHING_TRIED)
    if check.advice.models:
        yield _labelled("models", f"these take it as it is: {', '.join(check.advice.models)}")


def _of_model(check: Check) -> str:
    """What is to be said of the model that the path names: which one was taken, or that its family is not known."""
    model = check.target.model
    if "unknown-family" in traits(check.target.wire, model, check.target.provider):
        return printable(f", by what all models refuse: of which family `{model}` is is not known")
    return printable(f", as for {model}") if model else ""


def _labelled(label: str, text: str) -> str:
    return f"  {label:10}  {printable(text)}"


FORMAT = 1


def as_json(results: list[CheckedBody | Unusable]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "requests": [
            {"label": result.posted.label, "checks": [_check(check) for check in result.checks]}
            for result in results
            if isinstance(result, CheckedBody)
        ],
        "problems": [
            {"label": result.label, "message": result.message} for result in results if isinstance(result, Unusable)
        ],
    }


def _check(check: Check) -> dict[str, Any]:
    target = {"provider": check.target.provider, "wire": check.target.wire, "path": check.target.path}
    return {**target, "accepted": check.violation is None, **_refusal(check)}


def _refusal(check: Check) -> dict[str, Any]:
    violation, advice = check.violation, check.advice
    if violation is None or advice is None:
        return {"violation": None, "remedy": None, "changes": [], "models": []}
    known = {"rule": violation.rule, "status": violation.status, "message": violation.message.strip()}
    return {
        "violation": {**known, "at": violation.at, "confidence": violation.confidence},
        "remedy": advice.remedy,
        "changes": [
            {
                "edits": [{"kind": edit.kind, "text": edit.words, "note": edit.note} for edit in change.edits],
                "patch": [operation.as_json() for operation in change.operations],
            }
            for change in advice.changes
        ],
        "models": list(advice.models),
    }
