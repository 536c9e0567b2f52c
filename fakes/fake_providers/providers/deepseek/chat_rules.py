"""DeepSeek's envelope and rules. The models of 2026 answer with status 400 where older ones answer 422 as text.

Calls with ids of more than 40 characters, and messages in any order of roles, were recorded as accepted.
"""

import json
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
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.rulebook import (
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_TOOL,
    NEAR_MESSAGES,
    Breach,
    ModelRefusal,
    RequestContext,
    Rulebook,
    refuse_by_model,
    sets,
)
from fake_providers.values.json_texts import comparable
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request

MODEL: Final = "deepseek-v4-flash"
CHECKED: Final = "2026-11-21"
TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})

CALL: Final = {**CALL_MESSAGE, "reasoning_content": "I ask the tool."}


OWN_ERROR: Final = {"error": {"message": "<message>", "type": "<type>", "param": None, "code": "invalid_request_error"}}
ERROR_IN_JSON: Final = Envelope(OWN_ERROR, type="invalid_request_error")
# For the older names, the error about an unreadable body is plain text.
error_body = Envelope(ByStatus({422: "<message>"}, OWN_ERROR), type="invalid_request_error")


def deepseek(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "deepseek",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Failed to parse the request body as JSON: EOF while parsing a value at line 1 column 0"),
    missing=lambda body: Breach("messages", f"{UNREADABLE}missing field `messages` at line 1 column 2"),
    source="worded like the refusals of other bodies that cannot be parsed",
)


ROLES: Final = ("system", "user", "assistant", "tool", "latest_reminder")
DIALECT: Final = Dialect(
    words=lambda found, context: serde_breach(found, context, ROLES),
    source="the sentences of serde, which it has for other members",
    roles=ROLES,
    required=(
        "messages[].role",
        "messages[system].content",
        "messages[user].content",
        "messages[tool].content",
        "messages[tool].tool_call_id",
        "messages[].tool_calls[].id",
        "messages[].tool_calls[].function",
        "messages[].tool_calls[].function.name",
        "messages[].tool_calls[].function.arguments",
        "tools[].type",
        "tools[].function",
        "tools[].function.name",
    ),
    known={
        "role-unknown": (
            "verbatim",
            cite("public code that quotes it", "unknown variant `developer`, expected one of `system`, `user`,"),
        ),
        "result-type": (
            "reported",
            cite("public code that quotes it for a result that is an object", "invalid type: map, expected a string"),
        ),
        "content-type": (
            "recorded",
            cite("recording, deepseek-chat", "data did not match any variant of untagged enum"),
        ),
        "member-missing": (
            "verbatim",
            (
                *cite("public code that quotes it for the result of a tool", "missing field `content`"),
                *cite("public code that quotes it", "tools[14].function: missing field `name` at line 1 column 17015"),
            ),
        ),
        "tool-choice-type": (
            "verbatim",
            cite("public code that quotes it", "tool_choice: data did not match any variant of untagged enum"),
        ),
    },
)

refuse_wrong_types(
    BOOK,
    "deepseek",
    DIALECT,
    Samples("deepseek-chat"),
    status=422,
    suffix="-text",
    rules=("content-type", "result-type"),
    models="deepseek-chat, deepseek-reasoner",
    only=lambda context: "words-of-2025" in context.traits,
)
refuse_wrong_types(BOOK, "deepseek", DIALECT, Samples(MODEL, call=CALL))


def _part_unknown(context: RequestContext) -> Breach | None:
    if "words-of-2025" in context.traits:
        return None
    for index, message in messages(context):
        for number, part in parts(message):
            kind = part.get("type")
            if isinstance(kind, str) and kind != "text":
                sentence = f"messages[{index}]: unknown variant `{kind}`, expected `text`"
                at = f"messages[{index}].content[{number}].type"
                return Breach(at, f"{UNREADABLE}{sentence} {_place(context, index)}")
    return None


def _place(context: RequestContext, index: int) -> str:
    """Where parsing stopped: the end of the message, as closely as a parsed body shows."""
    read = json.dumps({**context.body, "messages": context.body["messages"][: index + 1]}, separators=(",", ":"))
    return f"at line 1 column {len(read)}"


