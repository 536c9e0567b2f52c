"""DeepSeek's Responses: a result follows its call directly, and the model's turn comes back with its reasoning.

DeepSeek stores nothing, so items that a request only references are missing. Two reasoning items before two calls,
calls without item ids, and calls of earlier turns without reasoning were recorded as accepted. Every answer of a
thinking model begins with its full reasoning; ids have no prefix.
"""

from dataclasses import replace
from functools import partial
from typing import Any, Final

from msgspec import structs

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.deepseek_chat import NOT_JSON, UNSAID, error_body
from fake_providers.providers.deepseek.deepseek_chat import PROVIDER as CHAT
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import CHECKED, INPUT, PlacedItem, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.reply import Reply
from fake_providers.rulebook import Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.provider import (
    Answers,
    Members,
    Provider,
    functions,
    members,
    requested_value,
)
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    CALL,
    RESULT,
    USER,
    sample_request,
)
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MODEL: Final = "deepseek-v4-flash"
CLOSING: Final = (None, "message", "reasoning")
"""Items before which every call must be answered. Of others nothing is known."""
THOUGHT: Final = {"type": "reasoning_text", "text": "I ask the tool."}
REASONING_ITEM: Final = {"type": "reasoning", "id": "rs_1", "summary": [], "content": [THOUGHT]}


deepseek = partial(sample_request, model=MODEL)
BOOK = Rulebook(error_body.refusal)

refuse_unread(BOOK, "deepseek", INPUT, model=MODEL, not_json=NOT_JSON,
    missing=f"{UNREADABLE}missing field `input` at line 1 column 2",
    source="worded as on chat completions for bodies that cannot be parsed")  # fmt: skip


def _unanswered(found: list[PlacedItem]) -> dict[str, Any] | None:
    pending: dict[str, int] = {}
    for index, item in [*found, (-1, {})]:
        kind, call_id = elsewhere.kind_of(item), str(item.get("call_id"))
        if kind == "function_call":
            pending[call_id] = index
        elif kind == "function_call_output":
            pending.pop(call_id, None)
        elif kind in CLOSING and pending:
            first = next(iter(pending))
            return {"i": pending[first], "id": first}
    return None


def _without_call(found: list[PlacedItem]) -> dict[str, Any] | None:
    called = set()
    for index, item in found:
        call_id = str(item.get("call_id"))
        if item.get("type") == "function_call":
            called.add(call_id)
        elif item.get("type") == "function_call_output" and call_id not in called:
            return {"i": index, "id": call_id}
    return None


def _without_reasoning(found: list[PlacedItem]) -> dict[str, Any] | None:
    spoke = max((place for place, (_, item) in enumerate(found) if item.get("role") == "user"), default=-1)
    thought = False
    for index, item in found[spoke + 1 :]:
        kind = elsewhere.kind_of(item)
        if kind == "function_call" and not thought:
            return {"i": index}
        thought = kind == "reasoning" or (thought and kind != "function_call_output")
    return None


def thinks(body: Any, traits: frozenset[str]) -> bool:
    """Whether the model thinks before it answers this body: it does unless the request disables it."""
    reasoning = body.get("reasoning")
    return "thinking" in traits and not (isinstance(reasoning, dict) and reasoning.get("effort") == "none")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("deepseek/responses-call-unanswered",
    "A tool call has no result, or a message or a reasoning item stands between the two.",
    elsewhere.NEAR_ITEMS, _unanswered, "No tool output found for tool call {id}.", even_usual=True, checked=CHECKED,
    remedy=remedies.ANSWER_CALLS,
    wrong=deepseek(USER, REASONING_ITEM, CALL, ASSISTANT_MESSAGE, RESULT),
    right=deepseek(USER, REASONING_ITEM, CALL, RESULT),
    recorded={"recording, deepseek-v4-flash": "No tool output found for tool call",
        "deepseek-ai/awesome-deepseek-integration#740": "", "deepseek-ai/DeepSeek-V3#1588": "",
        "yetone/alma-releases#81": "", "fish2lab/DSCodex#9": ""})
BOOK.row("deepseek/responses-result-without-call",
    "A tool result has no call before it. A call in an earlier response, or one that is only referenced, does not "
        "count.",
    elsewhere.NEAR_ITEMS, _without_call, "No tool call found for tool output with call_id {id}.", ".call_id",
    even_usual=True, checked=CHECKED, remedy=remedies.RESULT_WITH_CALL,
    wrong=deepseek(USER, REASONING_ITEM, RESULT), right=deepseek(USER, REASONING_ITEM, CALL, RESULT),
    verbatim={"TheManuelML/obsidian-agent#12": "No tool call found for tool output with call_id read_note-2-1.",
        "deepseek-ai/DeepSeek-V3#1611": ""})
