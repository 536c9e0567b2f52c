"""What a local server says of itself and of its embeddings: version, loaded models, vectors.

Shapes: Ollama's API document, and `EmbedResponse`, `EmbeddingsResponse` and `ProcessResponse` of ollama-python.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.values.embedding import MOST_DIMENSIONS, dimensions_of, embed, tokens_of_texts
from fake_providers.wire import ServedModels
from fake_providers.wires.ollama_chat.model_list import WINDOW, listed
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import body_of, member

VERSION: Final = "0.30.11"
DIMENSIONS: Final = {"nomic-embed-text": 768, "mxbai-embed-large": 1024, "all-minilm": 384, "embeddinggemma": 768}
DEFAULT: Final = 1024
ENDPOINTS: Final = ("GET /api/version", "GET /api/ps", "POST /api/embed", "POST /api/embeddings")


def local_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request to another endpoint."""
    method, path = request.method.upper(), urlsplit(request.path).path
    if method in ("GET", "HEAD") and path == "/":
        return Response(200, (("content-type", "text/plain; charset=utf-8"),), (b"Ollama is running",))
    if method == "GET" and path.endswith("/api/version"):
        return json_response(200, {"version": VERSION})
    if method == "GET" and path.endswith("/api/ps"):
        return json_response(200, {"models": [_loaded(name, served) for name in served.names]})
    answer = _EMBEDDINGS.get(path.rpartition("/api/")[2]) if method == "POST" else None
    return None if answer is None else _embedded(body_of(request), answer)


def _loaded(name: str, served: ServedModels) -> dict[str, Any]:
    entry = {key: value for key, value in listed(name).items() if key != "modified_at"}
    memory = {"expires_at": "2026-10-01T09:05:00Z", "size_vram": entry["size"]}
    return {**entry, **memory, "context_length": served.window or WINDOW}


def _embedded(body: Any, answer: Callable[[str, Mapping[str, Any]], Response]) -> Response:
    model = member(body, "model")
    if not isinstance(model, str) or not model:
        return json_response(400, {"error": "model is required"})
    if parse_name(model) is None:
        return json_response(400, {"error": "invalid model name"})
    return answer(model, body)


def _many(model: str, body: Mapping[str, Any]) -> Response:
    value = member(body, "input")
    texts = [value] if isinstance(value, str) else value
    if texts is None:
        texts = []
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return json_response(400, {"error": "invalid input type"})
    size = member(body, "dimensions")
    if type(size) is not int or not 0 < size <= MOST_DIMENSIONS:
        size = _size(model)
    counts = {"total_duration": 14_143_917, "load_duration": 1_019_500, "prompt_eval_count": tokens_of_texts(texts)}
    return json_response(200, {"model": model, "embeddings": [embed(text, size) for text in texts], **counts})


def _one(model: str, body: Mapping[str, Any]) -> Response:
    """The older endpoint, for one text; without any it only loads the model."""
    prompt = member(body, "prompt")
    vector = embed(prompt, _size(model)) if isinstance(prompt, str) and prompt else []
    return json_response(200, {"embedding": vector})


def _size(model: str) -> int:
    return dimensions_of(model, DIMENSIONS, DEFAULT)


_EMBEDDINGS: Final = {"embed": _many, "embeddings": _one}
