"""xAI's responses: item ids with the response's id, calls in one piece, reasoning summaries, stored responses."""

from dataclasses import replace
from typing import Any

from fake_providers.http import Request
from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.xai.chat_answers import FINGERPRINT, NO_KEY, WHERE
from fake_providers.providers.xai.chat_answers import PROVIDER as CHAT
from fake_providers.providers.xai.responses_rules import BOOK, WHOLE, error_body
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.encrypted_reasoning import PLAIN, encrypt, is_requested
from fake_providers.wires.openai_responses.provider import (
    Answers,
    Event,
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
    "xai/responses-missing-key",
    confidence="inferred",
    evidence=cite("recording with a wrong key, answered with status 400", "Incorrect API key provided."),
)
CONTEXT_LENGTH = context_length_rule(
    "xai/responses-context-length",
    confidence="reported",
    evidence=cite("worded as on chat completions, where it is recorded"),
)
CODES = {403: "permission-denied", 404: "not-found", 429: "resource-exhausted"}
"""The status of gRPC, as `invalid-argument` is; of failures `unavailable`."""


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status in (400, 401):
        return error_body(f"Incorrect API key provided. {WHERE}")
    rendered = CHAT.errors.failure(status, context, retry_after)
    return error_body(rendered["error"], CODES.get(status, "unavailable" if status >= 500 else "invalid-argument"))


def _too_long(request: Request, tokens: int, window: int) -> tuple[str, Any]:
    message, _ = CHAT.errors.too_long(request, tokens, window)
    return message, error_body(message)


def _begun(context: ReplyContext, response_id: str, streamed: bool) -> Members:
    """A stream has other defaults than a plain response: single-precision floats, and no effort."""
    body = body_of(context.request)
    reasoning = {"effort": None, "summary": None} if streamed else {"effort": "low", "summary": "detailed"}
    effort = members(body, "reasoning").get("effort")
    return {
        "created_at": CREATED,
        "completed_at": None,
        "id": response_id,
        "max_output_tokens": body.get("max_output_tokens"),
        "model": model_of(body),
        "object": "response",
        "output": [],
        "parallel_tool_calls": requested_value(body, "parallel_tool_calls", True),
        "previous_response_id": body.get("previous_response_id"),
        "reasoning": {**reasoning, **({} if effort is None else {"effort": effort})},
        "temperature": requested_value(body, "temperature", 0.699999988079071 if streamed else 0.7),
        "text": {"format": {"type": "text"}, **members(body, "text")},
        "tool_choice": requested_value(body, "tool_choice", "auto"),
        "tools": functions(body, _tool),
        "top_p": requested_value(body, "top_p", 0.949999988079071 if streamed else 0.95),
        "usage": None,
        "user": body.get("user"),
        "incomplete_details": None,
        "status": "in_progress",
        "store": body.get("store") is not False,
        "metadata": {**members(body, "metadata"), "system_fingerprint": FINGERPRINT},
        "background": False,
        "service_tier": "default",
        "truncation": "disabled",
        "top_logprobs": requested_value(body, "top_logprobs", 0),
        "presence_penalty": requested_value(body, "presence_penalty", 0.0),
        "frequency_penalty": requested_value(body, "frequency_penalty", 0.0),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "max_tool_calls": body.get("max_tool_calls"),
        "safety_identifier": body.get("safety_identifier"),
        "error": None,
        "instructions": body.get("instructions"),
    }


def _tool(tool: Members) -> Members:
    rendered = {name: tool.get(name) for name in ("type", "description", "name", "parameters")}
    return {**rendered, "strict": tool.get("strict") or False}


def _item_id(kind: str, response_id: str, number: int, ids: Ids) -> str:
    return f"{kind}_{response_id}_{number}" if kind == "fc" else f"{kind}_{response_id}"


def _call_id(ids: Ids, number: int) -> str:
    return f"call-{uuid(ids)}-{number}"


def _sealed(thinking: str, context: ReplyContext) -> str | None:
    return encrypt(thinking, PLAIN) if is_requested(body_of(context.request)) else None


def _thought(item_id: str, thinking: str, secret: str | None) -> Members:
    summary = [{"text": thinking, "type": "summary_text"}] if thinking else []
    item = {"id": item_id, "summary": summary, "type": "reasoning", "status": "completed"}
    return item if secret is None else {**item, "encrypted_content": secret}


def _message(item_id: str, part: Members, commentary: bool) -> Members:
    return {"content": [part], "id": item_id, "role": "assistant", "type": "message", "status": "completed"}


def _call(item_id: str, call_id: str, name: str, arguments: str) -> Members:
    named = {"arguments": arguments, "call_id": call_id, "name": name}
    return {**named, "type": "function_call", "id": item_id, "status": "completed"}


def _usage(tokens: Tokens) -> Members:
    return {
        **tokens.counts(),
        "num_sources_used": 0,
        "num_server_side_tools_used": 0,
        "cost_in_usd_ticks": 0,
        "context_details": {"input_tokens": tokens.input, "output_tokens": tokens.output},
    }


def _arranged(name: str, members: Members, number: int) -> Members:
    return {"sequence_number": number, "type": name, **dict(sorted(members.items()))}


def _broken(error: Members, initial: Members) -> Event:
    """An error event that no response follows: vercel/ai#14223, NousResearch/hermes-agent#27184."""
    return "error", {"code": error["code"], "message": error["message"], "param": None}


PROVIDER = Provider(
    name="xai",
    base_path="/v1",
    errors=replace(
        CHAT.errors,
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=_too_long,
        missing_key=MISSING_KEY,
        no_key=(NO_KEY, error_body(NO_KEY)),
        path="input",
    ),
    answers=Answers(
        id=uuid,
        call_id=_call_id,
        item_id=_item_id,
        unfinished_response=_begun,
        reasoning_item=_thought,
        message_item=_message,
        call_item=_call,
        text_part=lambda text: {"type": "output_text", "text": text, "logprobs": [], "annotations": []},
        usage=_usage,
        order_event=_arranged,
        failure_event=_broken,
        call_size=0,
        encrypt_reasoning=_sealed,
    ),
    books=(BOOK,),
    conversation_books=(WHOLE,),
    traits=families_of("openai-responses", "xai"),
    stores_responses=True,
    headers=(
        ("x-ratelimit-limit-tokens", "10000000"),
        ("x-ratelimit-remaining-tokens", "10000000"),
        ("x-ratelimit-limit-requests", "1800"),
        ("x-ratelimit-remaining-requests", "1800"),
    ),
)
