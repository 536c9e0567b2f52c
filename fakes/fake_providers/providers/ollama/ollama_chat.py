"""Ollama's `/v1/chat/completions`, which turns a request into one of `/api/chat`.

Unlike `/api/chat`, it reads parts of a content and arguments as text. It asks for no key, and reasoning is in
`reasoning`.
"""

import json
import re
from typing import Any, Final

from msgspec.structs import replace

from fake_providers import remedies
from fake_providers.ids import DIGITS
from fake_providers.models import families_of
from fake_providers.providers.shared import chat_reading as chat
from fake_providers.providers.shared.chat_reading import MESSAGES, refuse_unread
from fake_providers.providers.shared.chat_types import Samples
from fake_providers.replies.documents import ByStatus, Document, Envelope
from fake_providers.rule import Remedy
from fake_providers.rulebook import ANY_PARAMETER, ANY_PART, Breach, Rulebook
from fake_providers.values.lenient import listed
from fake_providers.values.pictures import PICTURES, media_fault
from fake_providers.wires.ollama_chat.errors import SENTENCES, TOO_LONG
from fake_providers.wires.ollama_chat.go_json_fields import FLAG, NUMBER, TEXT, WHOLE, Anything, Slice, Struct, mismatch
from fake_providers.wires.ollama_chat.go_json_fields import TOOL as TOOL_TYPE
from fake_providers.wires.ollama_chat.model_names import tools_unsupported
from fake_providers.wires.openai_chat.provider import Answers, Provider
from fake_providers.wires.openai_chat.rules.samples import NO_PNG, PNG, TOOL, USER, sample_request, sample_with_picture
from fake_providers.wires.openai_shared.provider_errors import Errors, context_length_rule

MODEL: Final = "qwen3:8b"
SAMPLES: Final = Samples("qwen3:8b")
CHECKED: Final = "2026-11-22"
LATELY: Final = "2026-11-28"
KINDS: Final = {400: "invalid_request_error", 404: "not_found_error"}
SOURCE: Final = "ollama/ollama openai/openai.go and middleware/openai.go"


error_body = Envelope(
    {"error": {"message": "<message>", "type": "<type>", "param": None, "code": None}},
    type=ByStatus(KINDS, "api_error"),
)


BOOK = Rulebook(error_body.refusal)
refuse_unread(BOOK, "ollama", replace(MESSAGES, rules="chat-"), model=MODEL, not_json=Breach("body", "unexpected EOF"),
    missing=lambda body: Breach("messages", "[] is too short - 'messages'"), source=SOURCE)  # fmt: skip

CALL_FUNCTION: Final = Struct("", {"name": TEXT, "arguments": TEXT})
CALL: Final = Struct("ToolCall", {"id": TEXT, "index": WHOLE, "type": TEXT, "function": CALL_FUNCTION})
MESSAGE: Final = Struct("Message",
    {"role": TEXT, "content": Anything(), "reasoning": TEXT, "tool_calls": Slice(CALL, "[]openai.ToolCall"),
        "name": TEXT, "tool_call_id": TEXT})  # fmt: skip
SCHEMA: Final = Struct("JsonSchema", {"schema": Anything()}, "openai")
REQUEST: Final = Struct("ChatCompletionRequest",
    {"model": TEXT, "messages": Slice(MESSAGE, "[]openai.Message"), "stream": FLAG,
        "stream_options": Struct("StreamOptions", {"include_usage": FLAG}, "openai"), "max_tokens": WHOLE,
        "seed": WHOLE, "stop": Anything(), "temperature": NUMBER, "frequency_penalty": NUMBER,
        "presence_penalty": NUMBER, "top_p": NUMBER,
        "response_format": Struct("ResponseFormat", {"type": TEXT, "json_schema": SCHEMA}, "openai"),
        "tools": Slice(TOOL_TYPE, "[]api.Tool"), "reasoning": Struct("Reasoning", {"effort": TEXT}, "openai"),
        "reasoning_effort": TEXT, "logprobs": FLAG, "top_logprobs": WHOLE}, "openai")  # fmt: skip
"""`ChatCompletionRequest` of openai/openai.go. What it does not declare, such as `tool_choice` and `n`, is skipped."""


def _is_read(part: Any) -> bool:
    if not isinstance(part, dict) or not isinstance(part.get("type", "text"), str):
        return False
    return part.get("type") != "text" or isinstance(part.get("text"), str)