def _name_pattern(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        name = function(tool).get("name")
        if isinstance(name, str) and not re.fullmatch("[a-zA-Z0-9_-]+", name):
            at = f"tools[{index}].function.name"
            sentence = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
            return Breach(at, f"Invalid '{at}': string does not match pattern. {sentence}")
    return None


def _schema_type(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        for at, kind in _types(function(tool).get("parameters"), f"tools[{index}].function.parameters"):
            if kind not in TYPES:
                reason = f"\"{kind}\" is not valid under any of the schemas listed in the 'anyOf' keyword"
                return Breach(at, f"Invalid schema for function '{function(tool).get('name')}': {reason}")
    return None


def _types(schema: Any, at: str) -> Iterator[tuple[str, str]]:
    """The type of each schema inside a schema, if it is a string, with its place."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("type"), str):
        yield f"{at}.type", schema["type"]
    yield from _types(schema.get("items"), f"{at}.items")
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield from _types(inner, f"{at}.properties.{name}")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("deepseek/content-part-unknown", "A part of the content is not text.",
    ANY_MESSAGE, _part_unknown, models="deepseek-v4", checked=CHECKED,
    wrong=deepseek({**USER, "content": [{"type": "input_text", "text": "Hello"}]}),
    right=deepseek({**USER, "content": [{"type": "text", "text": "Hello"}]}),
    recorded={"recording, deepseek-v4-flash": "unknown variant `file`, expected `text`"})
BOOK.row("deepseek/function-name-pattern", "The name of a function has characters other than letters, digits, _ and -.",
    ANY_TOOL, _name_pattern, checked=CHECKED,
    wrong=deepseek(tools=[{**TOOL, "function": {**TOOL["function"], "name": "weather.get"}}]),
    right=deepseek(tools=[TOOL]),
    verbatim={"public code that quotes it": "Invalid 'tools[0].function.name': string does not match pattern."})
BOOK.row("deepseek/schema-type", "The schema of a tool has a type that JSON Schema does not have.",
    ANY_TOOL, _schema_type, checked=CHECKED,
    wrong=deepseek(tools=[{**TOOL, "function": {**TOOL["function"], "parameters": {"type": "union"}}}]),
    right=deepseek(tools=[{**TOOL, "function": {**TOOL["function"], "parameters": {"type": "object"}}}]),
    recorded={"recording, deepseek-chat": "is not valid under any of the schemas listed in the 'anyOf'"})
# fmt: on


refuse_by_model(
    BOOK,
    tuple(
        ModelRefusal(
            f"deepseek/{name.replace('_', '-')}-unsupported",
            "reasoner",
            sets(name),
            f"{{model}} does not support the parameter `{name}`",
            why=f"`{name}` is set for a model that reasons.",
            models="deepseek-reasoner",
            confidence="recorded",
            evidence=cite("recording, deepseek-reasoner", "does not support the parameter `logprobs`"),
            breaking=deepseek(model="deepseek-reasoner", **{name: value}),
            accepted=deepseek(model="deepseek-reasoner", **{name: None}),
        )
        for name, value in (("logprobs", True), ("top_logprobs", 5))
    ),
)


def _tool_choice(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not (choice == "required" or isinstance(choice, dict)):
        return None
    if "reasoner" in context.traits:
        return Breach("tool_choice", f"{context.model} does not support this tool_choice")
    return Breach("tool_choice", "Thinking mode does not support this tool_choice") if _is_thinking(context) else None


def _unanswered(context: RequestContext) -> Breach | None:
    for (index, message), results in rounds(messages(context)):
        answered = {comparable(result.get("tool_call_id")) for _, result in results}
        if any(comparable(call.get("id")) not in answered for _, call in calls(message)):
            sentence = (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                "'tool_call_id'. (insufficient tool messages following tool_calls message)"
            )
            return Breach(f"messages[{index}]", sentence)
    return None


def _without_call(context: RequestContext) -> Breach | None:
    found = messages(context)
    orphans = [index for index, message in found[:1] if message.get("role") == "tool"]
    orphans += [results[0][0] for (_, message), results in rounds(found) if results and not calls(message)]
    if not orphans:
        return None
    sentence = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
    return Breach(f"messages[{min(orphans)}].role", sentence)


def _reasoning_required(context: RequestContext) -> Breach | None:
    if not _is_thinking(context):
        return None
    for index, message in messages(context):
        if calls(message) and message.get("reasoning_content") is None:
            sentence = "The `reasoning_content` in the thinking mode must be passed back to the API."
            return Breach(f"messages[{index}].reasoning_content", sentence)
    return None


def _is_thinking(context: RequestContext) -> bool:
    return thinks(context.body, context.traits)


def thinks(body: Any, traits: frozenset[str]) -> bool:
    """Whether the model thinks before it answers this body: the newer models do unless the request disables it."""
    thinking = body.get("thinking")
    disabled = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    return "thinking" in traits and not disabled and body.get("reasoning_effort") != "none"


# A table: two rows are to be compared.
# fmt: off
BOOK.row("deepseek/tool-choice-while-thinking", "`tool_choice` requires a tool call, and the model is thinking.",
    ANY_PARAMETER, _tool_choice, models="deepseek-v4 unless thinking is disabled; deepseek-reasoner", checked=CHECKED,
    wrong=deepseek(tools=[TOOL], tool_choice="required"), right=deepseek(tools=[TOOL], tool_choice="auto"),
    recorded={"recording, deepseek-v4-pro": "Thinking mode does not support this tool_choice"})
BOOK.row("deepseek/tool-calls-unanswered",
    "A tool call has no result before the next message that is not a tool result.",
    NEAR_MESSAGES, _unanswered, checked=CHECKED,
    wrong=deepseek(USER, CALL, USER), right=deepseek(USER, CALL, RESULT, USER),
    verbatim={"smallmain/vscode-unify-chat-provider#248": "(insufficient tool messages following tool_calls message)"})
BOOK.row("deepseek/tool-without-call", "A tool result does not follow a message with tool calls.",
    NEAR_MESSAGES, _without_call, checked=CHECKED,
    wrong=deepseek(USER, RESULT), right=deepseek(USER, {**RESULT, "role": "user"}),
    verbatim={"itmisx/deepx-code#94": "Messages with role 'tool' must be a response to a preceding message with",
        "public code that quotes it": ""})
BOOK.row("deepseek/reasoning-content-required",
    "A message with tool calls lacks the `reasoning_content` that the model sent with it; an empty string is "
        "accepted.",
    NEAR_MESSAGES, _reasoning_required, even_usual=True, trait="thinking",
    models="deepseek-v4 unless thinking is disabled", checked=CHECKED,
    wrong=deepseek(USER, CALL_MESSAGE, RESULT), right=deepseek(USER, CALL, RESULT),
    verbatim={"JohnnyZ93/oai-compatible-copilot#215": "in the thinking mode must be passed back to the API.",
        "borawong/AiMaMi#8": "", "earendil-works/pi#3636": "", "charmbracelet/crush#2754": "",
        "mnfst/modelparams.dev#29": ""})
# fmt: on
