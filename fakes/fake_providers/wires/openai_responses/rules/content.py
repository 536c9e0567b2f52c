"""Rules on calls, their results, and the content of messages and its parts, checked item by item.

Arguments that are not JSON, ids with any characters, and results in parts are accepted: recorded.
"""

from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import Breach, Selector
from fake_providers.values.pictures import PICTURES, media_fault
from fake_providers.wires.openai_responses.rules.items import ITEM_RULES, is_message
from fake_providers.wires.openai_responses.rules.samples import (
    ASSISTANT_MESSAGE,
    PROBES,
    USER,
    item_with,
    sample_request,
    sample_with_call,
    sample_with_result,
)
from fake_providers.wires.openai_shared import rules
from fake_providers.wires.openai_shared import wording as say
from fake_providers.wires.openai_shared.request_body import audio_or_video, unreadable_image
from fake_providers.wires.openai_shared.shared_rules import (
    LIKE_OTHER_TYPES,
    MESSAGE,
    inside,
    is_at_most,
    is_not_empty,
    is_object,
    is_text,
)

REQUIRED: Final = {
    "function_call": ("call_id", "name", "arguments"),
    "function_call_output": ("call_id", "output"),
}
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

_TEXT = {"type": "input_text", "text": "Hello"}
_PARTS = sample_request({**USER, "content": [_TEXT]})


def _sample_with_part(part: Any) -> dict[str, Any]:
    return sample_request({**USER, "content": [part]})


def _items(*kinds: str) -> Selector:
    """Each item of these types."""
    return inside("conversation", lambda item, place: ((item, place),) if item.get("type") in kinds else ())


def _parts(item: dict[str, Any], place: str) -> Iterator[tuple[Any, str]]:
    """Each part of a message."""
    content = item.get("content") if is_message(item) else None
    for index, part in enumerate(content if isinstance(content, list) else ()):
        yield part, f"{place}.content[{index}]"


