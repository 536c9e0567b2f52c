"""The requests in what somebody pasted: a log, a console, an issue.

It finds bodies and lists of messages, wherever they stand in the values of the text, and where they were sent. What
they say is read elsewhere.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_conformance.cassettes import RecordedExchange
from agent_conformance.cassettes.bodies import KEY_HEADERS, keys_in_body, learn_key
from agent_conformance.cassettes.decoding import wire_of, wires_of
from agent_conformance.cassettes.recorded_exchange import Place, RecordedRequest, RecordedResponse
from agent_conformance.scenario_drafts import session_logs, telemetry
from agent_conformance.scenario_drafts.logged_bodies import ROLES
from agent_conformance.scenario_drafts.pasted_values import (
    SHORTENED,
    ClassName,
    PastedText,
    Shortened,
    TooTangled,
    forms_of,
)
from agent_conformance.transcripts.redaction import SECRETS
from fake_providers.models import default_model
from fake_providers.registry import PROVIDERS

DEEPEST = 8
"""Texts within texts, and values within values that are no JSON."""
LISTS = ("LangChain", "AI SDK", "LlamaIndex", "Datadog")
"""Whose lists of messages stand in requests and states of any program."""
CONVERSATIONS = ("messages", "contents", "input")
ITEMS = ("function_call", "function_call_output", "reasoning", "message")
PARTS = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "thought_signature": "thoughtSignature",
}
"""Gemini's members as its Python SDK names them."""


class CannotFind(ValueError):
    """Says why there is no request in the text."""


@dataclass(frozen=True, slots=True)
class Paste:
    """`bodies` are of one conversation; or there is one list of `messages`, or the values of a `session`'s log, or
    `spans`.

    `provider` and `model` are those of an address in the text, `answer` is an error of a provider that it shows.
    """

    bodies: tuple[dict[str, Any], ...] = ()
    messages: tuple[Any, ...] = ()
    session: tuple[Any, ...] = ()
    spans: tuple[Any, ...] = ()
    provider: str = ""
    model: str = ""
    answer: bytes | None = None
    notes: tuple[str, ...] = ()


def paste_in(text: str, *, provider: str = "") -> Paste:
    """What is pasted, in the first form in which it has something. Raises `CannotFind`.

    `provider` is what somebody who knows it says, whose bodies alone are taken.
    """
    _learn_keys(text)
    problem = CannotFind("")
    for form in forms_of(text):
        try:
            return _paste_in(form, provider)
        except CannotFind as error:
            problem = problem if str(problem) else error
    raise problem


_TALKS = re.compile(r"\b(?:role|contents|input|content)\b")
"""Of a request; a log has other values that are cut off, or are none."""
_ADDRESS = re.compile(r"https?://[^\s'\"<>\\)]+")
_KEY = re.compile(
    rf"""(?i)\b({"|".join(KEY_HEADERS)})\\?["']?\s*[:=]\s*\\?["'\[]?\s*(?:Bearer\s+)?([^\s"',\\\]]{{8,}})"""
)


def _learn_keys(text: str) -> None:
    for name, value in _KEY.findall(text):
        learn_key(name, value)


