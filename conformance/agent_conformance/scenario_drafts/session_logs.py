"""Conversations that frameworks, coding agents and tracing services keep in formats of their own, as request bodies.

Read are messages of LangChain and LangGraph, sessions of Claude Code, Codex, Gemini CLI, Goose, OpenCode and Pi,
exports of LangSmith, Langfuse, Datadog, OpenLLMetry and of OpenInference (Phoenix), and steps and messages of AutoGen,
Vercel's AI SDK, LlamaIndex and Pydantic AI. Each names the same few things differently, so one reader of messages knows
all names, and one of containers finds the messages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from agent_conformance.scenario_drafts.logged_bodies import (
    ASSISTANT,
    BODIES,
    SYSTEM,
    TOOL,
    USER,
    Said,
    merged,
    message_in,
    parsed_text,
    shown_text,
)
from fake_providers.models import default_model

CLASSES = ("HumanMessage", "HumanMessageChunk", "AIMessage", "ToolMessage", "SystemMessage", "FunctionMessage")
LANGCHAIN = ("human", "ai", "AIMessageChunk", "tool", "system", "function", *CLASSES)
CODEX = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
CLAUDE = ("summary", "file-history-snapshot", "queue-operation", "progress", "attachment")
AUTOGEN = {
    "TextMessage": "text",
    "ToolCallRequestEvent": "calls",
    "ToolCallExecutionEvent": "results",
    "ToolCallSummaryMessage": "",
    "ThoughtEvent": "",
}
"""What each type of message says; a summary repeats the results."""
OBSERVATIONS = ("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN")
KINDS, MODEL_MESSAGES = ("request", "response"), ("ModelRequest", "ModelResponse")
FLAT, FLAT_PROMPT = "llm.input_messages", "gen_ai.prompt."
DEEPEST, DEEPEST_SPAN = 3, 12
"""Levels in which messages and spans are looked for: a state of LangGraph has messages in the second, OTLP spans in the
sixth."""


def source_of(value: Any, depth: int = 0) -> str:
    """Whose format the value, or the first line of a file, has; "" for any other."""
    if isinstance(value, list):
        return next((name for one in value[:50] if (name := _source_of_one(one, depth))), "")
    return _source_of_one(value, depth)


def _source_of_one(value: Any, depth: int) -> str:
    if not isinstance(value, dict):
        return ""
    kind, message = value.get("type"), value.get("message")
    if kind in CODEX and ("payload" in value or "timestamp" in value):
        return "Codex"
    if "sessionId" in value and "projectHash" in value:
        return "Gemini CLI"
    if kind in CLAUDE or (kind in ("user", "assistant") and isinstance(message, dict) and "role" in message):
        return "Claude Code"
    if (kind == "session" and not {"cwd", "version"}.isdisjoint(value)) or (
        kind == "message" and isinstance(message, dict)
    ):
        return "Pi"
    if isinstance(value.get("info"), dict) and isinstance(value.get("messages"), list):
        return "OpenCode"
    if "run_type" in value:
        return "LangSmith"
    if "observations" in value or (kind in OBSERVATIONS and "input" in value):
        return "Langfuse"
    if any(True for _ in _spans(value)):
        return "OpenInference"
    if isinstance(value.get("parts"), list) and (value.get("kind") in KINDS or kind in MODEL_MESSAGES):
        return "Pydantic AI"
    if {"working_dir", "message_count"} <= {*value}:
        return "Goose"
    if kind in AUTOGEN and "source" in value:
        return "AutoGen"
    if "role" in value and isinstance(value.get("blocks"), list):
        return "LlamaIndex"
    if "role" in value and ("tool_id" in value or _has_member(value.get("tool_calls"), "tool_id")):
        return "Datadog"
    if (kind in LANGCHAIN and ("content" in value or "data" in value)) or kind == "constructor":
        return "LangChain"
    steps = value["steps"] if isinstance(value.get("steps"), list) else []
    if any("content" in one or "toolCalls" in one for one in steps if isinstance(one, dict)):
        return "AI SDK"
    parts = next((one for one in (value.get("content"), value.get("parts")) if isinstance(one, list)), [])
    if any(isinstance(part, dict) and part.get("type") in ("toolRequest", "toolResponse") for part in parts):
        return "Goose"
    if any(isinstance(part, dict) and ("toolCallId" in part or part.get("type") == "step-start") for part in parts):
        return "AI SDK"
    if _is_update(value):
        return "LangGraph"
    inner = value.get("messages", value.get("values"))
    return source_of(inner, depth + 1) if isinstance(inner, list | dict) and depth < DEEPEST else ""


def _has_member(values: Any, name: str) -> bool:
    return isinstance(values, list) and any(isinstance(one, dict) and name in one for one in values)


@dataclass(frozen=True, slots=True)
class LoggedSession:
    """Whose format it has, the body of its last request, None where nobody says anything, and the reply to that.

    `wire` and `provider` are those that the program speaks with.
    """

    source: str
    body: dict[str, Any] | None
    reply: str = ""
    wire: str = "openai-chat"
    provider: str = "openai"


WIRES = {
    "Claude Code": ("anthropic-messages", "anthropic"),
    "Gemini CLI": ("gemini-generate", "gemini"),
    "Codex": ("openai-responses", "openai"),
}


def session_in(values: Iterable[Any]) -> LoggedSession:
    """What these values of one file say."""
    values = list(values)
    source = next((name for value in values if (name := source_of(value))), "")
    reader = READERS.get(source)
    try:
        said = [one for one in reader(values) if one.text or one.calls or one.results] if reader else []
    except RecursionError:
        return LoggedSession(source, None)
    wire, provider = WIRES.get(source, ("openai-chat", "openai"))
    asked = merged(said)
    is_answered = len(asked) > 1 and asked[-1].role == ASSISTANT and not asked[-1].calls
    reply = asked.pop().text if is_answered else ""
    written = wire if wire in BODIES else "openai-chat"
    body = BODIES[written](asked, default_model(written)) if asked else None
    return LoggedSession(source, body, reply, wire, provider)


def _nested(values: Iterable[Any]) -> Iterator[Said]:
    """The longest list of messages in the values: of several states of one conversation it has the others."""
    lists = [found for value in values for found in _lists(value)]
    longest = sorted(lists, key=len)[-1:]
    yield from (message_in(one) for found in longest for one in found)


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list) and value and (isinstance(value[0], list) or _is_state(value[0])):
        yield from (found for one in value for found in _lists(one))
    elif isinstance(value, list):
        yield value
    elif isinstance(value, dict):
        for name in ("messages", "values", "steps", "response"):
            if name in value:
                yield from _lists(value[name])


def _is_state(value: Any) -> bool:
    """Of LangGraph, at one time; a message that an agent has sent is none."""
    return isinstance(value, dict) and not {"role", "type"} & {*value} and bool({"values", "messages"} & {*value})


def _is_update(value: dict[str, Any]) -> bool:
    """Of LangGraph: what a node, which has any name, has added to the messages."""
    ((name, added),) = value.items() if len(value) == 1 else ((None, None),)
    found = added.get("messages") if isinstance(added, dict) else None
    return name != "values" and isinstance(found, list) and bool(found) and source_of(found) == "LangChain"


def _updates(values: Iterable[Any]) -> Iterator[Said]:
    for value in values:
        for update in value if isinstance(value, list) else [value]:
            if isinstance(update, dict) and _is_update(update):
                yield from _nested(update.values())


def _in_lines(values: Iterable[Any]) -> Iterator[Said]:
    """Claude Code and Pi: each line has a message as a member. Those of subagents are other conversations."""
    for value in values:
        message = value.get("message") if isinstance(value, dict) else None
        if isinstance(message, dict) and not (value.get("isSidechain") or value.get("isMeta")):
            yield message_in(message)


def _codex(values: Iterable[Any]) -> Iterator[Said]:
    for value in values:
        item = value.get("payload") if isinstance(value, dict) and value.get("type") == "response_item" else None
        if not isinstance(item, dict):
            continue
        kind, id = str(item.get("type")), str(item.get("call_id") or item.get("id") or "")
        if kind == "message":
            yield message_in(item)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            arguments: Any = next(
                (item[key] for key in ("arguments", "input", "action") if item.get(key) is not None), {}
            )
            if kind == "custom_tool_call":
                arguments = {"input": arguments}
            yield Said(ASSISTANT, calls=[(id, str(item.get("name") or "local_shell"), arguments)])
        elif kind in ("function_call_output", "custom_tool_call_output", "local_shell_call_output"):
            output = item.get("output")
            parsed = parsed_text(output)
            yield Said(
                TOOL,
                results=[
                    (
                        id,
                        shown_text(
                            parsed.get("content", parsed.get("output", output)) if isinstance(parsed, dict) else output
                        ),
                    )
                ],
            )


def _gemini_cli(values: Iterable[Any]) -> Iterator[Said]:
    """One document; or lines, in which a batch replaces what stands before it."""
    messages: dict[str, Any] = {}
    for value in values:
        if not isinstance(value, dict):
            continue
        inner = value.get("$set", value)
        batch = inner.get("messages") if isinstance(inner, dict) else None
        if isinstance(batch, list):
            messages = {}
        for one in batch if isinstance(batch, list) else [value]:
            if isinstance(one, dict) and "content" in one:
                messages[str(one.get("id") or len(messages))] = one
    yield from (message_in(one) for one in messages.values() if one.get("type") in ("user", "gemini"))


PARTS = {
    "SystemPromptPart": "system-prompt",
    "UserPromptPart": "user-prompt",
    "TextPart": "text",
    "ToolCallPart": "tool-call",
    "ToolReturnPart": "tool-return",
    "RetryPromptPart": "retry-prompt",
}
"""Of Pydantic AI: the class, and the kind in JSON."""


def _pydantic_ai(values: Iterable[Any]) -> Iterator[Said]:
    messages = (one for value in values for one in (value if isinstance(value, list) else [value]))
    for part in (part for one in messages if isinstance(one, dict) for part in one.get("parts") or ()):
        kind = part.get("part_kind") or PARTS.get(str(part.get("type")))
        text, id = shown_text(part.get("content")), str(part.get("tool_call_id") or "")
        if kind == "tool-call":
            yield Said(ASSISTANT, calls=[(id, str(part.get("tool_name")), part.get("args"))])
        elif kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name")):
            yield Said(TOOL, results=[(id, text)])
        elif kind in ("system-prompt", "user-prompt", "retry-prompt", "text"):
            yield Said({"system-prompt": SYSTEM, "text": ASSISTANT}.get(kind, USER), text)


def _autogen(values: Iterable[Any]) -> Iterator[Said]:
    for one in _entries(values):
        says, content = AUTOGEN.get(str(one.get("type")), ""), one.get("content")
        parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
        if says == "text":
            yield Said(USER if one.get("source") == "user" else ASSISTANT, shown_text(content))
        elif says == "calls":
            calls = [(str(call.get("id") or ""), str(call.get("name")), call.get("arguments")) for call in parts]
            yield Said(ASSISTANT, calls=calls)
        elif says == "results":
            yield Said(TOOL, results=[(str(got.get("call_id") or ""), shown_text(got.get("content"))) for got in parts])


def _goose(values: Iterable[Any]) -> Iterator[Said]:
    """One export, or lines of which the first says what the session is."""
    yield from (message_in(one) for one in _entries(values) if "role" in one)


def _entries(values: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The messages of lists and of states, and the values that are messages themselves."""
    for value in values:
        lists = [*_lists(value)] or [[value]]
        yield from (one for found in lists for one in found if isinstance(one, dict))