EFFORTS: Final = ("minimal", "low", "medium", "high", "xhigh", "ultra", "max", "none")
TYPES_OF_GO: Final = {bool: "bool", int: "float64", float: "float64", dict: "map[string]interface {}"}


def _unknown_effort(body: Any) -> Any:
    """`reasoning` is read before `reasoning_effort`, which then says nothing."""
    at, effort = "reasoning_effort", body.get("reasoning_effort")
    if isinstance(body.get("reasoning"), dict):
        at, effort = "reasoning.effort", body["reasoning"].get("effort")
    return isinstance(effort, str) and effort not in ("", *EFFORTS) and {"where": at, "effort": json.dumps(effort)}


PICTURE: Final = re.compile(r"data:(image/(jpe?g|png|webp|gif))?;base64,")


def _picture(part: dict[str, Any]) -> str:
    """The URL of a picture, which may stand in an object or alone."""
    url = part.get("image_url") if part.get("type") == "image_url" else None
    return str(url.get("url") if isinstance(url, dict) else url)


def _wrong_schema(body: Any) -> Any:
    kind = chat.inner(body, "response_format").get("type")
    schema = chat.inner(body, "response_format", "json_schema").get("schema")
    asked = isinstance(kind, str) and kind.strip().lower() == "json_schema"
    if not asked or schema in (None, "", "json") or isinstance(schema, dict):
        return None
    return json.dumps(json.dumps(schema, ensure_ascii=False, separators=(",", ":")), ensure_ascii=False)


def _answer_by(schema: Any) -> dict[str, Any]:
    return sample_request(model=MODEL, response_format={"type": "json_schema", "json_schema": {"schema": schema}})


LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
FINGERPRINT = "fp_ollama"
CONTEXT_LENGTH = context_length_rule("ollama/chat-prompt-too-long", inferred={SOURCE: ""})


UNREAD = "the request could not be processed"
FAILURES = ByStatus({**SENTENCES, 404: "model '{model}' not found"}, UNREAD, UNREAD)


# A table: two rows are to be compared.
# fmt: off
BOOK.row("ollama/chat-member-type",
    "A member has another type than in Go's struct of the request: arguments that are an object, for example.",
    ANY_PART, lambda body: mismatch(body, REQUEST), "{found.message}", "{found.at}", checked="2026-11-23",
    remedy=remedies.VALUE,
    wrong=SAMPLES.at("messages.1.tool_calls.0.function.arguments", {"city": "Oslo"}),
    right=SAMPLES.at("messages.1.tool_calls.0.function.arguments", '{"city": "Oslo"}'),
    verbatim={"three public projects":
        "cannot unmarshal object into Go struct field .messages.tool_calls.function.arguments of type string",
        SOURCE: ""})
BOOK.row("ollama/chat-content-type",
    "A content is neither text nor a list, and the message has no tool calls: an object as the result of a tool.",
    chat.MESSAGE,
    lambda one: (one.get("tool_calls") is None and not isinstance(one.get("content"), str | list)
        and TYPES_OF_GO.get(type(one.get("content")), "<nil>")), "invalid message content type: {found}", ".content",
    checked="2026-11-23", remedy=remedies.JOIN_PARTS,
    wrong=SAMPLES.at("messages.2.content", {"degrees": 7}), right=SAMPLES.at("messages.2.content", '{"degrees": 7}'),
    reported={SOURCE: "invalid message content type: %T"})
BOOK.row("ollama/chat-content-part",
    "A part of a content is no object, such as a bare text, or is neither a text nor a picture.",
    chat.MESSAGE, lambda one: [j for j, part in enumerate(listed(one.get("content"))) if not _is_read(part)],
    "invalid message format", ".content[{found[0]}]", checked=CHECKED,
    remedy=Remedy("content", "Write each part of a content as an object with its `type`, or the content as one text."),
    wrong=sample_request({**USER, "content": ["Hello"]}, model=MODEL),
    right=sample_request({**USER, "content": [{"type": "text", "text": "Hello"}]}, model=MODEL),
    recorded={"recording, mistral-small3.1, of crmne/ruby_llm": "..."})
