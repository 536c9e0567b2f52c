"""vLLM's `/v1/responses`: its model of pydantic, with the envelope and the errors of its chat completions.

Reasoning is the text in the `content` of its item, whatever `include` asks for. The server encrypts none, and refuses
what was encrypted elsewhere.
"""

from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import INPUT, ITEM, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import pydantic_breach, unread
from fake_providers.providers.vllm.vllm_chat import MODEL, error_body
from fake_providers.providers.vllm.vllm_chat import PROVIDER as CHAT
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.provider import Answers, Members, Provider, Tokens, requested_value
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

SOURCE: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/protocol.py"
SAMPLES: Final = elsewhere.ResponsesSamples(MODEL)
ROLES: Final = ("user", "assistant", "system", "developer")
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "vllm", INPUT, model=MODEL, source=SOURCE, **unread("input"))
refuse_wrong_types(BOOK, "vllm",
    Dialect(words=lambda found, context: pydantic_breach(found, context, ROLES), source=SOURCE,
        members=elsewhere.MEMBERS_OF_RESPONSES, lax=True, types={"model": "string", "input[].role": "string"},
        required=()), SAMPLES, prefix="responses-", table=elsewhere.RULES_OF_RESPONSES)  # fmt: skip

SERVING: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/serving.py"
CONVERTER: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/utils.py"


def _response(context: ReplyContext, response_id: str, _streamed: bool) -> Members:
    """The response without output, with the members of `ResponsesResponse` in the order of vLLM's protocol."""
    body = body_of(context.request)
    return {
        "id": response_id,
        "created_at": CREATED,
        "incomplete_details": None,
        "instructions": requested_value(body, "instructions"),
        "metadata": requested_value(body, "metadata"),
        "model": model_of(body),
        "object": "response",
        "output": [],
        "parallel_tool_calls": requested_value(body, "parallel_tool_calls", True),
        "temperature": requested_value(body, "temperature", 1.0),
        "tool_choice": requested_value(body, "tool_choice", "auto"),
        "tools": requested_value(body, "tools", []),
        "top_p": requested_value(body, "top_p", 1.0),
        "background": False,
        "max_output_tokens": requested_value(body, "max_output_tokens"),
        "max_tool_calls": requested_value(body, "max_tool_calls"),
        "previous_response_id": None,
        "prompt": None,
        "reasoning": requested_value(body, "reasoning"),
        "service_tier": "auto",
        "status": "in_progress",
        "text": requested_value(body, "text"),
        "top_logprobs": requested_value(body, "top_logprobs"),
        "truncation": requested_value(body, "truncation", "disabled"),
        "usage": None,
        "user": requested_value(body, "user"),
    }


TOO_LONG = context_length_rule("vllm/responses-context-length", inferred={SOURCE: ""})
QUESTION: Final = {"role": "user", "content": "What is the weather in Oslo?"}


def _asked(**fields: Any) -> dict[str, Any]:
    return {"model": MODEL, "input": "Hello", **fields}


def _history(*items: Any) -> dict[str, Any]:
    return {"model": MODEL, "input": [QUESTION, *items]}


