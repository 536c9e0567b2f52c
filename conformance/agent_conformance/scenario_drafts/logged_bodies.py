"""Logged messages, as frameworks, coding agents and tracing services name their parts, as the body of a request that
says the same; and the bodies in the debug log of openai-python."""

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fake_providers.values.json_texts import read_json

USER, ASSISTANT, TOOL, SYSTEM = "user", "assistant", "tool", "system"
ROLES = {
    **dict.fromkeys(("user", "human", "HumanMessage", "HumanMessageChunk"), USER),
    **dict.fromkeys(("assistant", "ai", "AIMessageChunk", "AIMessage", "model", "gemini"), ASSISTANT),
    **dict.fromkeys(("tool", "toolResult", "ToolMessage", "function", "FunctionMessage"), TOOL),
    **dict.fromkeys(("system", "developer", "SystemMessage"), SYSTEM),
}


@dataclass(slots=True)
class Said:
    """A message as all these formats have it: calls are (id, name, arguments), results (id of the call, text).

    `closing` is what it says after the results: some keep a whole turn in one message.
    """

    role: str
    text: str = ""
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)
    closing: str = ""


def message_in(value: Any) -> Said:
    """One message. Nothing in it is a message that says nothing."""
    if not isinstance(value, dict):
        return Said(USER, shown_text(value))
    if value.get("type") == "constructor" and isinstance(value.get("kwargs"), dict):
        name = str((value.get("id") or [""])[-1])
        value = {"type": name, **value["kwargs"]} if value["kwargs"].get("type") not in ROLES else value["kwargs"]
    if isinstance(value.get("data"), dict):
        value = {**value["data"], "type": value.get("type")}
    info: dict[str, Any] = value["info"] if isinstance(value.get("info"), dict) else {}
    name = next((str(one) for one in (value.get("role"), info.get("role"), value.get("type")) if one in ROLES), "")
    said = Said(ROLES.get(name, ""))
    if not said.role and ("finishReason" in value or "stepType" in value):
        said.role = ASSISTANT
    content = next((value[key] for key in ("content", "parts", "text", "blocks") if value.get(key) is not None), "")
    more: dict[str, Any] = value["additional_kwargs"] if isinstance(value.get("additional_kwargs"), dict) else {}
    ids = (*map(value.get, ("tool_call_id", "toolCallId", "tool_id")), more.get("tool_call_id"))
    answered = next((str(id) for id in ids if id), "")
    if said.role == TOOL and answered:
        said.results.append((answered, shown_text(content)))
    elif isinstance(content, list):
        for part in content:
            _add_part(said, part)
    else:
        said.text = shown_text(content)
    listed = (value.get("tool_calls"), value.get("invalid_tool_calls"), more.get("tool_calls"))
    for call in (call for calls in listed for call in _list(calls)):
        function: dict[str, Any] = call["function"] if isinstance(call.get("function"), dict) else call
        call_id = str(call.get("id") or call.get("tool_id") or "")
        if call_id not in [known for known, _, _ in said.calls] or not call_id:
            said.calls.append((call_id, str(function.get("name")), function.get("arguments", function.get("args"))))
    for call in _list(value.get("toolCalls")):
        id = str(call.get("id") or call.get("toolCallId") or "")
        if id in [known for known, _, _ in said.calls]:
            continue
        said.calls.append((id, str(call.get("name") or call.get("toolName")), call.get("args", call.get("input"))))
        if call.get("result") is not None:
            said.results.append((id, shown_text(call["result"])))
    for result in _list(value.get("toolResults")):
        if str(result.get("toolCallId")) not in [known for known, _ in said.results]:
            given = result.get("output", result.get("result"))
            said.results.append((str(result.get("toolCallId")), shown_text(given)))
    return said


def _add_part(said: Said, part: Any) -> None:
    if not isinstance(part, dict):
        said.text += shown_text(part)
        return
    kind = str(part.get("block_type") or part.get("type", ""))
    id = next((str(part[key]) for key in ("callID", "toolCallId", "tool_use_id", "id") if part.get(key)), "")
    state: dict[str, Any] = part["state"] if isinstance(part.get("state"), dict) else {}
    if kind in ("tool_use", "toolCall", "tool-call"):
        name = part.get("name") or part.get("toolName")
        arguments: Any = next((part[key] for key in ("input", "arguments", "args") if part.get(key) is not None), {})
        said.calls.append((id, str(name), arguments))
    elif kind in ("tool_result", "tool-result"):
        given = next((part[key] for key in ("output", "result", "content") if part.get(key) is not None), "")
        said.results.append((id, shown_text(given)))
    elif kind in ("toolRequest", "toolResponse"):  # of Goose
        found = part.get("toolCall" if kind == "toolRequest" else "toolResult")
        kept: dict[str, Any] = found if isinstance(found, dict) else {}
        value = kept.get("value", kept.get("error", ""))
        if kind == "toolResponse":
            said.results.append((id, shown_text(value.get("content", value) if isinstance(value, dict) else value)))
        elif isinstance(value, dict):
            said.calls.append((id, str(value.get("name")), value.get("arguments") or {}))
    elif kind == "tool" and state:
        said.calls.append((id, str(part.get("tool")), state.get("input", {})))
        if state.get("status") in ("completed", "error"):
            said.results.append((id, shown_text(state.get("output") or state.get("error") or "")))
    elif kind == "dynamic-tool" or (kind.startswith("tool-") and "toolCallId" in part):
        said.calls.append((id, str(part.get("toolName") or kind.removeprefix("tool-")), part.get("input", {})))
        if str(part.get("state")).startswith("output"):
            said.results.append((id, shown_text(part.get("output", part.get("errorText", "")))))
    elif kind in ("text", "input_text", "output_text", ""):
        if said.results and said.role == ASSISTANT:
            said.closing += shown_text(part.get("text", ""))
        else:
            said.text += shown_text(part.get("text", ""))


