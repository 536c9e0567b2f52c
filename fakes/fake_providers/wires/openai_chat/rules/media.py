"""Rules on audio, images and files in messages. Of the data of a file, only the first bytes are looked at."""

from collections.abc import Iterator
from typing import Any, Final

from fake_providers import remedies
from fake_providers.rule import Remedy
from fake_providers.rulebook import WHOLE_REQUEST, Breach, RequestContext, Rulebook, Selector
from fake_providers.values.pictures import PICTURES, media_fault
from fake_providers.wires.openai_chat.rules.samples import USER, sample_request
from fake_providers.wires.openai_shared.errors import envelope
from fake_providers.wires.openai_shared.request_body import audio_or_video, unreadable_image
from fake_providers.wires.openai_shared.wording import breach, missing, wrong_type

BOOK = Rulebook(envelope)

_AUDIO = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
_PICTURE = {"type": "image_url", "image_url": {"url": "https://example.com/oslo.png"}}


def _file(media_type: str) -> dict[str, Any]:
    return {"type": "file", "file": {"filename": "a", "file_data": f"data:{media_type};base64,JVBERi0="}}


def _image(kind: str, data: str = "iVBORw0KGgo=") -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": f"data:image/{kind};base64,{data}"}}


def _url(part: dict[str, Any]) -> Any:
    image = part.get("image_url")
    return image.get("url") if isinstance(image, dict) else None


def _with_part(part: Any, **fields: Any) -> dict[str, Any]:
    return sample_request({**USER, "content": [{"type": "text", "text": "Hello"}, part]}, **fields)


def _parts(kind: str) -> Selector:
    """Each part of one type, with its place and that of its message."""

    def find(context: RequestContext) -> Iterator[tuple[dict[str, Any], str, str]]:
        for index, message in enumerate(context.body["messages"]):
            content = message.get("content")
            for position, part in enumerate(content if isinstance(content, list) else ()):
                if part["type"] == kind:
                    yield part, f"messages[{index}].content[{position}]", f"messages[{index}]"

    return Selector(find, "{place}", ("place", "message"), "parts", ("conversation",))


IMAGE: Final = _parts("image_url")
FILE: Final = _parts("file")
AUDIO: Final = _parts("input_audio")


def _file_data(part: dict[str, Any], place: str) -> Breach | None:
    file = part.get("file")
    media_type = audio_or_video(file.get("file_data")) if isinstance(file, dict) else None
    if media_type is None:
        return None
    param = f"{place}.file.file_data"
    expected = "a base64-encoded data URL with an application/pdf MIME type"
    example = "(e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ==')"
    got = f"but got unsupported MIME type '{media_type}'."
    return breach(param, f"Invalid file data: '{param}'. Expected {expected} {example}, {got}", "invalid_value")


def _audio_missing(context: RequestContext) -> Breach | None:
    modalities = context.body.get("modalities")
    if (isinstance(modalities, list) and "audio" in modalities) or any(True for _ in AUDIO.find(context)):
        return None
    sentence = "This model requires that either input content or output modality contain audio."
    return breach("model", sentence, "invalid_value")


# A table: two rows are to be compared.
# fmt: off
BOOK.row("openai/image-url-object", "An image is not an object with a `url`: it is the URL itself, or missing.",
    IMAGE, lambda part, place: None if isinstance(image := part.get("image_url"), dict) and "url" in image
        else missing(f"{place}.image_url.url") if isinstance(image, dict)
        else wrong_type(f"{place}.image_url", "an object", image) if "image_url" in part
        else missing(f"{place}.image_url"), needs="image_url", checked="2026-11-29", remedy=remedies.PICTURE_TYPE,
    wrong=_with_part({"type": "image_url", "image_url": "https://example.com/oslo.png"}), right=_with_part(_PICTURE),
    verbatim={"openai/openai-python#1635, gpt-4o-mini":
        "Invalid type for 'messages[0].content[1].image_url': expected an object, but got a string instead.",
        "dataprofessor/builder#3, gpt-4o": "", "multimodal-interpretability/maia#3": ""})
BOOK.row("openai/image-url-type", "The URL of an image is null or another value that is no string.",
    IMAGE, lambda part, place: isinstance(image := part.get("image_url"), dict) and "url" in image
        and not isinstance(image["url"], str)
        and wrong_type(f"{place}.image_url.url", "a base64-encoded data URL", image["url"]), needs="image_url",
    checked="2026-11-22", remedy=remedies.PICTURE_TYPE,
    wrong=_with_part({"type": "image_url", "image_url": {"url": None}}), right=_with_part(_PICTURE),
    recorded={"recordings, gpt-4o-mini":
        "Invalid type for 'messages[0].content[1].image_url.url': expected a base64-encoded data URL, but got null"})
