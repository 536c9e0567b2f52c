"""The calls of the model in a case, native and as text, what each allows to run, and which has which result."""

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import zip_longest
from typing import Any

from msgspec import Struct

from agent_conformance.judge.case_evidence import CaseEvidence
from agent_conformance.judge.shortened_texts import same_at_start
from agent_conformance.scenario.derived.half_characters import HALF
from agent_conformance.scenario.model import CallSpec
from agent_conformance.transcripts.transcript import SCRIPTED, RecordedRequest, TurnRecord
from fake_providers import View, ViewCall, ViewMessage, ViewResult
from fake_providers.values.json_texts import read_json

UNREADABLE = object()
"""The arguments of a call whose text is no JSON object: no tool may run for it."""


class ModelCall(Struct, frozen=True):
    """One call of the model. `order` counts requests over the whole case; `arrived`: the agent got the whole call."""

    order: int
    turn: int
    request: RecordedRequest
    name: str
    runs: tuple[str, ...]
    arguments: Any
    offered: frozenset[str]
    enabled: frozenset[str]
    arrived: bool
    native: bool
    id: str | None = None
    text: str | None = None
    added: tuple[str, ...] = ()
    """The parameters of which only the agent's declaration knows. `arguments` has none of them, `text` has."""

    def allows(self, tool: str) -> bool:
        return tool in self.runs

    def is_passed_on_in(self, arguments: Any) -> bool:
        """Whether an attempt passes the argument text on as it is, or parsed, so that the tool refuses it."""
        if self.text is None:
            return False
        if arguments == self.text:
            return True
        try:
            return arguments in (read_json(self.text), read_arguments(self.text))
        except ValueError:
            return False


def model_calls(evidence: CaseEvidence) -> list[ModelCall]:
    """All calls in order, those of a retried request counted once."""
    calls: list[ModelCall] = []
    order = 0
    for record in evidence.transcript.turns:
        for request in record.requests:
            order += 1
            if request.kind in SCRIPTED and request.spec is not None:
                calls += _of_request(order, record, request)
    return calls


def _of_request(order: int, record: TurnRecord, request: RecordedRequest) -> Iterator[ModelCall]:
    spec = request.spec
    assert spec is not None
    fault = request.reply.fault if request.reply is not None else None
    if fault is not None and fault.hides_reply:
        return
    for served in request.calls:
        yield ModelCall(
            order,
            record.number,
            request,
            served.name,
            (served.name, *served.spec.may_run),
            arguments_of(served.spec),
            request.offered,
            record.enabled_at(request),
            spec.finish != "length" and request.complete is not False,
            True,
            served.id,
            served.text,
            served.added,
        )
    if spec.means is not None and spec.means.handling in ("run", "run_or_hide"):
        for call in spec.means.calls:
            yield ModelCall(
                order,
                record.number,
                request,
                call.name,
                (call.name, *call.may_run),
                arguments_of(call),
                request.offered,
                record.enabled_at(request),
                True,
                False,
            )


def arguments_of(call: CallSpec) -> Any:
    """The arguments with which a correct agent runs the tool, or `UNREADABLE`."""
    if call.arguments_text is None:
        return call.arguments or {}
    if call.means is not None:
        return call.means.arguments
    try:
        value = read_arguments(call.arguments_text)
    except ValueError:
        return UNREADABLE
    return value if isinstance(value, dict) else UNREADABLE


_ABSENT = object()
ZEROS = re.compile(r"[+-]?0\d")
"""How a text of digits begins that loses some of them where it becomes a number: a postcode, an account."""
LONGEST_EXACT = 2**53
"""Whole floats below it are integers; above it a float has lost the last digits of one."""
LONGEST_SPELLED = 10**1000
"""Python writes no decimal text for integers of more than some thousand digits."""


def same_call(evidence: CaseEvidence, tool: str, ran: Any, name: str, arguments: Any) -> bool:
    """Whether a tool that was run with `ran` was run for a call of this name with these arguments."""
    return tool == name and same_arguments(ran, arguments, evidence.schema_of(name))


