"""Audio, images and files in messages: what was recorded as refused, and next to it what was recorded as accepted."""

from typing import Any

import pytest
from chat_requests import USER, call_message, chat, violation_of

TEXT = {"type": "text", "text": "What is said?"}
AUDIO = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "mp3"}}
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
ONLY_TEXT_OR_IMAGE = "Content blocks are expected to be either text or image_url type."


def file(media_type: str) -> dict[str, Any]:
    return {"type": "file", "file": {"filename": "a", "file_data": f"data:{media_type};base64,JVBERi0="}}


def asking(*parts: Any, **fields: Any) -> dict[str, Any]:
    return chat({**USER, "content": [TEXT, *parts]}, **fields)


def message_of(body: dict[str, Any]) -> str | None:
    violation = violation_of(body)
    return None if violation is None else violation.message


@pytest.mark.parametrize("model", ["gpt-4.1", "gpt-4.1-nano", "gpt-5-mini", "gpt-5.4", "o4-mini", "gpt-4o-mini"])
def test_models_that_do_not_hear_refuse_audio(model: str) -> None:
    assert message_of(asking(AUDIO, model=model)) == f"Invalid 'messages[0]'. {ONLY_TEXT_OR_IMAGE}"
    result = {"role": "tool", "tool_call_id": "call_1", "content": [AUDIO]}
    assert (
        message_of(chat(USER, call_message("call_1"), result, model=model))
        == f"Invalid 'messages[2]'. {ONLY_TEXT_OR_IMAGE}"
    )


@pytest.mark.parametrize("model", ["gpt-audio", "gpt-audio-mini", "gpt-4o-audio-preview", "a-model-of-ours"])
def test_models_for_audio_and_unknown_ones_accept_it(model: str) -> None:
    assert message_of(asking(AUDIO, model=model)) is None


@pytest.mark.parametrize("media_type", ["audio/aac", "audio/ogg", "video/mp4", "video/webm"])
def test_audio_and_video_are_no_documents(media_type: str) -> None:
    where = "messages[0].content[1].file.file_data"
    expected = (
        f"Invalid file data: '{where}'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. "
        f"'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '{media_type}'."
    )

    assert message_of(asking(file(media_type), model="gpt-4.1")) == expected
    assert message_of(asking(file(media_type), model="gpt-audio")) == expected


def test_documents_are_accepted_except_by_models_that_read_no_files() -> None:
    assert message_of(asking(file("application/pdf"), model="gpt-4.1-mini")) is None
    assert message_of(asking({"type": "file", "file": {"file_id": "file-1"}}, model="gpt-4o")) is None
    assert (
        message_of(asking(file("application/pdf"), model="gpt-4o-mini-search-preview"))
        == "Invalid Value: 'file'. This model does not support file content types."
    )


def test_models_for_audio_need_audio_and_see_no_images() -> None:
    missing = "This model requires that either input content or output modality contain audio."

    assert message_of(asking(model="gpt-audio")) == missing
    assert message_of(asking(file("application/pdf"), model="gpt-4o-audio-preview")) == missing
    assert message_of(asking(model="gpt-audio", modalities=["text", "audio"])) is None
    assert message_of(asking(PICTURE, model="gpt-audio")) == "This model does not support image_url content."
    assert message_of(asking(PICTURE, model="gpt-4.1")) is None


def test_url_of_an_image_must_be_a_string() -> None:
    body = asking({"type": "image_url", "image_url": {"url": None, "detail": "auto"}})

    assert message_of(body) == (
        "Invalid type for 'messages[0].content[1].image_url.url': expected a base64-encoded data URL, but got null "
        "instead."
    )
