"""The chat completions of llama.cpp's server. It accepts any model's name, and a request without one.

It asks for no key unless it was started with one; every answer ends with timings.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.models import families_of
from fake_providers.providers.shared.chat_reading import (
    LAST,
    MESSAGES,
    PART,
    inner,
    json_kind,
    picture_url,
    refuse_unread,
)
from fake_providers.providers.shared.chat_types import MISSING, Dialect, Group, Samples, WrongType, refuse_wrong_types
from fake_providers.providers.shared.qwen_template import FIRST, UNKNOWN, refuse_by_qwen
from fake_providers.replies.documents import ABSENT, ByStatus, Document, Envelope, Failure
from fake_providers.rulebook import ANY_PARAMETER, Breach, RequestContext, Rulebook, bodiless_rule
from fake_providers.values.pictures import PICTURES, media_fault
from fake_providers.wires.openai_chat.provider import Answers, Provider, Step
from fake_providers.wires.openai_chat.rules.samples import (
    NO_PNG,
    PNG,
    TOOL,
    USER,
    cite,
    sample_request,
    sample_with_picture,
)
from fake_providers.wires.openai_shared.provider_errors import Errors

MODEL: Final = "Qwen3-8B-Q4_K_M"
CHECKED: Final = "2026-11-21"
COMMON: Final = "ggml-org/llama.cpp tools/server/server-common.cpp"
LATELY: Final = "2026-11-28"

NOT_JSON: Final = Breach("body", "[json.exception.parse_error.101] parse error: syntax error while parsing value")
TWO_ASSISTANTS: Final = "Cannot have 2 or more assistant messages at the end of the list."
TOOLS_NEED_JINJA = bodiless_rule(
    "llama.cpp/tools-need-jinja",
    status=500,
    why="The request has tools and the server was started with `--no-jinja`.",
    recorded={"recording, Qwen3-1.7B": "tools param requires --jinja flag"},
    remedy=remedies.SERVER_OPTIONS,
)


KINDS: Final = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    501: "not_supported_error",
}
error_body = Envelope(
    {
        "error": {
            "code": "<status>",
            "message": "<message>",
            "type": "<type>",
            "n_prompt_tokens": "<tokens>",
            "n_ctx": "<window>",
        }
    },
    type=ByStatus({**KINDS, 500: "server_error", 503: "unavailable_error"}, "invalid_request_error"),
)


BOOK = Rulebook(error_body.but(type="invalid_request_error").refusal)
refuse_unread(BOOK, "llama.cpp", MESSAGES, model=MODEL, not_json=NOT_JSON,
    missing=lambda body: Breach("messages", "'messages' is required"), source="the source of the server")  # fmt: skip


def _wrong_type(found: WrongType, context: RequestContext) -> Breach:
    """A type that its library of JSON cannot convert, or a sentence of the server's own."""
    if found.rule == "parameter-type":
        return wrong_parameter(found, context)
    whole = json.dumps(found.owner(context.body), separators=(",", ":"))
    value = whole if found.value is MISSING else json.dumps(found.value, separators=(",", ":"))
    name, in_tool = found.path[-1], found.path[0] == "tools"
    what = "tools" if in_tool else "messages"
    if found.rule in ("content-type", "result-type"):
        return Breach(found.at, "Expected 'content' to be a string or an array")
    if found.rule == "content-part-type" and (isinstance(name, int) or name == "type"):
        return Breach(found.at, "unsupported content[].type")
    if found.value is MISSING and name == "content":
        return Breach(found.at, "All non-assistant messages must contain 'content'")
    if found.value is MISSING and name == "role":
        sentence = f"Missing 'role' in message: {whole}"
    elif found.value is MISSING and in_tool and name == "name":
        sentence = "[json.exception.out_of_range.403] key 'name' not found"
    elif found.value is MISSING:
        sentence = f"Missing tool {'' if in_tool else 'call '}{name}: {whole}"
    elif found.at == "tools":
        sentence = f"Expected 'tools' to be an array, got {value}"
    elif found.rule == "message-type" and isinstance(name, int):
        sentence = f"Expected 'message' to be an object, got {value}"
    else:
        sentence = _must_be(found)
    return Breach(found.at, f"Failed to parse {what}: {sentence}")


