"""DeepSeek's responses: full reasoning before every answer of a thinking model, ids without a prefix, no stored
responses."""

from dataclasses import replace

from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.deepseek.chat_answers import PROVIDER as CHAT
from fake_providers.providers.deepseek.chat_answers import UNSAID
from fake_providers.providers.deepseek.responses_rules import BOOK, thinks
from fake_providers.reply import Reply
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
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_responses.rules.samples import cite
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MISSING_KEY = missing_key_rule(
    "deepseek/responses-missing-key",
    confidence="reported",
    evidence=cite("recordings of chat completions with a wrong key", "Authentication Fails"),
)
CONTEXT_LENGTH = context_length_rule(
    "deepseek/responses-context-length",
    confidence="reported",
    evidence=cite("worded as on chat completions, where it is recorded"),
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
        "tools": functions(body, _tool),
        "top_logprobs": requested_value(body, "top_logprobs", 0),
        "top_p": requested_value(body, "top_p", 1.0),
        "truncation": "disabled",
        "usage": None,
        "user": body.get("user"),
        "metadata": requested_value(body, "metadata", {}),
    }


def _tool(tool: Members) -> Members:
    return {name: tool.get(name) for name in ("type", "name", "description", "parameters", "strict")}


def _thought(item_id: str, thinking: str, secret: str | None) -> Members:
    content = [{"type": "reasoning_text", "text": thinking}] if thinking else []
    return {"type": "reasoning", "id": item_id, "status": "completed", "content": content, "summary": []}


def _message(item_id: str, part: Members, commentary: bool) -> Members:
    item = {"type": "message", "id": item_id, "status": "completed", "content": [part]}
    return {**item, "phase": "commentary" if commentary else "final_answer", "role": "assistant"}


def _call(item_id: str, call_id: str, name: str, arguments: str) -> Members:
    item = {"type": "function_call", "id": item_id, "status": "completed"}
    return {**item, "arguments": arguments, "call_id": call_id, "name": name}


def _call_id(ids: Ids, number: int) -> str:
    return ids.make("call_00_", 24)


def _item_id(kind: str, response_id: str, number: int, ids: Ids) -> str:
    return uuid(ids)


def _usage(tokens: Tokens) -> Members:
    return tokens.counts()


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    """The reply with reasoning: a thinking model sends some before it calls, and requires it back."""
    body = body_of(context.request)
    if reply.thinking or not thinks(body, FAMILIES(model_of(body))):
        return reply
    return replace(reply, thinking=UNSAID)


PROVIDER = Provider(
    name="deepseek",
    base_path="",
    errors=replace(CHAT.errors, window=CONTEXT_LENGTH, missing_key=MISSING_KEY, path="input"),
    answers=Answers(
        id=uuid,
        call_id=_call_id,
        item_id=_item_id,
        unfinished_response=_begun,
        reasoning_item=_thought,
        message_item=_message,
        call_item=_call,
        text_part=lambda text: {"type": "output_text", "annotations": [], "logprobs": [], "text": text},
        usage=_usage,
        reasoning_member="content",
        stream_content_type="text/event-stream; charset=utf-8",
        complete_reply=_completed,
    ),
    books=(BOOK,),
    traits=FAMILIES,
)