def _thought(secret: str | None) -> dict[str, Any]:
    """A conversation with reasoning, and what is encrypted of it."""
    summary = [{"type": "summary_text", "text": "I ask."}]
    thought = {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": secret}
    return _history(thought, QUESTION)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("vllm/responses-prompt-template", "The request refers to a stored prompt.",
    ANY_PARAMETER, lambda body: body.get("prompt") is not None, "prompt template is not supported", "prompt",
    checked="2026-11-27", extra={"param": "prompt"},
    remedy=Remedy("stored-state", "Write the instructions into the request itself; this server has no stored prompts."),
    wrong=_asked(prompt={"id": "pmpt_1"}), right=_asked(prompt=None),
    reported={SOURCE: "..."})
BOOK.row("vllm/responses-store-and-background",
    "A response is to run in the background, and is not to be stored; null does not store it either.",
    ANY_PARAMETER, lambda body: body.get("background") and not body.get("store", True),
    "background can only be used when `store` is true", "background", checked="2026-11-27", remedy=remedies.BACKGROUND,
    wrong=_asked(background=True, store=False), right=_asked(background=False, store=False),
    reported={SOURCE: "..."})
BOOK.row("vllm/responses-background-disabled",
    "A response is to run in the background, and the server stores none unless it was started with that on.",
    ANY_PARAMETER, lambda body: body.get("background"),
    "This vLLM engine does not support `store=True` and therefore does not support the background mode. To "
        "enable these features, set the environment variable `VLLM_ENABLE_RESPONSES_API_STORE=1` when launching "
        "the vLLM server.", "background", checked="2026-11-27",
        extra={"type": "invalid_request_error", "param": "background"}, remedy=remedies.BACKGROUND,
    wrong=_asked(background=True), right=_asked(background=False),
    reported={SERVING: "This vLLM engine does not support `store=True` and therefore does not support"})
BOOK.row("vllm/responses-previous-not-found",
    "The request continues a stored response, and the server stores none unless it was started with that on.",
    ANY_PARAMETER, lambda body: body.get("previous_response_id") is not None,
    "Response with id '{item[previous_response_id]}' not found.", "previous_response_id", status=404,
    checked="2026-11-27",
    extra={"type": "invalid_request_error", "param": "response_id"}, remedy=remedies.HISTORY_FOR_ID,
    wrong=_asked(previous_response_id="resp_1"), right=_asked(previous_response_id=None),
    reported={SERVING: "Response with id 'resp_1' not found."})
BOOK.row("vllm/responses-item-unsupported",
    "An item is of a type that the server has no message for, such as a reference to an item that it has not "
        "stored. Some servers of before September 2026 answer 500.",
    ITEM, lambda item: item.get("type") in ("item_reference", "computer_call_output", "mcp_call"),
    "Unsupported input item type: {item[type]}", checked="2026-11-28",
    extra={"param": "input"}, remedy=Remedy("messages",
        "Send items whole, and no references to them (`store` of a client that sends references is to be false)."),
    wrong=_history({"type": "item_reference", "id": "msg_1"}), right=_history(),
    verbatim={CONVERTER: "Unsupported input item type: item_reference", "vllm-project/vllm#55974": ""})
BOOK.row("vllm/responses-encrypted-reasoning",
    "A reasoning item has encrypted content, as those of OpenAI do: the server reads its text alone.",
    ITEM, lambda item: item.get("type") == "reasoning" and item.get("encrypted_content"),
    "Encrypted content is not supported.", ".encrypted_content", checked="2026-11-28",
    extra={"param": "input"}, remedy=Remedy("reasoning-sent-back",
        "Leave out `encrypted_content`; send reasoning with its text, or leave out that of other providers."),
    wrong=_thought("gAAAAABo"), right=_thought(None),
    reported={CONVERTER: "...", "vllm-project/vllm#50257": ""})
PROVIDER = Provider(
    name="vllm",
    base_path="/v1",
    errors=replace(CHAT.errors, window=TOO_LONG, path="input"),
    answers=Answers(
        id=lambda ids: ids.make("resp_", 16),
        call_id=lambda ids, number: ids.make("call_", 16),
        item_id=lambda kind, response_id, number, ids: ids.make(f"{kind}_", 16),
        unfinished_response=_response,
        reasoning_item=lambda item_id, thinking, secret: {
            "id": item_id, "summary": [], "type": "reasoning",
            "content": [{"text": thinking, "type": "reasoning_text"}], "encrypted_content": None, "status": None},
        message_item=lambda item_id, part, commentary: {
            "id": item_id, "content": [part], "role": "assistant", "status": "completed", "type": "message",
            "phase": None},
        call_item=lambda item_id, call_id, name, arguments: {
            "arguments": arguments, "call_id": call_id, "name": name, "type": "function_call", "id": item_id,
            "status": "completed"},
        text_part=lambda text: {"annotations": [], "text": text, "type": "output_text", "logprobs": None},
        usage=Tokens.counts,
        reasoning_member="content"),
    books=(BOOK,),
    traits=families_of("openai-responses", "vllm"))
# fmt: on
