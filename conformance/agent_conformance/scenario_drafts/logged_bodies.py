"""Logged messages as the body of a request that says the same, and the bodies in the debug log of openai-python."""

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from agent_conformance.scenario_drafts.logged_messages import ASSISTANT, TOOL, USER, Said, parsed_text


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