BOOK.row("deepseek/responses-reasoning-required",
    "Tool calls since the last user message lack the reasoning that the model sent before them.",
    elsewhere.NEAR_ITEMS, _without_reasoning,
    "The `reasoning_text` in the thinking mode must be passed back to the API.", even_usual=True,
    given=lambda context: thinks(context.body, context.traits), models="all, unless reasoning has the effort `none`",
    checked=CHECKED, remedy=remedies.REASONING_OF_CALLS,
    wrong=deepseek(USER, CALL, RESULT), right=deepseek(USER, REASONING_ITEM, CALL, RESULT),
    verbatim={"rikkahub/rikkahub#1629": "...", "Kohaku-Lab/KohakuTerrarium#322": "",
        "Kohaku-Lab/KohakuTerrarium#323": ""})
# fmt: on


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
refuse_wrong_types(BOOK, "deepseek",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of its chat completions", members=elsewhere.MEMBERS_OF_RESPONSES,
        types={"input[].role": "string"}),
    elsewhere.ResponsesSamples(MODEL, {"reasoning": {"effort": "none"}}), prefix="responses-",
    table=elsewhere.RULES_OF_RESPONSES)  # fmt: skip


MISSING_KEY = missing_key_rule(
    "deepseek/responses-missing-key",
    reported={"recordings of chat completions with a wrong key": "Authentication Fails"},
)
CONTEXT_LENGTH = context_length_rule(
    "deepseek/responses-context-length", reported={"worded as on chat completions, where it is recorded": ""}
)
FAMILIES = families_of("openai-responses", "deepseek")


def _begun(context: ReplyContext, response_id: str, streamed: bool) -> Members:
    """Unsupported parameters are echoed as if the request had not set them."""
    body = body_of(context.request)
    return {
        "id": response_id,
        "object": "response",
        "created_at": CREATED,
        "status": "in_progress",
        "background": False,
        "completed_at": None,
        "content_filters": None,
        "error": None,
        "frequency_penalty": requested_value(body, "frequency_penalty", 0.0),
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "model": model_of(body),
        "moderation": None,
        "output": [],
        "parallel_tool_calls": requested_value(body, "parallel_tool_calls", True),
        "presence_penalty": requested_value(body, "presence_penalty", 0.0),
        "previous_response_id": None,
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": None,
        "reasoning": {"effort": members(body, "reasoning").get("effort"), "summary": None},
        "safety_identifier": body.get("safety_identifier"),
        "service_tier": "default",
        "store": False,
        "temperature": requested_value(body, "temperature", 1.0),
        "text": {"format": {"type": "text"}, "verbosity": None, **members(body, "text")},
        "tool_choice": requested_value(body, "tool_choice", "auto"),
        "tools": functions(
            body,
            lambda tool: {name: tool.get(name) for name in ("type", "name", "description", "parameters", "strict")},
        ),
        "top_logprobs": requested_value(body, "top_logprobs", 0),
        "top_p": requested_value(body, "top_p", 1.0),
        "truncation": "disabled",
        "usage": None,
        "user": body.get("user"),
        "metadata": requested_value(body, "metadata", {}),
    }


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    """The reply with reasoning: a thinking model sends some before it calls, and requires it back."""
    body = body_of(context.request)
    if reply.thinking or not thinks(body, FAMILIES(model_of(body))):
        return reply
    return replace(reply, thinking=UNSAID)


PROVIDER = Provider(
    name="deepseek",
    base_path="",
    errors=structs.replace(CHAT.errors, window=CONTEXT_LENGTH, missing_key=MISSING_KEY, path="input"),
    answers=Answers(
        id=uuid,
        call_id=lambda ids, number: ids.make("call_00_", 24),
        item_id=lambda kind, response_id, number, ids: uuid(ids),
        unfinished_response=_begun,
        reasoning_item=lambda item_id, thinking, secret: {
            "type": "reasoning",
            "id": item_id,
            "status": "completed",
            "content": ([{"type": "reasoning_text", "text": thinking}] if thinking else []),
            "summary": [],
        },
        message_item=lambda item_id, part, commentary: {
            "type": "message",
            "id": item_id,
            "status": "completed",
            "content": [part],
            "phase": "commentary" if commentary else "final_answer",
            "role": "assistant",
        },
        call_item=lambda item_id, call_id, name, arguments: {
            "type": "function_call",
            "id": item_id,
            "status": "completed",
            "arguments": arguments,
            "call_id": call_id,
            "name": name,
        },
        text_part=lambda text: {"type": "output_text", "annotations": [], "logprobs": [], "text": text},
        usage=lambda tokens: tokens.counts(),
        reasoning_member="content",
        stream_content_type="text/event-stream; charset=utf-8",
        complete_reply=_completed,
    ),
    books=(BOOK,),
    traits=FAMILIES,
)