def _langsmith(values: Iterable[Any]) -> Iterator[Said]:
    """Of the runs of models that with the most messages, and what it answered."""
    runs = [run for value in values for run in _runs(value, "child_runs") if run.get("run_type") in ("llm", "chain")]
    yield from _longest((run.get("inputs"), run.get("outputs")) for run in runs)


def _langfuse(values: Iterable[Any]) -> Iterator[Said]:
    found = [one for value in values for one in _runs(value, "observations")]
    yield from _longest((one.get("input"), one.get("output")) for one in found)


def _runs(value: Any, below: str) -> Iterator[dict[str, Any]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield one
            yield from _runs(one.get(below) or [], below)


def _longest(pairs: Iterable[tuple[Any, Any]]) -> Iterator[Said]:
    found: list[Said] = []
    for sent, got in pairs:
        messages = [one for one in _asked(parsed_text(sent)) if one.role]
        answers = [one for one in _answered(parsed_text(got)) if one.role == ASSISTANT] if messages else []
        if len(messages) >= len(found):
            found = [*messages, *answers[-1:]]
    yield from found


def _asked(sent: Any) -> Iterator[Said]:
    if isinstance(sent, str):
        yield Said(USER, sent)
    else:
        yield from _nested([sent])


def _answered(got: Any) -> Iterator[Said]:
    """The message of the model, wherever the export has it."""
    if isinstance(got, str):
        yield Said(ASSISTANT, got)
    elif isinstance(got, list):
        yield from (said for one in got for said in _answered(one))
    elif isinstance(got, dict):
        inner = [got[name] for name in ("generations", "message", "messages", "choices", "output") if got.get(name)]
        if inner:
            yield from (said for one in inner for said in _answered(one))
        else:
            yield message_in(got)


def _openinference(values: Iterable[Any]) -> Iterator[Said]:
    spans = [span for value in values for span in _spans(value)]
    pairs = ((_unwrapped(one, "input_messages"), _unwrapped(one, "output_messages")) for one in spans)
    yield from _longest(pairs)


def _spans(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """The attributes of each span of a model, nested: `{"llm": {"input_messages": [{"message": ...}]}}`."""
    if isinstance(value, list):
        yield from (span for one in value for span in _spans(one, depth + 1))
    elif isinstance(value, dict):
        attributes = value.get("attributes", value)
        if isinstance(attributes, list):
            attributes = {str(one.get("key")): _otlp(one.get("value")) for one in attributes if isinstance(one, dict)}
        flat = {str(key).removeprefix("attributes."): one for key, one in attributes.items()}
        nested = _unflattened(flat) if any(key.startswith((FLAT, FLAT_PROMPT)) for key in flat) else flat
        asked = nested.get("gen_ai")
        if isinstance(asked, dict) and isinstance(asked.get("prompt"), dict):
            nested = {"llm": {"input_messages": asked["prompt"], "output_messages": asked.get("completion") or {}}}
        if isinstance(nested.get("llm"), dict) and "input_messages" in nested["llm"]:
            yield nested
        for name in ("resourceSpans", "scopeSpans", "spans", "data") if depth < DEEPEST_SPAN else ():
            yield from _spans(value.get(name) or [], depth + 1)


def _otlp(value: Any) -> Any:
    return next(iter(value.values()), None) if isinstance(value, dict) else value


def _unflattened(flat: Mapping[str, Any]) -> dict[str, Any]:
    """`a.0.b: 1` as `{"a": {"0": {"b": 1}}}`; a list is an object whose members are numbers."""
    nested: dict[str, Any] = {}
    for key, value in flat.items():
        *above, last = key.split(".")
        place = nested
        for name in above:
            inner = place.setdefault(name, {})
            place = inner if isinstance(inner, dict) else {}
        place[last] = value
    return nested


def _unwrapped(span: Mapping[str, Any], name: str) -> list[Any]:
    return [_chat_of(one) for one in _numbered(span["llm"].get(name))]


def _numbered(value: Any) -> list[Any]:
    value = parsed_text(value)
    if isinstance(value, dict):
        return [value[key] for key in sorted(value, key=lambda key: int(key) if key.isdecimal() else 0)]
    return value if isinstance(value, list) else []


def _chat_of(entry: Any) -> dict[str, Any]:
    message = entry.get("message", entry) if isinstance(entry, dict) else {}
    if not isinstance(message, dict) or "role" not in message:
        message = {key.removeprefix("message."): value for key, value in entry.items()} if entry else {}
        message = _unflattened(message)
    calls = [one.get("tool_call", one) for one in _numbered(message.get("tool_calls")) if isinstance(one, dict)]
    parts = [one.get("message_content", one) for one in _numbered(message.get("contents")) if isinstance(one, dict)]
    return {**message, "content": message.get("content") or parts, "tool_calls": calls}


READERS: Mapping[str, Callable[[list[Any]], Iterator[Said]]] = {
    "LangChain": _nested,
    "LangGraph": _updates,
    "AI SDK": _nested,
    "AutoGen": _autogen,
    "Goose": _goose,
    "OpenCode": _nested,
    "Claude Code": _in_lines,
    "Pi": _in_lines,
    "Codex": _codex,
    "Gemini CLI": _gemini_cli,
    "LangSmith": _langsmith,
    "Langfuse": _langfuse,
    "OpenInference": _openinference,
    "Pydantic AI": _pydantic_ai,
    "LlamaIndex": _nested,
    "Datadog": _nested,
}
