"""The shape of a response, without its text: members and their order, types, patterns of ids, order of events.

Knows how each wire's bodies are divided; knows no provider and no fake. The words of models, tools and users are never
looked at: arguments, schemas and texts.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPAQUE_MEMBERS = words(
    """
    args input tools metadata instructions parameters arguments format tool_choice schema logit_bias cost_details
    logprobs search_results citations annotations reasoning_details failed_generation
    """
)
"""Members whose contents belong to users, or are no part of text and tools."""

KINDS = words(
    """
    function text text_delta tool_use thinking thinking_delta signature_delta input_json_delta redacted_thinking
    direct message message_start message_delta message_stop content_block_start content_block_delta
    content_block_stop ping error reasoning function_call output_text refusal summary_text reasoning_text
    max_output_tokens response.created response.in_progress response.completed response.incomplete response.failed
    response.output_item.added response.output_item.done response.content_part.added response.content_part.done
    response.output_text.delta response.output_text.done response.refusal.delta response.refusal.done
    response.function_call_arguments.delta response.function_call_arguments.done
    response.reasoning_summary_part.added response.reasoning_summary_part.done response.reasoning_summary_text.delta
    response.reasoning_summary_text.done response.reasoning_text.delta response.reasoning_text.done
    message-start content-start content-delta content-end tool-plan-delta tool-call-start tool-call-delta tool-call-end
    message-end
    """
)
"""Values of `type` in conversations with text and tools; objects of other types are skipped."""

WORDS = words(
    """
    object role finish_reason native_finish_reason status service_tier serviceTier stop_reason done_reason
    finishReason modality trafficType
    """
)
"""Members whose values are the provider's own words."""

IDS = words(
    """
    id call_id item_id responseId system_fingerprint obfuscation p
    """
)
"""Members that the provider generates, with a pattern of its own."""

ALPHABETS = (
    ("digits", "0-9"),
    ("hexadecimal", "0-9a-f"),
    ("lower", "0-9a-z"),
    ("letters", "0-9A-Za-z"),
    ("url", "0-9A-Za-z_-"),
    ("any", r"\s\S"),
)
PREFIX = re.compile(r"(?:chatcmpl-|gen-|[a-z]{2,8}_)?(?:tool-|01|011C)?")
GENERATED = re.compile(r"REDACTED|stub|mock|test|\.\.\.")
"""Ids that a recorder put in the place of the provider's."""
UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")


class Member(NamedTuple):
    """One object of a response: its place, and its members with their types, in order."""

    at: str
    types: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.types)


class Id(NamedTuple):
    """The pattern of an id: its prefix, the alphabet of the rest, and its length."""

    at: str
    prefix: str
    alphabet: str
    length: int


def objects_of(wire: str, body: Any) -> list[Any]:
    """The JSON values of a response, in order; `[DONE]` as text. `body` is text, or already parsed."""
    if not isinstance(body, str):
        return body if isinstance(body, list) else [body]
    if wire == "ollama-chat":
        return list(_lines_of(body))
    if not re.match(r"(data|event|id|retry)?:", body.lstrip("\ufeff")):
        value = json.loads(body)
        return value if isinstance(value, list) else [value]
    return list(_events(body))


def _events(body: str) -> Iterator[Any]:
    """Incomplete events and comments are left out. Some recorders removed all line breaks."""
    if "\n" not in body:
        body = re.sub(r"(?:(?<=})|^:(?: OPENROUTER PROCESSING)? ?)(?=data: )", "\n\n", body)
    for block in re.split(r"(?:\r?\n){2}", body):
        data = [line.partition(":")[2].removeprefix(" ") for line in block.splitlines() if line.startswith("data:")]
        if not data:
            continue
        try:
            yield json.loads("\n".join(data)) if data != ["[DONE]"] else "[DONE]"
        except ValueError:
            return


def _lines_of(body: str) -> Iterator[Any]:
    for line in body.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            return


def type_of(value: Any) -> str:
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "fraction"), (str, "text"), (dict, "object")):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "list"


