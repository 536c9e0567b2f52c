"""LiteLLM's proxy: what it asks of a request itself, and the refusals of the models' makers, as texts.

A model's name begins with that of its maker, as in `anthropic/claude-sonnet-4-6`. The names that an administrator has
given to models say of no maker, so that only LiteLLM's own rules hold for them.
"""

import json
from functools import partial
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import HEXADECIMAL, uuid
from fake_providers.models import families_of
from fake_providers.providers.litellm.litellm_upstream import (
    BOOKS,
    KINDS,
    MEASURED,
    TOO_LONG,
    error_body,
    own,
)
from fake_providers.providers.shared.chat_reading import MESSAGES, NEAR, refuse_unread, unknown_result
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Failure, headers
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, WHOLE_REQUEST, Breach, RequestContext, Rulebook
from fake_providers.values.lenient import listed
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider, Step
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MODEL: Final = "openai/gpt-4.1"
CLAUDE: Final = "anthropic/claude-sonnet-4-6"
FLASH: Final = "gemini/gemini-2.5-flash"
CHECKED: Final = "2026-11-30"
NO_KEY: Final = "Authentication Error, No api key passed in."
BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "litellm", MESSAGES, model=MODEL,
    not_json=Breach("body", "Invalid JSON payload: unexpected end of data: line 1 column 1 (char 0)",
        {"param": "request_body"}),
    missing=lambda body: Breach("messages", "/chat/completions: Missing required parameter: 'messages'.",
        {"param": "messages"}), source=MEASURED)  # fmt: skip


def _unreadable(sentence: str, at: str, context: RequestContext) -> Breach:
    said = own(f"APIConnectionError: APIConnectionError: OpenAIException - {sentence}", context.model)
    return Breach(at, f"Invalid request format: {said}")


def _message_that_is_none(body: dict[str, Any], context: RequestContext) -> Breach | None:
    """What stands in the place of a message or of a part, and is no object."""
    given = body["messages"]
    placed = (
        [(f"messages[{i}]", one) for i, one in enumerate(given)] if isinstance(given, list) else [("messages", given)]
    )
    for at, message in list(placed):
        content = message.get("content") if isinstance(message, dict) else None
        placed += [(f"{at}.content[{i}]", part) for i, part in enumerate(listed(content))]
    wrong = next(((at, one) for at, one in placed if not isinstance(one, dict)), None)
    return wrong and _unreadable(f"'{type(wrong[1]).__name__}' object has no attribute 'get'", wrong[0], context)


def _wrong_tools(body: dict[str, Any], context: RequestContext) -> Breach | None:
    given = body.get("tools")
    if given is not None and not isinstance(given, list):
        at, kind = "tools", "list"
    else:
        wrong = next((i for i, tool in enumerate(listed(given)) if not isinstance(tool, dict)), None)
        if wrong is None:
            return None
        at, kind = f"tools.{wrong}", "dictionary"
    sentence = own(f"BadRequestError: {at}: Input should be a valid {kind}", context.model)
    return Breach(at, sentence, {"param": at})


def _wrong_choice(body: dict[str, Any], context: RequestContext) -> Breach | None:
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        is_right = choice.get("type") != "function" or isinstance(choice.get("function"), dict)
        said = "Please ensure tool_choice follows the OpenAI spec"
    else:
        is_right = choice is None or isinstance(choice, str)
        said = (
            f"Got={type(choice)}. Expecting str, or dict. Please ensure tool_choice follows the OpenAI tool_choice spec"
        )
    if is_right:
        return None
    sentence = f"BadRequestError: Invalid tool choice, tool_choice={choice}"
    return Breach("tool_choice", own(f"{sentence}. {said}", context.model))


UNSUPPORTED: Final = {
    "anthropic": (
        "n", "logit_bias", "logprobs", "top_logprobs", "presence_penalty", "frequency_penalty", "seed", "store",
        "prediction", "modalities", "verbosity", "functions", "function_call",
    ),
    "gemini": ("logit_bias", "prediction", "store", "top_logprobs", "verbosity", "function_call"),
    "mistral": (
        "n", "logit_bias", "logprobs", "top_logprobs", "presence_penalty", "frequency_penalty", "store", "prediction",
        "modalities", "verbosity", "functions", "function_call", "service_tier", "web_search_options",
    ),
    "deepseek": ("verbosity",),
    "openai": ("thinking",),
}  # fmt: skip
"""By maker, the parameters that no model of it was seen to get: LiteLLM refuses them instead of leaving them out."""
DROP: Final = (
    "UnsupportedParamsError: {maker} does not support parameters: {names}, for model={name}. To drop these, set "
    "`litellm.drop_params=True` or for proxy:\n\n`litellm_settings:\n drop_params: true`\n. \n If you want to use "
    "these params dynamically send allowed_openai_params={names} in your request."
)


