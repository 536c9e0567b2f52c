"""Mistral's envelope, and its first checks: whether the body matches its schema, with pydantic's messages."""

from typing import Any, Final

from fake_providers.providers.shared.chat_reading import messages, tools
from fake_providers.providers.shared.chat_types import Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.unread_body import MESSAGES, refuse_unread
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
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


def error_body(message: str, *, kind: str = "invalid_request_error", code: str | None = None) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": kind, "param": None, "code": code}


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    if "detail" in found.extra:
        return {"detail": found.extra["detail"]}
    return error_body(found.message, kind=found.extra["type"], code=found.extra["code"])


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


@BOOK.rule(
    "mistral/extra-field",
    status=422,
    why="A message has an unknown member, such as the `reasoning_content` of other providers.",
    confidence="verbatim",
    evidence=(
        *cite("charmbracelet/crush#1590", '"type": "extra_forbidden", "msg": "Extra inputs are not permitted"'),
        *cite("BerriAI/litellm#30835"),
        *cite("BerriAI/litellm#30882"),
    ),
    breaking=mistral(USER, {"role": "assistant", "content": "Rain.", "reasoning_content": "I know."}, USER),
    accepted=mistral(USER, {"role": "assistant", "content": "Rain."}, USER),
    checked=CHECKED,
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


@BOOK.rule(
    "mistral/extra-parameter",
    status=422,
    why="The body has `store`, which Mistral does not know, or `max_completion_tokens`, which is `max_tokens` here.",
    confidence="verbatim",
    evidence=(
        *cite("editor-code-assistant/eca#231", '"loc":["body","max_completion_tokens"]'),
        *cite("Gitlawb/openclaude#739, both at once", '"loc":["body","store"],"msg":"Extra inputs are not permitted"'),
    ),
    breaking=mistral(max_completion_tokens=100),
    accepted=mistral(),
    checked=CHECKED,
)
def _extra_parameter(context: RequestContext) -> Breach | None:
    extra = [name for name in context.body if name in NOT_MISTRALS]
    return _detail(extra[0], *(_extra(["body", name], context.body[name]) for name in extra)) if extra else None


def _extra(loc: list[Any], value: Any) -> dict[str, Any]:
    return {"type": "extra_forbidden", "loc": loc, "msg": "Extra inputs are not permitted", "input": value}


NEWER = ("image_generation", "document_library", "connector")
"""Types of tools that the SDK has had since the refusal was recorded."""


@BOOK.rule(
    "mistral/tool-type",
    status=422,
    why="A tool has a type other than `function`; a tool without a type is accepted.",
    confidence="recorded",
    evidence=cite(f"{RECORDED}, ministral-8b-2512", "Input should be 'function'"),
    breaking=mistral(tools=[{**TOOL, "type": "web_search"}]),
    accepted=mistral(tools=[TOOL]),
    checked=CHECKED,
)
def _tool_type(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        if tool.get("type", "function") not in ("function", *NEWER):
            return _detail(f"tools[{index}].type", *_type_problems(index, tool))
    return None


def _type_problems(index: int, tool: dict[str, Any]) -> list[dict[str, Any]]:
    loc = ["body", "tools", "list[Tool]", index]
    sentence = "Input should be 'function'"
    wrong = {"type": "enum", "loc": [*loc, "type"], "msg": sentence, "input": tool["type"]}
    problems: list[dict[str, Any]] = [{**wrong, "ctx": {"expected": "'function'"}}]
    if "function" not in tool:
        problems.append({"type": "missing", "loc": [*loc, "function"], "msg": "Field required", "input": tool})
    return [*problems, *_no_text(index, tool)]