def same_arguments(ran: Any, sent: Any, schema: Mapping[str, Any]) -> bool:
    """Whether `ran` is `sent`, coerced to the schema, with defaults filled in and optional ones left out or null."""
    if not isinstance(ran, dict) or not isinstance(sent, dict):
        return bool(same_value(ran, sent))
    properties = schema.get("properties")
    properties = properties if isinstance(properties, dict) else {}
    return all(
        _same_property(ran.get(key, _ABSENT), sent.get(key, _ABSENT), _object(properties.get(key)), key in properties)
        for key in ran.keys() | sent.keys()
    )


def _same_property(ran: Any, sent: Any, spec: Mapping[str, Any], is_known: bool) -> bool:
    default = spec.get("default", _ABSENT)
    if sent is _ABSENT:
        return ran is None or bool(ran == default)
    if ran is _ABSENT:
        return sent is None or bool(sent == default) or not is_known
    return _same_by_schema(ran, sent, spec)


def _same_by_schema(ran: Any, sent: Any, spec: Mapping[str, Any]) -> bool:
    """The same value, or the same but for what the schema of an object in it lets the agent fill in or leave out."""
    if same_value(ran, sent):
        return bool(ran == sent) or not _lost_zeros(ran, sent, spec)
    if isinstance(sent, str) and isinstance(ran, dict | list):
        sent = _json_of(sent)
    elif isinstance(ran, str) and isinstance(sent, dict | list) and spec.get("type") == "string":
        ran = _json_of(ran)
    if isinstance(ran, list) and isinstance(sent, list):
        items = _object(spec.get("items"))
        return len(ran) == len(sent) and all(_same_by_schema(a, b, items) for a, b in zip(ran, sent, strict=True))
    return any(same_arguments(ran, sent, variant) for variant in _variants(spec))


def _lost_zeros(ran: Any, sent: Any, spec: Mapping[str, Any]) -> bool:
    """Of two values that are the same otherwise: whether a text in them, by its schema, has become a number."""
    if isinstance(ran, list) and isinstance(sent, list):
        return any(_lost_zeros(a, b, _object(spec.get("items"))) for a, b in zip(ran, sent, strict=False))
    if isinstance(ran, dict) and isinstance(sent, dict):
        known = _object(spec.get("properties"))
        return any(_lost_zeros(ran[name], sent[name], _object(known.get(name))) for name in ran.keys() & sent.keys())
    is_number = isinstance(sent, str) and not isinstance(ran, str)
    return is_number and spec.get("type") == "string" and ZEROS.match(sent) is not None


