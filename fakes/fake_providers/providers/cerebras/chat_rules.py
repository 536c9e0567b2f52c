"""The rules of Cerebras, and its flat envelope. It refuses every member of a message that it does not know."""

from typing import Any, Final

from fake_providers.providers.shared.chat_reading import MESSAGES, function, messages, parts, refuse_unread, tools
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.rules.model_refusals import ModelRefusal, refuse_by_model
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request

MODEL: Final = "zai-glm-4.7"
OSS: Final = "gpt-oss-120b"
QWEN: Final = "qwen-3-32b"
CHECKED: Final = "2026-11-23"
CLOSED: Final = {"type": "object", "properties": {}, "additionalProperties": False}
RAIN: Final = {"type": "text", "text": "Rain?"}
PICTURE: Final = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}
MEMBERS: Final = {
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "reasoning"},
    "tool": {"role", "content", "name", "tool_call_id"},
}
"""Members of messages; `reasoning` was recorded."""


def error_body(message: str, param: str, *, code: str = "wrong_api_format", kind: str = "") -> dict[str, Any]:
    return {"message": message, "type": kind or "invalid_request_error", "param": param, "code": code}


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    extra = {"param": "validation_error", **found.extra}
    return error_body(found.message, extra["param"], code=extra.get("code", "wrong_api_format"))


def with_format(*, model: str = MODEL, stream: bool = False, **members: Any) -> dict[str, Any]:
    """A request whose answer has this schema."""
    format_ = {"type": "json_schema", "json_schema": {"name": "weather", "schema": CLOSED, **members}}
    return sample_request(model=model, response_format=format_, stream=stream)


def with_tool(**members: Any) -> dict[str, Any]:
    """A strict tool, and another with these members."""
    strict = {**TOOL, "function": {**TOOL["function"], "name": "get_time", "strict": True}}
    other = {**TOOL, "function": {**TOOL["function"], **members}}
    return sample_request(model=MODEL, tools=[strict, other])


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "cerebras",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", ": Invalid JSON"),
    missing=lambda body: Breach("messages", "messages: property 'messages' is missing"),
    source="worded like the refusals of other bodies",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    """A place in a message has its role after the index."""
    path = [str(part) for part in found.path]
    if len(path) > 2 and path[0] == "messages" and found.role:
        path.insert(2, found.role)
    where = ".".join(path)
    if found.value is MISSING:
        return Breach(found.at, f"{where}: property '{where}' is missing")
    return Breach(found.at, f"{where}: Input should be a valid {' or '.join(found.types)}")


refuse_wrong_types(
    BOOK,
    "cerebras",
    Dialect(words=_wrong_type, source="worded like the refusals of members that it does not know"),
    Samples(MODEL),
)


@BOOK.rule(
    "cerebras/property-unsupported",
    why="A message has a member that Cerebras does not know, such as `reasoning_content`, or the `refusal` of OpenAI.",
    confidence="verbatim",
    evidence=(
        *cite(
            "free-claude-code#1136, vercel/ai#15042, anomalyco/opencode#26762, and four more",
            "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
        ),
        *cite("public code that quotes it", "property 'messages.2.assistant.refusal' is unsupported"),
    ),
    breaking=sample_request(USER, {**CALL_MESSAGE, "reasoning_content": "I ask."}, RESULT, model=MODEL),
    accepted=sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL),
    checked=CHECKED,
)
def _property_unsupported(context: RequestContext) -> Breach | None:
    """All of them at once, a line for each."""
    found = [
        (f"messages[{index}].{name}", f"messages.{index}.{role}.{name}")
        for index, message in messages(context)
        if (role := str(message.get("role"))) in MEMBERS
        for name in message
        if name not in MEMBERS[role]
    ]
    if not found:
        return None
    return Breach(found[0][0], "\n".join(f"{where}: property '{where}' is unsupported" for _, where in found))


