"""Mistral's envelope, and its first checks: whether the body matches its schema, with pydantic's messages.

The validator is mistral-common: the last message, the order of roles, the number of results, then each message.
Recordings of 2026 with mistral-small-latest and ministral-3b-latest have a user message right after a tool result;
for those models, the recordings win. Their ids prove nothing: the recorder wrote `call_REDACTED_1` in place of each.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from fake_providers import remedies
from fake_providers.declared_rules import refuse_undeclared
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import (
    MISSING,
    TOOLS,
    Dialect,
    Samples,
    WrongType,
    reads_as,
    refuse_wrong_types,
)
from fake_providers.providers.shared.chat_values import (
    CHOICES,
    OPENAIS_RANGES,
    Outside,
    Range,
    Values,
    pydantic_problem,
    refuse_values,
)
from fake_providers.providers.shared.pydantic_words import BRANCHES, problems_of
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, Selector, sets
from fake_providers.values.declared import DeclaredTypes, Fault
from fake_providers.values.pictures import SOUNDS, media_fault
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


BODY: Final = {"object": "error", "message": "<message>", "type": "<type>", "param": None, "code": "<code>"}
error_body = Envelope(BODY, type="invalid_request_error", code=None)
ORDER: Final = {"type": "invalid_request_message_order", "code": "3230"}
CALL_FAULT: Final = {"type": "invalid_function_call", "code": "3280"}
OF_MODEL: Final = {"type": "invalid_request_invalid_args", "code": "3051"}


def _detail(at: str, *problems: dict[str, Any]) -> Breach:
    return Breach(at, str(problems[0]["msg"]), {"detail": list(problems)})


def mistral(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


REFUSAL: Final = Envelope(
    ByStatus({422: {"detail": "<detail>"}}, BODY), type="invalid_request_error", code=None
).refusal
BOOK = Rulebook(REFUSAL)
CHECKED: Final = "2026-11-21"
chat.refuse_unread(BOOK, "mistral", chat.MESSAGES, model=MODEL, status=422,
    not_json=_detail("body",
        {"type": "json_invalid", "loc": ["body", 0], "msg": "JSON decode error", "input": {}, "ctx": {}}),
    missing=lambda body: _detail("messages",
        {"type": "missing", "loc": ["body", "messages"], "msg": "Field required", "input": body}),
    source="the details of the refusals of other bodies")  # fmt: skip


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    """The role of a message is part of the place, and so is the type that an item of `tools` was taken for."""
    loc: list[Any] = ["body", *found.path]
    if found.path[0] == "messages" and len(found.path) > 2:
        loc.insert(3, found.role)
    if found.path[0] == "tools" and len(found.path) > 1:
        loc.insert(2, "list[Tool]")
    lists = CHUNKS if found.path[-1] == "content" else "list"
    branches = {"string": "str", "array": lists, "object": "dict"}
    problems = problems_of(found, loc, whole=found.owner(context.body), roles=ROLES, branches=branches)
    if loc[2:3] == ["list[Tool]"]:
        index = found.path[1]
        problems += _no_text(index, context.body["tools"][index])
    return _detail(found.at, *problems)


def _no_text(index: Any, tool: Any) -> list[dict[str, Any]]:
    loc = ["body", "tools", "list[str]", index]
    return [{"type": "string_type", "loc": loc, "msg": "Input should be a valid string", "input": tool}]


ROLES: Final = ("system", "user", "assistant", "tool")
refuse_wrong_types(BOOK, "mistral",
    Dialect(words=_wrong_type,
        source="mistralai/client-python, its models of a request; worded like the refusal of a user's content",
        roles=ROLES, lax=True,
        types={"messages[].tool_calls[].function.arguments": "string|object",
            "messages[].content[].image_url": "string|object", "messages[].name": "string"},
        required=(*("messages[system].content", "messages[user].content", "messages[tool].content"),
            *("messages[].tool_calls[].function", "messages[].tool_calls[].function.name"),
            "messages[].tool_calls[].function.arguments", *TOOLS),
        known={
            "content-type": ("recorded", cite(f"{RECORDED}, mistral-small-latest", "Input should be a valid string"))}),
    Samples(MODEL, call=CALL, result=ANSWER), status=422)  # fmt: skip
refuse_values(BOOK, "mistral",
    Values(words=lambda found, _: _detail(found.at, pydantic_problem(found, ["body", *found.at.split(".")])),
        source="mistralai/client-python, its models of a request; pydantic's sentences",
        choices=(*CHOICES, "any"), efforts=(), others={"prompt_mode": ("reasoning",)},
        ranges={**OPENAIS_RANGES, "temperature": Range(0, 1.5), "max_tokens": Range(0), "random_seed": Range(0)}),
    Samples(MODEL, call=CALL, result=ANSWER), status=422)  # fmt: skip


def _undeclared(found: Fault, context: RequestContext) -> Breach:
    loc: list[Any] = ["body", *found.path]
    if found.path[0] == "messages":
        loc.insert(3, context.body["messages"][found.path[1]].get("role"))
    if found.kind == "extra":
        return _detail(found.at, _extra(loc, found.value))
    if found.kind == "word":
        return _detail(found.at, pydantic_problem(Outside(found.at, found.value, found.expected), loc))
    types = tuple(one.partition(" ")[0] for one in found.expected)
    wrong = WrongType(found.path, MISSING if found.kind == "missing" else found.value, types, "parameter-type")
    branches = {**BRANCHES, "array": "list[any]", "number": "float"}
    return _detail(found.at, *problems_of(wrong, loc, whole=found.owner, roles=ROLES, branches=branches))


def _extra_field(message: dict[str, Any], i: int, role: Any) -> Any:
    known = FIELDS.get(role) if isinstance(role, str) else None
    extra = [key for key in message if known is not None and key not in known]
    problems = (_extra(["body", "messages", i, role, key], message[key]) for key in extra)
    return extra and _detail(f"messages[{i}].{extra[0]}", *problems)


def _extra_parameter(body: Any) -> Any:
    extra = [name for name in body if name in NOT_MISTRALS]
    return extra and _detail(extra[0], *(_extra(["body", name], body[name]) for name in extra))


def _extra(loc: list[Any], value: Any) -> dict[str, Any]:
    return {"type": "extra_forbidden", "loc": loc, "msg": "Extra inputs are not permitted", "input": value}


def _other_type(tool: dict[str, Any], i: int) -> Any:
    loc = ["body", "tools", "list[Tool]", i]
    # The last three are types that the SDK has had since the refusal was recorded.
    if tool.get("type", "function") in ("function", "image_generation", "document_library", "connector"):
        return None
    wrong = {"type": "enum", "loc": [*loc, "type"], "msg": "Input should be 'function'", "input": tool["type"]}
    missing = {"type": "missing", "loc": [*loc, "function"], "msg": "Field required", "input": tool}
    problems = [{**wrong, "ctx": {"expected": "'function'"}}, *([] if "function" in tool else [missing])]
    return _detail(f"tools[{i}].type", *problems, *_no_text(i, tool))


SMALL: Final = "mistral-small-latest"
PICTURE: Final = {"type": "image_url", "image_url": "https://example.com/oslo.png"}
SOUND: Final = {"type": "input_audio", "input_audio": "SUQzBAAA"}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("mistral/extra-field", "A message has an unknown member, such as the `reasoning_content` of other providers.",
    chat.MESSAGE, _extra_field, status=422, checked=CHECKED, remedy=remedies.OWN_MEMBERS.of("parameters"),
    wrong=mistral(USER, {"role": "assistant", "content": "Rain.", "reasoning_content": "I know."}, USER),
    right=mistral(USER, {"role": "assistant", "content": "Rain."}, USER),
    verbatim={"charmbracelet/crush#1590": '"type": "extra_forbidden", "msg": "Extra inputs are not permitted"',
        "BerriAI/litellm#30835": "", "BerriAI/litellm#30882": ""})
BOOK.row("mistral/extra-parameter",
    "The body has `store`, which Mistral does not know, or `max_completion_tokens`, which is `max_tokens` here.",
    ANY_PARAMETER, _extra_parameter, status=422, checked=CHECKED, remedy=remedies.PARAMETER_NAME,
    wrong=mistral(max_completion_tokens=100), right=mistral(),
    verbatim={"editor-code-assistant/eca#231": '"loc":["body","max_completion_tokens"]',
        "Gitlawb/openclaude#739, both at once": '"loc":["body","store"],"msg":"Extra inputs are not permitted"'})
BOOK.row("mistral/tool-type", "A tool has a type other than `function`; a tool without a type is accepted.",
    chat.TOOL, _other_type, status=422, checked=CHECKED, remedy=remedies.TOOL_SHAPE,
    wrong=mistral(tools=[{**TOOL, "type": "web_search"}]), right=mistral(tools=[TOOL]),
    recorded={f"{RECORDED}, ministral-8b-2512": "Input should be 'function'"})
# fmt: on
refuse_undeclared(
    BOOK,
    "mistral/",
    DeclaredTypes(
        Path(__file__).with_name("declared.json"),
        r"word tools\.type|extra messages\.tool_calls\..*",  # what other vendors put beside a call is taken
        closed=True,
        reads=reads_as,
    ),
    _undeclared,
    {
        "missing": (
            mistral(tools=[{**TOOL, "function": {"name": "f"}}]),
            mistral(tools=[{**TOOL, "function": {"name": "f", "parameters": {}}}]),
        ),
        "type": (mistral(safe_prompt="perhaps"), mistral(safe_prompt=True)),
        "word": (
            mistral(prediction={"type": "text", "content": "Rain."}),
            mistral(prediction={"type": "content", "content": "Rain."}),
        ),
        "extra": (
            mistral(prediction={"type": "content", "content": "Rain.", "size": 5}),
            mistral(prediction={"type": "content", "content": "Rain."}),
        ),
    },
    source="mistralai/client-python, its models of a request; pydantic's sentences",
    status=422,
)  # fmt: skip


CHAT_CONVERSATION_RULES_BOOK = Rulebook(REFUSAL)

SOURCE: Final = "mistralai/mistral-common src/mistral_common/protocol/instruct/validator.py"
AFTER: Final = {
    "system": ("user", "assistant", "system"),
    "user": ("assistant", "system", "user"),
    "assistant": ("assistant", "user", "tool"),
    "tool": ("assistant", "tool"),
}


def _out_of_order(message: dict[str, Any], before: dict[str, Any], context: RequestContext) -> Any:
    first, second = str(before.get("role")), str(message.get("role"))
    taken = (first, second) == ("tool", "user") and "user-after-tool" in context.traits
    wrong = not taken and first in AFTER and second in AFTER and second not in AFTER[first]
    return wrong and {"first": first, "second": second}


def _other_count(found: list[chat.PlacedItem]) -> Any:
    wrong = (i for (i, message), results in chat.rounds(found) if len(chat.calls(message)) != len(results))
    return [*wrong][:1]


def _ids(context: RequestContext) -> Iterator[tuple[Any, ...]]:
    for i, message in chat.messages(context):
        yield from ((call.get("id"), f"messages[{i}].tool_calls[{j}].id") for j, call in chat.calls(message))
        if message.get("role") == "tool":
            yield message.get("tool_call_id"), f"messages[{i}].tool_call_id"


ID: Final = Selector(_ids, "{where}", ("where",), "parts", ("conversation",))


def _wrong_id(value: Any) -> bool:
    """An id into which a recorder has written `REDACTED` says nothing of that which was sent."""
    return isinstance(value, str) and not re.fullmatch("[a-zA-Z0-9]{9}", value) and "REDACTED" not in value


def _wrong_name(function: dict[str, Any]) -> Any:
    name = function.get("name")
    return isinstance(name, str) and not re.fullmatch("[a-zA-Z0-9_-]{1,64}", name) and {"name": name}


WRONG_NAME: Final = (
    "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of "
    "64."
)


def _called(name: str) -> dict[str, Any]:
    return mistral(
        USER, {**CALL, "tool_calls": [{**CALL["tool_calls"][0], "function": {"name": name, "arguments": "{}"}}]}, ANSWER
    )


def _with_part(part: Any, model: str) -> dict[str, Any]:
    return mistral({**USER, "content": [part]}, model=model)


def _thought(*thinking: Any) -> dict[str, Any]:
    content = [*thinking, {"type": "text", "text": "Rain."}]
    return mistral(USER, {"role": "assistant", "content": content}, USER, model="ministral-3b-latest")


# A table: two rows are to be compared.
# fmt: off
CHAT_CONVERSATION_RULES_BOOK.row("mistral/last-role", "The last message is an assistant message without `prefix`.",
    chat.LAST, lambda one: one.get("role") == "assistant" and one.get("prefix") is not True,
    "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant", ".role",
    checked=CHECKED, extra=ORDER, remedy=remedies.END_WITH_USER,
    wrong=mistral(USER, {"role": "assistant", "content": "It is", "prefix": False}),
    right=mistral(USER, {"role": "assistant", "content": "It is", "prefix": True}),
    verbatim={"public code that quotes status, type and code": "", SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/role-order",
    "A tool result follows no call, a user message follows a tool result, or a system message follows an "
        "assistant message.",
    chat.NEXT, _out_of_order, "Unexpected role '{second}' after role '{first}'", ".role",
    models="all; mistral-small and ministral accept a user message after a tool result", checked=CHECKED,
    extra=ORDER, remedy=remedies.ANSWER_BEFORE_USER,
    wrong=mistral(USER, CALL, ANSWER, USER),
    right=mistral(USER, CALL, ANSWER, {"role": "assistant", "content": "Rain."}, USER),
    recorded={f"{RECORDED}, mistral-small-latest": "Unexpected role 'system' after role 'assistant'",
        "public code that quotes it": "Unexpected role 'user' after role 'tool'", SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/call-response-count",
    "A message is followed by more or fewer tool results than it has tool calls.",
    chat.HISTORY, _other_count, "Not the same number of function calls and responses", "messages[{found[0]}]",
    checked=CHECKED, extra=ORDER, remedy=remedies.ONE_RESULT_EACH,
    wrong=mistral(USER, {**CALL, "tool_calls": CALL["tool_calls"] * 2}, ANSWER), right=mistral(USER, CALL, ANSWER),
    verbatim={"567-labs/instructor#724": "...", "camel-ai/camel#1467": "", "mistralai/client-python#234": "",
        "mistralai/client-ts#106": ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/assistant-empty", "An assistant message has neither content nor tool calls.",
    chat.MESSAGE, lambda one: one.get("role") == "assistant" and not one.get("content") and not one.get("tool_calls"),
    "Assistant message must have either content or tool_calls, but not none.", checked=CHECKED,
    extra={"type": "invalid_request_assistant_message", "code": "3240"}, remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=mistral(USER, {"role": "assistant", "content": ""}, USER),
    right=mistral(USER, {"role": "assistant", "content": "Rain."}, USER),
    verbatim={"public code that quotes the body": "Assistant message must have either content or tool_calls",
        SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/tool-call-id",
    "The id of a tool call, or the `tool_call_id` of a result, is not nine letters and digits.",
    ID, _wrong_id, "Tool call id was {item} but must be a-z, A-Z, 0-9, with a length of 9.", even_usual=True,
    checked=CHECKED, extra=CALL_FAULT,
    remedy=Remedy("calls", "Map ids to nine letters and digits for Mistral, the same in the call and in its result."),
    wrong=mistral(USER, CALL, {**ANSWER, "tool_call_id": "call_61626542"}), right=mistral(USER, CALL, ANSWER),
    verbatim={"arterm-sedov/cmw-platform-agent docs": "but must be a-z, A-Z, 0-9, with a length of 9.",
        "public code that quotes it for mistral-medium-2505": "",
        "nearai/ironclaw#1241, mistral-large-latest, 2026-03": "",
        "avante-corp/avante.nvim#2951, devstral, 2026-02": "", "karthink/gptel#1203, 2026-01": "", SOURCE: ""})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/call-name",
    "The name of a tool call has characters other than letters, digits, _ and -, or more than 64 characters.",
    chat.CALL, lambda call: _wrong_name(chat.function(call)), WRONG_NAME, ".function.name", checked=CHECKED,
    extra=CALL_FAULT, remedy=remedies.CALLED_NAME,
    wrong=_called("weather.get"), right=_called("get_weather"),
    reported={SOURCE: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes"})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/tool-name",
    "The name of a function has characters other than letters, digits, _ and -, or more than 64 characters.",
    chat.FUNCTION, _wrong_name, WRONG_NAME, ".name", checked=CHECKED, remedy=remedies.TOOL_NAMES,
    wrong=mistral(tools=[{**TOOL, "function": {**TOOL["function"], "name": "weather.get"}}]),
    right=mistral(tools=[TOOL]),
    reported={SOURCE: "Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes"})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/thinking-unsupported",
    "The history has thinking parts and the model does not reason.",
    chat.PART, lambda part, role: part.get("type") == "thinking" and role == "assistant",
    "Reasoning input is not enabled for this model", trait="no-thinking", models="ministral-3b*", checked=CHECKED,
    extra=OF_MODEL,
    remedy=Remedy("reasoning-settings", "Leave thinking parts out of the history for a model that does not reason."),
    wrong=_thought({"type": "thinking", "thinking": [{"type": "text", "text": "I know."}]}), right=_thought(),
    recorded={f"{RECORDED}, ministral-3b-latest": "..."})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/pictures-unsupported", "A message has a picture, and the model takes none.",
    chat.PART, lambda part: part.get("type") == "image_url", "Image input is not enabled for this model",
    needs="image_url", trait="no-pictures", models="mistral-vibe*, voxtral-*-latest", checked="2026-11-29",
    about="picture", extra=OF_MODEL, remedy=remedies.MEDIA_OF_MODEL,
    wrong=_with_part(PICTURE, "mistral-vibe-cli-latest"), right=_with_part(PICTURE, SMALL),
    recorded={f"{RECORDED} of 2026, mistral-vibe-cli-latest, voxtral-small-latest, voxtral-mini-latest": "..."})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/audio-unsupported", "A message has sound, and the model does not hear.",
    chat.PART, lambda part: part.get("type") == "input_audio", "Audio input is not enabled for this model",
    needs="input_audio", trait="no-audio", checked="2026-11-29",
    models="ministral*, mistral-large*, mistral-medium*, mistral-small*, mistral-vibe*; `latest` and 2512",
    extra=OF_MODEL, remedy=remedies.MEDIA_OF_MODEL,
    wrong=_with_part(SOUND, SMALL), right=_with_part(SOUND, "voxtral-small-latest"),
    recorded={f"{RECORDED} of 2026, ministral, mistral-large, mistral-medium, mistral-small, mistral-vibe": "..."})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/audio-unread", "The bytes of a sound are of no type that the model reads.",
    chat.PART, lambda part: part.get("type") == "input_audio" and media_fault(part.get("input_audio"), SOUNDS),
    "Failed to load audio file. Verify that the given file is valid mp3 or wav.", needs="input_audio",
    checked="2026-11-29", extra={"type": "invalid_request_audio", "code": "3291"}, remedy=remedies.FILE_TYPES,
    wrong=_with_part({**SOUND, "input_audio": "//FgQBjf"}, "voxtral-small-latest"),
    right=_with_part(SOUND, "voxtral-small-latest"),
    recorded={f"{RECORDED}, voxtral-small-latest with AAC": "..."})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/logprobs-unsupported",
    "Log probabilities are asked for, and the model does not give them.",
    ANY_PARAMETER, sets("logprobs"), "Logprobs are not enabled for this model", "logprobs", trait="no-logprobs",
    models="mistral-small", checked="2026-11-23", extra=OF_MODEL, remedy=remedies.NO_PARAMETER,
    wrong=mistral(model=SMALL, logprobs=True), right=mistral(model=SMALL, logprobs=False),
    recorded={f"{RECORDED}, {SMALL}": "..."})
CHAT_CONVERSATION_RULES_BOOK.row("mistral/effort-value", "The model thinks with all its effort, or not.",
    ANY_PARAMETER, lambda body: body.get("reasoning_effort") not in (None, "none", "high"),
    "reasoning_effort='{item[reasoning_effort]}' is not supported for this model. Must be one of "
        "(<ReasoningEffort.none: 'none'>, <ReasoningEffort.high: 'high'>)", "reasoning_effort",
    trait="efforts-none-and-high", models="mistral-small", checked="2026-11-23",
    extra=OF_MODEL, remedy=remedies.EFFORT_OF_MODEL,
    wrong=mistral(model=SMALL, reasoning_effort="low"), right=mistral(model=SMALL, reasoning_effort="high"),
    recorded={f"{RECORDED}, {SMALL}": "reasoning_effort='low' is not supported for this model."})
# fmt: on
