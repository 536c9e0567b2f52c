"""Moonshot's chat completions: what its Kimi models and their schemas refuse.

Answers have the thoughts as `reasoning_content`, and the cached tokens beside the others. The ids of its calls have
the names of the tools (`get_weather:0`); those of the fake have a number only.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from fake_providers.ids import HEXADECIMAL
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import (
    MESSAGES,
    calls,
    function,
    messages,
    parts,
    refuse_unread,
    rounds,
    tools,
)
from fake_providers.providers.shared.chat_types import Dialect, Samples, refuse_wrong_types
from fake_providers.rule import Rule
from fake_providers.rulebook import Breach, RequestContext, Rulebook
from fake_providers.values.json_texts import comparable
from fake_providers.wire import ReplyContext
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rendered_reply import CREATED, RenderedReply
from fake_providers.wires.openai_chat.rules.samples import (
    CALL_MESSAGE,
    RESULT,
    TOOL,
    USER,
    cite,
    sample_request,
    sample_with_tool,
)
from fake_providers.wires.openai_shared.provider_errors import (
    Errors,
    context_length_rule,
    missing_key_rule,
    window_sentence,
)
from fake_providers.wires.openai_shared.request_body import Chunk, body_of, model_of

MODEL: Final = "kimi-k2-0905-preview"
THINKING: Final = "kimi-k2.5"
CODE: Final = "kimi-k2.7-code"
CHECKED: Final = "2026-11-23"
FLAVOURED: Final = "Invalid request: tools.function.parameters is not a valid moonshot flavored json schema, details: "
TYPED: Final = frozenset({"type", "anyOf", "oneOf", "allOf", "$ref", "enum", "const"})
"""Members of a schema of which one says what the value is."""


def error_body(message: str, kind: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind}}


def envelope(_rule: Rule, found: Breach, _context: RequestContext) -> Any:
    return error_body(found.message)


def kimi(*conversation: dict[str, Any], model: str = MODEL, **fields: Any) -> dict[str, Any]:
    return sample_request(*conversation, model=model, **fields)


def kimi_tool(**changes: Any) -> dict[str, Any]:
    return {**sample_with_tool(**changes), "model": MODEL}


BOOK = Rulebook(envelope)

refuse_unread(
    BOOK,
    "moonshot",
    MESSAGES,
    model=MODEL,
    not_json=Breach("body", "Invalid request: failed to parse the request body as JSON"),
    missing=lambda body: Breach("messages", "Invalid request: messages is required"),
    source="worded like the refusals of other bodies",
)


refuse_wrong_types(
    BOOK,
    "moonshot",
    Dialect(
        words=lambda found, _context: Breach(
            found.at, f"Invalid request: {found.at} must be {' or '.join(found.types)}"
        ),
        source="every other hosted provider refuses them; its words are not known",
    ),
    Samples(MODEL),
)


@BOOK.rule(
    "moonshot/assistant-empty",
    why="A message of the assistant has neither text nor tool calls.",
    confidence="verbatim",
    evidence=cite(
        "MoonshotAI/kimi-code#1985, OpenCowork#10, and eight more",
        "Invalid request: the message at position 72 with role 'assistant' must not be empty",
    ),
    breaking=kimi(USER, {"role": "assistant", "content": ""}, USER),
    accepted=kimi(USER, {"role": "assistant", "content": "Rain."}, USER),
    checked=CHECKED,
)
def _assistant_empty(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        if message.get("role") == "assistant" and not message.get("content") and not message.get("tool_calls"):
            sentence = f"Invalid request: the message at position {index} with role 'assistant' must not be empty"
            return Breach(f"messages[{index}]", sentence)
    return None


@BOOK.rule(
    "moonshot/text-empty",
    why="A text part has an empty text.",
    confidence="verbatim",
    evidence=(
        *cite("MoonshotAI/kimi-cli#2621 and #2035", "text content is empty"),
        *cite("BerriAI/litellm#42186: an empty string in place of the list is taken"),
    ),
    breaking=kimi({**USER, "content": [{"type": "text", "text": ""}]}),
    accepted=kimi({**USER, "content": [{"type": "text", "text": "Rain?"}]}),
    checked=CHECKED,
)
def _text_empty(context: RequestContext) -> Breach | None:
    for index, message in messages(context):
        for number, part in parts(message):
            if part.get("type") == "text" and part.get("text") == "":
                return Breach(f"messages[{index}].content[{number}].text", "Invalid request: text content is empty")
    return None


@BOOK.rule(
    "moonshot/tool-calls-unanswered",
    why="A tool call has no result right after its message.",
    confidence="verbatim",
    evidence=cite(
        "MoonshotAI/kimi-cli#1977 and #2405, MoonshotAI/kimi-code#705",
        "The following tool_call_ids did not have response messages: Shell:58",
    ),
    breaking=kimi(USER, CALL_MESSAGE, USER),
    accepted=kimi(USER, CALL_MESSAGE, RESULT, USER),
    checked=CHECKED,
)
def _unanswered(context: RequestContext) -> Breach | None:
    for (index, message), results in rounds(messages(context)):
        answered = {comparable(result.get("tool_call_id")) for _, result in results}
        missing = [str(call.get("id")) for _, call in calls(message) if comparable(call.get("id")) not in answered]
        if missing:
            sentence = (
                "Invalid request: an assistant message with 'tool_calls' must be followed by tool messages responding "
                "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            )
            return Breach(f"messages[{index}]", sentence + ", ".join(missing))
    return None


@BOOK.rule(
    "moonshot/result-id-unknown",
    why="The `tool_call_id` of a result is missing, or no earlier call has it.",
    confidence="verbatim",
    evidence=cite(
        "ten public projects, with two spaces for an empty id", "Invalid request: tool_call_id  is not found"
    ),
    breaking=kimi(USER, CALL_MESSAGE, RESULT, {**RESULT, "tool_call_id": "call_2"}),
    accepted=kimi(USER, CALL_MESSAGE, RESULT, {**RESULT, "tool_call_id": "call_1"}),
    checked=CHECKED,
)
def _result_id(context: RequestContext) -> Breach | None:
    called: set[Any] = set()
    for index, message in messages(context):
        called |= {comparable(call.get("id")) for _, call in calls(message)}
        answers = message.get("tool_call_id") if message.get("role") == "tool" else None
        if message.get("role") == "tool" and comparable(answers) not in called:
            sentence = f"Invalid request: tool_call_id {answers or ''} is not found"
            return Breach(f"messages[{index}].tool_call_id", sentence)
    return None


@BOOK.rule(
    "moonshot/function-name-invalid",
    why="The name of a function does not begin with a letter, or has other characters than letters, digits, _ and -.",
    confidence="verbatim",
    evidence=cite("MoonshotAI/kimi-cli#2531", "function name is invalid, must start with a letter and can contain"),
    breaking=kimi_tool(name="weather.get"),
    accepted=kimi_tool(),
    checked=CHECKED,
)
def _function_name(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        name = function(tool).get("name")
        if isinstance(name, str) and not re.fullmatch("[a-zA-Z][a-zA-Z0-9_-]*", name):
            rest = "must start with a letter and can contain letters, numbers, underscores, and dashes"
            return Breach(f"tools[{index}].function.name", f"Invalid request: function name is invalid, {rest}")
    return None


@BOOK.rule(
    "moonshot/tool-schema-invalid",
    why=(
        "A schema has `type` beside `anyOf`, a property says nothing of its type, or a reference leads elsewhere than "
        "to `#/$defs/`."
    ),
    confidence="verbatim",
    evidence=(
        *cite("MoonshotAI/kimi-cli#2531", "when using anyOf, type should be defined in anyOf items instead of the"),
        *cite("earendil-works/pi#4138", "<At path 'properties.source': type is not defined>"),
        *cite("command-code#594", "references must start with #/$defs/"),
    ),
    breaking=kimi_tool(parameters={"type": "object", "properties": {"city": {}}}),
    accepted=kimi_tool(parameters={"type": "object", "properties": {"city": {"type": "string"}}}),
    checked=CHECKED,
)
def _tool_schema(context: RequestContext) -> Breach | None:
    for index, tool in tools(context):
        found = next(_schema_faults(function(tool).get("parameters"), ""), None)
        if found is not None:
            where, what = found
            at = f"tools[{index}].function.parameters{f'.{where}' if where else ''}"
            return Breach(at, f"{FLAVOURED}<At path '{where or 'root'}': {what}>")
    return None


def _schema_faults(schema: Any, path: str) -> Iterator[tuple[str, str]]:
    """Each fault of a schema and of those in it, with its path; the root may be without a type."""
    if not isinstance(schema, dict):
        return
    reference = schema.get("$ref")
    if isinstance(reference, str) and not reference.startswith("#/$defs/"):
        yield path, "references must start with #/$defs/"
    if "anyOf" in schema and "type" in schema:
        yield path, "when using anyOf, type should be defined in anyOf items instead of the parent schema"
    if path and TYPED.isdisjoint(schema):
        yield path, "type is not defined"
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, dict) else ():
        yield from _schema_faults(inner, f"{path}.properties.{name}".lstrip("."))
    yield from _schema_faults(schema.get("items"), f"{path}.items".lstrip("."))


def _is_thinking(context: RequestContext) -> bool:
    """The models that think do so unless the request disables it; some cannot."""
    thinking = context.body.get("thinking")
    disabled = isinstance(thinking, dict) and thinking.get("type") == "disabled"
    return "thinking" in context.traits and ("always-thinks" in context.traits or not disabled)


@BOOK.rule(
    "moonshot/reasoning-content-required",
    why="The model thinks, and a message with tool calls lacks its `reasoning_content`.",
    models="kimi-k2-thinking; kimi-k2.5 and newer unless thinking is disabled",
    confidence="verbatim",
    evidence=cite(
        "continuedev/continue#11600, and nine more",
        "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
    ),
    breaking=kimi(USER, CALL_MESSAGE, RESULT, model=THINKING),
    accepted=kimi(USER, {**CALL_MESSAGE, "reasoning_content": "I ask."}, RESULT, model=THINKING),
    checked=CHECKED,
)
def _reasoning_required(context: RequestContext) -> Breach | None:
    for index, message in messages(context) if _is_thinking(context) else ():
        if calls(message) and message.get("reasoning_content") is None:
            reason = f"reasoning_content is missing in assistant tool call message at index {index}"
            return Breach(f"messages[{index}].reasoning_content", f"thinking is enabled but {reason}")
    return None


@BOOK.rule(
    "moonshot/tool-choice-while-thinking",
    why="`tool_choice` forces a call while the model thinks.",
    models="kimi-k2-thinking; kimi-k2.5 and newer unless thinking is disabled",
    confidence="verbatim",
    evidence=(
        *cite("ten public projects", "tool_choice 'specified' is incompatible with thinking enabled"),
        *cite("eight public projects, kimi-k2.6", "tool_choice 'required' is incompatible with thinking enabled"),
    ),
    breaking=kimi(model=THINKING, tools=[TOOL], tool_choice="required"),
    accepted=kimi(model=THINKING, tools=[TOOL], tool_choice="auto"),
    checked=CHECKED,
)
def _tool_choice(context: RequestContext) -> Breach | None:
    choice = context.body.get("tool_choice")
    if not _is_thinking(context) or not (choice == "required" or isinstance(choice, dict)):
        return None
    kind = "specified" if isinstance(choice, dict) else choice
    return Breach("tool_choice", f"tool_choice '{kind}' is incompatible with thinking enabled")


@BOOK.rule(
    "moonshot/thinking-type",
    why="Thinking is turned off, and the model only takes it enabled.",
    models="kimi-k2.7-code",
    confidence="verbatim",
    evidence=cite("MoonshotAI/Kimi-K2#141", "invalid thinking: only type=enabled is allowed for this model"),
    breaking=kimi(model=CODE, thinking={"type": "disabled"}),
    accepted=kimi(model=CODE, thinking={"type": "enabled"}),
    checked="2026-11-28",
)
def _thinking_type(context: RequestContext) -> Breach | None:
    thinking = context.body.get("thinking")
    kind = thinking.get("type") if isinstance(thinking, dict) else "enabled"
    if "only-enabled" not in context.traits or kind == "enabled":
        return None
    return Breach("thinking.type", "invalid thinking: only type=enabled is allowed for this model")


@BOOK.rule(
    "moonshot/temperature-fixed",
    why="The temperature is another than the only one of the model: 1 while it thinks, else 0.6.",
    models="kimi-k2.5 and newer",
    confidence="verbatim",
    evidence=(
        *cite("HKUDS/nanobot#202", "invalid temperature: only 1 is allowed for this model"),
        *cite("oh-my-ppt#45: only 0.6 without thinking"),
        *cite("MoonshotAI/Kimi-Vendor-Verifier verify_params.py"),
    ),
    breaking=kimi(model=THINKING, temperature=0.5),
    accepted=kimi(model=THINKING, temperature=1),
    checked=CHECKED,
)
def _temperature(context: RequestContext) -> Breach | None:
    only = 1 if _is_thinking(context) else 0.6
    if "fixed-temperature" not in context.traits or context.body.get("temperature") in (None, only):
        return None
    return Breach("temperature", f"invalid temperature: only {only} is allowed for this model")


MISSING_KEY = missing_key_rule(
    "moonshot/missing-key",
    confidence="reported",
    evidence=cite("platform.moonshot.ai, error codes", "Invalid Authentication"),
)
CONTEXT_LENGTH = context_length_rule(
    "moonshot/context-length",
    confidence="verbatim",
    evidence=cite("public code that quotes it", "Invalid request: Your request exceeded model token limit: 262144"),
)
NO_KEY = error_body("Invalid Authentication", "invalid_authentication_error")


def _failure(status: int, context: ReplyContext, retry_after: float | None) -> Any:
    if status == 401:
        return NO_KEY
    if status == 404:
        model = model_of(body_of(context.request))
        return error_body(f"Not found the model {model} or Permission denied", "resource_not_found_error")
    if status == 429:
        again = f"please try again after {retry_after or 1:g} seconds"
        return error_body(f"Your account request reached organization max RPM: 3, {again}", "rate_limit_reached_error")
    if status >= 500:
        return error_body("The server is currently overloaded, please try again later", "engine_overloaded_error")
    return error_body("Invalid request")


def _usage(rendered: RenderedReply) -> dict[str, Any]:
    counts, cached = rendered.tokens.counts, rendered.tokens.cached
    order = {name: counts[name] for name in ("prompt_tokens", "completion_tokens", "total_tokens")}
    more = {"cached_tokens": cached, "prompt_tokens_details": {"cached_tokens": cached}}
    return {**order, **(more if cached else {})}


def _completion(rendered: RenderedReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": rendered.content or ""}
    if rendered.thinking is not None:
        message["reasoning_content"] = rendered.thinking
    if rendered.calls:
        message["tool_calls"] = [
            {"index": index, **call.with_id, "type": "function", "function": call.function}
            for index, call in enumerate(rendered.calls)
        ]
    return {
        "id": rendered.id,
        "object": "chat.completion",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "message": message, "finish_reason": rendered.finish}],
        "usage": _usage(rendered),
    }


def _chunk(rendered: RenderedReply, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {
        "id": rendered.id,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": rendered.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        "system_fingerprint": "fpv0_ff52a3ef",
    }


def _deltas(rendered: RenderedReply) -> Iterator[Chunk]:
    yield _chunk(rendered, {"role": "assistant", "content": ""})
    for piece in rendered.thoughts():
        yield _chunk(rendered, {"reasoning_content": piece})
    for piece in rendered.texts():
        yield _chunk(rendered, {"content": piece})
    for index, call, arguments in rendered.calls_in_pieces():
        yield _chunk(
            rendered,
            {
                "tool_calls": [
                    {
                        "index": index,
                        **call.with_id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": ""},
                    }
                ]
            },
        )
        for piece in arguments:
            yield _chunk(rendered, {"tool_calls": [{"index": index, "function": {"arguments": piece}}]})


def _ending(rendered: RenderedReply) -> Iterator[Chunk]:
    """The usage is in the last choice, whether it was asked for or not."""
    last = _chunk(rendered, {}, rendered.finish)
    yield {**last, "choices": [{**last["choices"][0], "usage": _usage(rendered)}]}
    if rendered.is_counted:
        yield {**_chunk(rendered, {}), "choices": [], "usage": _usage(rendered)}


PROVIDER = Provider(
    name="moonshot",
    base_path="/v1",
    errors=Errors(
        failure=_failure,
        envelope_of=error_body,
        window=CONTEXT_LENGTH,
        too_long=window_sentence(
            "Invalid request: Your request exceeded model token limit: {window} (requested: {tokens})", error_body
        ),
        missing_key=MISSING_KEY,
        no_key=("Invalid Authentication", NO_KEY),
    ),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 24, HEXADECIMAL),
        call_id=lambda ids: ids.make("call_", 24, HEXADECIMAL),
        completion=_completion,
        deltas=_deltas,
        final_chunks=_ending,
    ),
    books=(BOOK,),
    traits=families_of("openai-chat", "moonshot"),
)