@BOOK.rule(
    "cerebras/pictures-unsupported",
    status=403,
    why="A message has a picture, and the model takes none.",
    confidence="recorded",
    evidence=cite("recordings, gpt-oss-120b", "Multimodal is not enabled for your organization and model"),
    breaking=sample_request({**USER, "content": [RAIN, PICTURE]}, model=MODEL),
    accepted=sample_request({**USER, "content": [RAIN]}, model=MODEL),
    checked=CHECKED,
    about="picture",
)
def _pictures(context: RequestContext) -> Breach | None:
    for index, message in messages(context) if "no-pictures" in context.traits else ():
        for number, part in parts(message):
            if part.get("type") == "image_url":
                sentence = "Multimodal is not enabled for your organization and model"
                extra = {"param": "model", "code": "multimodal_not_enabled"}
                return Breach(f"messages[{index}].content[{number}]", sentence, extra)
    return None


@BOOK.rule(
    "cerebras/tools-mixed-strict",
    status=422,
    why="Some tools are strict, and others are not.",
    confidence="verbatim",
    evidence=cite("public threads that quote it", "Tools with mixed values for 'strict' are not allowed."),
    breaking=with_tool(strict=False),
    accepted=with_tool(strict=True),
    checked=CHECKED,
)
def _mixed_strict(context: RequestContext) -> Breach | None:
    if len({bool(function(tool).get("strict")) for _, tool in tools(context)}) < 2:
        return None
    return Breach("tools", "Tools with mixed values for 'strict' are not allowed.", {"param": "tools"})


def _schema(body: dict[str, Any]) -> dict[str, Any]:
    format_ = body.get("response_format")
    schema = format_.get("json_schema") if isinstance(format_, dict) else None
    return schema if isinstance(schema, dict) else {}


@BOOK.rule(
    "cerebras/response-format-open",
    status=422,
    why="The schema of a strict format does not exclude further properties.",
    confidence="verbatim",
    evidence=cite("agno-agi/agno#6014", "'additionalProperties' is required to be supplied and set to false."),
    breaking=with_format(strict=True, schema={**CLOSED, "additionalProperties": True}),
    accepted=with_format(strict=True, schema=CLOSED),
    checked=CHECKED,
)
def _open_format(context: RequestContext) -> Breach | None:
    wanted = _schema(context.body)
    schema = wanted.get("schema")
    if wanted.get("strict") is not True or not isinstance(schema, dict) or schema.get("additionalProperties") is False:
        return None
    sentence = "'additionalProperties' is required to be supplied and set to false."
    return Breach("response_format.json_schema.schema", sentence, {"param": "response_format"})


refuse_by_model(
    BOOK,
    (
        ModelRefusal(
            "cerebras/strict-format-unsupported",
            "no-strict-format",
            lambda body: "response_format" if _schema(body).get("strict") is True else "",
            "Response format 'json_schema' with strict=True is not supported by this model.",
            why="A strict format is asked for, and the model has none.",
            models="gpt-oss",
            confidence="recorded",
            evidence=cite("recordings, gpt-oss-120b", "'json_schema' with strict=True is not supported by this model."),
            breaking=with_format(model=OSS, strict=True),
            accepted=with_format(model=OSS, strict=False),
            extra={"param": "response_format"},
        ),
        ModelRefusal(
            "cerebras/format-in-stream",
            "no-streamed-formats",
            lambda body: "response_format" if _schema(body) else "",
            '"stream=true" with structured outputs is currently not supported for reasoning models.',
            why="A stream is asked for with a format, and the model reasons.",
            models="qwen-3-32b, qwen-3-235b-a22b",
            confidence="recorded",
            evidence=cite("recordings, qwen-3-32b, qwen-3-235b-a22b", '"stream=true" with structured outputs is'),
            breaking=with_format(model=QWEN, stream=True),
            accepted=with_format(model=QWEN, stream=False),
            extra={"param": "json_schema_mode"},
            streams_only=True,
        ),
        ModelRefusal(
            "cerebras/tool-choice-unsupported",
            "no-forced-call",
            lambda body: "tool_choice" if body.get("tool_choice") == "required" else "",
            "Unsupported tool_choice: {value}. Expected 'auto' or 'none'.",
            why="A call is forced, which the model does not support.",
            models="gpt-oss",
            confidence="recorded",
            evidence=cite("recordings, gpt-oss-120b", "Unsupported tool_choice: required. Expected 'auto' or 'none'."),
            breaking=sample_request(model=OSS, tools=[TOOL], tool_choice="required"),
            accepted=sample_request(model=OSS, tools=[TOOL], tool_choice="auto"),
            extra={"param": "tool_choice"},
        ),
    ),
)
