"""Faults between provider and client, in a response that is right: noise, an early end, a lost connection.

Works on the bytes of any wire. Of a wire it knows only its `limits`: how its streams are divided into events, and which
event ends an answer. What a provider sends when it fails is in the wire's `errors`; what several have alike is here.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

from msgspec.structs import replace

from fake_providers.features import Feature
from fake_providers.http import Response, compact, json_response
from fake_providers.replies.event_frames import split_frames
from fake_providers.reply import CannotExpress, Ending, Fault, Noise
from fake_providers.wire_facts import WIRE_FACTS


def with_fault(response: Response, fault: Fault, *, stream: bool) -> Response:
    """The response with the fault's content type and cut: a stream after a number of its chunks, a plain body in its
    middle."""
    if fault.content_type is not None:
        response = response.of_type(fault.content_type)
    if fault.cut_after is None:
        return response
    if stream:
        return replace(response, chunks=response.chunks[: fault.cut_after], cut=True)
    return replace(response, chunks=(response.body[: len(response.body) // 2],), cut=True)


def with_fault_in_stream(response: Response, fault: Fault, error_event: Callable[[str], bytes]) -> Response:
    """The chunks before the fault: `cut_after` of them, or the first half for an error event without a number."""
    if fault.error_event is None and fault.cut_after is None:
        return response
    kept = len(response.chunks) // 2 if fault.cut_after is None else fault.cut_after
    chunks = response.chunks[:kept]
    if fault.error_event is not None:
        return Response(200, response.headers, (*chunks, error_event(fault.error_event)))
    return Response(200, response.headers, chunks, cut=True)


def scripted_text(status: int, text: str, headers: Iterable[tuple[str, str]] = ()) -> Response:
    """A body that is no JSON: a page, or plain text."""
    content_type = "text/html" if text.lstrip().startswith("<") else "text/plain; charset=utf-8"
    return Response(status, (("content-type", content_type), *headers), (text.encode(errors="replace"),))


def failed(
    fault: Fault,
    own: Callable[[int], Any],
    respond: Callable[[int, Any, Iterable[tuple[str, str]]], Response] = json_response,
) -> Response:
    """The response to a fault with a status: its scripted text or body, or else the provider's `own`."""
    status = fault.status or 200
    headers = retry_headers(fault.retry_after)
    if isinstance(fault.body, str):
        response = scripted_text(status, fault.body, headers)
    else:
        response = respond(status, own(status) if fault.body is None else fault.body, headers)
    return with_fault(response, fault, stream=False)


def failed_as(fault: Fault, body: Any, text_types: tuple[str, str], headers: Iterable[tuple[str, str]]) -> Response:
    """The response to a fault with this body, of which the first half is sent where the fault cuts it. A text is a page
    or plain, of one of two content types."""
    content_type = text_types[not body.lstrip().startswith("<")] if isinstance(body, str) else "application/json"
    text = body if isinstance(body, str) else compact(body)
    named = (("content-type", fault.content_type or content_type), *headers)
    response = Response(200 if fault.status is None else fault.status, named, (text.encode(errors="replace"),))
    return response.halved() if fault.cut_after is not None else response


def sentence_in_go(sentences: Mapping[int, str], status: int) -> str:
    """That of the server, or else the status's standard phrase, in small letters."""
    phrases = {known.value: known.phrase.lower() for known in HTTPStatus}
    return sentences.get(status) or phrases.get(status, "unexpected error")


def retry_in_one_unit(retry_after: float | None) -> tuple[tuple[str, str], ...]:
    """SDKs ignore `retry-after: 0`, so a wait below one second is sent in milliseconds."""
    if retry_after is None:
        return ()
    if retry_after < 1:
        return (("retry-after-ms", str(max(1, round(retry_after * 1000)))),)
    return (("retry-after", f"{retry_after:g}"),)


def retry_headers(retry_after: float | None) -> tuple[tuple[str, str], ...]:
    """In seconds and in milliseconds; for 0 only the milliseconds, because OpenAI's SDK ignores a `retry-after` of
    0."""
    if retry_after is None:
        return ()
    if retry_after <= 0:
        return (("retry-after-ms", "1"),)
    return (("retry-after", str(math.ceil(retry_after))), ("retry-after-ms", str(round(retry_after * 1000))))