def shown_text(value: Any) -> str:
    """A text, the texts of parts, or what else a result is, as JSON."""
    if isinstance(value, dict) and {"type", "value"} <= {*value}:
        return shown_text(value["value"])
    if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
        if all("text" in one for one in value):
            return "\n".join(str(one["text"]) for one in value)
        responses = [one.get("functionResponse", {}).get("response") for one in value]
        if all(response is not None for response in responses):
            return "\n".join(shown_text(one.get("output", one) if isinstance(one, dict) else one) for one in responses)
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _list(value: Any) -> list[dict[str, Any]]:
    value = parsed_text(value)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def parsed_text(value: Any) -> Any:
    """Some formats have JSON within a text."""
    if not isinstance(value, str) or value[:1] not in ("{", "["):
        return value
    try:
        return read_json(value)
    except ValueError:
        return value


def merged(said: Iterable[Said]) -> list[Said]:
    """Results stand in messages of their own, and what one reply says in several entries in one."""
    merged: list[Said] = []
    for one in said:
        before = merged[-1] if merged else None
        if one.role == ASSISTANT and before is not None and before.role == ASSISTANT:
            before.text = "\n".join(text for text in (before.text, one.text) if text)
            before.calls += one.calls
        elif one.text or one.calls:
            merged.append(Said(one.role if one.role != TOOL else USER, one.text, [*one.calls]))
        if one.results and one.role == USER and merged and merged[-1].role == USER and one.text:
            merged.insert(len(merged) - 1, Said(TOOL, results=one.results))
        elif one.results:
            merged.append(Said(TOOL, results=one.results))
        if one.closing:
            merged.append(Said(ASSISTANT, one.closing))
    return merged


def _object(value: Any) -> Any:
    value = parsed_text(value)
    return value if isinstance(value, dict) else {}


def _chat_body(said: Iterable[Said], model: str) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for one in said:
        messages += [{"role": TOOL, "tool_call_id": id, "content": text} for id, text in one.results]
        calls = [
            {
                "id": id,
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments
                    if isinstance(arguments, str)
                    else json.dumps(arguments or {}, ensure_ascii=False),
                },
            }
            for id, name, arguments in one.calls
        ]
        if one.text or calls:
            messages.append({"role": one.role, "content": one.text, **({"tool_calls": calls} if calls else {})})
    return {"model": model, "messages": messages}


def _anthropic_body(said: Iterable[Said], model: str) -> dict[str, Any]:
    messages: list[dict[str, Any]] = []
    for one in said:
        results = [{"type": "tool_result", "tool_use_id": id, "content": text} for id, text in one.results]
        uses = [{"type": "tool_use", "id": id, "name": name, "input": _object(a)} for id, name, a in one.calls]
        text = [{"type": "text", "text": one.text}] if one.text else []
        messages.append({"role": ASSISTANT if one.role == ASSISTANT else USER, "content": [*results, *text, *uses]})
    return {"model": model, "max_tokens": 1024, "messages": messages}


BODIES: Mapping[str, Callable[[Iterable[Said], str], dict[str, Any]]] = {
    "openai-chat": _chat_body,
    "anthropic-messages": _anthropic_body,
}

# The debug log: each request stands in it as a dictionary of Python.

_OPTIONS = re.compile(r"Request options: (\{.*)")


def is_debug_log(text: str) -> bool:
    """JSON may have such a line in a text. The SDK's own lines begin with a date in brackets."""
    begin = text.lstrip()
    if begin.startswith(("{", "[")) and not re.match(r"\[\d{4}-\d\d-\d\d[ T]", begin):
        return False
    return _OPTIONS.search(text) is not None


def bodies_of_debug_log(text: str) -> list[dict[str, Any]]:
    """The bodies of requests, in order; a line that cannot be read is left out."""
    found = []
    for match in _OPTIONS.finditer(text):
        part = re.search(r"'json_data': (\{.*)", match[1])
        body = _python_value(part[1]) if part else None
        if isinstance(body, dict):
            found.append(body)
    return found


def _python_value(text: str) -> Any:
    """The dictionary with which the text begins; None where it is none. Nothing is run."""
    depth, quote, place = 0, "", 0
    while place < len(text):
        char = text[place]
        if quote:
            place += char == "\\"
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        else:
            depth += (char in "{[(") - (char in "}])")
            if depth == 0:
                break
        place += 1
    try:
        return ast.literal_eval(text[: place + 1])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
