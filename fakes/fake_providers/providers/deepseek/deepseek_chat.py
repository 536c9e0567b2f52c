"""DeepSeek: the rules of its chat completions, reasoning in every answer of a thinking model, usage in the last chunk,
errors as `application/octet-stream`.

The models of 2026 answer with status 400 where older ones answer 422 as text. Calls with ids of more than 40
characters, and messages in any order of roles, were recorded as accepted.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, Final

from fake_providers import remedies
from fake_providers.ids import uuid
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.providers.shared.chat_values import Outside, Range, Values, refuse_values, serde_outside
from fake_providers.providers.shared.pydantic_words import UNREADABLE, serde_breach
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope, Failure
from fake_providers.reply import Reply
from fake_providers.rulebook import (
    ANY_PARAMETER,
    WHOLE_REQUEST,
    Breach,
    RequestContext,
    Rulebook,
    sets,
)
from fake_providers.values.lenient import objects
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import USAGE, Answers, Provider, Said
from fake_providers.wires.openai_chat.rules.samples import CALL_MESSAGE, RESULT, TOOL, USER, sample_request
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
)
from fake_providers.wires.openai_shared.request_body import body_of, model_of

MODEL: Final = "deepseek-v4-flash"
CHECKED: Final = "2026-11-21"
TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})
UNPARSED: Final = "Failed to parse the request body as JSON: "
NOT_JSON: Final = f"{UNPARSED}EOF while parsing a value at line 1 column 0"
HALF: Final = re.compile(r"\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])")
UNSUPPORTED: Final = "{model} does not support the parameter `{found}`"
CALL: Final = {**CALL_MESSAGE, "reasoning_content": "I ask the tool."}


OWN_ERROR: Final = {"error": {"message": "<message>", "type": "<type>", "param": None, "code": "invalid_request_error"}}
ERROR_IN_JSON: Final = Envelope(OWN_ERROR, type="invalid_request_error")
# For the older names, the error about an unreadable body is plain text.
error_body = Envelope(ByStatus({422: "<message>"}, OWN_ERROR), type="invalid_request_error")


deepseek = partial(sample_request, model=MODEL)
BOOK = Rulebook(error_body.refusal)

chat.refuse_unread(BOOK, "deepseek", chat.MESSAGES, model=MODEL, not_json=NOT_JSON,
    missing=f"{UNREADABLE}missing field `messages` at line 1 column 2",
    source="worded like the refusals of other bodies that cannot be parsed")  # fmt: skip


def _cut_character(message: dict[str, Any], context: RequestContext, i: int) -> int | None:
    """The column behind the first half of a surrogate pair, as closely as a parsed body shows."""
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [part.get("text") for part in objects(content)]
    if all(not isinstance(text, str) or text.isascii() for text in texts):
        return None
    read = {**context.body, "messages": context.body["messages"][: i + 1]}
    found = HALF.search(json.dumps(read, separators=(",", ":")))
    return found and found.end() + 1


BOOK.row("deepseek/lone-surrogate", "A text has half of a surrogate pair, as is left of an emoji that was cut.",
    chat.MESSAGE, _cut_character,
    UNPARSED + "messages[{i}].content: unexpected end of hex escape at line 1 column {found}", ".content",
    checked="2026-11-30", remedy=remedies.WHOLE_CHARACTERS, even_usual=True,
    wrong=deepseek({**USER, "content": "7 \ud83d"}), right=deepseek({**USER, "content": "7 \U0001f600"}),
    verbatim={"esengine/DeepSeek-Reasonix#1906": "messages[158].content: unexpected end of hex escape at line 1"},
)  # fmt: skip


ROLES: Final = ("system", "user", "assistant", "tool", "latest_reminder")
QUOTED: Final = "public code that quotes it"
DIALECT: Final = Dialect(
    words=lambda found, context: serde_breach(found, context, ROLES),
    source="the sentences of serde, which it has for other members",
    roles=ROLES,
    required=(
        "messages[].role", "messages[system].content", "messages[user].content", "messages[tool].content",
        "messages[tool].tool_call_id", "messages[].tool_calls[].id", "messages[].tool_calls[].function",
        "messages[].tool_calls[].function.name", "messages[].tool_calls[].function.arguments", "tools[].type",
        "tools[].function", "tools[].function.name",
    ),
    known={
        "role-unknown": ("verbatim", {QUOTED: "unknown variant `developer`, expected one of `system`, `user`,"}),
        "result-type": ("reported", {
            f"{QUOTED} for a result that is an object": "invalid type: map, expected a string"}),
        "content-type": ("recorded", {"recording, deepseek-chat": "data did not match any variant of untagged enum"}),
        "member-missing": ("verbatim", {
            f"{QUOTED} for the result of a tool": "missing field `content`",
            QUOTED: "tools[14].function: missing field `name` at line 1 column 17015"}),
        "tool-choice-type": ("verbatim", {QUOTED: "tool_choice: data did not match any variant of untagged enum"}),
    },
)  # fmt: skip

refuse_wrong_types(BOOK, "deepseek", DIALECT, Samples("deepseek-chat"), status=422, suffix="-text",
    rules=("content-type", "result-type"), models="deepseek-chat, deepseek-reasoner",
    only=lambda context: "words-of-2025" in context.traits)  # fmt: skip
refuse_wrong_types(BOOK, "deepseek", DIALECT, Samples(MODEL, call=CALL))

SAID: Final = {"temperature": "[0, 2]", "top_p": "(0, 1.0]", "max_tokens": "[1, 393216]"}


def _outside(found: Outside, context: RequestContext) -> Breach | str:
    if found.at in SAID:
        return f"Invalid {found.at} value, the valid range of {found.at} is {SAID[found.at]}"
    return serde_outside(found, context)


refuse_values(BOOK, "deepseek",
    Values(words=_outside, source="the sentences of serde, which it has for other members", formats=(), efforts=(),
        ranges={"temperature": Range(0, 2), "top_p": Range(0, 1), "max_tokens": Range(1, 393216)},
        known={"value-range": ("inferred", {"Aider-AI/aider#4125, max_tokens alone":
            "Invalid max_tokens value, the valid range of max_tokens is [1, 65536]"})}),
    Samples(MODEL, call=CALL))  # fmt: skip


def _with_function(**changes: Any) -> dict[str, Any]:
    return deepseek(tools=[{**TOOL, "function": {**TOOL["function"], **changes}}])


def _unknown_part(part: dict[str, Any], context: RequestContext, i: int) -> dict[str, Any] | None:
    """With the column where parsing stopped: the end of the message, as closely as a parsed body shows."""
    kind, read = part.get("type"), {**context.body, "messages": context.body["messages"][: i + 1]}
    if not isinstance(kind, str) or kind == "text":
        return None
    return {"kind": kind, "column": len(json.dumps(read, separators=(",", ":")))}


def _unknown_type(one: dict[str, Any]) -> dict[str, Any] | None:
    found = ((at, kind) for at, kind in _types(one.get("parameters"), "") if kind not in TYPES)
    return next(({"below": at, "kind": kind, "name": one.get("name")} for at, kind in found), None)


def _types(schema: Any, at: str) -> Iterator[tuple[str, str]]:
    """The type of each schema inside a schema, if it is a string, with its place."""
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("type"), str):
        yield f"{at}.type", schema["type"]
    yield from _types(schema.get("items"), f"{at}.items")
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield from _types(inner, f"{at}.properties.{name}")


def _forbids_choice(body: dict[str, Any], context: RequestContext) -> Any:
    choice = body.get("tool_choice")
    if not (choice == "required" or isinstance(choice, dict)):
        return None
    if "reasoner" in context.traits:
        return {"who": f"{context.model} does"}
    return thinks(body, context.traits) and {"who": "Thinking mode does"}


def thinks(body: Any, traits: frozenset[str]) -> bool:
    """Whether the model thinks before it answers this body: the newer models do unless the request disables it."""
    thinking = body.get("thinking")
    disabled = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    return "thinking" in traits and not disabled and body.get("reasoning_effort") != "none"


# A table: two rows are to be compared.
# fmt: off
BOOK.row("deepseek/content-part-unknown", "A part of the content is not text.",
    chat.PART, _unknown_part,
    UNREADABLE + "messages[{i}]: unknown variant `{kind}`, expected `text` at line 1 column {column}", ".type",
    given=lambda context: "words-of-2025" not in context.traits, models="all; seen of deepseek-v4", checked=CHECKED,
    remedy=remedies.PART_TYPES,
    wrong=deepseek({**USER, "content": [{"type": "input_text", "text": "Hello"}]}),
    right=deepseek({**USER, "content": [{"type": "text", "text": "Hello"}]}),
    recorded={"recording, deepseek-v4-flash": "unknown variant `file`, expected `text`"})
BOOK.row("deepseek/json-schema-unavailable", "A `response_format` has a schema; DeepSeek knows JSON alone.",
    ANY_PARAMETER, lambda body: chat.inner(body, "response_format").get("type") == "json_schema",
    "This response_format type is unavailable now", "response_format.type", needs="json_schema", checked="2026-11-29",
    models="all; seen of deepseek-v4-pro, deepseek-chat", remedy=remedies.FORMAT_IN_WORDS,
    wrong=deepseek(response_format={"type": "json_schema"}), right=deepseek(response_format={"type": "text"}),
    verbatim={"llm-exe/llm-exe#662, live on 2026-07-10": "...", "ItzCrazyKns/Vane#969": ""})
BOOK.row("deepseek/json-unmentioned", "A JSON object is asked for, and no message has the word.",
    WHOLE_REQUEST, chat.json_unsaid,
    "Prompt must contain the word 'json' in some form to use 'response_format' of type 'json_object'.", "messages",
    needs="json_object", checked="2026-11-29", remedy=remedies.SAY_JSON,
    wrong=deepseek(response_format={"type": "json_object"}), right=deepseek(response_format={"type": "text"}),
    verbatim={"browserbase/stagehand#1204":
        "Prompt must contain the word 'json' in some form to use 'response_format'"})
BOOK.row("deepseek/function-name-pattern", "The name of a function has characters other than letters, digits, _ and -.",
    chat.FUNCTION, lambda one: isinstance(one.get("name"), str) and not re.fullmatch("[a-zA-Z0-9_-]+", one["name"]),
    "Invalid '{at}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    ".name", checked=CHECKED, remedy=remedies.TOOL_NAMES,
    wrong=_with_function(name="weather.get"), right=deepseek(tools=[TOOL]),
    verbatim={"public code that quotes it": "Invalid 'tools[0].function.name': string does not match pattern."})
BOOK.row("deepseek/schema-type", "The schema of a tool has a type that JSON Schema does not have.",
    chat.FUNCTION, _unknown_type,
    "Invalid schema for function '{name}': \"{kind}\" is not valid under any of the schemas listed in the 'anyOf' "
        "keyword", ".parameters{below}", checked=CHECKED, remedy=remedies.CONVERT_SCHEMA,
    wrong=_with_function(parameters={"type": "union"}), right=_with_function(parameters={"type": "object"}),
    recorded={"recording, deepseek-chat": "is not valid under any of the schemas listed in the 'anyOf'"})
BOOK.row("deepseek/schema-root-type", "The schema of a tool has no type, or null: an empty schema, or a lost member.",
    chat.FUNCTION, lambda one: isinstance(schema := one.get("parameters"), dict) and schema.get("type") is None
        and {"name": one.get("name")},
    "Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'.",
    ".parameters", checked="2026-11-30", remedy=remedies.OBJECT_SCHEMA,
    wrong=_with_function(parameters={}), right=_with_function(parameters={"type": "object"}),
    verbatim={"Jamailar/Beav#44": "schema must be a JSON Schema of 'type: \"object\"', got 'type: null'",
        "end-4/dots-hyprland#3640, tried both ways": "", "BigPizzaV3/CodexPlusPlus#2247, deepseek-flash": "",
        "openai/codex#36441, deepseek-v4-pro": ""})
BOOK.row("deepseek/logprobs-unsupported", "`logprobs` is set for a model that reasons.",
    ANY_PARAMETER, sets("logprobs"), UNSUPPORTED, "{found}", trait="reasoner", models="deepseek-reasoner",
    checked="2026-11-23", remedy=remedies.NO_PARAMETER,
    wrong=deepseek(model="deepseek-reasoner", logprobs=True), right=deepseek(model="deepseek-reasoner", logprobs=None),
    recorded={"recording, deepseek-reasoner": "does not support the parameter `logprobs`"})
BOOK.row("deepseek/top-logprobs-unsupported", "`top_logprobs` is set for a model that reasons.",
    ANY_PARAMETER, sets("top_logprobs"), UNSUPPORTED, "{found}", trait="reasoner", models="deepseek-reasoner",
    checked="2026-11-23", remedy=remedies.NO_PARAMETER,
    wrong=deepseek(model="deepseek-reasoner", top_logprobs=5),
    right=deepseek(model="deepseek-reasoner", top_logprobs=None),
    recorded={"recording, deepseek-reasoner": "does not support the parameter `logprobs`"})
BOOK.row("deepseek/tool-choice-while-thinking", "`tool_choice` requires a tool call, and the model is thinking.",
    ANY_PARAMETER, _forbids_choice, "{who} not support this tool_choice", "tool_choice",
    models="deepseek-v4 unless thinking is disabled; deepseek-reasoner", checked=CHECKED,
    remedy=remedies.CHOICE_WHILE_THINKING,
    wrong=deepseek(tools=[TOOL], tool_choice="required"), right=deepseek(tools=[TOOL], tool_choice="auto"),
    recorded={"recording, deepseek-v4-pro": "Thinking mode does not support this tool_choice"})
BOOK.row("deepseek/tool-calls-unanswered",
    "A tool call has no result before the next message that is not a tool result.",
    chat.NEAR, chat.unanswered,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
        "(insufficient tool messages following tool_calls message)", "messages[{i}]", checked=CHECKED,
    remedy=remedies.ANSWER_CALLS,
    wrong=deepseek(USER, CALL, USER), right=deepseek(USER, CALL, RESULT, USER),
    verbatim={"smallmain/vscode-unify-chat-provider#248": "(insufficient tool messages following tool_calls message)"})
BOOK.row("deepseek/tool-without-call", "A tool result does not follow a message with tool calls.",
    chat.NEAR, lambda found: chat.result_without_calls([(-1, {}), *found]),
    "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'", "messages[{i}].role",
    remedy=remedies.RESULT_WITH_CALL,
    wrong=deepseek(USER, RESULT), right=deepseek(USER, {**RESULT, "role": "user"}), checked=CHECKED,
    verbatim={"itmisx/deepx-code#94": "Messages with role 'tool' must be a response to a preceding message with",
        "public code that quotes it": ""})
BOOK.row("deepseek/reasoning-content-required",
    "A message with tool calls lacks the `reasoning_content` that the model sent with it; an empty string is "
        "accepted.",
    chat.MESSAGE, lambda one: chat.calls(one) and one.get("reasoning_content") is None,
    "The `reasoning_content` in the thinking mode must be passed back to the API.", ".reasoning_content",
    even_usual=True, trait="thinking", given=lambda context: thinks(context.body, context.traits),
    models="deepseek-v4 unless thinking is disabled", checked=CHECKED, remedy=remedies.REASONING_OF_CALLS,
    wrong=deepseek(USER, CALL_MESSAGE, RESULT), right=deepseek(USER, CALL, RESULT),
    verbatim={"JohnnyZ93/oai-compatible-copilot#215": "in the thinking mode must be passed back to the API.",
        "borawong/AiMaMi#8": "", "earendil-works/pi#3636": "", "charmbracelet/crush#2754": "",
        "mnfst/modelparams.dev#29": ""})
# fmt: on


UNSAID = "Let me see."
"""The reasoning of a model that thinks, if the script has none."""
NO_KEY = "Authentication Fails (auth header format should be Bearer sk-...)"

MISSING_KEY = missing_key_rule("deepseek/missing-key", reported={"recordings with a wrong key": "Authentication Fails"})
CONTEXT_LENGTH = context_length_rule(
    "deepseek/context-length",
    recorded={"recording, deepseek-chat": "This model's maximum context length is 1048565 tokens."},
)
FAMILIES = families_of("openai-chat", "deepseek")


FAILURES = ByStatus(
    {
        400: "The request could not be processed.",
        401: Failure("Authentication Fails, Your api key: ****{key_end} is invalid", {"type": "authentication_error"}),
        402: Failure("Insufficient Balance", {"type": "unknown_error"}),
        404: "The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed {model}.",
        422: "Failed to deserialize the JSON body into the target type: messages[0]: data did not match any variant of "
        "untagged enum ChatCompletionRequestContent at line 1 column 1",
        429: Failure("Rate limit reached. Please slow down your requests.", {"type": "rate_limit_error"}),
        503: Failure(
            "Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.",
            {"type": "service_unavailable_error"},
        ),
    },
    Failure("Internal Server Error", {"type": "internal_error"}),
)


def _label(status: int, body: Any) -> str:
    """Plain text for a body that cannot be parsed, JSON for a wrong key, else octets: recorded."""
    if isinstance(body, str):
        return "text/plain; charset=utf-8"
    return "application/octet-stream" if status == 400 else "application/json"


def _completed(reply: Reply, context: ReplyContext) -> Reply:
    """The reply with reasoning: a thinking model always sends some, and requires it back."""
    body = body_of(context.request)
    if reply.thinking or not thinks(body, FAMILIES(model_of(body))):
        return reply
    return replace(reply, thinking=UNSAID)


FINGERPRINT = "fp_058df29938_prod0820_fp8_kvcache_20260402"


def _null_beside_thoughts(said: Said) -> Any:
    return ABSENT if said.rendered.thinking is None else None


PROVIDER = Provider(
    name="deepseek",
    base_path="",
    completes_texts=True,
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long="This model's maximum context length is {window} tokens. However, you requested {tokens} tokens "
        "({tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
        missing_key=MISSING_KEY,
        no_key=Failure(NO_KEY, {"type": "authentication_error"}),
        content_type=_label,
    ),
    answers=Answers(
        id=uuid,
        call_id=lambda ids: ids.make("call_00_", 24),
        stream_content_type="text/event-stream; charset=utf-8",
        completion=Document(
            "id object created model choices usage? system_fingerprint", system_fingerprint=FINGERPRINT
        ),
        choice=Document("index message logprobs:null finish_reason"),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
        usage=Document(
            f"{USAGE} completion_tokens_details? prompt_cache_hit_tokens prompt_cache_miss_tokens",
            completion_tokens_details=lambda rendered: (
                ABSENT if rendered.thinking is None else {"reasoning_tokens": rendered.tokens.thinking}
            ),
            prompt_cache_hit_tokens=lambda rendered: rendered.tokens.cached,
            prompt_cache_miss_tokens=lambda rendered: rendered.tokens.prompt - rendered.tokens.cached,
        ),
        chunk=Document(
            "id object created model system_fingerprint choices usage:usage_or_null?", system_fingerprint=FINGERPRINT
        ),
        opening=Document(
            "role content reasoning_content?",
            content=lambda said: "" if said.rendered.thinking is None else None,
            reasoning_content=lambda said: ABSENT if said.rendered.thinking is None else "",
        ),
        thought=Document("content:null reasoning_content:reasoning"),
        text=Document("content reasoning_content?", reasoning_content=_null_beside_thoughts),
        last=Document("content reasoning_content?", content="", reasoning_content=_null_beside_thoughts),
        usage_comes="always",
        complete_reply=_completed,
    ),
    books=(BOOK,),
    traits=FAMILIES,
)