def _parts_and_results(item: dict[str, Any], place: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Each object among the parts of a message and of the output of a call."""
    output = item.get("output")
    results = enumerate(output if isinstance(output, list) else ())
    for part, at in (*_parts(item, place), *((part, f"{place}.output[{index}]") for index, part in results)):
        if isinstance(part, dict):
            yield part, at


def _parts_of(is_assistant: bool) -> Selector:
    """Each part of a message of the assistant, or of another."""
    return inside(
        "conversation",
        lambda item, place: _parts(item, place) if (item.get("role") == "assistant") is is_assistant else (),
    )


CALL_ITEM: Final = _items("function_call")
RESULT_ITEM: Final = _items("function_call_output")
CALL_OR_RESULT: Final = _items(*REQUIRED)
PART: Final = inside("conversation", _parts)
PART_OR_RESULT: Final = inside("conversation", _parts_and_results)


def _output_type(item: dict[str, Any], place: str) -> Breach | None:
    output, place = item["output"], f"{place}.output"
    if not isinstance(output, str | list):
        return say.wrong_type(place, "one of a string or array of objects", output)
    parts = enumerate(output if isinstance(output, list) else ())
    return next(
        (say.wrong_type(f"{place}[{i}]", "an object", part) for i, part in parts if not isinstance(part, dict)), None
    )


def _part_unknown(part: dict[str, Any], place: str) -> Breach | None:
    kind = part.get("type")
    if kind in PARTS or kind in USER_PARTS:
        return None
    return say.wrong_value(f"{place}.type", kind, PARTS) if isinstance(kind, str) else say.missing(f"{place}.type")


def _text_too_long(item: dict[str, Any], place: str) -> Breach | None:
    own = ((place, name, item.get(name)) for name in ("content", "output", "encrypted_content"))
    texts = (*own, *((at, "text", part.get("text")) for part, at in _parts(item, place)))
    found = (say.long_string(f"{at}.{name}", text, say.LONGEST_TEXT) for at, name, text in texts)
    return next(filter(None, found), None)


def _file_data(part: dict[str, Any], place: str) -> Breach | None:
    media_type = audio_or_video(part.get("file_data")) if part.get("type") == "input_file" else None
    if media_type is None:
        return None
    expected = "a base64-encoded data URL with a valid file MIME type"
    example = "(e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==')"
    files = "https://platform.openai.com/docs/assistants/tools/file-search#supported-files"
    got = f"but got unsupported MIME type '{media_type}'. Please see {files} for supported file types."
    param = f"{place}.file_data"
    return say.breach(param, f"Invalid file data: '{param}'. Expected {expected} {example}, {got}", "invalid_value")


# A table: two rows are to be compared.
# fmt: off
ITEM_RULES.row("openai/responses-call-member-missing",
    "A call has no `call_id`, `name` or `arguments`, or a result has no `call_id` or `output`.",
    CALL_OR_RESULT, lambda item, place: next(
        (say.missing(f"{place}.{name}") for name in REQUIRED[item["type"]] if name not in item), None),
    needs=("function_call", "function_call_output"), remedy=remedies.CALL_MEMBERS,
    wrong=sample_with_result(output=None), right=sample_with_result(),
    reported={"reported for `call_id` and `output`; worded like the refusals of other missing members": ""})
ITEM_RULES.row("openai/responses-call-id-type", "A `call_id` is null or not a string.",
    CALL_OR_RESULT, is_text("call_id"), remedy=remedies.CALL_ID,
    wrong=sample_with_call(call_id=7), right=sample_with_call(),
    inferred=LIKE_OTHER_TYPES)
ITEM_RULES.row("openai/responses-call-id-empty", "A `call_id` is empty.",
    CALL_OR_RESULT, is_not_empty("call_id"), remedy=remedies.CALL_ID,
    wrong=sample_with_call(call_id=""), right=sample_with_call(),
    reported={"reported for agents on servers that send no ids": "Invalid 'input[2].call_id': empty string."})
ITEM_RULES.row("openai/responses-call-id-too-long", "A `call_id` has more than 64 characters.",
    CALL_OR_RESULT, is_at_most(64, "call_id"), remedy=remedies.CALL_ID,
    wrong=sample_with_call(call_id="call_" + "1" * 60), right=sample_with_call(),
    verbatim={"quoted in public code": "Invalid 'input[2].call_id': string too long."})
ITEM_RULES.row("openai/responses-call-name-type", "The name of a call is null or not a string.",
    CALL_ITEM, is_text("name"), remedy=remedies.CALLED_NAME,
    wrong=sample_with_call(name=7), right=sample_with_call(),
    inferred=LIKE_OTHER_TYPES)
rules.CALL_NAMES.add_to(ITEM_RULES, "responses", "openai/responses-call-", CALL_ITEM, sample_with_call)
rules.CALL_ARGUMENTS.add_to(ITEM_RULES, "responses", "openai/responses-call-", CALL_ITEM, sample_with_call)
ITEM_RULES.row("openai/responses-output-type",
    "The output of a result is neither a string nor a list of parts; null and objects are refused.",
    RESULT_ITEM, _output_type, needs="function_call_output", remedy=remedies.RESULT_AS_TEXT,
    wrong=sample_with_result(output={"degrees": 7}), right=sample_with_result(),
    verbatim={"public code that quotes it": "Invalid type for 'input[0].output': expected one of a string or array of"})
ITEM_RULES.row("openai/responses-content-missing", "A message has no content.",
    MESSAGE, lambda item, place: is_message(item) and "content" not in item and say.missing(f"{place}.content"),
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=sample_request(USER, item_with(ASSISTANT_MESSAGE, content=None), USER),
    right=sample_request(USER, ASSISTANT_MESSAGE, USER),
    recorded={"recordings, gpt-5, gpt-5-mini, gpt-5-nano": "Missing required parameter: 'input[2].content'.",
        PROBES: "input item without content"})
ITEM_RULES.row("openai/responses-content-type",
    "The content of a message is neither a string nor a list of parts; null is refused, an empty string is "
        "accepted.",
    MESSAGE, lambda item, place: is_message(item) and not isinstance(item["content"], str | list)
        and say.wrong_type(f"{place}.content", "one of an array of objects or string", item["content"]),
    remedy=Remedy("content", "Write the content as a text or a list of parts, an empty text where there is none."),
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "content": None}, USER),
    right=sample_request(USER, {**ASSISTANT_MESSAGE, "content": ""}, USER),
    verbatim={"QuantumNous/new-api#4776": "expected one of an array of objects or string, but got null instead."})
ITEM_RULES.row("openai/responses-content-part-type", "A part of the content is not an object.",
    PART, is_object, remedy=remedies.PART_TYPES,
    wrong=_sample_with_part("Hello"), right=_PARTS,
    inferred=LIKE_OTHER_TYPES)
ITEM_RULES.row("openai/responses-content-part-unknown",
    "A part of the content has an unknown type, such as chat completions' `text`.",
    PART, _part_unknown, remedy=remedies.PART_TYPES,
    wrong=_sample_with_part({"type": "text", "text": "Hello"}), right=_PARTS,
    recorded={PROBES: "content block unknown type"})
ITEM_RULES.row("openai/responses-assistant-part", "An assistant message has an `input_text` part.",
    _parts_of(is_assistant=True), lambda part, place: part["type"] not in ASSISTANT_PARTS
        and say.wrong_value(place, part["type"], ASSISTANT_PARTS), needs="assistant", remedy=remedies.PART_TYPES,
    wrong=sample_request(USER, {**ASSISTANT_MESSAGE, "content": [{"type": "input_text", "text": "I look."}]}, USER),
    right=sample_request(USER, ASSISTANT_MESSAGE, USER),
    recorded={PROBES: "input item assistant with input_text"})
ITEM_RULES.row("openai/responses-user-part", "A user or system message has an `output_text` part.",
    _parts_of(is_assistant=False), lambda part, place: part["type"] in ASSISTANT_PARTS
        and say.wrong_value(place, part["type"], USER_PARTS), needs=("output_text", "refusal"),
        remedy=remedies.PART_TYPES,
    wrong=_sample_with_part({"type": "output_text", "text": "Hello"}), right=_PARTS,
    recorded={PROBES: "content block wrong variant"})
ITEM_RULES.row("openai/responses-part-member-unknown", "A part of the content has another provider's `cache_control`.",
    PART, lambda part, place: "cache_control" in part and say.unknown(f"{place}.cache_control"),
    remedy=remedies.OWN_MEMBERS.of("content"),
    wrong=_sample_with_part({**_TEXT, "cache_control": {"type": "ephemeral"}}), right=_PARTS,
    verbatim={"public code that quotes it": "Unknown parameter: 'input[0].content[0].cache_control'"})
ITEM_RULES.row("openai/responses-text-missing", "A text part has no text.",
    PART, lambda part, place: part["type"] in ("input_text", "output_text") and say.wrong_text(f"{place}.text", part),
    remedy=remedies.LEAVE_OUT_EMPTY,
    wrong=_sample_with_part({"type": "input_text"}), right=_PARTS,
    recorded={PROBES: "content block without text"})
ITEM_RULES.row("openai/responses-text-too-long",
    "A text of a message, a result or an encrypted reasoning item has more than 10485760 characters.",
    MESSAGE, _text_too_long, remedy=remedies.SHORTEN,
    wrong=None, right=None,
    verbatim={"public code that quotes it": "Invalid 'input[388].output': string too long. Expected a string with"})
ITEM_RULES.row("openai/responses-file-data-type",
    "The data of a file, in a message or in a result, are audio or video, where the API takes documents and text.",
    PART_OR_RESULT, _file_data, needs="input_file", checked="2026-11-22", remedy=remedies.FILE_TYPES,
    wrong=_sample_with_part({"type": "input_file", "filename": "a", "file_data": "data:audio/wav;base64,UklGRg=="}),
    right=_sample_with_part({"type": "input_file", "filename": "a", "file_data": "data:text/plain;base64,UklGRg=="}),
    recorded={"recordings, gpt-4.1 to gpt-5.5, o4-mini; pydantic/pydantic-ai, in a result":
        "with a valid file MIME type (e.g. 'data:text/plain;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME"})
ITEM_RULES.row("openai/responses-image-url",
    "The `image_url` of an image is not its URL but an object, as chat completions have it.",
    PART_OR_RESULT, lambda part, place: part.get("type") == "input_image" and part.get("image_url") is not None
        and not isinstance(part["image_url"], str)
        and say.wrong_type(f"{place}.image_url", "an image URL", part["image_url"]), needs="input_image",
    checked="2026-11-29", remedy=remedies.PICTURE_TYPE,
    wrong=_sample_with_part({"type": "input_image", "image_url": {"url": "https://example.com/oslo.png"}}),
    right=_sample_with_part({"type": "input_image", "image_url": "https://example.com/oslo.png"}),
    verbatim={"0xPlaygrounds/rig#879":
        "Invalid type for 'input[2].content[0].image_url': expected an image URL, but got an object instead."})
ITEM_RULES.row("openai/responses-image-empty", "The data of an image are empty.",
    PART_OR_RESULT, lambda part, place: part.get("type") == "input_image"
        and media_fault(part.get("image_url"), PICTURES) == "empty"
        and say.breach(f"{place}.image_url", f"Invalid '{place}.image_url'. Expected a base64-encoded data URL with an "
        "image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got empty base64-encoded bytes.",
        "invalid_value"), needs="input_image", checked="2026-11-29", about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=_sample_with_part({"type": "input_image", "image_url": "data:image/png;base64,"}),
    right=_sample_with_part({"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}),
    verbatim={"anomalyco/opencode#23983":
        "Invalid 'input[101].content[1].image_url'. Expected a base64-encoded data URL with an image MIME type"})
ITEM_RULES.row("openai/responses-image-format",
    "The data of an image, in a message or in a result, are no base64, SVG or another type that no model reads.",
    PART_OR_RESULT, lambda part, place: part.get("type") == "input_image"
        and (unreadable_image(url := part.get("image_url")) or media_fault(url, PICTURES) in ("base64", "bytes"))
        and say.breach("input",
        "The image data you provided does not represent a valid image. Please check your input and "
        "try again with one of the supported image formats: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].",
        "invalid_value", at=place), needs="input_image", checked="2026-11-22", about="picture",
        remedy=remedies.PICTURE_TYPE,
    wrong=_sample_with_part({"type": "input_image", "image_url": "data:image/png;base64,PHN2Zz4="}),
    right=_sample_with_part({"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}),
    verbatim={"open-webui/open-webui#30100, gpt-5.5":
        "The image data you provided does not represent a valid image. Please check your input and try again with"})
# fmt: on
