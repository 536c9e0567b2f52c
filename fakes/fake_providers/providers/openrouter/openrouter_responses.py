"""OpenRouter's Responses: requests are parsed strictly, and nothing is stored.

What OpenAI refuses of its models comes back as on chat completions; of other makers' models that is deduced.
Calls and results without item ids, and assistant messages whose content is a string, were recorded as accepted.
Answers have comments while it waits, events without names, a final `[DONE]`, temporary ids and the cost.

First is what becomes of a request that is sent on to a maker without Responses: chat completions, without the items
that these have no place for.
"""

import json
import re
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.mistral.mistral_chat_rules import CHAT_CONVERSATION_RULES_BOOK
from fake_providers.providers.openrouter.openrouter_chat import PROVIDER as CHAT
from fake_providers.providers.openrouter.openrouter_chat import TOO_LONG, WAITING
from fake_providers.providers.openrouter.openrouter_upstream import (
    ANTHROPIC,
    FROM_ELSEWHERE,
    MENDED,
    MISTRAL,
    OPENAI,
    metadata_of,
    wants_no_reasoning,
)
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_as_responses import as_responses
from fake_providers.providers.shared.chat_reading import CHECKED, INPUT, ITEM, json_kind, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.makers_book import OF_MESSAGES, OF_RESPONSES, Maker, MakersBook
from fake_providers.providers.shared.translated_book import UNCHANGED, Translation
from fake_providers.replies.documents import ByStatus, Envelope, Failure
from fake_providers.rule import Citation, Remedy, Violation
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, bodiless_rule
from fake_providers.values.lenient import listed
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.provider import (
    Answers,
    Members,
    Provider,
    Tokens,
    functions,
    members,
    requested_value,
)
from fake_providers.wires.openai_responses.request import encrypt, is_requested
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_responses.rules.samples import ASSISTANT_MESSAGE, USER, item_with, sample_request
from fake_providers.wires.openai_shared.provider_errors import missing_key_rule
from fake_providers.wires.openai_shared.request_body import DONE, body_of, model_of

SAME: Final = ("model", "stream", "reasoning", "temperature", "top_p", "parallel_tool_calls", "tool_choice")
TEXTS: Final = ("input_text", "output_text", "refusal")


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The body for `/v1/chat/completions`."""
    made: dict[str, Any] = {name: body[name] for name in SAME if body.get(name) is not None}
    begins = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    made["messages"] = [*begins, *(message for _, message in _messages(body))]
    if body.get("max_output_tokens") is not None:
        made["max_tokens"] = body["max_output_tokens"]
    declared = [tool for tool in listed(body.get("tools")) if isinstance(tool, dict) and tool.get("type") == "function"]
    if declared:
        made["tools"] = [{"type": "function", "function": _without_type(tool)} for tool in declared]
    if isinstance(choice := made.get("tool_choice"), dict):
        made["tool_choice"] = {"type": "function", "function": {"name": choice.get("name")}}
    return made


def _without_type(tool: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in tool.items() if name != "type"}


def _messages(body: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Each message, with the index of the first item that it is made of. What the model said and called is one."""
    given = body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else listed(given)
    made: list[tuple[int, dict[str, Any]]] = []
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        own = _of_model(item)
        if own is None:
            made += [(index, message)] if (message := _message(item)) else []
        elif made and made[-1][1]["role"] == "assistant" and not ("content" in own and "content" in made[-1][1]):
            calls = [*made[-1][1].get("tool_calls", ()), *own.get("tool_calls", ())]
            made[-1] = (made[-1][0], {**made[-1][1], **own, **({"tool_calls": calls} if calls else {})})
        else:
            made.append((index, {"role": "assistant", **own}))
    return [(index, {"content": None, **message}) for index, message in made]


def _of_model(item: dict[str, Any]) -> dict[str, Any] | None:
    """The members that an item of the model's gives to its message."""
    kind = item.get("type", "message")
    if kind == "function_call":
        wanted = {name: item.get(name) for name in ("name", "arguments")}
        return {"tool_calls": [{"id": item.get("call_id"), "type": "function", "function": wanted}]}
    if kind == "reasoning":
        secret = item.get("encrypted_content")
        return {"reasoning_details": [{"type": "reasoning.encrypted", "data": secret}]} if secret else {}
    return {"content": _content(item.get("content"))} if item.get("role") == "assistant" else None


