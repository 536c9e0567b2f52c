"""Anthropic's OpenAI-compatible chat completions: the request becomes one to the Messages API, whose rules and words
hold, in an envelope like OpenAI's.

Follows the endpoint's documentation: system messages are joined in front, results of tools become blocks of a user
message, and what Messages has no place for is left out.
"""

import json
from typing import Any, Final

from msgspec.structs import replace

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, calls, function, listed, messages, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.translated_book import TranslatedBook, Translation
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rule import Citation
from fake_providers.rulebook import ANY_PART, WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.wires.anthropic_messages import wire
from fake_providers.wires.anthropic_messages.errors import KINDS
from fake_providers.wires.anthropic_messages.provider import has_key
from fake_providers.wires.anthropic_messages.response import call_id
from fake_providers.wires.anthropic_messages.rules import CONVERSATION, FIELDS
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)

DEFAULT_MAX_TOKENS: Final = 4096
TYPES_OF_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}


def as_messages(body: dict[str, Any]) -> dict[str, Any]:
    """The body for `/v1/messages`."""
    systems: list[str] = []
    translated: list[dict[str, Any]] = []
    for message in listed(body.get("messages")):
        if not isinstance(message, dict):
            continue
        if message.get("role") in ("system", "developer"):
            systems.append(_text(message.get("content")))
        elif message.get("role") == "tool" and translated and _has_results(translated[-1]):
            translated[-1]["content"].append(_result(message))
        else:
            translated.append(_message(message))
    longest = body.get("max_completion_tokens") or body.get("max_tokens") or DEFAULT_MAX_TOKENS
    made: dict[str, Any] = {"model": body.get("model"), "max_tokens": longest, "messages": translated}
    if text := "\n".join(filter(None, systems)):
        made["system"] = text
    made |= {name: body[name] for name in ("top_p", "stream", "thinking") if body.get(name) is not None}
    if isinstance(body.get("temperature"), int | float):
        made["temperature"] = min(body["temperature"], 1)
    stops = [body["stop"]] if isinstance(body.get("stop"), str) else listed(body.get("stop"))
    if kept := [stop for stop in stops if isinstance(stop, str) and stop.strip()]:
        made["stop_sequences"] = kept
    if tools := [_tool(tool) for tool in listed(body.get("tools")) if isinstance(tool, dict)]:
        made["tools"] = tools
        made |= _choice(body)
    return made


def places_of(body: dict[str, Any]) -> list[list[int]]:
    """Of each translated message, the index of the message that each of its blocks comes from."""
    places: list[list[int]] = []
    in_results = False
    for index, message in enumerate(listed(body.get("messages"))):
        role = message.get("role") if isinstance(message, dict) else "system"
        if role in ("system", "developer"):
            continue
        if role == "tool" and in_results:
            places[-1].append(index)
        else:
            places.append([index])
        in_results = role == "tool"
    return places


def _has_results(message: dict[str, Any]) -> bool:
    return any("tool_use_id" in block for block in listed(message["content"]))


def _message(message: dict[str, Any]) -> dict[str, Any]:
    role, content = message.get("role"), message.get("content")
    if role == "tool":
        return {"role": "user", "content": [_result(message)]}
    blocks = [block for part in listed(content) if isinstance(part, dict) and (block := _block(part))]
    calls = [_call(call) for call in listed(message.get("tool_calls")) if isinstance(call, dict)]
    if not calls:
        return {"role": role, "content": blocks if isinstance(content, list) else content or ""}
    texts = [{"type": "text", "text": content}] if isinstance(content, str) and content else blocks
    return {"role": role, "content": [*texts, *calls]}


def _block(part: dict[str, Any]) -> dict[str, Any] | None:
    """None for audio, which is stripped."""
    if part.get("type") == "text":
        return {"type": "text", "text": part.get("text")}
    picture = part.get("image_url")
    url = picture.get("url") if isinstance(picture, dict) else None
    if part.get("type") != "image_url" or not isinstance(url, str):
        return None
    head, comma, data = url.partition(";base64,")
    if head.startswith("data:") and comma:
        source = {"type": "base64", "media_type": head.removeprefix("data:"), "data": data}
    else:
        source = {"type": "url", "url": url}
    return {"type": "image", "source": source}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    wanted = function(call)
    return {"type": "tool_use", "id": call.get("id"), "name": wanted.get("name"), "input": _read(wanted)}


def _read(wanted: dict[str, Any]) -> Any:
    try:
        return json.loads(wanted.get("arguments") or "{}")
    except (TypeError, ValueError, RecursionError):
        return {}


def _result(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_result",
        "tool_use_id": message.get("tool_call_id"),
        "content": _text(message.get("content")),
    }


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = (part.get("text") for part in listed(content) if isinstance(part, dict))
    return "\n".join(text for text in parts if isinstance(text, str))


