"""`models.embedContent` and `models.batchEmbedContents` of the Developer API.

Shapes: the API reference of `models.embedContent`, and what google-genai sends and reads.
"""

import re
from dataclasses import replace
from typing import Any, Final
from urllib.parse import unquote

from fake_providers.http import Request, Response, json_response
from fake_providers.values.embedding import MOST_DIMENSIONS, dimensions_of, embed
from fake_providers.values.json_texts import read_json
from fake_providers.wires.gemini_generate.errors import JSON, error_body
from fake_providers.wires.gemini_generate.lenient_reading import field, items

ENDPOINTS: Final = (
    "POST /v1beta/models/{model}:embedContent",
    "POST /v1beta/models/{model}:batchEmbedContents",
)
PATH: Final = re.compile(r"/{1,2}v1(?:alpha|beta)?/models/([^:/]+):(embedContent|batchEmbedContents)")
DIMENSIONS: Final = {"gemini-embedding": 3072, "text-embedding-004": 768, "embedding-001": 768}
DEFAULT: Final = 3072
MOST_REQUESTS: Final = 100
"""Of one batch, as the provider says."""


def embeddings_response(request: Request) -> Response | None:
    """None for a request to another endpoint."""
    found = PATH.fullmatch(unquote(request.path.partition("?")[0]))
    if request.method.upper() != "POST" or found is None:
        return None
    try:
        body = read_json(request.body)
    except ValueError:
        return _respond(400, error_body(400, "Invalid JSON payload received."))
    if found[2] == "embedContent":
        return _one(found[1], body)
    return _batch(found[1], items(field(body, "requests")))


def _one(model: str, body: Any) -> Response:
    wrong = _wrong(body)
    return wrong or _respond(200, {"embedding": {"values": _values(model, body)}})


def _batch(model: str, requests: list[Any]) -> Response:
    if len(requests) > MOST_REQUESTS:
        message = f"BatchEmbedContentsRequest.requests: at most {MOST_REQUESTS} requests can be in one batch"
        return _respond(400, error_body(400, f"* {message}"))
    wrong = next((found for one in requests if (found := _wrong(one))), None)
    return wrong or _respond(200, {"embeddings": [{"values": _values(model, one)} for one in requests]})


def _wrong(body: Any) -> Response | None:
    size = _size(body)
    if size is not None and not (type(size) is int and 0 < size <= MOST_DIMENSIONS):
        return _respond(400, error_body(400, f"* EmbedContentRequest.output_dimensionality: got {size!r}"))
    if not items(field(field(body, "content"), "parts")):
        return _respond(400, error_body(400, "* EmbedContentRequest.content: contents is not specified\n"))
    return None


def _size(body: Any) -> Any:
    return field(body, "output_dimensionality")


def _values(model: str, body: Any) -> list[float]:
    texts = [field(part, "text") for part in items(field(field(body, "content"), "parts"))]
    text = "\n".join(text for text in texts if isinstance(text, str))
    return embed(text, _size(body) or dimensions_of(model, DIMENSIONS, DEFAULT))


def _respond(status: int, body: Any) -> Response:
    return replace(json_response(status, body), headers=(("content-type", JSON),))