def _must_be(found: WrongType) -> str:
    return f"[json.exception.type_error.302] type must be {found.types[0]}, but is {json_kind(found.value)}"


def wrong_parameter(found: WrongType, _context: RequestContext) -> Breach:
    """Since June 2026; before, the server logged it and took the default."""
    name = next(part for part in found.path if isinstance(part, str)) if found.path[0] == "stop" else found.path[-1]
    return Breach(found.at, f"Field '{READ_AS.get(str(name), name)}': {_must_be(found)}")


READ_AS: Final = {"max_output_tokens": "max_tokens"}
SCHEMA: Final = cite("ggml-org/llama.cpp#24150 and tools/server/server-schema.cpp: its table of parameters")
NUMBER: Final = "number|boolean"
"""Its library of JSON takes a truth value for a number, and cuts a fraction off."""
PARAMETERS: Final = f"""
temperature  {NUMBER}  parameter-type
top_p        {NUMBER}  parameter-type
max_tokens   {NUMBER}  parameter-type
stream       boolean   parameter-type
"""
"""Those that its other wires pass on to chat completions."""
ONLY_PARAMETERS: Final[tuple[Group, ...]] = ("parameter-type",)
UNREAD: Final = (
    *("model", "messages[].tool_calls[].function.arguments"),
    *("messages[].content[].image_url", "messages[].content[].image_url.url"),
    *("tools[].function.parameters", "tools[].function.strict"),
    *("tool_choice", "tool_choice.type", "tool_choice.function", "tool_choice.function.name"),
    *("response_format", "response_format.type", "response_format.json_schema", "response_format.json_schema.name"),
    *("response_format.json_schema.description", "response_format.json_schema.schema"),
    *("response_format.json_schema.strict", "stream_options"),
    *("stop", "top_logprobs", "parallel_tool_calls", "reasoning_effort", "user"),
)
"""Members whose wrong type it logs and replaces by the default, or writes as JSON text, as arguments."""
NUMBERS: Final = (
    *("temperature", "top_p", "presence_penalty", "frequency_penalty", "max_tokens", "max_completion_tokens", "n"),
    *("seed", "logprobs"),
)
refuse_wrong_types(BOOK, "llama.cpp",
    Dialect(words=_wrong_type, source="ggml-org/llama.cpp common/chat.cpp and tools/server/server-common.cpp",
        types={**dict.fromkeys(UNREAD, "any"), **dict.fromkeys(NUMBERS, NUMBER), "messages[].role": "string"},
        required=(*("messages[].role", "messages[system].content", "messages[user].content", "messages[tool].content"),
            *("messages[].tool_calls[].type", "messages[].tool_calls[].function"),
            *("messages[].tool_calls[].function.name", "tools[].type", "tools[].function", "tools[].function.name")),
        known={"parameter-type": ("reported", SCHEMA),
            **dict.fromkeys(
                ("message-type", "result-type", "content-type", "content-part-type", "call-type", "tools-type",
                    "member-missing"), ("reported", ()))}), Samples(MODEL))  # fmt: skip

PLACES: Final = {
    FIRST: ("85, column 32", "...first %}↵            {{- raise_exception('System message must be at the beginnin..."),
    UNKNOWN: (
        "145, column 24",
        "...lse %}↵        {{- raise_exception('Unexpected message role.') }}↵    {%- endif...",
    ),
}
"""Where the template raises: line and column, and the text around it. Those of the second are made up."""


def _raised(sentence: str) -> str:
    place, source = PLACES[sentence]
    failed = "Unable to generate parser for this template. Automatic parser generation failed:"
    pointer = " " * 43 + "^"
    frame = f"While executing CallExpression at line {place} in source:\n{source}\n{pointer}"
    return f"{failed} \n------------\n{frame}\nError: Jinja Exception: {sentence}"


def _unrecognized_schema(body: Any) -> Any:
    is_asked = inner(body, "response_format").get("type") == "json_schema"
    wrong = next(_unrecognized(inner(body, "response_format", "json_schema").get("schema")), None)
    return is_asked and wrong is not None and json.dumps(wrong, ensure_ascii=False, separators=(",", ":"))


