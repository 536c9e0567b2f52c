"""Anthropic's OpenAI-compatible chat completions: the request becomes one to the Messages API, whose rules and words
hold, in an envelope like OpenAI's.

Follows the endpoint's documentation: system messages are joined in front, results of tools become blocks of a user
message, and what Messages has no place for is left out.
"""

import json
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import CALL, MESSAGES, PlacedItem, function, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.translated_book import TranslatedBook, Translation
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rule import Citation
from fake_providers.rulebook import ANY_PARAMETER, Rulebook
from fake_providers.values.lenient import listed
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
SYSTEMS: Final = ("system", "developer")
TYPES_OF_CHOICES: Final = {"auto": "auto", "required": "any", "none": "none"}


def as_messages(body: dict[str, Any]) -> dict[str, Any]:
    """The body for `/v1/messages`."""
    systems = [_text(one.get("content")) for _, one in _messages(body) if one.get("role") in SYSTEMS]
    longest = body.get("max_completion_tokens") or body.get("max_tokens") or DEFAULT_MAX_TOKENS
    turns = [_message([message for _, message in turn]) for turn in _turns(body)]
    made: dict[str, Any] = {"model": body.get("model"), "max_tokens": longest, "messages": turns}
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


def _messages(body: dict[str, Any]) -> list[PlacedItem]:
    return [(index, one) for index, one in enumerate(listed(body.get("messages"))) if isinstance(one, dict)]


def _turns(body: dict[str, Any]) -> list[list[PlacedItem]]:
    """The messages, and together the results that become one message."""
    turns: list[list[PlacedItem]] = []
    for index, message in _messages(body):
        if message.get("role") == "tool" and turns and turns[-1][0][1].get("role") == "tool":
            turns[-1].append((index, message))
        elif message.get("role") not in SYSTEMS:
            turns.append([(index, message)])
    return turns


def _message(turn: list[dict[str, Any]]) -> dict[str, Any]:
    role, content = turn[0].get("role"), turn[0].get("content")
    if role == "tool":
        return {"role": "user", "content": [_result(message) for message in turn]}
    blocks = [block for part in listed(content) if isinstance(part, dict) and (block := _block(part))]
    calls = [_call(call) for call in listed(turn[0].get("tool_calls")) if isinstance(call, dict)]
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
    arguments = _read(wanted.get("arguments") or "{}", otherwise={})
    return {"type": "tool_use", "id": call.get("id"), "name": wanted.get("name"), "input": arguments}


def _read(text: Any, *, otherwise: Any = None) -> Any:
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return otherwise


def _result(message: dict[str, Any]) -> dict[str, Any]:
    text = _text(message.get("content"))
    return {"type": "tool_result", "tool_use_id": message.get("tool_call_id"), "content": text}


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
    own = {"name": "name", "description": "description", "input_schema": "parameters"}
    declared = [{own[name]: tool[name] for name in tool if name in own} for tool in body.get("tools", ())]
    tools = [{"type": "function", "function": one} for one in declared]
    choice = body.get("tool_choice", {})
    names = {"any": "required", "tool": {"type": "function", "function": {"name": choice.get("name")}}}
    kept |= {"tools": tools} if tools else {}
    return {**kept, "messages": sent, **({"tool_choice": names.get(choice["type"], choice["type"])} if choice else {})}


def _sent(message: dict[str, Any]) -> list[dict[str, Any]]:
    if not isinstance(message["content"], list):
        return [message]
    sent, texts, calls = [], [], []
    for block in message["content"]:
        if block["type"] == "tool_result":
            sent.append({"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]})
        elif block["type"] == "tool_use":
            called = {"name": block["name"], "arguments": json.dumps(block["input"])}
            calls.append({"id": block["id"], "type": "function", "function": called})
        elif block["type"] == "text":
            texts.append(block)
        elif block["type"] == "image":
            url = "data:{media_type};base64,{data}".format_map(block["source"])
            texts.append({"type": "image_url", "image_url": {"url": url}})
    if texts or not sent:
        with_calls = {"tool_calls": calls} if calls else {}
        sent.append({"role": message["role"], "content": texts or (None if calls else []), **with_calls})
    return sent


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
refuse_unread(BOOK, "anthropic", replace(MESSAGES, rules="chat-"), model=MODEL, not_json="Failed to parse JSON: ",
    missing="messages: Field required",
    source="the words of the Messages API, in this endpoint's envelope")  # fmt: skip


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
refuse_wrong_types(BOOK, "anthropic",
    Dialect(source=f"{DOCS}: members that it lists as ignored are not read", types=dict.fromkeys(IGNORED, "any"),
        required=("messages[].role", "tools[].function.name"), words=lambda found, _:
            f"{found.dotted}: {problems_of(found, list(found.path), whole=None, roles=ROLES)[0]['msg']}"),
    Samples(MODEL), prefix="chat-")  # fmt: skip


def _calling(arguments: str) -> dict[str, Any]:
    call = CALL_MESSAGE["tool_calls"][0]
    calling = {**CALL_MESSAGE, "tool_calls": [{**call, "function": {"name": "get_weather", "arguments": arguments}}]}
    return sample_request(USER, calling, RESULT, model=MODEL, tools=[TOOL])


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
    "trailing-whitespace", "tool-choice-unknown-tool", "image-data", "image-empty", "image-unreadable",
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
    turn = _turns(body)[int(parts[1])]
    block = int(parts[3]) if len(parts) > 3 and parts[3].isdigit() else 0
    return f"messages[{turn[min(block, len(turn) - 1)][0]}]"


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
    ANY_PARAMETER, lambda body: body.get("n") not in (None, 1), "n: Input should be 1", "n", checked=CHECKED,
    remedy=remedies.NO_PARAMETER,
    wrong=sample_request(model=MODEL, n=2), right=sample_request(model=MODEL, n=1),
    reported={DOCS: "Must be exactly 1"})
BOOK.row("anthropic/chat-arguments-not-json",
    "The arguments of a tool call are no JSON object: the endpoint makes the `input` of a tool use of them.",
    CALL, lambda call: isinstance(text := function(call).get("arguments"), str) and not isinstance(_read(text), dict),
    "Failed to parse JSON: ", ".function.arguments", even_usual=True, checked=CHECKED,
    remedy=remedies.ARGUMENTS_UNPARSED,
    wrong=_calling("7"), right=_calling("{}"),
    inferred={"yinzara/ha-config-ai-agent#5": "..."})
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