def _paste_in(text: str, provider: str) -> Paste:
    pasted = PastedText(text)
    found: list[dict[str, Any] | list[Any]] = []
    errors: list[dict[str, Any]] = []
    session: list[Any] = []
    spans: list[Any] = []
    try:
        for value in pasted.values():
            if session_logs.source_of(value) not in ("", *LISTS):
                session.append(value)
            elif telemetry.is_trace(value) and telemetry.has_messages(value):
                spans.append(value)
                continue
            found += _conversations(value, 0)
            errors += _errors(value, 0)
    except TooTangled:
        raise CannotFind("it has too many brackets that open nothing. Give the request's body alone.") from None
    except RecursionError:
        raise CannotFind("it is nested too deep to be read. Give the request's body alone.") from None
    answer = json.dumps(errors[-1]).encode() if errors else None
    if _is_largest(session, found):
        if pasted.broken:
            raise CannotFind(_why_cut(pasted.text, pasted.broken[0]))
        return Paste(session=tuple(session), answer=answer)
    if spans and not found:
        if pasted.cuts:
            raise CannotFind(_why_cut(pasted.text, pasted.cuts[0]))
        return Paste(spans=tuple(spans), answer=answer)
    whole = [one for one in found if not _is_shortened(one)]
    if not whole:
        raise CannotFind(_why_none(bool(found), pasted))
    at_provider, model = _sent_to(text)
    bodies = [one for one in whole if isinstance(one, dict)]
    lists = [one for one in whole if isinstance(one, list)]
    notes = ["The end of the text cuts a value off, which was left out."] if pasted.cuts else []
    chosen = _of_one_wire(bodies, provider or at_provider)
    largest = max(map(_size, lists), default=0)
    if chosen and max(map(_size, chosen)) * 2 >= largest:
        for body in chosen:
            SECRETS.learn_all(keys_in_body(json.dumps(body).encode()))
        return Paste(tuple(chosen), (), (), (), at_provider, model, answer, tuple(notes))
    messages = max(lists, key=_size)
    if _is_items(messages):
        body = {"model": default_model("openai-responses"), "input": messages}
        return Paste((body,), (), (), (), at_provider or "openai", model, answer, tuple(notes))
    if session_logs.source_of(messages):
        return Paste((), (), (messages,), (), at_provider, model, answer, tuple(notes))
    return Paste((), tuple(messages), (), (), at_provider, model, answer, tuple(notes))


def _is_largest(session: list[Any], others: list[Any]) -> bool:
    """Whether somebody says something in it, and nothing beside it is longer."""
    is_said = bool(session) and session_logs.session_in(session).body is not None
    return is_said and _size(session) > max(map(_size, others), default=0)


def _why_none(is_shortened: bool, pasted: PastedText) -> str:
    if is_shortened:
        return (
            "the program that printed it left parts out, as `[Object]`. Print the whole: JSON.stringify(body), or "
            "util.inspect(body, {depth: null, maxArrayLength: null, maxStringLength: null})."
        )
    last = max((found.start() for found in _TALKS.finditer(pasted.text)), default=-1)
    first = min((at for at in (*pasted.cuts, *pasted.broken) if at < last), default=None)
    return "" if first is None else _why_cut(pasted.text, first)


