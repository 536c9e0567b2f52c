"""xAI's Responses: refusals of the engine are `{code, error}` with 400, parse errors `{error}` with 422.

Items without ids, tools that are not strict, and instructions were recorded as accepted. Reasoning that another
provider encrypted is recognised by its form: OpenAI's begins as Fernet tokens do. Answers have item ids with the
response's id, calls in one piece, and reasoning summaries; responses are stored.
"""

from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared import member_types_other_wires as elsewhere
from fake_providers.providers.shared.chat_reading import CHECKED, INPUT, refuse_unread
from fake_providers.providers.shared.chat_types import Dialect, refuse_wrong_types
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.providers.xai.xai_chat import FINGERPRINT, NOT_JSON, WHERE
from fake_providers.providers.xai.xai_chat import PROVIDER as CHAT
from fake_providers.replies.documents import ByStatus, Envelope
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, Rulebook
from fake_providers.wire import ReplyContext
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
from fake_providers.wires.openai_responses.request import PLAIN, encrypt, is_requested
from fake_providers.wires.openai_responses.response import CREATED
from fake_providers.wires.openai_responses.rules.samples import (
    CALL,
    RESULT,
    TOOL,
    USER,
    item_with,
    sample_request,
)
from fake_providers.wires.openai_shared.provider_errors import context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MODEL: Final = "grok-4.3"
INVALID: Final = "invalid-argument"

REASONING_ITEM: Final = {"type": "reasoning", "summary": [], "encrypted_content": f"{PLAIN}SSBhc2su"}
BODY: Final = {"code": "<code>", "error": "<message>"}
error_body = Envelope(
    BODY,
    # The status of gRPC, as `invalid-argument` is.
    code=ByStatus({403: "permission-denied", 404: "not-found", 429: "resource-exhausted", 500: "unavailable"}, INVALID),
)