def _message(item: dict[str, Any]) -> dict[str, Any] | None:
    if item.get("type") == "function_call_output":
        return {"role": "tool", "tool_call_id": item.get("call_id"), "content": _content(item.get("output"))}
    return {"role": item["role"], "content": _content(item.get("content"))} if "role" in item else None


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    return [made for part in content if isinstance(part, dict) and (made := _part(part))]


def _part(part: dict[str, Any]) -> dict[str, Any] | None:
    if part.get("type") in TEXTS:
        return {"type": "text", "text": part.get("text", part.get("refusal"))}
    is_picture = part.get("type") == "input_image" and isinstance(part.get("image_url"), str)
    return {"type": "image_url", "image_url": {"url": part["image_url"]}} if is_picture else None


def _place(at: str, body: dict[str, Any]) -> str:
    """The place in the request to Responses of a place in the chat request."""
    found = re.match(r"messages\[(\d+)\]", at)
    if found is None:
        return "input" if at.startswith("messages") else re.sub(r"^(tools\[\d+\])\.function", r"\1", at)
    index = int(found[1]) - bool(body.get("instructions"))
    made = _messages(body)
    return f"input[{made[index][0]}]" if 0 <= index < len(made) else "input"


def on_responses(maker: Maker, *names: str) -> Maker:
    """The maker behind a gateway's Responses, with these of its rules: what holds there is only known of others."""
    inner = maker.translation
    translation = Translation(
        lambda body: inner.native(as_chat(body)),
        lambda sample: as_responses(inner.chat(sample)),
        lambda at, body: _place(inner.place(at, as_chat(body)), body),
        (),
        pairs={id: (as_responses(wrong), as_responses(right)) for id, (wrong, right) in inner.pairs.items()},
    )
    return replace(maker, quoted=dict.fromkeys(names), translation=translation, deduced=True)


MODEL: Final = "openai/gpt-4.1"
UNREAD: Final = "Invalid Responses API request"
OPENAPI: Final = "openrouter.ai, OpenAPI of POST /responses"


error_body = Envelope(
    {"error": {"code": "<code>", "message": "<message>"}, "metadata": "<metadata>"},
    code="invalid_prompt",
    metadata=None,
)


def unread(at: str, issue: str, *, code: str = "invalid_union", **more: Any) -> Breach:
    """The breach that the parser reports at this place of the body."""
    path = [int(step) if step.isdecimal() else step for step in at.replace("]", "").replace("[", ".").split(".")]
    issues = [{"code": code, **more, "path": path, "message": issue}]
    return Breach(at, UNREAD, {"metadata": {"raw": json.dumps(issues, indent=2)}})


def routed(*conversation: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=MODEL, **fields)


BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "openrouter", INPUT, model=MODEL, not_json=Breach("body", "Invalid JSON"),
    missing=lambda body: unread("input", "Invalid input"), status=400,
    source="the envelope for other requests that cannot be parsed")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> Breach:
    expected, received = " | ".join(found.types), json_kind(found.value)
    return unread(found.at, f"Invalid input: expected {expected}, received {received}", code="invalid_type")


def _without_id(item: dict[str, Any], place: str) -> Any:
    issue = {"expected": "string", "code": "invalid_type", "path": ["id"]}
    rendered = {**issue, "message": "Invalid input: expected string, received undefined"}
    parts = [part for _, part in elsewhere.objects(item.get("content"))]
    lacks_id = item.get("role") == "assistant" and "id" not in item
    is_wrong = lacks_id and any(part.get("type") in ("output_text", "refusal") for part in parts)
    return is_wrong and unread(place, "Invalid input", errors=[[rendered]])


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openrouter/responses-model-missing", "The request has neither `model` nor `models`.",
    ANY_PARAMETER, lambda body: not body.get("model") and not body.get("models"),
    "Missing required parameter: 'model'.", "model", checked=CHECKED, remedy=remedies.MODEL_NAME,
    wrong=item_with(routed(), model=None), right=routed(),
    reported={"openrouter.ai, Responses API, overview": "..."})
BOOK.row("openrouter/responses-message-without-id", "An assistant message with `output_text` parts has no id.",
    ITEM, _without_id, checked=CHECKED,
    remedy=Remedy("stored-state", "Store the id of each assistant message and send it back with the message."),
    wrong=routed(USER, item_with(ASSISTANT_MESSAGE, id=None), USER), right=routed(USER, ASSISTANT_MESSAGE, USER),
    verbatim={"microsoft/agent-framework#3795": UNREAD, "openai/codex#12114": "", "CherryHQ/cherry-studio#10477": "",
        OPENAPI: ""})
