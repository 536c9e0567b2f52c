"""A request body, with the provider's answer beside it where there is one."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agent_conformance.cassettes.exchange import RecordedResponse
from agent_conformance.cassettes.wires_of_bodies import path_of, wires_of
from agent_conformance.drafts.evidence import CannotDraft, Evidence
from agent_conformance.drafts.requests import Sent, evidence_of
from agent_conformance.drafts.source_file import SourceFile
from fake_providers.http import Request
from fake_providers.registry import PROVIDERS, wire_for
from fake_providers.values.json_texts import read_json

JSON = {"content-type": "application/json"}


def is_body(value: Any) -> bool:
    """Also a line of a batch, which has the body as a member."""
    value = value.get("body", value) if isinstance(value, dict) else None
    return isinstance(value, dict) and any(
        isinstance(value.get(name), list) for name in ("messages", "contents", "input")
    )


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
        sent.append(_sent(body, file.provider, file.answer))
    wires = {one.wire for one in sent}
    if len(wires) > 1:
        raise CannotDraft(f"{file.label}: its bodies are of {' and '.join(sorted(wires))}. Give those of one wire.")
    evidence = evidence_of(sent, "request")
    notes = [] if evidence.refusal else ["No provider of the suite refuses the request, and no answer was given."]
    return replace(evidence, unknown=(*evidence.unknown, *notes))


def _sent(body: Any, provider: str, answer: bytes | None) -> Sent:
    """At the provider that is named; else at the first one that refuses it, the wire's own before the others."""
    choices = list(_choices(body, provider))
    if not choices:
        raise CannotDraft(f"provider `{provider}` does not take a body of {' or '.join(wires_of(body))}.")
    data = json.dumps(body).encode()
    response = None if answer is None else _response(answer)
    requests = [Sent(_request(body, data, name, wire), wire, name, response) for name, wire in choices]
    return next((one for one in requests if _refuses(one)), requests[0])


def _choices(body: Any, provider: str) -> Iterator[tuple[str, str]]:
    wires = wires_of(body)
    for name, offered in PROVIDERS.items():
        if provider in ("", name):
            yield from ((name, wire) for wire in offered if wire in wires or (provider and len(offered) == 1))


def _request(body: Any, data: bytes, provider: str, wire: str) -> Request:
    return Request("POST", path_of(provider, wire, body), JSON, data)


def _refuses(sent: Sent) -> bool:
    return wire_for(sent.provider, sent.wire).judge(sent.request, provider=sent.provider) is not None


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