def grok(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


REFUSAL: Final = Envelope(ByStatus({422: {"error": "<message>"}}, BODY), code=INVALID).refusal
BOOK = Rulebook(REFUSAL)
WHOLE = Rulebook(REFUSAL)
refuse_unread(BOOK, "xai", INPUT, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("input", f"{UNREADABLE}missing field `input`"), status=422,
    source="the envelope for other bodies that cannot be parsed")  # fmt: skip

ROLES: Final = ("system", "developer", "user", "assistant", "tool")


def _is_torn(item: dict[str, Any]) -> bool:
    encrypted = item.get("type") == "reasoning" and bool(item.get("encrypted_content"))
    return encrypted and ("summary" not in item or ("content" in item and item["content"] is None))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("xai/responses-item-unknown",
    "An item of the input has a type that the endpoint does not support, such as a custom tool call or a list of "
        "tools.",
    chat.ITEM, lambda item: item.get("type") in ("custom_tool_call", "custom_tool_call_output", "additional_tools"),
    f"{UNREADABLE}data did not match any variant of untagged enum ModelInput", status=422, checked=CHECKED,
    remedy=remedies.OWN_ITEMS,
    wrong=grok(USER, {"type": "additional_tools", "role": "developer", "tools": [TOOL]}), right=grok(USER),
    verbatim={"router-for-me/CLIProxyAPI#3704": "data did not match any variant of untagged enum ModelInput",
        "router-for-me/CLIProxyAPI#4434": ""})
BOOK.row("xai/responses-parameters-missing", "A function has no `parameters`. An empty schema is accepted.",
    chat.TOOL, lambda tool: tool.get("type") == "function" and "parameters" not in tool,
    f"{UNREADABLE}missing field `parameters`", even_usual=True, status=422, checked=CHECKED,
    remedy=remedies.OBJECT_SCHEMA,
    wrong=grok(tools=[item_with(TOOL, parameters=None)]),
    right=grok(tools=[item_with(TOOL, parameters={"type": "object", "properties": {}})]),
    verbatim={"router-for-me/CLIProxyAPI#3439": "missing field `parameters`"})
BOOK.row("xai/responses-namespace", "Tools are grouped in a `namespace`.",
    chat.TOOL, lambda tool: tool.get("type") == "namespace", "Invalid arguments passed to the model.", even_usual=True,
    checked=CHECKED, remedy=remedies.TOOL_SHAPE,
    wrong=grok(tools=[TOOL, {"type": "namespace", "name": "weather", "tools": [TOOL]}]), right=grok(tools=[TOOL]),
    reported={"router-for-me/CLIProxyAPI#5257": "", "lidge-jun/opencodex#2240": ""})
BOOK.row("xai/responses-tool-choice-without-tools", "`tool_choice` is not `none` and there are no tools.",
    ANY_PARAMETER, lambda body: not body.get("tools") and body.get("tool_choice") not in (None, "none"),
    "Invalid request content: A tool_choice was set on the request but no tools were specified.", "tool_choice",
    checked=CHECKED, remedy=remedies.CHOICE_WITH_TOOLS,
    wrong=grok(tool_choice="auto"), right=grok(tool_choice="auto", tools=[TOOL]),
    verbatim={"router-for-me/CLIProxyAPI#3704": "A tool_choice was set on the request but no tools were specified.",
        "vinhnx/VTCode#558": ""})
BOOK.row("xai/responses-reasoning-effort",
    "The request sets an effort for a reasoning model whose effort cannot be set.",
    ANY_PARAMETER, lambda body: chat.inner(body, "reasoning").get("effort") is not None,
    "Model {model} does not support parameter reasoningEffort.", "reasoning.effort", trait="no-effort",
    models="grok-4.20, without multi-agent; grok-build, grok-code-fast, grok-composer", checked=CHECKED,
    remedy=remedies.NO_EFFORT,
    wrong=grok(model="grok-4.20-0309-reasoning", reasoning={"effort": "low", "summary": "concise"}),
    right=grok(model="grok-4.20-0309-reasoning", reasoning={"summary": "concise"}),
    verbatim={"chenyme/grok2api#814": "does not support parameter reasoningEffort.",
        "router-for-me/CLIProxyAPI#3968": "", "earendil-works/pi#8381": "", "NousResearch/hermes-agent#23435": ""})
BOOK.row("xai/responses-sealed-by-others", "A reasoning item was encrypted by another provider.",
    chat.ITEM, lambda item: item.get("type") == "reasoning" and str(item.get("encrypted_content")).startswith("gAAAAA"),
    "Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a "
        "previous response.", ".encrypted_content", checked=CHECKED, remedy=remedies.SEALED_BY_OTHERS,
    wrong=grok(USER, {**REASONING_ITEM, "encrypted_content": "gAAAAABo"}, CALL, RESULT),
    right=grok(USER, REASONING_ITEM, CALL, RESULT),
    verbatim={"Wei-Shaw/sub2api#4535": "Could not decrypt the provided encrypted_content.",
        "hackerai-tech/hackerai#996": "", "openclaw/openclaw#97925": ""})
BOOK.row("xai/responses-reasoning-members", "An encrypted reasoning item has no `summary`, or its `content` is null.",
    chat.ITEM, _is_torn, "Could not decode the compaction blob. Ensure it is unmodified from the compact response.",
    checked=CHECKED, remedy=remedies.REASONING_WHOLE,
    wrong=grok(USER, item_with(REASONING_ITEM, summary=None), CALL, RESULT),
    right=grok(USER, REASONING_ITEM, CALL, RESULT),
    reported={"chenyme/grok2api#689": "Could not decode the compaction blob.", "chenyme/grok2api#688": "",
        "lidge-jun/opencodex#2240": ""})
BOOK.row("xai/responses-instructions-with-previous", "The request has both `instructions` and `previous_response_id`.",
    ANY_PARAMETER, lambda body: body.get("instructions") and body.get("previous_response_id"),
    "Argument not supported: instructions and previous_response_id together", "instructions", checked=CHECKED,
    extra={"code": "400"}, remedy=Remedy("stored-state",
        "Send the instructions with the first request only, or the whole history without `previous_response_id`."),
    wrong=grok(previous_response_id="resp_1", instructions="Be short."), right=grok(previous_response_id="resp_1"),
    verbatim={"10-X-eng/vibecad#4": "...", "holon-run/holon#2158": ""})
WHOLE.row("xai/responses-previous-not-found",
    "`previous_response_id` names a response that was never sent or was not stored.",
    WHOLE_REQUEST, lambda body: body.unknown_previous_response is not None,
    "Response with id={item.unknown_previous_response} not found", "previous_response_id", status=404, checked=CHECKED,
    extra={"code": "not-found"}, remedy=remedies.HISTORY_FOR_ID,
    wrong=None, right=None,
    reported={"pajeronda/xai_conversation#9, where gRPC says it": "Response with id="})
# fmt: on


refuse_wrong_types(BOOK, "xai",
    Dialect(words=lambda found, context: serde_breach(found, context, ROLES),
        source="the sentences of its parser for items, and those of its chat completions",
        members=elsewhere.MEMBERS_OF_RESPONSES, types={"input[].role": "string"}), elsewhere.ResponsesSamples(MODEL),
    status=422, prefix="responses-", table=elsewhere.RULES_OF_RESPONSES)  # fmt: skip

MISSING_KEY = missing_key_rule(
    "xai/responses-missing-key",
    inferred={"recording with a wrong key, answered with status 400": "Incorrect API key provided."},
)
CONTEXT_LENGTH = context_length_rule(
    "xai/responses-context-length", reported={"worded as on chat completions, where it is recorded": ""}
)
WRONG_KEY = f"Incorrect API key provided. {WHERE}"


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
        "tools": functions(
            body,
            lambda tool: {
                **{name: tool.get(name) for name in ("type", "description", "name", "parameters")},
                "strict": tool.get("strict") or False,
            },
        ),
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


def _thought(item_id: str, thinking: str, secret: str | None) -> Members:
    summary = [{"text": thinking, "type": "summary_text"}] if thinking else []
    item = {"id": item_id, "summary": summary, "type": "reasoning", "status": "completed"}
    return item if secret is None else {**item, "encrypted_content": secret}


def _usage(tokens: Tokens) -> Members:
    return {
        **tokens.counts(),
        "num_sources_used": 0,
        "num_server_side_tools_used": 0,
        "cost_in_usd_ticks": 0,
        "context_details": {"input_tokens": tokens.input, "output_tokens": tokens.output},
    }


def _broken(error: Members, initial: Members) -> Event:
    """An error event that no response follows: vercel/ai#14223, NousResearch/hermes-agent#27184."""
    return "error", {"code": error["code"], "message": error["message"], "param": None}


PROVIDER = Provider(
    name="xai",
    base_path="/v1",
    errors=replace(
        CHAT.errors,
        envelope=error_body,
        failures=ByStatus({**CHAT.errors.failures.known, 400: WRONG_KEY, 401: WRONG_KEY}, CHAT.errors.failures.other),
        window=CONTEXT_LENGTH,
        missing_key=MISSING_KEY,
        path="input",
    ),
    answers=Answers(
        id=uuid,
        call_id=lambda ids, number: f"call-{uuid(ids)}-{number}",
        item_id=lambda kind, response_id, number, ids: (
            f"{kind}_{response_id}_{number}" if kind == "fc" else f"{kind}_{response_id}"
        ),
        unfinished_response=_begun,
        reasoning_item=_thought,
        message_item=lambda item_id, part, commentary: {
            "content": [part],
            "id": item_id,
            "role": "assistant",
            "type": "message",
            "status": "completed",
        },
        call_item=lambda item_id, call_id, name, arguments: {
            "arguments": arguments,
            "call_id": call_id,
            "name": name,
            "type": "function_call",
            "id": item_id,
            "status": "completed",
        },
        text_part=lambda text: {"type": "output_text", "text": text, "logprobs": [], "annotations": []},
        usage=_usage,
        order_event=lambda name, members, number: {
            "sequence_number": number,
            "type": name,
            **dict(sorted(members.items())),
        },
        failure_event=_broken,
        call_size=0,
        encrypt_reasoning=lambda thinking, context: (
            encrypt(thinking, PLAIN) if is_requested(body_of(context.request)) else None
        ),
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
