"""Cohere's OpenAI-compatible chat completions, its Compatibility API: the request becomes one to `/v2/chat`, whose
rules and words hold, after those about what has no counterpart there.

No answer of this endpoint was found recorded. They have what OpenAI's clients read, and thoughts in the field that
Cohere names in models.dev, `reasoning_content`.
"""

from typing import Any, Final

from msgspec.structs import replace

from fake_providers.ids import Ids, uuid
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import MESSAGES, function, refuse_unread
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.translated_book import TranslatedBook, Translation
from fake_providers.replies.documents import ByStatus, Document, Failure
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook
from fake_providers.values.lenient import listed
from fake_providers.wires.cohere_chat.errors import NO_KEY, TOO_LONG, envelope, error_body, sentence_of
from fake_providers.wires.cohere_chat.response import call_id
from fake_providers.wires.cohere_chat.rules import messages, parameters, tools
from fake_providers.wires.cohere_chat.rules.shape import ParsedBody, go_type
from fake_providers.wires.openai_chat.provider import USAGE_AND_REASONING, Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import cite, sample_request
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule, missing_key_rule
from fake_providers.wires.openai_shared.request_body import event

MODEL: Final = "command-a-03-2025"
REASONING: Final = "command-a-reasoning-08-2025"
CHECKED: Final = "2026-11-28"
DOCS: Final = "docs.cohere.com/docs/compatibility-api"
UNSUPPORTED: Final = (
    "store", "metadata", "logit_bias", "top_logprobs", "n", "modalities", "prediction", "audio", "service_tier",
    "parallel_tool_calls",
)  # fmt: skip

BOOK = Rulebook(envelope)

refuse_unread(BOOK, "cohere",
    replace(MESSAGES, rules="chat-", is_present=lambda body: body.get("messages") != [] and MESSAGES.is_present(body)),
    model=MODEL, not_json=Breach("", "invalid json syntax: unexpected end of JSON input"),
    missing="messages is a required field", source="the words of /v2/chat")  # fmt: skip


def _wrong_type(found: WrongType, _context: RequestContext) -> str:
    path = ".".join(part for part in found.path if isinstance(part, str))
    if found.value is MISSING:
        return f"{path} is a required field"
    if found.types == ("role",):
        return f"invalid request: invalid role in {found.at}: must be one of {', '.join(ROLES)}"
    expected = " or ".join(NAMES.get(one, one) for one in found.types)
    return f"invalid type: parameter '{path}' is of type {go_type(found.value)} but should be of type {expected}."


ROLES: Final = ("system", "developer", "user", "assistant", "tool")
NAMES: Final = {"object": "Object", "array": "Array"}
refuse_wrong_types(BOOK, "cohere",
    Dialect(words=_wrong_type, source="worded like the refusals of /v2/chat", roles=ROLES,
        required=("messages[].role", "tools[].function.name")), Samples(MODEL), status=422, prefix="chat-")  # fmt: skip


SAME_NAMES: Final = ("max_tokens", "seed", "frequency_penalty", "presence_penalty", "logprobs")
OWN_NAMES: Final = {"temperature": "temperature", "stop": "stop_sequences", **{name: name for name in SAME_NAMES}}
"""The parameters whose bounds hold here too. How `top_p` becomes `p`, which may not be 1, is not known."""
CHOICES: Final = {"required": "REQUIRED", "none": "NONE"}


def as_native(body: dict[str, Any]) -> ParsedBody:
    """The body for `/v2/chat`. What becomes of a choice that names a tool is not known: it is left out."""
    made: dict[str, Any] = {"model": body.get("model")}
    made["messages"] = [_message(one) for one in listed(body.get("messages")) if isinstance(one, dict)]
    if declared := [tool for tool in listed(body.get("tools")) if isinstance(tool, dict)]:
        made["tools"] = declared
        made["strict_tools"] = any(function(tool).get("strict") is True for tool in declared)
    choice = body.get("tool_choice")
    if isinstance(choice, str) and choice in CHOICES:
        made["tool_choice"] = CHOICES[choice]
    made |= {own: body[name] for name, own in OWN_NAMES.items() if body.get(name) is not None}
    if isinstance(made.get("stop_sequences"), str):
        made["stop_sequences"] = [made["stop_sequences"]]
    if isinstance(body.get("response_format"), dict):
        made["response_format"] = _format(body["response_format"])
    return ParsedBody(made, None)


def _message(message: dict[str, Any]) -> dict[str, Any]:
    """A text beside calls becomes a plan: it is not refused, as every client of OpenAI's sends it back."""
    made = {name: value for name, value in message.items() if name in ("content", "tool_calls", "tool_call_id")}
    if message.get("tool_calls"):
        made.pop("content", None)
    role = message.get("role")
    return {"role": "system" if role == "developer" else role if role in ROLES else "user", **made}


def _format(format_: dict[str, Any]) -> dict[str, Any]:
    """OpenAI's form of a schema, or `schema` beside `json_object`, as Cohere's page shows it."""
    wrapped = format_.get("json_schema")
    schema = wrapped.get("schema") if isinstance(wrapped, dict) else format_.get("schema")
    return {"type": format_.get("type"), **({"json_schema": schema} if isinstance(schema, dict) else {})}