def walk(value: Any, at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every object with its place, in which the object's type follows: `content[]<text>`."""
    if isinstance(value, list):
        for inner in value:
            yield from walk(inner, f"{at}[]")
    if not isinstance(value, dict):
        return
    kind = value.get("type")
    if isinstance(kind, str):
        if kind not in KINDS:
            return
        at = f"{at}<{kind}>"
    yield at, value
    for name, inner in value.items():
        if name not in OPAQUE_MEMBERS or (name == "format" and not at):
            yield from walk(inner, f"{at}.{name}")


def members_of(value: Any) -> Iterator[Member]:
    for at, found in walk(value):
        yield Member(at, tuple((name, type_of(inner)) for name, inner in found.items()))


def words_of(value: Any) -> Iterator[tuple[str, str]]:
    for at, found in walk(value):
        yield from ((f"{at}.{name}", said) for name, said in found.items() if name in WORDS and isinstance(said, str))


def ids_of(value: Any) -> Iterator[Id]:
    for at, found in walk(value):
        for name, made in found.items():
            if name in IDS and isinstance(made, str) and made and not GENERATED.search(made):
                yield Id(f"{at}.{name}", *pattern_of(made))


def pattern_of(made: str) -> tuple[str, str, int]:
    match = PREFIX.match(made)
    prefix = match.group() if match else ""
    rest = made[len(prefix) :]
    if UUID.fullmatch(rest):
        return prefix, "uuid", len(rest)
    return prefix, next(name for name, letters in ALPHABETS if re.fullmatch(f"[{letters}]*", rest)), len(rest)


def is_sorted(value: Any) -> bool:
    """Whether all members are in alphabetical order: then the recorder may have sorted them."""
    if isinstance(value, dict):
        return list(value) == sorted(value) and all(is_sorted(inner) for inner in value.values())
    return all(is_sorted(inner) for inner in value) if isinstance(value, list) else True


def event_order(wire: str, values: list[Any]) -> list[str]:
    """The kinds of a stream's events, in order; repetitions are left out."""
    described = ["begin"]
    for value in values:
        kind = _kind(wire, value)
        if kind is None:
            return []
        if kind != described[-1]:
            described.append(kind)
    return described


def _kind(wire: str, value: Any) -> str | None:
    """None if the event is neither about text nor about tools."""
    if isinstance(value, str):
        return value
    if not all(known(inner) for inner in _typed(value)):
        return None
    return KIND[wire](value)


def _typed(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        kind = value.get("type")
        if isinstance(kind, str):
            yield kind
        for name, inner in value.items():
            if name not in OPAQUE_MEMBERS:
                yield from _typed(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _typed(inner)


def known(kind: str) -> bool:
    return kind in KINDS


def _chat(value: dict[str, Any]) -> str:
    if "choices" not in value:
        return "error" if "error" in value else "bare"
    if not value["choices"]:
        return "usage" if value.get("usage") else "nothing"
    choice = value["choices"][0]
    delta = choice.get("delta") or {}
    described = [
        name
        for name in ("role", "content", "reasoning", "reasoning_content", "refusal", "tool_calls")
        if delta.get(name)
    ]
    calls = delta.get("tool_calls")
    if calls:
        described[described.index("tool_calls")] = "call" if calls[0].get("function", {}).get("name") else "arguments"
    return "+".join(
        [*described, *(["finish"] if choice.get("finish_reason") else []), *(["usage"] if value.get("usage") else [])]
    )


def _responses(value: dict[str, Any]) -> str:
    inner = value.get("item") or value.get("part") or {}
    return " ".join([value["type"], *([inner["type"]] if "type" in inner else [])])


def _messages(value: dict[str, Any]) -> str:
    inner = value.get("content_block") or value.get("delta") or {}
    return " ".join([value["type"], *([inner["type"]] if "type" in inner else [])])


def _generate(value: dict[str, Any]) -> str:
    if "candidates" not in value:
        return "error" if "error" in value else "bare"
    candidate = value["candidates"][0]
    described = []
    for part in (candidate.get("content") or {}).get("parts", ()):
        name = (
            "call"
            if "functionCall" in part
            else "thought"
            if part.get("thought")
            else "text"
            if part.get("text")
            else "empty"
        )
        name += "*" if "thoughtSignature" in part else ""
        if not described or described[-1] != name:
            described.append(name)
    return "+".join([*described, *(["finish"] if "finishReason" in candidate else [])])


def _lines(value: dict[str, Any]) -> str:
    if "message" not in value:
        return "error"
    described = [name for name in ("thinking", "content", "tool_calls") if value["message"].get(name)]
    return "+".join([*described, *(["done"] if value.get("done") else [])])


def _cohere(value: dict[str, Any]) -> str:
    inner = (value.get("delta") or {}).get("message", {}).get("content") or {}
    described = [value["type"], *(name for name in ("text", "thinking") if name in inner)]
    return " ".join(described)


KIND = {
    "openai-chat": _chat,
    "openai-responses": _responses,
    "anthropic-messages": _messages,
    "gemini-generate": _generate,
    "ollama-chat": _lines,
    "cohere-chat": _cohere,
}
