"""Mistral's envelope, and its first checks: whether the body matches its schema, with pydantic's messages.

The validator is mistral-common: the last message, the order of roles, the number of results, then each message.
Recordings of 2026 with mistral-small-latest and ministral-3b-latest have a user message right after a tool result;
for those models, the recordings win. Their ids prove nothing: the recorder wrote `call_REDACTED_1` in place of each.
"""

import re
from itertools import pairwise
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
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.replies.documents import Envelope
from fake_providers.rule import Rule
from fake_providers.rulebook import (
    ALL_MESSAGES,
    ALL_TOOLS,
    ANY_MESSAGE,
    ANY_PARAMETER,
    ANY_PART,
    ANY_TOOL,
    NEAR_MESSAGES,
    Breach,
    ModelRefusal,
    RequestContext,
    Rulebook,
    refuse_by_model,
    sets,
)
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request

MODEL: Final = "mistral-large-latest"
RECORDED: Final = "recording"
CHUNKS: Final = (
    "list[tagged-union[TextChunk,ImageURLChunk,DocumentURLChunk,ReferenceChunk,BBoxChunk,FileURLChunk,AudioChunk,"
    "FileChunk,ThinkChunk]]"
)
FIELDS: Final = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "assistant": {"role", "content", "tool_calls", "prefix"},
    "tool": {"role", "content", "tool_call_id", "name"},
}
"""All that messages were recorded with; other fields are quoted in refusals."""
NOT_MISTRALS: Final = ("max_completion_tokens", "store")
"""Parameters of OpenAI's that refusals name; others may be taken."""

CALL: Final = {**CALL_MESSAGE, "content": "", "tool_calls": [{**CALL_MESSAGE["tool_calls"][0], "id": "D681PevKs"}]}
ANSWER: Final = {**RESULT, "tool_call_id": "D681PevKs"}


error_body = Envelope(
    {"object": "error", "message": "<message>", "type": "<type>", "param": None, "code": "<code>"},
    type="invalid_request_error",
    code=None,
)


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    if "detail" in found.extra:
        return {"detail": found.extra["detail"]}
    return error_body(found.message, **found.extra)


def _detail(at: str, *problems: dict[str, Any]) -> Breach:
    return Breach(at, str(problems[0]["msg"]), {"detail": list(problems)})


