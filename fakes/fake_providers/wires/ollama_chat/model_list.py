"""`GET /api/tags` and `POST /api/show`: the models of a local server, and one of them."""

import re
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit

from fake_providers.http import Request, Response, json_response
from fake_providers.wire import ServedModels
from fake_providers.wires.ollama_chat.model_names import parse_name
from fake_providers.wires.ollama_chat.request import body_of, member

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