BOOK.row("openai/image-base64", "The data of an image are empty or cannot be decoded.",
    IMAGE, lambda part, place: media_fault(_url(part), PICTURES) in ("empty", "base64")
        and breach(None, "Invalid base64 image_url.", "invalid_base64", at=place), needs="image_url",
    checked="2026-11-29", about="picture", remedy=remedies.READABLE_PICTURE,
    wrong=_with_part(_image("png", "[image of Oslo]")), right=_with_part(_image("png")),
    verbatim={"Azure/azure-sdk-for-java#41670: code invalid_base64": "Invalid base64 image_url.",
        "sipherxyz/comfyui-art-venture#75": ""})
BOOK.row("openai/image-format",
    "The data of an image are SVG, a text, or another type that is not PNG, JPEG, GIF or WebP.",
    IMAGE, lambda part, place: (unreadable_image(url := _url(part)) or media_fault(url, PICTURES) == "bytes")
        and breach(None,
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: "
        "['png', 'jpeg', 'gif', 'webp'].", "invalid_image_format", at=place), needs="image_url", checked="2026-11-22",
    about="picture", remedy=remedies.PICTURE_TYPE,
    wrong=_with_part(_image("svg+xml")), right=_with_part(_image("png")),
    verbatim={"STranslate/STranslate#277":
        "Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        "open-webui/open-webui#30100": ""})
BOOK.row("openai/file-data-type", "The data of a file are audio or video, where the API takes documents.",
    FILE, _file_data, needs="file", checked="2026-11-22", remedy=remedies.FILE_TYPES,
    wrong=_with_part(_file("audio/aac")), right=_with_part(_file("application/pdf")),
    recorded={"recordings, gpt-4.1 to gpt-5.5, o4-mini, gpt-audio":
        "with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupp"})
BOOK.row("openai/audio-unsupported",
    "A message contains audio and the model does not hear, whether the user or a tool sends it.",
    AUDIO, lambda part, message: breach(message,
        f"Invalid '{message}'. Content blocks are expected to be either text or " "image_url type.", "invalid_value"),
    needs="input_audio", trait="no-audio",
    models="o1*, o3*, o4*, gpt-4*, gpt-5*; gpt-audio* and gpt-4o*-audio-preview hear", checked="2026-11-22",
    remedy=remedies.MEDIA_OF_MODEL,
    wrong=_with_part(_AUDIO, model="gpt-4.1"), right=_with_part(_AUDIO, model="gpt-audio"),
    recorded={"recordings, gpt-4.1*, gpt-5*, gpt-5.4*, o4-mini; pydantic/pydantic-ai, in a tool message":
        "Invalid 'messages[0]'. Content blocks are expected to be either text or image_url type."})
BOOK.row("openai/files-unsupported", "A message contains a file and the model does not read files.",
    FILE, lambda part, place: breach(f"{place}.type",
        "Invalid Value: 'file'. This model does not support file content " "types.", "invalid_value"), needs="file",
    trait="no-files", models="gpt-4o*-search-preview", checked="2026-11-22", remedy=remedies.MEDIA_OF_MODEL,
    wrong=_with_part(_file("application/pdf"), model="gpt-4o-mini-search-preview"),
    right=_with_part(_file("application/pdf"), model="gpt-4o-mini"),
    recorded={"recordings, gpt-4o-mini-search-preview":
        "Invalid Value: 'file'. This model does not support file content types."})
BOOK.row("openai/images-unsupported", "A message contains an image and the model does not see.",
    IMAGE, lambda part, message: breach(f"{message}.content", "This model does not support image_url content.",
        "invalid_value"), needs="image_url", trait="only-audio", models="gpt-audio*, gpt-4o*-audio-preview",
    checked="2026-11-22", remedy=remedies.MEDIA_OF_MODEL,
    wrong=_with_part(_PICTURE, model="gpt-audio", modalities=["text", "audio"]),
    right=_with_part(_PICTURE, model="gpt-4.1", modalities=["text", "audio"]),
    recorded={"recordings, gpt-audio, gpt-4o-audio-preview": "This model does not support image_url content."})
BOOK.row("openai/audio-missing",
    "The model is one for audio, and neither is there audio in the input nor requested as output.",
    WHOLE_REQUEST, _audio_missing, trait="only-audio", models="gpt-audio*, gpt-4o*-audio-preview", checked="2026-11-22",
    remedy=Remedy("pictures", "Send audio or ask for it in `modalities`, or use a model for text."),
    wrong=sample_request(model="gpt-audio", modalities=["text"]),
    right=sample_request(model="gpt-audio", modalities=["text", "audio"]),
    recorded={"recordings, gpt-audio, gpt-4o-audio-preview, with text alone and with a document":
        "This model requires that either input content or output modality contain audio."})
# fmt: on
