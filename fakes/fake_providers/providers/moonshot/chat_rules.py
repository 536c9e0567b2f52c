"""Moonshot's envelope and rules: what its Kimi models and their schemas refuse."""

import re
from collections.abc import Iterator
from typing import Any, Final

from fake_providers.providers.shared.chat_reading import (
    MESSAGES,
    calls,
    function,
    messages,
    parts,
    refuse_unread,
    rounds,
    tools,
)
from fake_providers.providers.shared.chat_types import Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.values.json_texts import comparable
from fake_providers.wires.openai_chat.rules.samples import (
    CALL_MESSAGE,
    RESULT,
    TOOL,
    USER,
    cite,
    sample_request,
    sample_with_tool,
)

MODEL: Final = "kimi-k2-0905-preview"
THINKING: Final = "kimi-k2.5"
CHECKED: Final = "2026-11-23"
FLAVOURED: Final = "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: "
TYPED: Final = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"})
"""Members of a schema of which one says what the value is."""


def error_body(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}}


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return error_body(found.message)


def kimi(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


def kimi_tool(**changes: Any) -> dict[str, Any]:
    return {**sample_with_tool(**changes), "model": MODEL}


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "moonshot",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Invalid request: failed to parse the request body as JSON"),
    missing=lambda body: Breach("messages", "Invalid request: messages is required"),
    source="worded like the refusals of other bodies",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    return Breach(found.at, f"Invalid request: {found.at} must be {' or '.join(found.types)}")


refuse_wrong_types(
    BOOK,
    "moonshot",
    Dialect(words=_wrong_type, source="every other hosted provider refuses them; its words are not known"),
    Samples(MODEL),
)


@BOOK.rule(
    "moonshot/assistant-empty",
    why="A message of the assistant has neither text nor tool calls.",
    confidence="verbatim",
    evidence=cite(
        "MoonshotAI/kimi-code#1985, OpenCowork#10, and eight more",
        "Invalid request: the message at position 72 with role 'assistant' must not be empty",
    ),
    breaking=kimi(USER, {"role": "assistant", "content": ""}, USER),
    accepted=kimi(USER, {"role": "assistant", "content": "Rain."}, USER),
    checked=CHECKED,
)
def _assistant_empty(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("role") == "assistant" and not message.get("content") and not message.get("tool_calls"):
            sentence = f"Invalid request: the message at position {index} with role 'assistant' must not be empty"
            return Breach(f"messages[{index}]", sentence)
    return None


@BOOK.rule(
    "moonshot/text-empty",
    why="A text part has an empty text.",
    confidence="verbatim",
    evidence=cite("MoonshotAI/kimi-cli#2621", "text content is empty"),
    breaking=kimi({**USER, "content": [{"type": "text", "text": ""}]}),
    accepted=kimi({**USER, "content": [{"type": "text", "text": "Rain?"}]}),
    checked=CHECKED,
)
def _text_empty(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, part in parts(message):
            if part.get("type") == "text" and part.get("text") == "":
                return Breach(f"messages[{index}].content[{number}].text", "Invalid request: text content is empty")
    return None


@BOOK.rule(
    "moonshot/tool-calls-unanswered",
    why="A tool call has no result right after its message.",
    confidence="verbatim",
    evidence=cite(
        "MoonshotAI/kimi-cli#1977 and #2405, MoonshotAI/kimi-code#705",
        "The following tool_call_ids did not have response messages: Shell:58",
    ),
    breaking=kimi(USER, CALL_MESSAGE, USER),
    accepted=kimi(USER, CALL_MESSAGE, RESULT, USER),
    checked=CHECKED,
)
def _unanswered(context: RequestContext) -> Breach | None:
    for (index, message), results in rounds(messages(context)):
        answered = {comparable(result.get("tool_call_id")) for _, result in results}
        missing = [str(call.get("id")) for _, call in calls(message) if comparable(call.get("id")) not in answered]
        if missing:
            sentence = (
                "Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding "
                "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            )
            return Breach(f"messages[{index}]", sentence + ", ".join(missing))
    return None


@BOOK.rule(
    "moonshot/result-id-unknown",
    why="The `tool_call_id` of a result is missing, or no earlier call has it.",
    confidence="verbatim",
    evidence=cite(
        "ten public projects, with two spaces for an empty id", "Invalid request: tool_call_id  is not found"
    ),
    breaking=kimi(USER, CALL_MESSAGE, RESULT, {**RESULT, "tool_call_id": "call_2"}),
    accepted=kimi(USER, CALL_MESSAGE, RESULT, {**RESULT, "tool_call_id": "call_1"}),
    checked=CHECKED,
)
def _result_id(context: RequestContext) -> Breach | None:
    called: set[Any] = set()
    for index, message in messages(context):
        called |= {comparable(call.get("id")) for _, call in calls(message)}
        answers = message.get("tool_call_id") if message.get("role") == "tool" else None
        if message.get("role") == "tool" and comparable(answers) not in called:
            sentence = f"Invalid request: tool_call_id {answers or ''} is not found"
            return Breach(f"messages[{index}].tool_call_id", sentence)
    return None


@BOOK.rule(
    "moonshot/function-name-invalid",
    why="The name of a function does not begin with a letter, or has other characters than letters, digits, _ and -.",
    confidence="verbatim",
    evidence=cite("MoonshotAI/kimi-cli#2531", "function name is invalid, must start with a letter and can contain"),
    breaking=kimi_tool(name="weather.get"),
    accepted=kimi_tool(),
    checked=CHECKED,
)
def _function_name(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        name = function(tool).get("name")
        if isinstance(name, str) and not re.fullmatch("[a-zA-Z][a-zA-Z0-9_-]*", name):
            rest = "must start with a letter and can contain letters, numbers, underscores, and dashes"
            return Breach(f"tools[{index}].function.name", f"Invalid request: function name is invalid, {rest}")
    return None


@BOOK.rule(
    "moonshot/tool-schema-invalid",
    why=(
        "A schema has `type` beside `anyOf`, a property says nothing of its type, or a reference leads elsewhere than "
        "to `#/$defs/`."
    ),
    confidence="verbatim",
    evidence=(
        *cite("MoonshotAI/kimi-cli#2531", "when using anyOf, type should be defined in anyOf items instead of the"),
        *cite("earendil-works/pi#4138", "<At path 'properties.source': type is not defined>"),
        *cite("command-code#594", "references must start with #/$defs/"),
    ),
    breaking=kimi_tool(parameters={"type": "object", "properties": {"city": {}}}),
    accepted=kimi_tool(parameters={"type": "object", "properties": {"city": {"type": "string"}}}),
    checked=CHECKED,
)
def _tool_schema(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        found = next(_schema_faults(function(tool).get("parameters"), ""), None)
        if found is not None:
            where, what = found
            at = f"tools[{index}].function.parameters{f'.{where}' if where else ''}"
            return Breach(at, f"{FLAVOURED}<At path '{where or 'root'}': {what}>")
    return None


def _schema_faults(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    """Each fault of a schema and of those in it, with its path; the root may be without a type."""
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and not reference.startswith("#/$defs/"):
        yield path, "references must start with #/$defs/"
    if "anyOf" in schema and "type" in schema:
        yield path, "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    if path and TYPED.isdisjoint(schema):
        yield path, "type is not defined"
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield from _schema_faults(inner, f"{path}.properties.{name}".lstrip("."))
    yield from _schema_faults(schema.get("items"), f"{path}.items".lstrip("."))


def _is_thinking(context: RequestContext) -> bool:
    """The models that think do so unless the request disables it; some cannot."""
    thinking = context.body.get("thinking")
    disabled = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    return "thinking" in context.traits and ("always-thinks" in context.traits or not disabled)


@BOOK.rule(
    "moonshot/reasoning-content-required",
    why="The model thinks, and a message with tool calls lacks its `reasoning_content`.",
    models="kimi-k2-thinking; kimi-k2.5 and newer unless thinking is disabled",
    confidence="verbatim",
    evidence=cite(
        "continuedev/continue#11600, and nine more",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    ),
    breaking=kimi(USER, CALL_MESSAGE, RESULT, model=THINKING),
    accepted=kimi(USER, {**CALL_MESSAGE, "reasoning_content": "I ask."}, RESULT, model=THINKING),
    checked=CHECKED,
)
def _reasoning_required(context: RequestContext) -> Breach | None:
    for index, message in messages(context) if _is_thinking(context) else ():
        if calls(message) and message.get("reasoning_content") is None:
            reason = f"reasoning_content is missing in assistant tool call message at index {index}"
            return Breach(f"messages[{index}].reasoning_content", f"thinking is enabled but {reason}")
    return None


@BOOK.rule(
    "moonshot/tool-choice-while-thinking",
    why="`tool_choice` forces a call while the model thinks.",
    models="kimi-k2-thinking; kimi-k2.5 and newer unless thinking is disabled",
    confidence="verbatim",
    evidence=cite("ten public projects", "tool_choice 'specified' is incompatible with thinking enabled"),
    breaking=kimi(model=THINKING, tools=[TOOL], tool_choice="required"),
    accepted=kimi(model=THINKING, tools=[TOOL], tool_choice="auto"),
    checked=CHECKED,
)
def _tool_choice(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not _is_thinking(context) or not (choice == "required" or isinstance(choice, dict)):
        return None
    kind = "specified" if isinstance(choice, dict) else choice
    return Breach("tool_choice", f"tool_choice '{kind}' is incompatible with thinking enabled")


@BOOK.rule(
    "moonshot/temperature-fixed",
    why="The temperature is another than the only one of the model: 1 while it thinks, else 0.6.",
    models="kimi-k2.5 and newer",
    confidence="verbatim",
    evidence=(
        *cite("HKUDS/nanobot#202", "invalid temperature: only 1 is allowed for this model"),
        *cite("oh-my-ppt#45: only 0.6 without thinking"),
        *cite("MoonshotAI/Kimi-Vendor-Verifier verify_params.py"),
    ),
    breaking=kimi(model=THINKING, temperature=0.5),
    accepted=kimi(model=THINKING, temperature=1),
    checked=CHECKED,
)
def _temperature(context: RequestContext) -> Breach | None:
    only = 1 if _is_thinking(context) else 0.6
    if "fixed-temperature" not in context.traits or context.body.get("temperature") in (None, only):
        return None
    return Breach("temperature", f"invalid temperature: only {only} is allowed for this model")