def _answer_by(type_: str) -> dict[str, Any]:
    schema = {"name": "weather", "schema": {"type": type_}}
    return sample_request(model=MODEL, response_format={"type": "json_schema", "json_schema": schema})


SAID: Final = {"role": "assistant", "content": "It is raining."}


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/part-unsupported", "A part of the content has an unknown type.",
    PART, lambda part: isinstance(part.get("type"), str) and part["type"] not in ("text", "image_url", "input_audio"),
    "unsupported content[].type", ".type", checked=CHECKED, remedy=remedies.MEDIA_OF_MODEL,
    wrong=sample_request({**USER, "content": [{"type": "input_text", "text": "Hello"}]}, model=MODEL),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    recorded={"recording, Qwen3-VL-2B": "..."})
BOOK.row("llama.cpp/picture-unreadable", "The bytes of a picture are those of no picture.",
    PART, lambda part: media_fault(picture_url(part), PICTURES) == "bytes", "Failed to load image or audio file",
    ".image_url", needs="image_url", checked="2026-11-30", about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=sample_with_picture(NO_PNG, model=MODEL), right=sample_with_picture(PNG, model=MODEL),
    recorded={"recordings of pictures that it could not load": "Failed to load image or audio file",
        "cline/cline#8203": ""})
BOOK.row("llama.cpp/two-assistants", "The last two messages are both assistant messages.",
    LAST, lambda one, before: one.get("role") == before.get("role") == "assistant", TWO_ASSISTANTS,
    models="all, since 2025; some builds sent status 500", checked=CHECKED, remedy=remedies.MERGE_ROLES,
    wrong=sample_request(USER, SAID, SAID, model=MODEL), right=sample_request(USER, SAID, model=MODEL),
    verbatim={"the source of the server, and public code that quotes it": "Cannot have 2 or more assistant messages"})
# fmt: on


refuse_by_qwen(BOOK, "llama.cpp", model="Qwen3.5-27B-Q8_0",
    system=(*cite("Realiserad/fish-ai#622", "Automatic parser generation failed: "),
        *cite("tailcallhq/forgecode#2586", "Error: Jinja Exception: System message must be at the beginning.")),
    role=cite("0xku/kon#5: status 500 in builds before March 2026", "Jinja Exception: Unexpected message role."),
    words=_raised)  # fmt: skip

TYPES_OF_SCHEMAS: Final = ("object", "array", "string", "number", "integer", "boolean", "null")
READ_BEFORE_THE_TYPE: Final = ("$ref", "oneOf", "anyOf", "allOf", "const", "enum")


def _unrecognized(schema: Any) -> Iterator[Any]:
    """The schema if it is none, or each of those that its list of types stands for. An empty one is any object."""
    if schema in (None, [], {}):
        return
    members = schema if isinstance(schema, dict) else {"type": schema}
    kind = None if any(name in members for name in READ_BEFORE_THE_TYPE) else members.get("type")
    if isinstance(kind, list) and schema is members:
        yield from ({"type": one} for one in kind if one not in TYPES_OF_SCHEMAS)
    elif kind is not None and (kind not in TYPES_OF_SCHEMAS or schema is not members):
        yield schema


JSON = "application/json; charset=utf-8"
FINGERPRINT = "b10452-b94041a98"
CONTEXT_LENGTH = bodiless_rule(
    "llama.cpp/context-length",
    status=400,
    why="The conversation is longer than the context window that the server was started with.",
    recorded={"recording, Qwen3-1.7B": "exceeds the available context size (512 tokens)"},
    remedy=remedies.SHORTEN,
)
FAILURES = ByStatus(
    {401: "Invalid API Key", 500: "Compute error.", 503: "Loading model"}, "The request could not be processed."
)


def _timings(step: Step) -> Any:
    """In the last chunk, whichever that is."""
    rendered = step.rendered
    if not step.counted and (rendered.is_counted or not step.ends):
        return ABSENT
    cached, predicted = rendered.tokens.cached, rendered.tokens.completion
    prompt = rendered.tokens.prompt - cached
    return {
        "cache_n": cached,
        "prompt_n": prompt,
        "prompt_ms": 10.0 * prompt,
        "prompt_per_token_ms": 10.0,
        "prompt_per_second": 100.0,
        "predicted_n": predicted,
        "predicted_ms": 20.0 * predicted,
        "predicted_per_token_ms": 20.0,
        "predicted_per_second": 50.0,
    }