BOOK.row("ollama/chat-image-address", "A picture is named by an address on the web.",
    chat.PART, lambda part: _picture(part).startswith(("http://", "https://")),
    "image URLs are not currently supported, please use base64 encoded data instead", ".image_url", needs="image_url",
    checked="2026-11-30", about="picture",
    remedy=Remedy("pictures", "Fetch the picture, and send its data in base64."),
    wrong=sample_with_picture("https://example.com/oslo.png", model="gemma3:4b"),
    right=sample_with_picture(PNG, model="gemma3:4b"),
    reported={SOURCE: "image URLs are not currently supported, please use base64 encoded data instead"})
BOOK.row("ollama/chat-image-type", "A picture is no data URL of a JPEG, PNG, WebP or GIF.",
    chat.PART, lambda part: part.get("type") == "image_url" and not PICTURE.match(_picture(part)),
    "invalid image input", ".image_url", needs="image_url", checked="2026-11-30", about="picture",
    remedy=remedies.PICTURE_TYPE,
    wrong=sample_with_picture("data:image/svg+xml;base64,PHN2Zz4=", model="gemma3:4b"),
    right=sample_with_picture(PNG, model="gemma3:4b"),
    verbatim={"TeamWiseFlow/xiaobei#219": "invalid image input"})
BOOK.row("ollama/chat-image-unreadable", "The bytes of a picture are those of no picture.",
    chat.PART, lambda part: part.get("type") == "image_url" and media_fault(_picture(part), PICTURES) == "bytes",
    "Failed to load image or audio file", ".image_url", needs="image_url", checked="2026-11-30", about="picture",
    remedy=remedies.READABLE_PICTURE,
    wrong=sample_with_picture(NO_PNG, model="gemma3:4b"),
    right=sample_with_picture(PNG, model="gemma3:4b"),
    verbatim={"odysseus-dev/odysseus#5499, of which every later turn fails": "Failed to load image or audio file"})
BOOK.row("ollama/chat-effort-unknown",
    "The effort of reasoning is none that the server knows; an empty one is none at all.",
    ANY_PARAMETER, _unknown_effort,
    "invalid reasoning value: {effort} (must be " + ", ".join(f'"{known}"' for known in EFFORTS[:-1])
        + f', or "{EFFORTS[-1]}")', "{where}", checked=LATELY, remedy=remedies.NO_EFFORT,
    wrong=sample_request(model=MODEL, reasoning_effort="huge"),
    right=sample_request(model=MODEL, reasoning_effort="high"),
    reported={SOURCE: "invalid reasoning value: %q (must be"})
BOOK.row("ollama/chat-no-tools", "There are tools and the model does not support them; an empty list counts as none.",
    ANY_PARAMETER, lambda context: tools_unsupported(context, context.body.get("tools")),
    models="those of `ollama/no-tools`", checked=CHECKED, remedy=remedies.TOOL_MODEL,
    wrong=sample_request(model="gemma3:4b", tools=[TOOL]), right=sample_request(model=MODEL, tools=[TOOL]),
    inferred={"deduced from `ollama/no-tools`: both paths lead to one handler": ""})
BOOK.row("ollama/chat-schema-type", "The schema for the answer is no object.",
    ANY_PARAMETER, _wrong_schema, 'invalid format: {found}; expected "json" or a valid JSON Schema object',
    "response_format.json_schema.schema", status=500, checked=LATELY, remedy=remedies.CONVERT_SCHEMA,
    wrong=_answer_by(["a"]), right=_answer_by({}),
    reported={"ollama/ollama llm/llama_server.go": 'expected "json" or a valid JSON Schema object'})

PROVIDER = Provider(
    name="ollama",
    base_path="/v1",
    errors=Errors(
        error_body,
        FAILURES,
        window=CONTEXT_LENGTH,
        too_long=TOO_LONG,
        content_type=lambda status, body: "application/json; charset=utf-8"),
    answers=Answers(
        id=lambda ids: ids.make("chatcmpl-", 3, DIGITS),
        call_id=lambda ids: ids.make("call_", 8, LETTERS),
        completion=Document(
            "id object created model system_fingerprint choices usage?", system_fingerprint=FINGERPRINT),
        message=Document("role content:text reasoning? tool_calls?"),
        call=Document("id? index type function"),
        usage=Document("prompt_tokens completion_tokens total_tokens"),
        opening=None,
        thought=Document("role content reasoning", content=""),
        text=Document("role content"),
        calls="together",
        calling=Document("role content tool_calls", content=""),
        opened_call=Document("id? index type function"),
        last=Document("role content", content="")),
    books=(BOOK,),
    traits=families_of("openai-chat", "ollama"))
# fmt: on
