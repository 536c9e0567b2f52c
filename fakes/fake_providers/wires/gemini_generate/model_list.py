"""`models.list` and `models.get` of the Developer API and of Vertex AI."""

import re
from typing import Any, Final
from urllib.parse import unquote

from fake_providers.http import Request, Response, json_response
from fake_providers.wire import ServedModels

PATH: Final = re.compile(r"/{1,2}v1(?:alpha|beta)?/models(?:/([^/:]+))?")
VERTEX_PATH: Final = re.compile(
    r"/{1,2}v1(?:alpha1|beta1)?/(?:projects/[^/]+/locations/[^/]+/)?publishers/google/models(?:/([^/:]+))?"
)
WINDOW: Final = 1_048_576
"""What the fake says where it has no bound."""


def models_response(request: Request, served: ServedModels) -> Response | None:
    """None for a request that asks for no models."""
    path = unquote(request.path.partition("?")[0])
    if request.method.upper() != "GET":
        return None
    if found := PATH.fullmatch(path):
        return json_response(200, _listed("models", found[1], [_model(id, served) for id in _asked(found, served)]))
    if found := VERTEX_PATH.fullmatch(path):
        return json_response(
            200, _listed("publisherModels", found[1], [_published(id) for id in _asked(found, served)])
        )
    return None


def _asked(found: re.Match[str], served: ServedModels) -> tuple[str, ...]:
    return (found[1],) if found[1] else served.names


def _listed(key: str, name: str | None, entries: list[dict[str, Any]]) -> dict[str, Any]:
    return entries[0] if name else {key: entries}


def _model(id: str, served: ServedModels) -> dict[str, Any]:
    return {
        "name": f"models/{id}",
        "version": "001",
        "displayName": id.replace("-", " ").title(),
        "description": id.replace("-", " ").title(),
        "inputTokenLimit": served.window or WINDOW,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": [
            "generateContent",
            "countTokens",
            "createCachedContent",
            "batchGenerateContent",
        ],
        "temperature": 1,
        "topP": 0.95,
        "topK": 64,
        "maxTemperature": 2,
        "thinking": True,
    }


def _published(id: str) -> dict[str, Any]:
    return {
        "name": f"publishers/google/models/{id}",
        "versionId": "default",
        "openSourceCategory": "PROPRIETARY",
        "launchStage": "GA",
        "publisherModelTemplate": f"projects/{{project}}/locations/{{location}}/publishers/google/models/{id}",
    }