def _why_cut(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"the value that begins in line {line} ends in the middle; the text was cut. Nothing of it is used."


def _size(value: Any) -> int:
    return len(json.dumps(value, default=str))


def _of_one_wire(bodies: list[dict[str, Any]], provider: str) -> list[dict[str, Any]]:
    """Each once, in order: a log of a proxy has each twice. Raises `CannotFind` for bodies of several wires."""
    once = list({json.dumps(body, sort_keys=True, default=str): body for body in bodies}.values())
    wires = dict.fromkeys(wires_of(body)[0] for body in once)
    if len(wires) > 1 and provider:
        wires = dict.fromkeys([wire for wire in PROVIDERS.get(provider, ()) if wire in wires][:1])
        once = [body for body in once if wires_of(body)[0] in wires]
    if len(wires) > 1:
        raise CannotFind(
            f"its bodies are of {' and '.join(sorted(wires))}. Give those of one, or name theirs with --provider."
        )
    return once


def _conversations(value: Any, depth: int) -> Iterator[dict[str, Any] | list[Any]]:
    """The bodies of requests and the lists of messages in a value, also in its texts."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        for inner in _values_in(value):
            yield from _conversations(inner, depth + 1)
    elif isinstance(value, dict):
        name = next((name for name in CONVERSATIONS if _is_conversation(value.get(name))), "")
        if name and not (name == "messages" and session_logs.source_of(value[name]) in LISTS):
            value = {key: inner for key, inner in value.items() if key != "self"}  # what a tracer keeps of a method
            yield {**_of_class(value), name: [_as_sent(one) for one in value[name]]}
            return
        for inner in value.values():
            yield from _conversations(inner, depth + 1)
    elif isinstance(value, list) and _is_conversation(value):
        yield _oldest_first([_as_sent(one) for one in value])
    elif isinstance(value, list):
        for inner in value:
            yield from _conversations(inner, depth + 1)


def _values_in(text: str) -> Iterator[Any]:
    if len(text) > 20 and ("{" in text or "[" in text):
        try:
            yield from PastedText(text).values()
        except TooTangled:
            return


def _is_conversation(value: Any) -> bool:
    """A list of messages or items, in which a user says something or a call is answered."""
    if not isinstance(value, list) or not value or not all(isinstance(one, dict | Shortened) for one in value):
        return False
    if any(one is SHORTENED for one in value):
        return all(one is SHORTENED or _is_message(one) for one in value)
    return any(map(_is_users, value)) and all(map(_is_message, value))


def _is_message(one: dict[str, Any]) -> bool:
    kind = one.get("type")
    said = ("content", "parts", "tool_calls", "function_call", "toolCalls", "blocks")
    if one.get("role") in ROLES or one.get("role") == "function":
        return any(name in one for name in said)
    return kind in ITEMS or kind == "constructor" or (kind in ROLES and "content" in one)


def _is_users(one: dict[str, Any]) -> bool:
    last = str((one.get("id") or [""])[-1]) if _is_constructor(one) else ""
    return ROLES.get(str(one.get("role") or one.get("type"))) == "user" or (ROLES.get(last) == "user")


def _is_constructor(one: dict[str, Any]) -> bool:
    return one.get("type") == "constructor" and isinstance(one.get("id"), list)


def _as_sent(one: Any) -> Any:
    """A message as it is sent: what Python's objects and SDKs name otherwise has its name of the wire."""
    if not isinstance(one, dict):
        return one
    if "parts" in one and isinstance(one["parts"], list):
        parts = [
            {PARTS.get(key, key): _without_type(value) for key, value in part.items() if key != "type"}
            if _is_of_python(part)
            else part
            for part in one["parts"]
        ]
        return {**{key: value for key, value in one.items() if key != "type"}, "parts": parts}
    if "role" in one and isinstance(one.get("type"), ClassName):
        one = {key: value for key, value in one.items() if key != "type"}
        one.setdefault("content", None)
    return {key: _of_class(value) for key, value in one.items()}


def _is_of_python(part: Any) -> bool:
    return isinstance(part, dict) and (isinstance(part.get("type"), ClassName) or not PARTS.keys().isdisjoint(part))


def _without_type(value: Any) -> Any:
    is_class = isinstance(value, dict) and isinstance(value.get("type"), ClassName)
    return {key: inner for key, inner in value.items() if key != "type"} if is_class else value


def _of_class(value: Any) -> Any:
    """Without the names of classes, which Python prints where a wire has no type."""
    if isinstance(value, list):
        return [_of_class(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _of_class(inner) for key, inner in _without_type(value).items()}
    return value


def _is_items(messages: list[Any]) -> bool:
    return any(one.get("type") in ("function_call", "function_call_output", "reasoning") for one in messages)


def _oldest_first(messages: list[Any]) -> list[Any]:
    """OpenAI's list of a response's items begins with the newest: there a result stands before its call."""
    for one in messages:
        if isinstance(one, dict) and one.get("type") in ("function_call", "function_call_output"):
            return messages[::-1] if one["type"] == "function_call_output" else messages
    return messages


def _is_shortened(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_shortened(value[name]) for name in (*CONVERSATIONS, "content", "tool_calls") if name in value)
    return value is SHORTENED or (isinstance(value, list) and any(map(_is_shortened, value)))


def _errors(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Answers of providers that refuse something: an `error` with a message and a code or a type."""
    if depth > DEEPEST:
        return
    if isinstance(value, str):
        for inner in _values_in(value):
            yield from _errors(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _errors(inner, depth + 1)
    elif isinstance(value, dict):
        error = value.get("error")
        if isinstance(error, dict) and isinstance(error.get("message"), str) and {"code", "type", "status"} & {*error}:
            yield {"error": error}
            return
        for name, inner in value.items():
            if name not in CONVERSATIONS:
                yield from _errors(inner, depth + 1)


def _sent_to(text: str) -> tuple[str, str]:
    """Provider and model of the first address of a model request in the text; "" where there is none."""
    for found in _ADDRESS.finditer(text):
        request = RecordedRequest("POST", found[0].rstrip(".,;"), (), b"{}")
        try:
            wire = wire_of(RecordedExchange(request, RecordedResponse(200, (), ()), Place("", 1)))
        except ValueError:
            continue
        if wire is not None:
            model = re.search(r"/models?/([^/:?]+)", request.path)
            return wire.provider, model[1] if model else ""
    return "", ""