def with_transport_fault(response: Response, fault: Fault | None, *, wire: str) -> Response:
    """The response after the fault's noise, early end and loss. Raises `CannotExpress`."""
    if fault is None:
        return response
    if fault.ends is not None:
        response = _ended(response, fault.ends, wire)
    for noise, change in NOISES.items():
        if noise in fault.noise:
            response = change(response, wire)
    if fault.cut_at is not None:
        # The first `at` bytes in their chunks; a plain body keeps its original length in the header
        length = len(response.body)
        left = fault.cut_at if fault.cut_at >= 0 else max(0, length + fault.cut_at)
        kept: list[bytes] = []
        for chunk in response.chunks:
            kept.append(chunk[:left])
            left -= len(kept[-1])
            if not left:
                break
        headers = response.headers
        if len(response.chunks) == 1 and not any(name == "content-length" for name, _ in headers):
            headers = (*headers, ("content-length", str(length)))
        response = replace(response, headers=headers, chunks=tuple(kept), cut=True)
    if fault.connection is None:
        return response
    return replace(response, cut=True, loss=fault.connection, headless=not fault.is_cut)


def events_of(response: Response, wire: str) -> tuple[bytes, ...]:
    """The events of a stream, each with its line ends, however it is split into chunks; none for a plain body."""
    body = response.body
    framing = WIRE_FACTS[wire].framing
    if framing == "frames":
        return split_frames(body) if body[:1] == b"\0" else ()
    if framing == "lines":
        return tuple(body.splitlines(keepends=True)) if body.endswith(b"\n") else ()
    if body.startswith((b"data:", b"event:", b":")):
        return tuple(part for part in re.split(rb"(?<=\n\n)|(?<=\r\n\r\n)", body) if part)
    return response.chunks if len(response.chunks) > 1 else ()


def _ended(response: Response, ends: Ending, wire: str) -> Response:
    """The response up to this place, ended correctly for HTTP."""
    events = events_of(response, wire)
    if ends == "in-an-event":
        *earlier, last = events[: len(events) // 2 + 1] or (response.body,)
        return replace(response, chunks=(*earlier, last[: len(last) // 2]))
    if not events:
        raise CannotExpress("early-end")
    pattern = WIRE_FACTS[wire].finish
    finish = next((at for at, event in enumerate(events) if re.search(pattern, event)), len(events))
    return replace(response, chunks=events[: finish if ends == "before-the-finish" else -1])


def _with_other_line_ends(response: Response, wire: str) -> Response:
    """The standard of event streams allows these line ends. That a proxy changes Ollama's lines of JSON, where they are
    white space, is inferred."""
    if not events_of(response, wire) or WIRE_FACTS[wire].framing == "frames":
        raise CannotExpress("noise-crlf")
    return replace(response, chunks=tuple(re.sub(rb"(?<!\r)\n", b"\r\n", chunk) for chunk in response.chunks))


def _without_blanks(response: Response, wire: str) -> Response:
    """The standard of event streams lets the blank after the colon be left out, and some servers leave it out."""
    if not events_of(response, wire) or not WIRE_FACTS[wire].can_say("noise-no-blank", "stream"):
        raise CannotExpress("noise-no-blank")
    return replace(response, chunks=tuple(re.sub(rb"(?m)^(data|event): ", rb"\1:", one) for one in response.chunks))


def _between(response: Response, wire: str, put: bytes | None, feature: Feature) -> Response:
    """`put` between any two server-sent events, each of which becomes a chunk of its own."""
    events = events_of(response, wire)
    if put is None or not events or not events[0].startswith((b"data:", b"event:", b":")):
        raise CannotExpress(feature)
    first, *rest = events
    return replace(response, chunks=(first, *(chunk for event in rest for chunk in (put, event))))


def _in_single_bytes(response: Response, wire: str) -> Response:
    body = response.body
    return replace(response, chunks=tuple(body[at : at + 1] for at in range(len(body))))


Change = Callable[[Response, str], Response]
NOISES: dict[Noise, Change] = {
    "unknown-events": lambda response, wire: _between(
        response, wire, WIRE_FACTS[wire].unknown_event, "noise-unknown-events"
    ),
    "pings": lambda response, wire: _between(response, wire, WIRE_FACTS[wire].ping, "noise-pings"),
    "comments": lambda response, wire: _between(response, wire, WIRE_FACTS[wire].comment, "noise-comments"),
    "no-blank": _without_blanks,
    "crlf": _with_other_line_ends,
    "single-bytes": _in_single_bytes,
}
"""In the order in which they are laid over each other."""


def features_of(fault: Fault) -> Sequence[Feature]:
    """The features that the fault needs."""
    named: dict[Noise, Feature] = {
        "comments": "noise-comments",
        "crlf": "noise-crlf",
        "no-blank": "noise-no-blank",
        "pings": "noise-pings",
        "unknown-events": "noise-unknown-events",
    }
    needed: list[Feature] = [named[noise] for noise in fault.noise if noise in named]
    if fault.ends in ("before-the-finish", "before-the-terminator"):
        needed.append("early-end")
    if fault.error_event is not None:
        needed.append("error-event")
    return needed