def mistral(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


BOOK = Rulebook(envelope)
CHECKED: Final = "2026-11-21"

refuse_unread(
    BOOK,
    "mistral",
    MESSAGES,
    model=MODEL,
    status=422,
    not_json=_detail(
        "body", {"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error", "input": {}, "ctx": {}}
    ),
    missing=lambda body: _detail(
        "messages", {"type": "missing", "loc": ["body", "messages"], "msg": "Field required", "input": body}
    ),
    source="the details of the refusals of other bodies",
)


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    """The role of a message is part of the place, and so is the type that an item of `tools` was taken for."""
    loc: list[Any] = ["body", *found.path]
    owner = context.body
    for part in found.path[:-1]:
        owner = owner[part]
    if found.path[0] == "messages" and len(found.path) > 2:
        loc.insert(3, found.role)
    if found.path[0] == "tools" and len(found.path) > 1:
        loc.insert(2, "list[Tool]")
    lists = CHUNKS if found.path[-1] == "content" else "list"
    branches = {"string": "str", "array": lists, "object": "dict"}
    problems = problems_of(found, loc, whole=owner, roles=ROLES, branches=branches)
    if loc[2:3] == ["list[Tool]"]:
        index = found.path[1]
        problems += _no_text(index, context.body["tools"][index])
    return _detail(found.at, *problems)


def _no_text(index: Any, tool: Any) -> list[dict[str, Any]]:
    loc = ["body", "tools", "list[str]", index]
    return [{"type": "string_type", "loc": loc, "msg": "Input should be a valid string", "input": tool}]


ROLES: Final = ("system", "user", "assistant", "tool")
refuse_wrong_types(
    BOOK,
    "mistral",
    Dialect(
        words=_wrong_type,
        source="mistralai/client-python, its models of a request; worded like the refusal of a user's content",
        roles=ROLES,
        lax=True,
        types={
            "messages[].tool_calls[].function.arguments": "string|object",
            "messages[].content[].image_url": "string|object",
            "messages[].name": "string",
        },
        required=(
            *("messages[system].content", "messages[user].content", "messages[tool].content"),
            *("messages[].tool_calls[].function", "messages[].tool_calls[].function.name"),
            *("messages[].tool_calls[].function.arguments", "tools[].function.name"),
        ),
        known={
            "content-type": (
                "recorded",
                cite(f"{RECORDED}, mistral-small-latest", "Input should be a valid string"),
            ),
        },
    ),
    Samples(MODEL, call=CALL, result=ANSWER),
    status=422,
)


def _extra_field(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        role = message.get("role")
        known = FIELDS.get(role) if isinstance(role, str) else None
        extra = [key for key in message if known is not None and key not in known]
        if extra:
            return _detail(
                f"messages[{index}].{extra[0]}",
                *(_extra(["body", "messages", index, role, key], message[key]) for key in extra),
            )
    return None


def _extra_parameter(context: RequestContext) -> Breach | None:
    extra = [name for name in context.body if name in NOT_MISTRALS]
    return _detail(extra[0], *(_extra(["body", name], context.body[name]) for name in extra)) if extra else None


def _extra(loc: list[Any], value: Any) -> dict[str, Any]:
    return {"type": "extra_forbidden", "loc": loc, "msg": "Extra inputs are not permitted", "input": value}


NEWER = ("image_generation", "document_library", "connector")
"""Types of tools that the SDK has had since the refusal was recorded."""


def _tool_type(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        if tool.get("type", "function") not in ("function", *NEWER):
            loc = ["body", "tools", "list[Tool]", index]
            sentence = "Input should be 'function'"
            wrong = {"type": "enum", "loc": [*loc, "type"], "msg": sentence, "input": tool["type"]}
            problems: list[dict[str, Any]] = [{**wrong, "ctx": {"expected": "'function'"}}]
            if "function" not in tool:
                problems.append({"type": "missing", "loc": [*loc, "function"], "msg": "Field required", "input": tool})
            return _detail(f"tools[{index}].type", *[*problems, *_no_text(index, tool)])
    return None


# A table: two rows are to be compared.
# fmt: off
BOOK.row("mistral/extra-field", "A message has an unknown member, such as the `reasoning_content` of other providers.",
    ANY_MESSAGE, _extra_field, status=422, checked=CHECKED,
    wrong=mistral(USER, {"role": "assistant", "content": "Rain.", "reasoning_content": "I know."}, USER),
    right=mistral(USER, {"role": "assistant", "content": "Rain."}, USER),
    verbatim={"charmbracelet/crush#1590": '"type": "extra_forbidden", "msg": "Extra inputs are not permitted"',
        "BerriAI/litellm#30835": "", "BerriAI/litellm#30882": ""})
BOOK.row("mistral/extra-parameter",
    "The body has `store`, which Mistral does not know, or `max_completion_tokens`, which is `max_tokens` here.",
    ANY_PARAMETER, _extra_parameter, status=422, checked=CHECKED,
    wrong=mistral(max_completion_tokens=100), right=mistral(),
    verbatim={"editor-code-assistant/eca#231": '"loc":["body","max_completion_tokens"]',
        "Gitlawb/openclaude#739, both at once": '"loc":["body","store"],"msg":"Extra inputs are not permitted"'})
BOOK.row("mistral/tool-type", "A tool has a type other than `function`; a tool without a type is accepted.",
    ALL_TOOLS, _tool_type, status=422, checked=CHECKED,
    wrong=mistral(tools=[{**TOOL, "type": "web_search"}]), right=mistral(tools=[TOOL]),
    recorded={f"{RECORDED}, ministral-8b-2512": "Input should be 'function'"})
# fmt: on


CHAT_CONVERSATION_RULES_BOOK = Rulebook(envelope)

ID: Final = re.compile("[a-zA-Z0-9]{9}")
BLACKED_OUT: Final = "REDACTED"
"""What a recorder writes into an id. A recording that is posted again says nothing of the id that was sent."""
SOURCE: Final = "mistralai/mistral-common src/mistral_common/protocol/instruct/validator.py"
REASONING_ITEM: Final = {"type": "thinking", "thinking": [{"type": "text", "text": "I know."}]}
NEXT: Final = {
    "system": ("user", "assistant", "system"),
    "user": ("assistant", "system", "user"),
    "assistant": ("assistant", "user", "tool"),
    "tool": ("assistant", "tool"),
}


def _order(at: str, message: str) -> Breach:
    return Breach(at, message, {"type": "invalid_request_message_order", "code": "3230"})


def _last_role(context: RequestContext) -> Breach | None:
    found = messages(context)
    if not found or found[-1][1].get("role") != "assistant" or found[-1][1].get("prefix") is True:
        return None
    sentence = "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant"
    return _order(f"messages[{found[-1][0]}].role", sentence)


def _role_order(context: RequestContext) -> Breach | None:
    found = messages(context)
    for (_, before), (index, message) in pairwise(found):
        first, second = str(before.get("role")), str(message.get("role"))
        if (first, second) == ("tool", "user") and "user-after-tool" in context.traits:
            continue
        if first in NEXT and second in NEXT and second not in NEXT[first]:
            return _order(f"messages[{index}].role", f"Unexpected role '{second}' after role '{first}'")
    return None


def _call_response_count(context: RequestContext) -> Breach | None:
    for (index, message), results in rounds(messages(context)):
        if len(calls(message)) != len(results):
            return _order(f"messages[{index}]", "Not the same number of function calls and responses")
    return None


def _assistant_empty(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("role") == "assistant" and not message.get("content") and not message.get("tool_calls"):
            sentence = "Assistant message must have either content or tool_calls, but not none."
            return Breach(f"messages[{index}]", sentence, {"type": "invalid_request_assistant_message", "code": "3240"})
    return None


def _tool_call_id(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        named = [(f"tool_calls[{number}].id", call.get("id")) for number, call in calls(message)]
        if message.get("role") == "tool":
            named.append(("tool_call_id", message.get("tool_call_id")))
        for at, value in named:
            if isinstance(value, str) and not ID.fullmatch(value) and BLACKED_OUT not in value:
                sentence = f"Tool call id was {value} but must be a-z, A-Z, 0-9, with a length of 9."
                return Breach(f"messages[{index}].{at}", sentence, {"type": "invalid_function_call", "code": "3280"})
    return None


def _call_name(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, call in calls(message):
            name = function(call).get("name")
            if isinstance(name, str) and not re.fullmatch("[a-zA-Z0-9_-]{1,64}", name):
                at = f"messages[{index}].tool_calls[{number}].function.name"
                return Breach(at, _wrong_name(name), {"type": "invalid_function_call", "code": "3280"})
    return None


def _tool_name(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        name = function(tool).get("name")
        if isinstance(name, str) and not re.fullmatch("[a-zA-Z0-9_-]{1,64}", name):
            at = f"tools[{index}].function.name"
            return Breach(at, _wrong_name(name), {"type": "invalid_request_error", "code": None})
    return None


def _wrong_name(name: str) -> str:
    return (
        f"Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length "
        "of 64."
    )


def _thinking_unsupported(context: RequestContext) -> Breach | None:
    if "no-thinking" not in context.traits:
        return None
    for index, message in messages(context):
        for number, part in parts(message):
            if part.get("type") == "thinking" and message.get("role") == "assistant":
                sentence = "Reasoning input is not enabled for this model"
                extra = {"type": "invalid_request_invalid_args", "code": "3051"}
                return Breach(f"messages[{index}].content[{number}]", sentence, extra)
    return None


SMALL: Final = "mistral-small-latest"
NOT_OF_MODEL: Final = {"type": "invalid_request_invalid_args", "code": "3051"}
EFFORTS: Final = "(<ReasoningEffort.none: 'none'>, <ReasoningEffort.high: 'high'>)"


# A table: two rows are to be compared.
# fmt: off
CHAT_CONVERSATION_RULES_BOOK.row("mistral/last-role", "The last message is an assistant message without `prefix`.",
    NEAR_MESSAGES, _last_role, checked=CHECKED,
    wrong=mistral(USER, {"role": "assistant", "content": "It is", "prefix": False}),
    right=mistral(USER, {"role": "assistant", "content": "It is", "prefix": True}),
    verbatim={"public code that quotes status, type and code": "", SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/role-order",
    "A tool result follows no call, a user message follows a tool result, or a system message follows an "
        "assistant message.",
    NEAR_MESSAGES, _role_order, models="all; mistral-small and ministral accept a user message after a tool result",
    checked=CHECKED,
    wrong=mistral(USER, CALL, ANSWER, USER),
    right=mistral(USER, CALL, ANSWER, {"role": "assistant", "content": "Rain."}, USER),
    recorded={f"{RECORDED}, mistral-small-latest": "Unexpected role 'system' after role 'assistant'",
        "public code that quotes it": "Unexpected role 'user' after role 'tool'", SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/call-response-count",
    "A message is followed by more or fewer tool results than it has tool calls.",
    ALL_MESSAGES, _call_response_count, checked=CHECKED,
    wrong=mistral(USER, {**CALL, "tool_calls": CALL["tool_calls"] * 2}, ANSWER), right=mistral(USER, CALL, ANSWER),
    verbatim={"567-labs/instructor#724": "Not the same number of function calls and responses",
        "camel-ai/camel#1467": "", "mistralai/client-python#234": "", "mistralai/client-ts#106": ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/assistant-empty", "An assistant message has neither content nor tool calls.",
    ANY_MESSAGE, _assistant_empty, checked=CHECKED,
    wrong=mistral(USER, {"role": "assistant", "content": ""}, USER),
    right=mistral(USER, {"role": "assistant", "content": "Rain."}, USER),
    verbatim={"public code that quotes the body": "Assistant message must have either content or tool_calls",
        SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/tool-call-id",
    "The id of a tool call, or the `tool_call_id` of a result, is not nine letters and digits.",
    ANY_PART, _tool_call_id, even_usual=True, checked=CHECKED,
    wrong=mistral(USER, CALL, {**ANSWER, "tool_call_id": "call_61626542"}), right=mistral(USER, CALL, ANSWER),
    verbatim={"arterm-sedov/cmw-platform-agent docs": "but must be a-z, A-Z, 0-9, with a length of 9.",
        "public code that quotes it for mistral-medium-2505": "",
        "nearai/ironclaw#1241, mistral-large-latest, 2026-03": "",
        "avante-corp/avante.nvim#2951, devstral, 2026-02": "", "karthink/gptel#1203, 2026-01": "", SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/call-name",
    "The name of a tool call has characters other than letters, digits, _ and -, or more than 64 characters.",
    ANY_MESSAGE, _call_name, checked=CHECKED,
    wrong=mistral(USER,
        {**CALL, "tool_calls": [{**CALL["tool_calls"][0], "function": {"name": "weather.get", "arguments": "{}"}}]},
        ANSWER),
    right=mistral(USER,
        {**CALL, "tool_calls": [{**CALL["tool_calls"][0], "function": {"name": "get_weather", "arguments": "{}"}}]},
        ANSWER),
    reported={SOURCE: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes"})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/tool-name",
    "The name of a function has characters other than letters, digits, _ and -, or more than 64 characters.",
    ANY_TOOL, _tool_name, checked=CHECKED,
    wrong=mistral(tools=[{**TOOL, "function": {**TOOL["function"], "name": "weather.get"}}]),
    right=mistral(tools=[TOOL]),
    reported={SOURCE: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes"})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/thinking-unsupported",
    "The history has thinking parts and the model does not reason.",
    ANY_MESSAGE, _thinking_unsupported, models="ministral", checked=CHECKED,
    wrong=mistral(USER, {"role": "assistant", "content": [REASONING_ITEM, {"type": "text", "text": "Rain."}]}, USER,
        model="ministral-3b-latest"),
    right=mistral(USER, {"role": "assistant", "content": [{"type": "text", "text": "Rain."}]}, USER,
        model="ministral-3b-latest"),
    recorded={f"{RECORDED}, ministral-3b-latest": "Reasoning input is not enabled for this model"})
# fmt: on
refuse_by_model(
    CHAT_CONVERSATION_RULES_BOOK,
    (
        ModelRefusal(
            "mistral/logprobs-unsupported",
            "no-logprobs",
            sets("logprobs"),
            "Logprobs are not enabled for this model",
            why="Log probabilities are asked for, and the model does not give them.",
            models="mistral-small",
            confidence="recorded",
            evidence=cite(f"{RECORDED}, {SMALL}", "Logprobs are not enabled for this model"),
            breaking=mistral(model=SMALL, logprobs=True),
            accepted=mistral(model=SMALL, logprobs=False),
            extra=NOT_OF_MODEL,
        ),
        ModelRefusal(
            "mistral/effort-value",
            "efforts-none-and-high",
            lambda body: "reasoning_effort" if body.get("reasoning_effort") not in (None, "none", "high") else "",
            f"reasoning_effort='{{value}}' is not supported for this model. Must be one of {EFFORTS}",
            why="The model thinks with all its effort, or not.",
            models="mistral-small",
            confidence="recorded",
            evidence=cite(f"{RECORDED}, {SMALL}", "reasoning_effort='low' is not supported for this model."),
            breaking=mistral(model=SMALL, reasoning_effort="low"),
            accepted=mistral(model=SMALL, reasoning_effort="high"),
            extra=NOT_OF_MODEL,
        ),
    ),
)
