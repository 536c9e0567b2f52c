"""vLLM's `/v1/responses`: its model of pydantic, with the envelope and the errors of its chat completions.

Reasoning is the text in the `content` of its item, whatever `include` asks for. The server encrypts none, and refuses
what was encrypted elsewhere.
"""

from typing import Final

from msgspec.structs import replace

from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import INPUT, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, WrongType, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import problems_of
from fake_providers.providers.shared.types_elsewhere import (
    MEMBERS_OF_RESPONSES,
    RULES_OF_RESPONSES,
    ResponsesSamples,
    items,
)
from fake_providers.providers.vllm.chat import MODEL, error_body
from fake_providers.providers.vllm.chat import PROVIDER as CHAT
from fake_providers.rulebook import ANY_PART, WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_responses.provider import Answers, Members, Provider, Tokens, requested_value
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_shared.provider_errors import context_length_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

SOURCE: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/protocol.py"
SAMPLES: Final = ResponsesSamples(MODEL)
ROLES: Final = ("user", "assistant", "system", "developer")


BOOK = Rulebook(error_body.refusal)

refuse_unread(
    BOOK,
    "vllm",
    INPUT,
    model=MODEL,
    not_json=Breach("body", "[{'type': 'json_invalid', 'loc': ('body', 0), 'msg': 'JSON decode error', 'input': {}}]"),
    missing=lambda body: Breach("input", "[{'type': 'missing', 'loc': ('body', 'input'), 'msg': 'Field required'}]"),
    source=SOURCE,
)


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    owner = context.body
    for part in found.path[:-1]:
        owner = owner[part]
    problems = problems_of(found, ["body", *found.path], whole=owner, roles=ROLES)
    return Breach(found.at, str([{**problem, "loc": tuple(problem["loc"])} for problem in problems]))


refuse_wrong_types(
    BOOK,
    "vllm",
    Dialect(
        words=_wrong_type,
        source=SOURCE,
        members=MEMBERS_OF_RESPONSES,
        lax=True,
        types={"model": "string", "input[].role": "string"},
        required=(),
    ),
    SAMPLES,
    prefix="responses-",
    table=RULES_OF_RESPONSES,
)


def _prompt(context: RequestContext) -> Breach | None:
    if context.body.get("prompt") is None:
        return None
    return Breach("prompt", "prompt template is not supported", {"param": "prompt"})


def _not_stored(context: RequestContext) -> Breach | None:
    if not context.body.get("background") or context.body.get("store", True):
        return None
    return Breach("background", "background can only be used when `store` is true")


SERVING: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/serving.py"


def _background(context: RequestContext) -> Breach | None:
    if not context.body.get("background"):
        return None
    sentence = (
        "This vLLM engine does not support `store=True` and therefore does not support the background mode. To "
        "enable these features, set the environment variable `VLLM_ENABLE_RESPONSES_API_STORE=1` when launching the "
        "vLLM server."
    )
    return Breach("background", sentence, {"type": "invalid_request_error", "param": "background"})


def _not_found(context: RequestContext) -> Breach | None:
    id_ = context.body.get("previous_response_id")
    if id_ is None:
        return None
    extra = {"type": "invalid_request_error", "param": "response_id"}
    return Breach("previous_response_id", f"Response with id '{id_}' not found.", extra)


CONVERTER: Final = "vllm-project/vllm vllm/entrypoints/openai/responses/utils.py"
QUESTION: Final = {"role": "user", "content": "What is the weather in Oslo?"}
THOUGHT: Final = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "I ask."}]}
NOT_CONVERTED: Final = ("item_reference", "computer_call_output", "mcp_call")


def _unsupported(context: RequestContext) -> Breach | None:
    found = ((at, item["type"]) for at, item in items(context) if item.get("type") in NOT_CONVERTED)
    words = (Breach(at, f"Unsupported input item type: {kind}", {"param": "input"}) for at, kind in found)
    return next(words, None)