def as_chat(body: dict[str, Any]) -> dict[str, Any]:
    """The other way round: the chat request that becomes this sample of a rule of `/v2/chat`."""
    own = {native: name for name, native in OWN_NAMES.items()}
    made = {own.get(name, name): value for name, value in body.items() if name != "strict_tools"}
    made["messages"] = [
        {name: value for name, value in message.items() if name != "tool_plan"} for message in body["messages"]
    ]
    if isinstance(body.get("tool_choice"), str):
        made["tool_choice"] = body["tool_choice"].lower()
    format_ = body.get("response_format", {})
    if "json_schema" in format_:
        wrapped = {"name": "answer", "schema": format_["json_schema"]}
        made["response_format"] = {"type": "json_schema", "json_schema": wrapped}
    if body.get("strict_tools"):
        made["tools"] = [{**tool, "function": {**tool["function"], "strict": True}} for tool in body["tools"]]
    return made


def _place(at: str, _body: dict[str, Any]) -> str:
    own = {native: name for name, native in OWN_NAMES.items()}
    return "response_format.json_schema.schema" if at == "response_format.json_schema" else own.get(at, at)


TRANSLATION: Final = Translation(
    as_native,
    as_chat,
    _place,
    reachable=frozenset((
        "model-missing", "block-type", "message-empty", "result-empty", "arguments-not-object",
        "call-without-id", "call-ids-twice", "result-without-id", "result-without-call", "no-tools",
        "tool-choice-unsupported", "tool-name", "tool-without-name", "schema-pattern", "schema-property-type",
        "strict-schema", "tool-choice-without-tools", "images-unsupported", "response-format-unsupported",
        "logprobs-unsupported", "format-beside-tools", "schema-without-type", "out-of-range", "value-outside-range",
        "stop-sequences",
    )),
    deduced=frozenset(("strict-schema", "out-of-range")),
    remedies={
        "strict-schema": Remedy("strict-schemas",
            "Name a required property of each object and drop bounds, `oneOf`, `allOf` and `not`, or leave `strict` "
            "out."),
        "tool-choice-without-tools": Remedy("tool-choice", "Leave `tool_choice` out where there are no tools."),
    },
)  # fmt: skip
SAME: Final = (
    *cite(DOCS, "These correspond to enabling or disabling `thinking` in the Cohere Chat API."),
    *cite("public clients of OpenAI's chat with Cohere's models", "must have non-empty content or tool calls"),
)


def _too_long(tokens: int, window: int) -> tuple[str, Any]:
    message = TOO_LONG.format(tokens - window, window)
    return message, error_body(message, Ids(message))


# A table: two rows are to be compared.
# fmt: off
BOOK.row("cohere/chat-parameter-unsupported",
    "The request has a parameter of OpenAI's that this endpoint does not support, whatever its value.",
    ANY_PARAMETER, lambda body: next((name for name in UNSUPPORTED if body.get(name) is not None), ""),
    "unprocessable entity: {found} is not supported", "{found}", status=422, checked=CHECKED,
    remedy=Remedy("parameters",
        "Leave the parameter out for Cohere, also where it has its default value; for calls one at a time say so "
        "in the prompt."),
    wrong=sample_request(model=MODEL, n=1), right=sample_request(model=MODEL),
    verbatim={"davidmigloz/ai_clients_dart#26": "unprocessable entity: n is not supported",
        "public gateways that quote it": "unprocessable entity: parallel_tool_calls is not supported",
        DOCS: "The following parameters are not supported in the Compatibility API"})
BOOK.row("cohere/chat-effort-unsupported",
    "The effort is `low` or `medium`: thinking can be turned off (`none`) or on (`high`).",
    ANY_PARAMETER, lambda body: body.get("reasoning_effort") in ("low", "medium"),
    "unprocessable entity: reasoning_effort 'medium' and 'low' are not supported. Use 'high' instead",
    "reasoning_effort", status=422, checked=CHECKED,
    remedy=Remedy("reasoning-settings", "Write `high`, or `none` for an answer without thinking."),
    wrong=sample_request(model=REASONING, reasoning_effort="medium"),
    right=sample_request(model=REASONING, reasoning_effort="high"),
    verbatim={"notes of a user, probed in August 2026": "...",
        DOCS: "Passing `medium` or `low` is not supported at this time."})

PROVIDER = Provider(
    name="cohere",
    base_path="/compatibility/v1",
    errors=Errors(
        lambda message, **_: error_body(message, Ids(message)),
        ByStatus({}, lambda status, context, _: error_body(sentence_of(status, context), context.ids)),
        window=context_length_rule("cohere/chat-prompt-too-long", reported={"the words of /v2/chat": ""}),
        too_long=_too_long,
        missing_key=missing_key_rule("cohere/chat-missing-key", reported={"the words of /v2/chat": NO_KEY}),
        no_key=Failure(NO_KEY, body=error_body(NO_KEY, Ids("no key"))),
        stream_error=lambda body, context: event({"error": body})),
    answers=Answers(
        id=uuid, call_id=call_id, completion=Document("id choices created model object usage?"),
        usage=Document(USAGE_AND_REASONING)),
    books=(
        BOOK,
        *(TranslatedBook(book, "cohere", SAME, TRANSLATION) for book in (messages.BOOK, tools.BOOK, parameters.BOOK))),
    traits=families_of("openai-chat", "cohere"))
# fmt: on