def _variants(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The schema, if it describes an object, and those that it lists."""
    if spec:
        yield spec
    for word in ("anyOf", "oneOf", "allOf"):
        listed = spec.get(word)
        for part in listed if isinstance(listed, list) else ():
            yield from _variants(_object(part))


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def same_value(ran: Any, sent: Any) -> bool:
    """Equal as JSON, or equal after one coercion: numbers and booleans in text, an object in a string decoded once."""
    if isinstance(ran, bool) or isinstance(sent, bool):
        return ran is sent or _spelled(ran) == _spelled(sent)
    if ran == sent:
        return True
    if isinstance(ran, str) and isinstance(sent, str):
        return _without_halves(ran) == _without_halves(sent)
    if isinstance(ran, list) and isinstance(sent, list):
        return len(ran) == len(sent) and all(same_value(a, b) for a, b in zip(ran, sent, strict=True))
    if isinstance(ran, dict) and isinstance(sent, dict):
        return ran.keys() == sent.keys() and all(same_value(ran[key], sent[key]) for key in ran)
    if isinstance(ran, list) and len(ran) == 1 and not isinstance(sent, list | dict) and same_value(ran[0], sent):
        return True
    if isinstance(sent, str) and isinstance(ran, dict | list):
        return same_value(ran, _json_of(sent))
    if ran is None and isinstance(sent, float) and math.isinf(sent):
        return True  # what JSON.stringify writes for it: an agent in JavaScript cannot say that its tool got the number
    spelling = _spelled(ran)
    return spelling is not None and spelling == _spelled(sent)


def _json_of(text: str) -> Any:
    """The value of a JSON text, None for any other text."""
    try:
        return read_json(text)
    except ValueError:
        return None


def _spelled(value: Any) -> str | None:
    """A scalar as text, numbers in one spelling; null, a list or an object has none."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value) if abs(value) < LONGEST_SPELLED else hex(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < LONGEST_EXACT else f"{value:.12g}"
    if isinstance(value, str):
        for number in (int, float) if "_" not in value else ():
            with suppress(ValueError):
                return _spelled(number(value))
        return value.lower() if value.lower() in ("true", "false") else _without_halves(value)
    return None


def read_arguments(text: str) -> object:
    """The JSON value of argument text, a stringified object decoded once, nothing at all read as no arguments.

    Raises `ValueError` for text that is no JSON.
    """
    if not text.strip():
        return {}
    value = read_json(text)
    if isinstance(value, str):
        try:
            inner = read_json(value)
        except ValueError:
            return value
        return inner if isinstance(inner, dict) else value
    return {} if value is None else value


def _without_halves(text: str) -> str:
    """Many languages have no text with half a character, and read U+FFFD instead."""
    return HALF.sub("\ufffd", text)


class Round(Struct, frozen=True):
    """The calls of one message of the model, and the results before its next message. `at` is its place."""

    at: str
    calls: tuple[ViewCall, ...]
    results: tuple[ViewResult, ...]


class Pairing(Struct, frozen=True):
    """The calls and results of a round that belong together, and those that are left over."""

    pairs: tuple[tuple[ViewCall, ViewResult], ...]
    open_calls: tuple[ViewCall, ...]
    extra_results: tuple[ViewResult, ...]


def rounds(view: View) -> Iterator[Round]:
    """The rounds of a request in order; the first holds the results in front of the model's first message."""
    at = ""
    calls: tuple[ViewCall, ...] = ()
    results: list[ViewResult] = []
    for message in view.messages:
        if message.role == "assistant":
            yield Round(at, calls, tuple(results))
            at, calls, results = message.at, message.calls, []
        else:
            results += message.results
            at = at or message.at
    yield Round(at, calls, tuple(results))


def pairing(round: Round) -> Pairing:
    """Results with an id first, each to the call with that id; then, where either has none, by name and in order."""
    open_calls = list(round.calls)
    pairs: list[tuple[ViewCall, ViewResult]] = []
    unmatched: list[ViewResult] = []
    extra: list[ViewResult] = []
    for result in round.results:
        by_id = (call for call in open_calls if result.id is not None and call.id == result.id)
        _pair(next(by_id, None), result, open_calls=open_calls, pairs=pairs, rest=unmatched)
    for result in unmatched:
        in_order = [call for call in open_calls if result.id is None or call.id is None]
        by_name = [call for call in in_order if result.name is not None and call.name == result.name]
        _pair(next(iter(by_name or in_order), None), result, open_calls=open_calls, pairs=pairs, rest=extra)
    return Pairing(tuple(pairs), tuple(open_calls), tuple(extra))


def _pair(
    call: ViewCall | None,
    result: ViewResult,
    *,
    open_calls: list[ViewCall],
    pairs: list[tuple[ViewCall, ViewResult]],
    rest: list[ViewResult],
) -> None:
    if call is None:
        rest.append(result)
    else:
        open_calls.remove(call)
        pairs.append((call, result))


def same_conversation(view: View, other: View) -> bool:
    return view.system == other.system and view.messages == other.messages


def change_of_beginning(before: View, view: View) -> tuple[str, str] | None:
    """What does not begin as in the request before, as a place and what stands there now.

    A last request without tools, which asks for words, is right.
    """
    if view.tools and before.tools and view.tools[: len(before.tools)] != before.tools:
        return "the declarations", ", ".join(tool.name for tool in view.tools)
    if view.system != before.system:
        return "the system prompt", view.system[same_at_start(before.system, view.system) :]
    for old, new in zip_longest(before.messages, view.messages[: len(before.messages)]):
        if new is None:
            return "the messages", f"{len(view.messages)} of them"
        if not begins_with(new, old):
            return new.at, f"{new.role}: {new.text}"
    return None


def begins_with(new: ViewMessage, old: ViewMessage) -> bool:
    """Whether a message is the same as in the request before, but for what has joined its end."""
    return (
        new.role == old.role
        and new.text.startswith(old.text)
        and new.calls[: len(old.calls)] == old.calls
        and new.results[: len(old.results)] == old.results
    )