def _unsupported(body: dict[str, Any], context: RequestContext) -> Breach | None:
    maker, _, name = context.model.partition("/")
    allowed = body.get("allowed_openai_params")
    known = allowed if isinstance(allowed, list) else []
    names = [one for one in UNSUPPORTED.get(maker, ()) if body.get(one) is not None and one not in known]
    said = DROP.format(maker=maker, names=names, name=name)
    return Breach(names[0], own(said, context.model)) if names and body.get("drop_params") is not True else None


def _lonely_choice(body: dict[str, Any], context: RequestContext) -> Breach | None:
    if body.get("tools") or not body.get("tool_choice") or not context.model.startswith("gemini/"):
        return None
    error = {"code": 400, "message": LONELY_CHOICE, "status": "INVALID_ARGUMENT"}
    raw = json.dumps({"error": error}, separators=(",", ":"))
    return Breach("tool_choice", own(f"BadRequestError: GeminiException BadRequestError - {raw}", context.model))


def _result_alone(found: Any, context: RequestContext) -> Any:
    return context.model.startswith("gemini/") and unknown_result(found)


LONELY_CHOICE: Final = "Function calling config is set without function_declarations."
litellm = partial(sample_request, model=MODEL)

# A table: two rows are to be compared.
# fmt: off
BOOK.row("litellm/parameter-unsupported",
    "The request has a parameter that LiteLLM does not translate for the maker of the model.",
    ANY_PARAMETER, _unsupported, models="by maker", checked=CHECKED,
    remedy=Remedy("models", "Leave the parameter out for models of this maker, or set `drop_params` at the proxy."),
    wrong=sample_request(model=CLAUDE, seed=1), right=sample_request(model=CLAUDE),
    recorded={f"recording, {MEASURED}":
        "litellm.UnsupportedParamsError: anthropic does not support parameters: ['seed'], for model="})
BOOK.row("litellm/model-unnamed", "The model is no text, or is not there.",
    ANY_PARAMETER, lambda body: None if isinstance(body.get("model"), str) else {"found": body.get("model")},
    "/chat/completions: Invalid model name passed in model={found}. Call `/v1/models` to view available models for "
        "your key.", "model", checked=CHECKED, remedy=remedies.MODEL_NAME,
    wrong={"messages": [USER]}, right={"model": MODEL, "messages": [USER]},
    recorded={f"recording, {MEASURED}": "/chat/completions: Invalid model name passed in model=None."})
BOOK.row("litellm/message-type", "The messages are no list of objects, or a content has a part that is none.",
    WHOLE_REQUEST, _message_that_is_none, checked=CHECKED, remedy=remedies.CONVERSATION,
    wrong=litellm({**USER, "content": ["Hello"]}),
    right=litellm({**USER, "content": [{"type": "text", "text": "Hello"}]}),
    recorded={f"recording, {MEASURED}": "Invalid request format: litellm.APIConnectionError"})
BOOK.row("litellm/tools-type", "The tools are no list of objects.",
    ANY_PARAMETER, _wrong_tools, checked=CHECKED, remedy=remedies.TOOL_SHAPE,
    wrong=litellm(tools=[7]), right=litellm(tools=[TOOL]),
    recorded={f"recording, {MEASURED}": "litellm.BadRequestError: tools.0: Input should be a valid dictionary"})
BOOK.row("litellm/tool-choice-type", "The `tool_choice` is no word, and names no `function` as an object.",
    ANY_PARAMETER, _wrong_choice, checked=CHECKED, remedy=remedies.TOOL_SHAPE,
    wrong=litellm(tools=[TOOL], tool_choice={"type": "function"}),
    right=litellm(tools=[TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}}),
    recorded={f"recording, {MEASURED}": "Please ensure tool_choice follows the OpenAI spec"})