# A table: two rows are to be compared.
# fmt: off
BOOK.row("llama.cpp/response-format-unknown",
    "`response_format` has another type than `text`, `json_object` and `json_schema`; one without is ignored.",
    ANY_PARAMETER,
    lambda body: (isinstance(kind := inner(body, "response_format").get("type"), str)
        and kind not in ("", "text", "json_object", "json_schema") and kind),
    'response_format type must be one of "text" or "json_object", but got: {found}', "response_format.type",
    checked=LATELY, remedy=remedies.FORMAT_SHAPE,
    wrong=sample_request(model=MODEL, response_format={"type": "json"}),
    right=sample_request(model=MODEL, response_format={"type": "json_object"}),
    verbatim={"ikawrakow/ik_llama.cpp#778": 'response_format type must be one of "text" or "json_object", but got',
        COMMON: ""})
BOOK.row("llama.cpp/tool-choice-unknown",
    "`tool_choice` is another word than `auto`, `none` and `required`; an object is taken for `auto`.",
    ANY_PARAMETER,
    lambda body: isinstance(body.get("tool_choice"), str) and body["tool_choice"] not in ("auto", "none", "required"),
    "Invalid tool_choice: {item[tool_choice]}", "tool_choice", checked=LATELY, remedy=remedies.CHOICE_SHAPE,
    wrong=sample_request(model=MODEL, tools=[TOOL], tool_choice="any"),
    right=sample_request(model=MODEL, tools=[TOOL], tool_choice="required"),
    reported={"ggml-org/llama.cpp common/chat.cpp": "Invalid tool_choice: any"})
BOOK.row("llama.cpp/schema-unrecognized",
    "The schema for the answer is no object, or its `type` is none of JSON Schema.",
    ANY_PARAMETER, _unrecognized_schema, "JSON schema conversion failed:\nUnrecognized schema: {found}",
    "response_format.json_schema.schema", checked=LATELY, remedy=remedies.CONVERT_SCHEMA,
    wrong=_answer_by("dict"), right=_answer_by("object"),
    reported={"ggml-org/llama.cpp common/json-schema-to-grammar.cpp": "Unrecognized schema: ",
        "browseros-ai/BrowserOS#255": "JSON schema conversion failed:"})
BOOK.row("llama.cpp/top-logprobs-alone", "`top_logprobs` is set, and `logprobs` is not true.",
    ANY_PARAMETER, lambda body: body.get("top_logprobs") is not None and body.get("logprobs") is not True,
    "top_logprobs requires logprobs to be set to true", "top_logprobs", checked=LATELY, remedy=remedies.NO_PARAMETER,
    wrong=sample_request(model=MODEL, top_logprobs=2, logprobs=False),
    right=sample_request(model=MODEL, top_logprobs=2, logprobs=True),
    reported={COMMON: "..."})

PROVIDER = Provider(
    name="llama.cpp",
    base_path="/v1",
    completes_texts=True,
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=Failure(
            "request ({tokens} tokens) exceeds the available context size ({window} tokens), try increasing it",
            {"type": "exceed_context_size_error"}),
        content_type=lambda status, body: JSON),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 32),
        call_id=lambda ids: ids.make("", 32),
        completion=Document(
            "choices created model system_fingerprint object usage? id timings?", system_fingerprint=FINGERPRINT,
            timings=_timings),
        choice=Document("finish_reason index message"),
        message=Document("role content:text reasoning_content:reasoning? tool_calls?"),
        call=Document("type function id?"),
        usage=Document("completion_tokens prompt_tokens total_tokens prompt_tokens_details:cached_details"),
        chunk=Document(
            "choices created id model system_fingerprint object usage? timings?", system_fingerprint=FINGERPRINT,
            timings=_timings),
        step=Document("finish_reason index delta"),
        opening=Document("role content:null"),
        calls="after_the_first_piece",
        last=Document(),
        content_type=JSON),
    books=(BOOK,),
    traits=families_of("openai-chat", "llama.cpp"),
    bodiless_rules=(TOOLS_NEED_JINJA,))
# fmt: on
