"""One message, as frameworks, coding agents and tracing services name its parts. Knows no container."""

import json
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
    content = next((value[key] for key in ("content", "parts", "text") if value.get(key) is not None), "")
    answered = next((str(value[key]) for key in ("tool_call_id", "toolCallId") if value.get(key)), "")
    if said.role == TOOL and answered:
        said.results.append((answered, shown_text(content)))
    elif isinstance(content, list):
        for part in content:
            _add_part(said, part)
    else:
        said.text = shown_text(content)
    more: dict[str, Any] = value["additional_kwargs"] if isinstance(value.get("additional_kwargs"), dict) else {}
    listed = (value.get("tool_calls"), value.get("invalid_tool_calls"), more.get("tool_calls"))
    for call in (call for calls in listed for call in _list(calls)):
        function: dict[str, Any] = call["function"] if isinstance(call.get("function"), dict) else call
        call_id = str(call.get("id") or "")
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
    kind = str(part.get("type", ""))
    id = next((str(part[key]) for key in ("callID", "toolCallId", "tool_use_id", "id") if part.get(key)), "")
    state: dict[str, Any] = part["state"] if isinstance(part.get("state"), dict) else {}
    if kind in ("tool_use", "toolCall", "tool-call"):
        name = part.get("name") or part.get("toolName")
        arguments: Any = next((part[key] for key in ("input", "arguments", "args") if part.get(key) is not None), {})
        said.calls.append((id, str(name), arguments))
    elif kind in ("tool_result", "tool-result"):
        given = next((part[key] for key in ("output", "result", "content") if part.get(key) is not None), "")
        said.results.append((id, shown_text(given)))
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