BOOK.row("litellm/gemini-choice-without-tools", "The request has a `tool_choice` for a Gemini model and no tools.",
    ANY_PARAMETER, _lonely_choice, models="gemini/", checked=CHECKED,
    remedy=Remedy("models", "Send `tool_choice` only together with tools."),
    wrong=sample_request(model=FLASH, tool_choice="auto"), right=sample_request(model=FLASH),
    recorded={f"recording, {MEASURED}": LONELY_CHOICE})
BOOK.row("litellm/gemini-result-without-call", "A result for a Gemini model has the id of no call before it.",
    NEAR, _result_alone,
    "litellm.APIConnectionError: Missing corresponding tool call for tool response message.",
    "messages[{i}].tool_call_id", status=500, models="gemini/", checked=CHECKED, remedy=remedies.RESULT_WITH_CALL,
    extra={"status": 500},
    wrong=sample_request(USER, CALL_MESSAGE, {**RESULT, "tool_call_id": "call_2"}, model=FLASH),
    right=sample_request(USER, CALL_MESSAGE, RESULT, model=FLASH),
    recorded={f"recording, {MEASURED}":
        "litellm.APIConnectionError: Missing corresponding tool call for tool response message."})
# fmt: on


def _failed(status: int, context: ReplyContext, _retry_after: float | None) -> Any:
    model = model_of(body_of(context.request))
    sentence = f"{KINDS.of(status)}: OpenAIException - {FAILURES.get(status, FAILURES[500])}"
    return error_body(own(sentence, model), status=status)


FAILURES: Final = {
    401: "Incorrect API key provided.",
    404: "The model does not exist or you do not have access to it.",
    429: "Rate limit reached.",
    500: "The server had an error while processing your request.",
}


def _service_tier(step: Step) -> Any:
    return "default" if step.model.startswith("openai/") else ABSENT


PROVIDER = Provider(
    name="litellm",
    base_path="/v1",
    errors=Errors(
        error_body,
        ByStatus({}, _failed),
        window=context_length_rule("litellm/context-length", recorded={f"recording, {MEASURED}": TOO_LONG[-60:]}),
        too_long="litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: "
        "OpenAIException - This model's maximum context length is {window} tokens. However, your messages resulted in "
        "{tokens} tokens. Please reduce the length of the messages.",
        missing_key=missing_key_rule(
            "litellm/missing-key", verbatim={"BerriAI/litellm, auth_exception_handler.py": NO_KEY}
        ),
        no_key=Failure(NO_KEY, {"type": "auth_error", "param": "None", "code": "401"}),
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 29),
        call_id=lambda ids: ids.make("call_", 24),
        call=Document("function id? type"),
        opened_call=Document("id? function type index"),
        continued_call=Document("function index", function=lambda call: {"arguments": call.arguments}),
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document(
            "id created model object system_fingerprint:null choices usage? service_tier?", service_tier=_service_tier
        ),
        choice=Document("finish_reason index message provider_specific_fields", provider_specific_fields={}),
        message=Document("role tool_calls? content reasoning_content:reasoning?"),
        usage=Document(
            "completion_tokens prompt_tokens total_tokens completion_tokens_details prompt_tokens_details",
            completion_tokens_details=lambda rendered: {"reasoning_tokens": rendered.tokens.thinking},
            prompt_tokens_details=lambda rendered: {"audio_tokens": 0, "cached_tokens": rendered.tokens.cached},
        ),
        chunk=Document(
            "id created model object system_fingerprint:null choices usage? service_tier?",
            choices=lambda step: step.choices or [{"index": 0, "delta": {}}],
            service_tier=_service_tier,
        ),
        step=Document("finish_reason:finish_at_end? index delta"),
        opening=None,
        thought=Document("role:role_if_first? reasoning_content:reasoning"),
        text=Document("content role:role_if_first?"),
        calling=Document("role:role_if_first? tool_calls"),
        last=Document(""),
    ),
    books=(BOOK, *BOOKS),
    traits=families_of("openai-chat", "litellm"),
    headers=headers(
        x_litellm_call_id=lambda rendered: uuid(rendered.ids),
        x_litellm_model_id=lambda rendered: rendered.ids.make("", 64, HEXADECIMAL),
        x_litellm_model_name=lambda rendered: rendered.model,
        x_litellm_response_cost="0.000104",
        x_litellm_key_spend="0.000104",
    ),
)
