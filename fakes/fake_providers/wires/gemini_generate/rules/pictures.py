"""Rules on pictures: their media types, and the models whose responses can have them."""

from collections.abc import Iterator
from typing import Any

from fake_providers.rulebook import Breach, RequestContext
from fake_providers.wires.gemini_generate.lenient_reading import contents, field, items
from fake_providers.wires.gemini_generate.rules.rulebook import BOOK
from fake_providers.wires.gemini_generate.rules.samples import (
    OLD,
    call,
    cite,
    gemini_path,
    model,
    result,
    sample_request,
    user,
)

UNSUPPORTED = ("image/svg+xml", "image/svg", "application/svg+xml", "image/xml", "image/jpg", "png", "jpeg")
"""Types that were reported; others of pictures, sound, film and documents are accepted."""
LEARN_MORE = "https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"


def _blob(media_type: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type, "data": "R0lGODlhAQABAA=="}}


def _conversation_with_picture() -> dict[str, Any]:
    response = result()
    response["functionResponse"]["parts"] = [_blob("image/png")]
    return sample_request(user("Rain?"), model(call()), user(response))


@BOOK.rule(
    "gemini/picture-media-type",
    why="A picture has a media type that no model reads: SVG, `image/jpg`, or a bare `png`.",
    confidence="verbatim",
    evidence=cite(
        "google-gemini/gemini-cli#3054",
        "google/adk-python#5693",
        "charmbracelet/crush#995",
        "brianpetro/obsidian-smart-connections#1238",
        quote="Unsupported MIME type: image/svg+xml",
    ),
    checked="2026-11-22",
    breaking=sample_request(user("What is this?", _blob("image/svg+xml"))),
    accepted=sample_request(user("What is this?", _blob("image/png"))),
    path=gemini_path(),
    about="picture",
)
def picture_media_type(context: RequestContext) -> Breach | None:
    for at, blob in _blobs(context.body.value):
        media_type = field(blob, "mime_type")
        if media_type in UNSUPPORTED:
            return Breach(at, f"Unsupported MIME type: {media_type}")
    return None


@BOOK.rule(
    "gemini/response-parts",
    why="A response has `parts`, and the model is older than Gemini 3: its pictures stand in a content of the user.",
    models="gemini-1*, gemini-2*",
    confidence="verbatim",
    evidence=cite(
        "google-gemini/gemini-cli#19436",
        "run-llama/llama_index#22919",
        quote="Unable to submit request because `function_response.parts` is not supported for this model.",
    ),
    checked="2026-11-22",
    breaking=_conversation_with_picture(),
    accepted=sample_request(user("Rain?"), model(call()), user(result())),
    path=gemini_path(OLD),
)
def response_parts(context: RequestContext) -> Breach | None:
    if not context.model.rpartition("/")[2].startswith(("gemini-1", "gemini-2")):
        return None
    for number, content in enumerate(contents(context.body.value)):
        for place, part in enumerate(items(field(content, "parts"))):
            if field(field(part, "function_response"), "parts"):
                sentence = "Unable to submit request because `function_response.parts` is not supported for this model."
                return Breach(f"contents[{number}].parts[{place}]", f"{sentence} Learn more: {LEARN_MORE}")
    return None


def _blobs(body: Any) -> Iterator[tuple[str, Any]]:
    """Each blob with its place, also inside responses."""
    for number, content in enumerate(contents(body)):
        for place, part in enumerate(items(field(content, "parts"))):
            at = f"contents[{number}].parts[{place}]"
            inner = items(field(field(part, "function_response"), "parts"))
            for found, one in [(at, part), *((f"{at}.function_response.parts[{i}]", p) for i, p in enumerate(inner))]:
                if (blob := field(one, "inline_data")) is not None:
                    yield f"{found}.inline_data", blob
