"""Images and documents that are sent along: which types are read, and whether the bytes are what they are said."""

import base64
from typing import Any

import pytest
from anthropic_requests import TOOL, assistant, result, rule_of, sentence, text, use, user

BYTES = {
    "image/jpeg": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "image/png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "image/gif": b"GIF87a\x01\x00\x01\x00",
    "image/webp": b"RIFF\x24\x00\x00\x00WEBPVP8 ",
}


def image(media_type: Any, data: Any) -> dict[str, Any]:
    encoded = base64.b64encode(data).decode() if isinstance(data, bytes) else data
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": encoded}}


@pytest.mark.parametrize("said", BYTES)
@pytest.mark.parametrize("seen", BYTES)
def test_an_image_is_of_the_type_it_is_sent_as(said: str, seen: str) -> None:
    told = (
        f"messages.0.content.1.image.source.base64: The image was specified using the {said} media type, but the image "
        f"appears to be a {seen} image"
    )
    assert sentence(user([text("a"), image(said, BYTES[seen])])) == (None if said == seen else told)


@pytest.mark.parametrize("data", ["<trimmed>", "", "YQ==", "iVBORw0K", b"BM\x00\x00", None, 5])
def test_bytes_that_are_like_nothing_known_are_accepted(data: Any) -> None:
    assert rule_of(user([image("image/png", data)])) is None


def test_images_of_other_types_are_not_read() -> None:
    assert sentence(user([image("image/jpg", BYTES["image/jpeg"])])) == (
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' "
        "or 'image/webp'"
    )


def test_images_in_results_are_looked_at_too() -> None:
    def told(part: dict[str, Any]) -> str | None:
        return sentence(user(), assistant([use()]), user([result(content=[text("a"), part])]), tools=[TOOL])

    at = "messages.2.content.0.tool_result.content.1.image.source.base64"
    assert (told(image("image/bmp", b"BM")) or "").startswith(f"{at}.media_type: Input should be 'image/jpeg'")
    assert (told(image("image/png", BYTES["image/jpeg"])) or "").startswith(f"{at}: The image was specified using the")
    assert told(image("image/png", BYTES["image/png"])) is None


def test_other_sources_have_no_type_of_their_own() -> None:
    for source in ({"type": "url", "url": "https://example.com/a.bmp"}, {"type": "file", "file_id": "file_1"}):
        assert rule_of(user([{"type": "image", "source": source}])) is None
    plain = {"type": "text", "media_type": "text/plain", "data": "a"}
    assert rule_of(user([{"type": "document", "source": plain}])) is None


def test_a_document_in_base64_is_a_pdf() -> None:
    def document(media_type: str) -> dict[str, Any]:
        source = {"type": "base64", "media_type": media_type, "data": "JVBERi0xLjQ="}
        return user([{"type": "document", "source": source}])

    at = "messages.0.content.0.document.source.base64.media_type"
    assert sentence(document("text/csv")) == f"{at}: Input should be 'application/pdf'"
    assert rule_of(document("application/pdf")) is None
