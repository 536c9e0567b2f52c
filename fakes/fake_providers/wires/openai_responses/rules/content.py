"""Rules on the content of messages and its parts, checked item by item.

Arguments that are not JSON, ids with any characters, and results in parts are accepted: recorded.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from fake_providers.rulebook import ANY_MESSAGE, Breach, RequestContext, Selector
from fake_providers.wires.openai_responses.rules.items import ITEM_RULES, is_message, wrong_choice
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    CALL,
    RESULT,
    USER,
    cite,
    cite_probe,
    item_with,
    sample_request,
    sample_with_call,
    sample_with_result,
)
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared.request_body import audio_or_video, unreadable_image
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_TYPES,
    Row,
    RuleTable,
    is_at_most,
    is_not_empty,
    is_object,
    is_text,
)
from fake_providers.wires.openai_shared.wording import (
    LONGEST_TEXT,
    breach,
    long_string,
    missing,
    wrong_text,
    wrong_type,
    wrong_value,
)

LONGEST_ID: Final = 64
REQUIRED: Final = {
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
}

_SAMPLE_WITH_RESULT = sample_request(USER, CALL, RESULT)


def _calls(context: RequestContext) -> tuple[tuple[str, dict[str, Any]], ...]:
    item = context.body.value
    return ((context.body.place, item),) if item.get("type") == "function_call" else ()


def _call_ids(context: RequestContext) -> tuple[tuple[str, Any], ...]:
    """The `call_id` of a call or a result, with its place."""
    item = context.body.value
    return ((f"{context.body.place}.call_id", item["call_id"]),) if item.get("type") in REQUIRED else ()


def _outputs(context: RequestContext) -> tuple[tuple[str, Any], ...]:
    item = context.body.value
    return ((f"{context.body.place}.output", item["output"]),) if item.get("type") == "function_call_output" else ()


def _each(subjects: Callable[[RequestContext], Iterable[tuple[str, Any]]]) -> Selector:
    """Looks at each subject, which has a place."""
    return Selector(
        lambda context: ((value, place) for place, value in subjects(context)),
        "{place}",
        ("place",),
        "parts",
        ("conversation",),
    )


OUTPUT = _each(_outputs)
CALL_RULES = RuleTable(ITEM_RULES, _calls, sample_with_call)


def _member_missing(context: RequestContext) -> Breach | None:
    item = context.body.value
    needed = REQUIRED.get(str(item.get("type")), ())
    return next((missing(f"{context.body.place}.{name}") for name in needed if name not in item), None)


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-call-member-missing",
    "A call has no `call_id`, `name` or `arguments`, or a result has no `call_id` or `output`.",
    ANY_MESSAGE, _member_missing, needs=("function_call", "function_call_output"),
    wrong=sample_with_result(output=None), right=_SAMPLE_WITH_RESULT,
    reported={"reported for `call_id` and `output`; worded like the refusals of other missing members": ""})
# fmt: on


RuleTable(ITEM_RULES, _call_ids, sample_with_call).add(
    Row(
        "openai/responses-call-id-type",
        "A `call_id` is null or not a string.",
        is_text(),
        sample_with_call(call_id=7),
        "inferred",
        LIKE_OTHER_TYPES,
    ),
    Row(
        "openai/responses-call-id-empty",
        "A `call_id` is empty.",
        is_not_empty(),
        sample_with_call(call_id=""),
        "reported",
        cite("reported for agents on servers that send no ids", "Invalid 'input[2].call_id': empty string."),
    ),
    Row(
        "openai/responses-call-id-too-long",
        "A `call_id` has more than 64 characters.",
        is_at_most(LONGEST_ID),
        sample_with_call(call_id="call_" + "1" * 60),
        "verbatim",
        cite("quoted in public code", "Invalid 'input[2].call_id': string too long."),
    ),
)
CALL_RULES.add(
    Row(
        "openai/responses-call-name-type",
        "The name of a call is null or not a string.",
        is_text("name"),
        sample_with_call(name=7),
        "inferred",
        LIKE_OTHER_TYPES,
    ),
)
CALL_RULES.add_shared("responses", "openai/responses-call-", *rules.CALL_NAMES, rules.CALL_ARGUMENTS)


def _output_type(value: Any, place: str) -> Breach | None:
    if not isinstance(value, str | list):
        return wrong_type(place, "one of a string or array of objects", value)
    wrong = next((index for index, part in enumerate(value) if not isinstance(part, dict)), None)
    if isinstance(value, str) or wrong is None:
        return None
    return wrong_type(f"{place}[{wrong}]", "an object", value[wrong])


__all__ = ["ITEM_RULES"]

PARTS: Final = (
    "input_text",
    "input_image",
    "input_audio",
    "output_text",
    "refusal",
    "input_file",
    "computer_screenshot",
    "summary_text",
    "encrypted_content",
)
USER_PARTS: Final = ("input_text", "input_image", "input_file", "scoped_content", "input_audio")
ASSISTANT_PARTS: Final = ("output_text", "refusal")
TEXTS: Final = ("input_text", "output_text")
FILE_TYPES: Final = "https://platform.openai.com/docs/assistants/tools/file-search#supported-files"

_TEXT = {"type": "input_text", "text": "Hello"}
_PARTS = sample_request({**USER, "content": [_TEXT]})


def _parts(context: RequestContext) -> list[tuple[str, Any]]:
    """Each part of a message with its place."""
    content = context.body.value.get("content")
    if not isinstance(content, list) or not is_message(context.body.value):
        return []
    return [(f"{context.body.place}.content[{index}]", part) for index, part in enumerate(content)]


def _sample_with_part(part: Any) -> dict[str, Any]:
    return sample_request({**USER, "content": [part]})


def _content_missing(context: RequestContext) -> Breach | None:
    item = context.body.value
    return missing(f"{context.body.place}.content") if is_message(item) and "content" not in item else None


def _content_type(context: RequestContext) -> Breach | None:
    item = context.body.value
    if not is_message(item) or isinstance(item["content"], str | list):
        return None
    return wrong_type(f"{context.body.place}.content", "one of an array of objects or string", item["content"])


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-output-type",
    "The output of a result is neither a string nor a list of parts; null and objects are refused.",
    OUTPUT, _output_type, needs="function_call_output",
    wrong=sample_with_result(output={"degrees": 7}), right=_SAMPLE_WITH_RESULT,
    verbatim=cite("public code that quotes it",
        "Invalid type for 'input[0].output': expected one of a string or array of"))
ITEM_RULES.row("openai/responses-content-missing", "A message has no content.",
    ANY_MESSAGE, _content_missing,
    wrong=sample_request(USER, item_with(ASSISTANT_MESSAGE, content=None), USER),
    right=sample_request(USER, ASSISTANT_MESSAGE, USER),
    recorded=(*cite("recordings, gpt-5, gpt-5-mini, gpt-5-nano", "Missing required parameter: 'input[2].content'."),
        *cite_probe("input item without content")))
ITEM_RULES.row("openai/responses-content-type",
    "The content of a message is neither a string nor a list of parts; null is refused, an empty string is "
        "accepted.",
    ANY_MESSAGE, _content_type,
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "content": None}, USER),
    right=sample_request(USER, {**ASSISTANT_MESSAGE, "content": ""}, USER),
    verbatim={"QuantumNous/new-api#4776": "expected one of an array of objects or string, but got null instead."})
# fmt: on


PART_RULES = RuleTable(ITEM_RULES, _parts, lambda: _PARTS)
PART_RULES.add(
    Row(
        "openai/responses-content-part-type",
        "A part of the content is not an object.",
        is_object,
        _sample_with_part("Hello"),
        "inferred",
        LIKE_OTHER_TYPES,
    ),
)


PART = _each(_parts)


def _part_unknown(part: dict[str, Any], place: str) -> Breach | None:
    kind = part.get("type")
    if kind in PARTS or kind in USER_PARTS:
        return None
    return wrong_value(f"{place}.type", kind, PARTS) if isinstance(kind, str) else missing(f"{place}.type")


def _assistant_part(context: RequestContext) -> Breach | None:
    if context.body.value.get("role") != "assistant":
        return None
    for at, part in _parts(context):
        if part["type"] not in ASSISTANT_PARTS:
            return wrong_choice(at, part["type"], ASSISTANT_PARTS)
    return None


def _user_part(context: RequestContext) -> Breach | None:
    if context.body.value.get("role") == "assistant":
        return None
    for at, part in _parts(context):
        if part["type"] in ASSISTANT_PARTS:
            return wrong_value(at, part["type"], USER_PARTS)
    return None


def _part_member(part: dict[str, Any], place: str) -> Breach | None:
    param = f"{place}.cache_control"
    return breach(param, f"Unknown parameter: '{param}'.", "unknown_parameter") if "cache_control" in part else None


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-content-part-unknown",
    "A part of the content has an unknown type, such as chat completions' `text`.",
    PART, _part_unknown,
    wrong=_sample_with_part({"type": "text", "text": "Hello"}), right=_PARTS,
    recorded=cite_probe("content block unknown type"))
ITEM_RULES.row("openai/responses-assistant-part", "An assistant message has an `input_text` part.",
    ANY_MESSAGE, _assistant_part, needs="assistant",
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "content": [{"type": "input_text", "text": "I look."}]}, USER),
    right=sample_request(USER, ASSISTANT_MESSAGE, USER),
    recorded=cite_probe("input item assistant with input_text"))
ITEM_RULES.row("openai/responses-user-part", "A user or system message has an `output_text` part.",
    ANY_MESSAGE, _user_part, needs=("output_text", "refusal"),
    wrong=_sample_with_part({"type": "output_text", "text": "Hello"}), right=_PARTS,
    recorded=cite_probe("content block wrong variant"))
ITEM_RULES.row("openai/responses-part-member-unknown", "A part of the content has another provider's `cache_control`.",
    PART, _part_member,
    wrong=_sample_with_part({**_TEXT, "cache_control": {"type": "ephemeral"}}), right=_PARTS,
    verbatim=cite("public code that quotes it", "Unknown parameter: 'input[0].content[0].cache_control'"))
# fmt: on


PART_RULES.add(
    Row(
        "openai/responses-text-missing",
        "A text part has no text.",
        lambda place, part: wrong_text(f"{place}.text", part) if part["type"] in TEXTS else None,
        _sample_with_part({"type": "input_text"}),
        "recorded",
        cite_probe("content block without text"),
    ),
)


def _text_too_long(context: RequestContext) -> Breach | None:
    item, place = context.body.value, context.body.place
    own = ((place, name, item.get(name)) for name in ("content", "output", "encrypted_content"))
    for at, name, text in (*own, *((at, "text", part.get("text")) for at, part in _parts(context))):
        if isinstance(text, str) and len(text) > LONGEST_TEXT:
            return long_string(f"{at}.{name}", most=LONGEST_TEXT, length=len(text))
    return None


def _parts_and_results(context: RequestContext) -> Iterator[tuple[str, Any]]:
    """Each part of a message, or of the output of a call, with its place."""
    yield from _parts(context)
    output = context.body.value.get("output")
    for index, part in enumerate(output if isinstance(output, list) else ()):
        yield f"{context.body.place}.output[{index}]", part


PART_OR_RESULT = _each(_parts_and_results)


def _file_data(part: Any, place: str) -> Breach | None:
    is_file = isinstance(part, dict) and part.get("type") == "input_file"
    media_type = audio_or_video(part.get("file_data")) if is_file else None
    if media_type is None:
        return None
    expected = "a base64-encoded data URL with a valid file MIME type"
    example = "(e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==')"
    got = f"but got unsupported MIME type '{media_type}'. Please see {FILE_TYPES} for supported file types."
    param = f"{place}.file_data"
    return breach(param, f"Invalid file data: '{param}'. Expected {expected} {example}, {got}", "invalid_value")


def _image_format(part: Any, place: str) -> Breach | None:
    if not isinstance(part, dict) or part.get("type") != "input_image" or not unreadable_image(part.get("image_url")):
        return None
    formats = "['image/jpeg', 'image/png', 'image/gif', 'image/webp']"
    sentence = "Please check your input and try again with one of the supported image formats"
    message = f"The image data you provided does not represent a valid image. {sentence}: {formats}."
    return breach("input", message, "invalid_value", at=place)


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-text-too-long",
    "A text of a message, a result or an encrypted reasoning item has more than 10485760 characters.",
    ANY_MESSAGE, _text_too_long,
    wrong=None, right=None,
    verbatim={"public code that quotes it": "Invalid 'input[388].output': string too long. Expected a string with"})
ITEM_RULES.row("openai/responses-file-data-type",
    "The data of a file, in a message or in a result, are audio or video, where the API takes documents and text.",
    PART_OR_RESULT, _file_data, needs="input_file", checked="2026-11-22",
    wrong=_sample_with_part({"type": "input_file", "filename": "a", "file_data": "data:audio/wav;base64,UklGRg=="}),
    right=_sample_with_part({"type": "input_file", "filename": "a", "file_data": "data:text/plain;base64,UklGRg=="}),
    recorded=cite("recordings, gpt-4.1 to gpt-5.5, o4-mini; pydantic/pydantic-ai, in a result",
        "with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME"))
ITEM_RULES.row("openai/responses-image-format",
    "The data of an image, in a message or in a result, are SVG or another type that no model reads.",
    PART_OR_RESULT, _image_format, needs="input_image", checked="2026-11-22", about="picture",
    wrong=_sample_with_part({"type": "input_image", "image_url": "data:image/svg+xml;base64,PHN2Zz4="}),
    right=_sample_with_part({"type": "input_image", "image_url": "data:image/png;base64,PHN2Zz4="}),
    verbatim={"open-webui/open-webui#30100, gpt-5.5":
        "The image data you provided does not represent a valid image. Please check your input and try again with"})
# fmt: on
