"""Images and documents: supported types, and bytes that do not match the declared type."""

import base64
from typing import Any

import pytest
from anthropic_requests import TOOL, assistant, broken_rule, error_message, text_block, tool_result, tool_use, user

BYTES = {
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "image/png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "image/gif": b"GIF87a\x01\x00\x01\x00",
    "image/webp": b"RIFF\x24\x00\x00\x00WEBPVP8 ",
}


def image(media_type: Any, data: Any) -> dict[str, Any]:
    encoded = base64.b64encode(data).decode() if isinstance(data, bytes) else data
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": encoded}}


@pytest.mark.parametrize("declared", BYTES)
@pytest.mark.parametrize("actual", BYTES)
def test_bytes_of_an_image_must_match_its_media_type(declared: str, actual: str) -> None:
    message = (
        f"messages.0.content.1.image.source.base64: The image was specified using the {declared} media type"
        f", but the image appears to be a {actual} image"
    )
    assert error_message(user([text_block("a"), image(declared, BYTES[actual])])) == (
        None if declared == actual else message
    )


UNREADABLE = {
    "<trimmed>": "anthropic/image-data",
    "": "anthropic/image-empty",
    "YQ==": "anthropic/image-unreadable",
    b"BM\x00\x00": "anthropic/image-unreadable",
    None: "anthropic/image-source",
    5: "anthropic/image-source",
}


@pytest.mark.parametrize("data", UNREADABLE)
def test_bytes_of_no_known_type_are_refused(data: Any) -> None:
    assert broken_rule(user([image("image/png", data)])) == UNREADABLE[data]


def test_other_image_types_are_refused() -> None:
    assert error_message(user([image("image/jpg", BYTES["image/jpeg"])])) == (
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' "
        "or 'image/webp'"
    )


def test_images_in_results_are_checked_too() -> None:
    def message(part: dict[str, Any]) -> str | None:
        return error_message(
            user(), assistant([tool_use()]), user([tool_result(content=[text_block("a"), part])]), tools=[TOOL]
        )

    at = "messages.2.content.0.tool_result.content.1.image.source.base64"
    assert (message(image("image/bmp", b"BM")) or "").startswith(f"{at}.media_type: Input should be 'image/jpeg'")
    assert (message(image("image/png", BYTES["image/jpeg"])) or "").startswith(
        f"{at}: The image was specified using the"
    )
    assert message(image("image/png", BYTES["image/png"])) is None


def test_other_sources_are_not_checked() -> None:
    for source in ({"type": "url", "url": "https://example.com/a.bmp"}, {"type": "file", "file_id": "file_1"}):
        assert broken_rule(user([{"type": "image", "source": source}])) is None
    plain = {"type": "text", "media_type": "text/plain", "data": "a"}
    assert broken_rule(user([{"type": "document", "source": plain}])) is None


def test_document_in_base64_must_be_a_pdf() -> None:
    def document(media_type: str) -> dict[str, Any]:
        source = {"type": "base64", "media_type": media_type, "data": "JVBERi0xLjQ="}
        return user([{"type": "document", "source": source}])

    at = "messages.0.content.0.document.source.base64.media_type"
    assert error_message(document("text/csv")) == f"{at}: Input should be 'application/pdf'"
    assert broken_rule(document("application/pdf")) is None


def gif(width: int, height: int) -> dict[str, Any]:
    return image("image/gif", b"GIF89a" + width.to_bytes(2, "little") + height.to_bytes(2, "little"))


def test_image_is_at_most_8000_pixels_a_side() -> None:
    assert broken_rule(user([gif(8000, 8000)])) is None
    assert error_message(user([gif(1, 8001)])) == (
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: "
        "8000 pixels"
    )


def test_more_than_twenty_images_are_at_most_2000_pixels_a_side_also_in_results_of_earlier_turns() -> None:
    def rule(pictures: int) -> str | None:
        results = user([tool_result(content=[gif(2001, 1), *[gif(1, 1)] * 10])])
        more = user([text_block("a"), *[gif(1, 1)] * (pictures - 11)])
        return broken_rule(user(), assistant([tool_use()]), results, assistant("b"), more, tools=[TOOL])

    assert (rule(20), rule(21)) == (None, "anthropic/image-dimensions-many")


def test_image_is_at_most_10_megabytes_of_base64() -> None:
    large = image("image/gif", "R0lGODlhAQABAIAA" + "A" * (10 * 2**20 - 16))

    assert broken_rule(user([large])) is None
    large["source"]["data"] += "AAAA"
    assert broken_rule(user([large])) == "anthropic/image-bytes"
