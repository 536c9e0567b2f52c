"""DashScope (Qwen), Alibaba's Model Studio. Most of its refusals begin with `<400> InternalError.Algo`."""

import json
from functools import partial
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.chat_values import OPENAIS_RANGES, Outside, Values, refuse_values
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rule import Remedy, Violation
from fake_providers.rulebook import (
    ANY_PARAMETER,
    WHOLE_REQUEST,
    RequestContext,
    Rulebook,
)
from fake_providers.wires.openai_chat.provider import USAGE_AND_REASONING, Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import event

MODEL: Final = "qwen3-max"
HYBRID: Final = "qwen3-235b-a22b"
CHECKED: Final = "2026-11-23"
SAMPLES: Final = Samples(MODEL)
WRONG: Final = "<400> InternalError.Algo.InvalidParameter: "
REQUEST_ID: Final = "conformance-0000-0000-0000-000000000000"


error_body = Envelope(
    {
        "error": {"message": "<message>", "type": "<type>", "param": None, "code": "<code>"},
        "request_id": REQUEST_ID,
        "id": "<id>",
    },
    type=ByStatus({429: "limit_requests", 500: "internal_error"}, "invalid_request_error"),
    code=ByStatus(
        {401: "invalid_api_key", 404: "model_not_found", 429: "limit_requests", 500: "internal_error"},
        "invalid_parameter_error",
    ),
)


dashscope = partial(sample_request, model=MODEL)
BOOK = Rulebook(error_body.but(id=f"chatcmpl-{REQUEST_ID}").refusal)

chat.refuse_unread(BOOK, "dashscope", chat.MESSAGES, model=MODEL, not_json="Request body format invalid",
    missing=f"{WRONG}Field required: input.messages",
    source="the envelope of other refusals; the words are deduced")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> str:
    if found.value is MISSING:
        return f"{WRONG}Field required: {found.at}"
    if found.types == ("role",):
        return f"{found.value} is not one of {list(ROLES)} - '{found.at.replace('[', '.[')}'"
    types = " or ".join(f"`{NAMES[one]}`" for one in found.types)
    return f"{WRONG}The {found.path[-1]} field's type should be {types} in {found.path[0]}."


ROLES: Final = ("system", "assistant", "user", "tool", "function")
NAMES: Final = {
    "string": "str", "array": "list", "object": "dict", "number": "float", "integer": "int", "boolean": "bool"
}  # fmt: skip
OF_ROLE: Final = {"public code of five projects": "developer is not one of ['system', 'assistant', 'user', 'tool',"}
OF_CONTENT: Final = {"modelscope/modelscope#1478": "The content field's type should be `str` in messages."}
refuse_wrong_types(BOOK, "dashscope",
    Dialect(words=_wrong_type, source="worded like its refusal of a content", roles=ROLES,
        required=("messages[].role", "tools[].function", "tools[].function.name"),
        known={"role-unknown": ("verbatim", OF_ROLE), "content-type": ("reported", OF_CONTENT)}), SAMPLES)  # fmt: skip


def _outside(found: Outside, _context: RequestContext) -> str:
    """In the sentences of its page of error codes."""
    if found.words:
        return f"{WRONG}{found.at} must be one of {list(found.words)}"
    said = {"temperature": "Temperature should be in [0.0, 2.0)", "top_p": "Range of top_p should be (0.0, 1.0]"}
    penalty = f"{found.at.capitalize()} should be in [-2.0, 2.0]"
    most = {"max_tokens": "65536", "n": "4"}.get(found.at)
    return WRONG + said.get(found.at, f"Range of {found.at} should be [1, {most}]" if most else penalty)


refuse_values(BOOK, "dashscope",
    Values(words=_outside, source="help.aliyun.com/zh/model-studio/error-code", efforts=(),
        ranges={name: OPENAIS_RANGES[name] for name in ("temperature", "top_p", "presence_penalty", "max_tokens", "n")},
        known={"value-range": ("reported", {"open-webui/open-webui#10507": "Range of max_tokens should be [1, 8192]",
            "help.aliyun.com/zh/model-studio/error-code": ""})}), SAMPLES)  # fmt: skip


