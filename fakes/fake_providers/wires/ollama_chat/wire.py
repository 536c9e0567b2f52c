"""The strict fake of Ollama's chat: `POST /api/chat`, which needs no key and streams by default.

Shapes: Ollama's API document, and `EmbedResponse`, `EmbeddingsResponse` and `ProcessResponse` of ollama-python.
"""

import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply
from fake_providers.rule import Rule, Violation
from fake_providers.values.tokens import MOST_DIMENSIONS, dimensions_of, embed, tokens_of_texts
from fake_providers.view import View
from fake_providers.wire import ReplyContext, Route, ServedModels, Wire
from fake_providers.wires.ollama_chat import errors, rules
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import body_of, member, route_of, view_of
from fake_providers.wires.ollama_chat.response import call_id, encode

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


class OllamaChat:
    """Implements `fake_providers.wire.Wire`."""

    name = "ollama-chat"
    providers: tuple[str, ...] = ("ollama",)
    rules: tuple[Rule, ...] = (*rules.RULES, *errors.RULES)
    base_path = ""
    endpoints = ENDPOINTS

    def route(self, request: Request) -> Route | None:
        return route_of(request)

    def models(self, request: Request, served: ServedModels) -> Response | None:
        return models_response(request, served)

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        return local_response(request, served)

    def missing_key(self, request: Request) -> Violation | None:
        """None: a local server needs no key."""
        return None

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        return rules.judge(request, provider=provider)

    def view(self, request: Request) -> View:
        return view_of(request)

    def call_id(self, ids: Ids) -> str:
        return call_id(ids)

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        return encode(reply, context)

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        return errors.fail(fault, context)

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        return errors.refuse(violation)

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation:
        return errors.too_long()

    def stopped(self, message: str, context: ReplyContext) -> Response:
        return errors.stopped(message)


WIRE: Wire = OllamaChat()


WINDOW: Final = 40_960
"""What the fake says where it has no bound."""
PULLED: Final = "2026-10-01T09:00:00Z"


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    method, path = request.method.upper(), urlsplit(request.path).path
    if method == "GET" and path.endswith("/api/tags"):
        return json_response(200, {"models": [listed(name) for name in served.names]})
    if method == "POST" and path.endswith("/api/show"):
        body = body_of(request)
        asked = member(body, "model") or member(body, "name")
        if not isinstance(asked, str) or not asked:
            return json_response(400, {"error": "model is required"})
        if parse_name(asked) is None:
            return json_response(400, {"error": "invalid model name"})
        return json_response(200, _shown(asked, served))
    return None


def listed(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "model": name,
        "modified_at": PULLED,
        "size": 5_225_388_164,
        "digest": sha256(name.encode()).hexdigest(),
        "details": _details(name),
    }


def _shown(name: str, served: ServedModels) -> dict[str, Any]:
    family = _family(name)
    parsed = parse_name(name)
    lacking = parsed.traits if parsed else frozenset()
    return {
        "license": "",
        "modelfile": f"FROM {name}",
        "parameters": "",
        "template": "{{ .Prompt }}",
        "details": _details(name),
        "model_info": {
            "general.architecture": family,
            "general.parameter_count": 8_190_735_360,
            f"{family}.context_length": served.window or WINDOW,
            f"{family}.embedding_length": 4_096,
        },
        "capabilities": ["completion", *(known for known in ("tools", "thinking") if f"no-{known}" not in lacking)],
        "modified_at": PULLED,
    }


def _details(name: str) -> dict[str, Any]:
    family = _family(name)
    return {
        "parent_model": "",
        "format": "gguf",
        "family": family,
        "families": [family],
        "parameter_size": "8.2B",
        "quantization_level": "Q4_K_M",
    }


def _family(name: str) -> str:
    """`qwen3` of `qwen3:8b`."""
    return re.split(r"[:.-]", name.rsplit("/", 1)[-1])[0] or name