def _tool(tool: dict[str, Any]) -> dict[str, Any]:
    declared = function(tool)
    made = {"name": declared.get("name"), "input_schema": declared.get("parameters") or {"type": "object"}}
    if isinstance(declared.get("description"), str):
        made["description"] = declared["description"]
    return made


def _choice(body: dict[str, Any]) -> dict[str, Any]:
    choice = body.get("tool_choice")
    alone = {} if body.get("parallel_tool_calls") is not False else {"disable_parallel_tool_use": True}
    if isinstance(choice, dict):
        return {"tool_choice": {"type": "tool", "name": function(choice).get("name"), **alone}}
    kind = TYPES_OF_CHOICES.get(choice, "") if isinstance(choice, str) else ""
    if kind == "none":
        return {"tool_choice": {"type": "none"}}
    return {"tool_choice": {"type": kind or "auto", **alone}} if kind or alone else {}


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The other way round: the chat request that becomes this one. `body` is a sample of a rule of Messages."""
    kept = {name: body[name] for name in body if name in ("model", "max_tokens", "temperature", "top_p", "thinking")}
    sent = [{"role": "system", "content": body["system"]}] if "system" in body else []
    for message in body["messages"]:
        sent += _sent(message)
    tools = [{"type": "function", "function": _declared(tool)} for tool in body.get("tools", ())]
    choice = body.get("tool_choice", {})
    names = {"any": "required", "tool": {"type": "function", "function": {"name": choice.get("name")}}}
    kept |= {"tools": tools} if tools else {}
    return {**kept, "messages": sent, **({"tool_choice": names.get(choice["type"], choice["type"])} if choice else {})}


def _declared(tool: dict[str, Any]) -> dict[str, Any]:
    names = {"name": "name", "description": "description", "input_schema": "parameters"}
    return {names[name]: value for name, value in tool.items() if name in names}


def _sent(message: dict[str, Any]) -> list[dict[str, Any]]:
    if not isinstance(message["content"], list):
        return [message]
    of = {kind: [block for block in message["content"] if block["type"] == kind] for kind in BLOCKS}
    results = [
        {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        for block in of["tool_result"]
    ]
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
        }
        for block in of["tool_use"]
    ]
    if results and not of["text"]:
        return results
    called = {"tool_calls": calls} if calls else {}
    return [*results, {"role": message["role"], "content": of["text"] or (None if calls else []), **called}]


BLOCKS: Final = ("text", "tool_use", "tool_result")


MODEL: Final = "claude-sonnet-4-6"
CHECKED: Final = "2026-11-27"
DOCS: Final = "https://platform.claude.com/docs/en/api/openai-sdk"
IGNORED: Final = (
    "logprobs", "presence_penalty", "frequency_penalty", "seed", "user", "top_logprobs", "reasoning_effort",
    "response_format", "response_format.type", "response_format.json_schema", "response_format.json_schema.name",
    "response_format.json_schema.description", "response_format.json_schema.schema",
    "response_format.json_schema.strict", "tools[].function.strict", "messages[].name",
)  # fmt: skip


error_body = Envelope(
    {"error": {"code": "<code>", "message": "<message>", "type": "invalid_request_error", "param": None}},
    code=ByStatus({status: kind for status, (kind, _) in KINDS.items()}, KINDS[400][0]),
)

BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "anthropic",
    replace(MESSAGES, rules="chat-"),
    model=MODEL,
    not_json=Breach("body", "Failed to parse JSON: "),
    missing=lambda body: Breach("messages", "messages: Field required"),
    source="the words of the Messages API, in this endpoint's envelope",
)


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    roles = ("system", "developer", "user", "assistant", "tool")
    problem = problems_of(found, list(found.path), whole=None, roles=roles)[0]
    return Breach(found.at, f"{found.dotted}: {problem['msg']}")


refuse_wrong_types(
    BOOK,
    "anthropic",
    Dialect(
        words=_wrong_type,
        source=f"{DOCS}: members that it lists as ignored are not read",
        types=dict.fromkeys(IGNORED, "any"),
        required=("messages[].role", "tools[].function.name"),
    ),
    Samples(MODEL),
    prefix="chat-",
)


def _several(context: RequestContext) -> Breach | None:
    return Breach("n", "n: Input should be 1") if context.body.get("n") not in (None, 1) else None


def _calling(arguments: str) -> dict[str, Any]:
    call = CALL_MESSAGE["tool_calls"][0]
    return {**CALL_MESSAGE, "tool_calls": [{**call, "function": {"name": "get_weather", "arguments": arguments}}]}


def _arguments(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, call in calls(message):
            text = function(call).get("arguments")
            if isinstance(text, str) and not _is_object(text):
                return Breach(f"messages[{index}].tool_calls[{number}].function.arguments", "Failed to parse JSON: ")
    return None


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


PASSED_ON: Final[tuple[Citation, ...]] = (
    *cite("microsoft/autogen#6083", "messages.0: all messages must have non-empty content"),
    *cite("public reports of claude-fable-5 on this endpoint", "`temperature` is deprecated for this model."),
)
REACHABLE: Final = frozenset((
    "tool-name-pattern", "tool-names-unique", "tool-schema-union", "tool-schema-invalid", "tool-property-name",
    "messages-empty", "tool-use-id", "tool-use-name", "tool-result-id", "max-tokens-large", "tool-choice-unsupported",
    "sampling-deprecated", "temperature-and-top-p", "user-content-empty", "assistant-content-empty", "text-empty",
    "text-blank", "tool-use-ids-unique", "tool-result-without-use", "tool-result-twice", "tool-use-unanswered",
    "thinking-type-unsupported", "thinking-adaptive-unsupported", "thinking-top-p", "thinking-budget-small",
    "thinking-budget-large", "thinking-forced-tool", "adaptive-forced-tool", "thinking-temperature", "prefill",
    "trailing-whitespace", "tool-choice-unknown-tool",
))  # fmt: skip
"""The rules of Messages that a chat request can break, whatever it is made of."""


SAID: Final = {"role": "assistant", "content": "A moment."}
PAIRS: Final = {
    "anthropic/tool-use-unanswered": (
        sample_request(USER, CALL_MESSAGE, model=MODEL, tools=[TOOL]),
        sample_request(USER, CALL_MESSAGE, RESULT, model=MODEL, tools=[TOOL]),
    ),
    "anthropic/tool-result-without-use": (
        sample_request(USER, SAID, RESULT, model=MODEL, tools=[TOOL]),
        sample_request(USER, {**SAID, "tool_calls": CALL_MESSAGE["tool_calls"]}, RESULT, model=MODEL, tools=[TOOL]),
    ),
}
"""The samples of rules whose samples for Messages differ in more than one place as chat requests."""


def _place(at: str, body: dict[str, Any]) -> str:
    """The message of the request that a place in the translated one stands for; other places as they are."""
    parts = at.split(".")
    if parts[0] != "messages" or len(parts) < 2 or not parts[1].isdigit():
        return at
    blocks = places_of(body)[int(parts[1])]
    block = int(parts[3]) if len(parts) > 3 and parts[3].isdigit() else 0
    return f"messages[{blocks[min(block, len(blocks) - 1)]}]"


TRANSLATION: Final = Translation(
    as_messages,
    as_chat,
    _place,
    reachable=REACHABLE,
    pairs=PAIRS,
    envelope=lambda found: error_body(found.message, status=found.status),
)


FAILURES = ByStatus(
    {status: sentence for status, (_, sentence) in KINDS.items()} | {401: "Invalid Anthropic API Key"},
    "Internal server error",
)


NO_KEY = "x-api-key header is required"


# A table: two rows are to be compared.
# fmt: off
BOOK.row("anthropic/choices-too-many", "`n` is not 1.",
    WHOLE_REQUEST, _several, checked=CHECKED,
    wrong=sample_request(model=MODEL, n=2), right=sample_request(model=MODEL, n=1),
    reported={DOCS: "Must be exactly 1"})
BOOK.row("anthropic/chat-arguments-not-json",
    "The arguments of a tool call are no JSON object: the endpoint makes the `input` of a tool use of them.",
    ANY_PART, _arguments, even_usual=True, checked=CHECKED,
    wrong=sample_request(USER, _calling("7"), RESULT, model=MODEL, tools=[TOOL]),
    right=sample_request(USER, _calling("{}"), RESULT, model=MODEL, tools=[TOOL]),
    inferred={"yinzara/ha-config-ai-agent#5": "Failed to parse JSON: "})
# fmt: on
PROVIDER = Provider(
    name="anthropic",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule("anthropic/chat-prompt-too-long", reported={"the words of the Messages API": ""}),
        too_long="prompt is too long: {tokens} tokens > {window} maximum",
        missing_key=missing_key_rule(
            "anthropic/chat-missing-key",
            reported={"public reports of a wrong key on this endpoint": "Invalid Anthropic API Key"},
        ),
        no_key=NO_KEY,
        key=lambda request: "key" if has_key(request) else "",
    ),
    answers=Answers(
        id=lambda ids: ids.make("msg_01", 22),
        call_id=call_id,
        completion=Document("id choices created model object usage?"),
        message=Document("role content:content_or_null tool_calls?"),
        thought=None,
        usage_comes="with_finish",
    ),
    books=(BOOK, *(TranslatedBook(book, "anthropic", PASSED_ON, TRANSLATION) for book in (*FIELDS, *CONVERSATION))),
    traits=families_of("anthropic-messages", "anthropic"),
    models=wire.WIRE.models,  # the list is that of Messages
)