def _thinks(context: RequestContext) -> bool:
    """Hybrid models of 2025 and qwen3.5 think unless told not to; others only where they are told to."""
    wanted = context.body.get("enable_thinking")
    return wanted is True or (wanted is None and not context.traits.isdisjoint(("thinking", "thinks")))


BEIJING: Final = "dashscope.aliyuncs.com"


def _of_beijing(context: RequestContext) -> bool:
    return context.headers.get("host") == BEIJING


def _is_cut_off(call: dict[str, Any]) -> bool:
    try:
        json.loads(chat.function(call).get("arguments") or "{}")
    except ValueError:
        return True
    return False


def _refusal_in_a_stream(violation: Violation) -> bytes | None:
    """As recorded of each stream with a forced call; other refusals are reported with a 400 by clients that stream."""
    if violation.rule != "dashscope/tool-choice-while-thinking":
        return None
    error = violation.body["error"]
    members = {name: error[name] for name in ("code", "param", "message", "type")}
    return event({"error": members, "id": violation.body["id"]})


NO_KEY = "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth."
FAILURES = ByStatus(
    {
        401: "Incorrect API key provided. For details, see: https://help.aliyun.com/zh/model-studio/error-code#apikey-error",
        404: "The model `qwen3-max` does not exist or you do not have access to it.",
        429: "You exceeded your current requests list. For details, see: https://help.aliyun.com/zh/model-studio/error-code",
        500: "<500> InternalError.Algo: An internal error has occured, please try again later or contact service "
        "support.",
    },
    f"{WRONG}The request could not be processed.",
)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("dashscope/thinking-without-stream",
    "The model thinks as nobody told it not to, and the answer is not streamed; other endpoints than Beijing's answer.",
    ANY_PARAMETER, lambda body, context: not context.stream and body.get("enable_thinking") is None,
    "parameter.enable_thinking must be set to false for non-streaming calls", "enable_thinking", trait="thinking",
    given=_of_beijing, headers={"host": BEIJING},
    models="qwen3-235b-a22b, qwen3-32b and the other open Qwen3 models of April 2025", checked=CHECKED,
    remedy=Remedy("reasoning-settings",
        'Stream the answer, or send `"enable_thinking":false` with requests that are not streamed.'),
    wrong=dashscope(model=HYBRID, stream=False), right=dashscope(model=HYBRID, stream=True),
    verbatim={"langchain4j/langchain4j#3974, tencentmusic/supersonic#2355, of 2025": "..."})
BOOK.row("dashscope/tool-choice-while-thinking", "A call is forced while the model thinks.",
    ANY_PARAMETER, lambda body: body.get("tool_choice") == "required" or isinstance(body.get("tool_choice"), dict),
    WRONG + "The tool_choice parameter does not support being set to required or object in thinking mode",
    "tool_choice", given=_thinks, checked=CHECKED, remedy=remedies.CHOICE_WHILE_THINKING,
    wrong=dashscope(tools=[TOOL], tool_choice="required", enable_thinking=True, stream=True),
    right=dashscope(tools=[TOOL], tool_choice="auto", enable_thinking=True, stream=True),
    recorded={"recordings, qwen3-235b-a22b, qwen3-30b-a3b, qwen3.5":
        "The tool_choice parameter does not support being set to required",
        "cloudwego/eino#994, QwenLM/qwen-code#7659": ""})
BOOK.row("dashscope/thinking-budget", "`thinking_budget` is no positive number.",
    ANY_PARAMETER,
    lambda body: (budget := body.get("thinking_budget")) is not None and not (type(budget) is int and budget > 0),
    WRONG + "The thinking_budget parameter must be a positive integer and not greater than 38912", "thinking_budget",
    remedy=Remedy("reasoning-settings",
        "Send a `thinking_budget` of at least 1, and no larger than the model's; leave it out to think as much as "
        "is needed."),
    wrong=dashscope(thinking_budget=0), right=dashscope(thinking_budget=100), checked=CHECKED,
    verbatim={"QwenLM/Qwen-Agent#941": "The thinking_budget parameter must be a positive integer and not greater"})