BOOK.row("openrouter/responses-previous", "The request has a `previous_response_id`; OpenRouter stores no responses.",
    ANY_PARAMETER,
    lambda body: (body.get("previous_response_id") is not None
        and unread("previous_response_id", "previous_response_id is not supported", code="custom")), checked=CHECKED,
    remedy=remedies.STORE_NOTHING,
    wrong=routed(previous_response_id="gen-1"), right=routed(previous_response_id=None),
    reported={OPENAPI: "Requests with a non-null value are rejected with a 400 error."})
BOOK.row("openrouter/responses-store", "The request has `store: true`; OpenRouter stores no responses.",
    ANY_PARAMETER,
    lambda body: (body.get("store") is True
        and unread("store", "Invalid input: expected false", code="invalid_value", values=[False])), checked=CHECKED,
    remedy=remedies.STORE_NOTHING,
    wrong=routed(store=True), right=routed(store=False),
    inferred={f"{OPENAPI}, where `store` is the constant false": ""})
# fmt: on


refuse_wrong_types(BOOK, "openrouter",
    Dialect(words=_wrong_type, source="the issues of zod that it reports of items",
        members=elsewhere.MEMBERS_OF_RESPONSES, types={"input[].role": "string"}), elsewhere.ResponsesSamples(MODEL),
    prefix="responses-", table=elsewhere.RULES_OF_RESPONSES)  # fmt: skip


def _passed_on(maker: Maker, found: Violation, _model: str) -> Any:
    return error_body(FROM_ELSEWHERE, metadata=metadata_of(maker.server, maker.raw(found.body)))


def _mended(body: dict[str, Any]) -> dict[str, Any]:
    """As OpenRouter sends a chat request on: without what a model does not take, but for an effort of none. A
    `max_tool_calls` of 0 was recorded as accepted."""
    sent = {name: value for name, value in body.items() if name not in (*MENDED, "max_tool_calls")}
    return {**sent, "reasoning": {"effort": "none"}} if wants_no_reasoning(body) else sent


SENT_ON: Final = replace(
    OPENAI,
    passed_on=_passed_on,
    translation=replace(UNCHANGED, native=_mended, pairs={"openai/responses-effort-value": (
        sample_request(model="o3", reasoning={"effort": "none"}),
        sample_request(model="o3", reasoning={"effort": "low"}))}),
    quoted=dict.fromkeys(OPENAI.quoted),
    seen=(Citation("gptme/gptme#650, on chat completions, in the words of the Responses that it is sent on to",
        "No tool output found for function call call_"),),
)  # fmt: skip
TRANSLATED: Final[tuple[tuple[Rulebook, Maker, str], ...]] = (
    (OF_MESSAGES, on_responses(ANTHROPIC, "tool-result-without-use", "tool-use-unanswered", "tool-result-twice",
        "tool-name-pattern", "tool-names-unique", "tool-schema-union", "tool-property-name", "prefill", "image-empty",
        "image-data", "image-unreadable", "image-of-another-type"), "anthropic"),
    (CHAT_CONVERSATION_RULES_BOOK, on_responses(MISTRAL, "role-order"), "mistral"),
)  # fmt: skip
"""Books of other makers, who have no Responses."""

MISSING_KEY = missing_key_rule(
    "openrouter/responses-missing-key",
    verbatim={"openrouter.ai, OpenAPI of POST /responses": "Missing Authentication header"},
)
CONTEXT_LENGTH = bodiless_rule(
    "openrouter/responses-context-length",
    status=400,
    why="The conversation is longer than the context window of every endpoint of the model.",
    reported={"openrouter.ai, Responses API, error handling, which calls it `invalid_prompt`": ""},
    remedy=remedies.SHORTEN,
)
FAILING = {"code": "server_error"}
LOWER = "0123456789abcdefghijklmnopqrstuvwxyz"