def _encrypted(context: RequestContext) -> Breach | None:
    for at, item in items(context):
        if item.get("type") == "reasoning" and item.get("encrypted_content"):
            return Breach(f"{at}.encrypted_content", "Encrypted content is not supported.", {"param": "input"})
    return None


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


# A table: two rows are to be compared.
# fmt: off
BOOK.row("vllm/responses-prompt-template", "The request refers to a stored prompt.",
    ANY_PART, _prompt, even_usual=True, checked="2026-11-27",
    wrong={"model": MODEL, "input": "Hello", "prompt": {"id": "pmpt_1"}},
    right={"model": MODEL, "input": "Hello", "prompt": None},
    reported={SOURCE: "prompt template is not supported"})
BOOK.row("vllm/responses-store-and-background",
    "A response is to run in the background, and is not to be stored; null does not store it either.",
    ANY_PART, _not_stored, even_usual=True, checked="2026-11-27",
    wrong={"model": MODEL, "input": "Hello", "background": True, "store": False},
    right={"model": MODEL, "input": "Hello", "background": False, "store": False},
    reported={SOURCE: "background can only be used when `store` is true"})
BOOK.row("vllm/responses-background-disabled",
    "A response is to run in the background, and the server stores none unless it was started with that on.",
    ANY_PART, _background, even_usual=True, checked="2026-11-27",
    wrong={"model": MODEL, "input": "Hello", "background": True},
    right={"model": MODEL, "input": "Hello", "background": False},
    reported={SERVING: "This vLLM engine does not support `store=True` and therefore does not support"})
BOOK.row("vllm/responses-previous-not-found",
    "The request continues a stored response, and the server stores none unless it was started with that on.",
    ANY_PART, _not_found, even_usual=True, status=404, checked="2026-11-27",
    wrong={"model": MODEL, "input": "Hello", "previous_response_id": "resp_1"},
    right={"model": MODEL, "input": "Hello", "previous_response_id": None},
    reported={SERVING: "Response with id 'resp_1' not found."})
BOOK.row("vllm/responses-item-unsupported",
    "An item is of a type that the server has no message for, such as a reference to an item that it has not "
        "stored. Some servers of before September 2026 answer 500.",
    WHOLE_REQUEST, _unsupported, checked="2026-11-28",
    wrong={"model": MODEL, "input": [QUESTION, {"type": "item_reference", "id": "msg_1"}]},
    right={"model": MODEL, "input": [QUESTION]},
    verbatim={CONVERTER: "Unsupported input item type: item_reference", "vllm-project/vllm#55974": ""})
BOOK.row("vllm/responses-encrypted-reasoning",
    "A reasoning item has encrypted content, as those of OpenAI do: the server reads its text alone.",
    WHOLE_REQUEST, _encrypted, checked="2026-11-28",
    wrong={"model": MODEL, "input": [QUESTION, {**THOUGHT, "encrypted_content": "gAAAAABo"}, QUESTION]},
    right={"model": MODEL, "input": [QUESTION, {**THOUGHT, "encrypted_content": None}, QUESTION]},
    reported={CONVERTER: "Encrypted content is not supported.", "vllm-project/vllm#50257": ""})
# fmt: on
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
            "id": item_id,
            "summary": [],
            "type": "reasoning",
            "content": [{"text": thinking, "type": "reasoning_text"}],
            "encrypted_content": None,
            "status": None,
        },
        message_item=lambda item_id, part, commentary: {
            "id": item_id,
            "content": [part],
            "role": "assistant",
            "status": "completed",
            "type": "message",
            "phase": None,
        },
        call_item=lambda item_id, call_id, name, arguments: {
            "arguments": arguments,
            "call_id": call_id,
            "name": name,
            "type": "function_call",
            "id": item_id,
            "status": "completed",
        },
        text_part=lambda text: {"annotations": [], "text": text, "type": "output_text", "logprobs": None},
        usage=Tokens.counts,
        reasoning_member="content",
    ),
    books=(BOOK,),
    traits=families_of("openai-responses", "vllm"),
)