BOOK.row("dashscope/result-without-call", "A result has no message with calls before it.",
    chat.NEAR, chat.result_without_calls,
    WRONG + 'messages with role "tool" must be a response to a preceeding message with "tool_calls".',
    "messages[{i}].role", checked=CHECKED, remedy=remedies.RESULT_WITH_CALL,
    wrong=dashscope(USER, {**CALL_MESSAGE, "content": "Hm.", "tool_calls": []}, RESULT),
    right=dashscope(USER, {**CALL_MESSAGE, "content": "Hm."}, RESULT),
    verbatim={"QwenLM/qwen-code#2360": 'messages with role "tool" must be a response to a preceeding message with'})
BOOK.row("dashscope/tool-calls-unanswered", "A call has no result before the next message.",
    chat.NEAR, chat.unanswered,
    WRONG + 'An assistant message with "tool_calls" must be followed by tool messages responding to each '
        '"tool_call_id". The following tool_call_ids did not have response messages: message[{next}].role',
    "messages[{i}]", checked=CHECKED, remedy=remedies.ANSWER_CALLS,
    wrong=dashscope(USER, CALL_MESSAGE), right=dashscope(USER, CALL_MESSAGE, RESULT),
    reported={"public issues of Qwen Code": 'An assistant message with "tool_calls" must be followed by tool messages'})
BOOK.row("dashscope/tool-calls-empty", "The list of a message's calls is empty.",
    chat.MESSAGE, lambda one: one.get("tool_calls") == [], WRONG + "Empty tool_calls is not supported in message.",
    ".tool_calls", checked="2026-11-30", remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=dashscope(USER, {"role": "assistant", "content": "Hm.", "tool_calls": []}, USER),
    right=dashscope(USER, {"role": "assistant", "content": "Hm."}, USER),
    verbatim={"microsoft/autogen#5814": "Empty tool_calls is not supported in message."})
BOOK.row("dashscope/call-arguments",
    "The arguments of a call in the history are not JSON, as those of a call that was cut off.",
    chat.CALL, _is_cut_off, WRONG + 'The "function.arguments" parameter of the code model must be in JSON format.',
    ".function.arguments", even_usual=True, checked=CHECKED, remedy=remedies.ARGUMENTS_UNPARSED,
    wrong=SAMPLES.at("messages.1.tool_calls.0.function.arguments", '{"city": "Os'),
    right=SAMPLES.at("messages.1.tool_calls.0.function.arguments", '{"city": "Oslo"}'),
    verbatim={"public issues": 'The "function.arguments" parameter of the code model must be in JSON format.'})
BOOK.row("dashscope/json-unmentioned", "A JSON object is asked for, and no message has the word.",
    WHOLE_REQUEST, chat.json_unsaid,
    WRONG + "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
    "messages", needs="json_object", checked=CHECKED,
    remedy=Remedy("answer-formats",
        "Say in the system prompt that the answer is JSON, in that word, where `response_format` asks for it."),
    wrong=dashscope(response_format={"type": "json_object"}), right=dashscope(response_format={"type": "text"}),
    verbatim={"public code that quotes it": "'messages' must contain the word 'json' in some form, to use"})

PROVIDER = Provider(
    name="dashscope",
    base_path="/compatible-mode/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=context_length_rule(
            "dashscope/context-length",
            verbatim={"public code that quotes it": "Range of input length should be [1, 98304]"}),
        too_long=f"{WRONG}Range of input length should be [1, {{window}}]",
        missing_key=missing_key_rule(
            "dashscope/missing-key", reported={"recordings of a wrong key": "Incorrect API key"}),
        no_key=NO_KEY,
        in_stream=_refusal_in_a_stream),
    answers=Answers(
        id=lambda ids: f"chatcmpl-{uuid(ids)}",
        call_id=lambda ids: ids.make("call_", 24, "0123456789abcdef"),
        completion=Document("choices object usage? created system_fingerprint:null model id"),
        choice=Document("index message finish_reason logprobs:null"),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
        usage=Document(USAGE_AND_REASONING),
        stream_content_type="text/event-stream;charset=UTF-8"),
    books=(BOOK,),
    traits=families_of("openai-chat", "dashscope"))
# fmt: on