def _begun(context: ReplyContext, response_id: str, streamed: bool) -> Members:
    body = body_of(context.request)
    return {
        "id": response_id,
        "object": "response",
        "created_at": CREATED,
        "model": model_of(body),
        "status": "in_progress",
        "completed_at": None,
        "output": [],
        "error": None,
        "incomplete_details": None,
        "tools": functions(body, lambda tool: {**tool, "strict": tool.get("strict")}),
        "tool_choice": requested_value(body, "tool_choice", "auto"),
        "parallel_tool_calls": requested_value(body, "parallel_tool_calls", True),
        "max_output_tokens": body.get("max_output_tokens"),
        "temperature": requested_value(body, "temperature", 1),
        "top_p": requested_value(body, "top_p", 1),
        "presence_penalty": requested_value(body, "presence_penalty", 0),
        "frequency_penalty": requested_value(body, "frequency_penalty", 0),
        "top_logprobs": requested_value(body, "top_logprobs", 0),
        "max_tool_calls": body.get("max_tool_calls"),
        "metadata": requested_value(body, "metadata", {}),
        "background": False,
        "previous_response_id": None,
        "service_tier": "auto",
        "truncation": "disabled",
        "store": False,
        "instructions": body.get("instructions"),
        "text": {"format": {"type": "text"}, **members(body, "text")},
        "reasoning": body.get("reasoning"),
        "safety_identifier": body.get("safety_identifier"),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_options": body.get("prompt_cache_options"),
        "usage": None,
    }


def _thought(item_id: str, thinking: str, secret: str | None) -> Members:
    summary = [{"type": "summary_text", "text": thinking}] if thinking else []
    item: Members = {"id": item_id, "type": "reasoning", "status": "completed", "summary": summary}
    return item if secret is None else {**item, "encrypted_content": secret, "format": "openai-responses-v1"}


def _settled(item: Members) -> Members:
    """In the finished response, the role of a message comes before its status."""
    if item["type"] != "message":
        return item
    return {name: item[name] for name in ("id", "type", "role", "status", "content")}


def _usage(tokens: Tokens) -> Members:
    cost = {"upstream_inference_cost": 0.0001}
    parts = {"upstream_inference_input_cost": 0.00004, "upstream_inference_output_cost": 0.00006}
    return {**tokens.counts(), "cost": 0.0001, "is_byok": False, "cost_details": {**cost, **parts}}


PROVIDER = Provider(
    name="openrouter",
    base_path="/api/v1",
    errors=replace(
        CHAT.errors,
        envelope=error_body,
        # Errors before the request is parsed are those of chat completions.
        failures=ByStatus(
            {
                400: FROM_ELSEWHERE,
                429: Failure("Rate limit exceeded", {"code": "rate_limit_exceeded"}),
                500: Failure("Internal Server Error", FAILING),
                520: Failure("Internal Server Error", FAILING),
            },
            CHAT.errors.failure,
            Failure(FROM_ELSEWHERE, FAILING),
        ),
        window=CONTEXT_LENGTH,
        too_long=TOO_LONG,
        missing_key=MISSING_KEY,
        path="input",
    ),
    answers=Answers(
        id=lambda ids: ids.make(f"gen-{CREATED}-", 20),
        call_id=lambda ids, number: ids.make("call_", 24),
        item_id=lambda kind, response_id, number, ids: ids.make(f"{kind}_tmp_", 11, LOWER),
        unfinished_response=_begun,
        reasoning_item=_thought,
        message_item=lambda item_id, part, commentary: {
            "id": item_id,
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [part],
        },
        call_item=lambda item_id, call_id, name, arguments: {
            "id": item_id,
            "type": "function_call",
            "status": "completed",
            "call_id": call_id,
            "name": name,
            "arguments": arguments,
        },
        text_part=lambda text: {"type": "output_text", "text": text, "annotations": [], "logprobs": []},
        usage=_usage,
        order_event=lambda name, members, number: {"type": name, **members, "sequence_number": number},
        names_events=False,
        names_calls=True,
        first_chunks=(WAITING,),
        last_chunks=(DONE,),
        final_item=_settled,
        encrypt_reasoning=lambda thinking, context: (
            encrypt(thinking) if is_requested(body_of(context.request)) else None
        ),
    ),
    books=(
        BOOK,
        MakersBook("openrouter", OF_RESPONSES, SENT_ON, "openai", "responses-"),
        *(
            MakersBook("openrouter", book, replace(maker, passed_on=_passed_on), owner, "responses-")
            for book, maker, owner in TRANSLATED
        ),
    ),
    traits=families_of("openai-responses", "openrouter"),
)
