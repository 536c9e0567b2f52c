"""One plain request for every provider on each of its wires, as a client would send it."""

import json
from dataclasses import dataclass
from typing import Any

from fake_providers import PROVIDERS, Wire, provider_wires
from fake_providers.models import default_model
from fake_providers.provider_facts import own_provider
from tests.wire_samples import BODIES, PATHS

CLAUDE_ON_VERTEX = "/v1/projects/p/locations/l/publishers/anthropic/models/claude-sonnet-4-6:rawPredict"
KEYS = {
    "authorization": "Bearer any",
    "api-key": "any",
    "x-api-key": "any",
    "x-goog-api-key": "any",
    "anthropic-version": "2023-06-01",
}


@dataclass(frozen=True)
class LoadRequest:
    """`body` is the smallest body that the provider accepts."""

    provider: str
    wire: Wire
    path: str
    body: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.wire.name}:{self.provider}"

    @property
    def headers(self) -> dict[str, str]:
        return {"content-type": "application/json", **KEYS}

    @property
    def content(self) -> bytes:
        return json.dumps(self.body).encode()

    def with_text(self, text: str) -> dict[str, Any]:
        """The body with this text."""
        content: dict[str, Any] = json.loads(self.content.replace(b'"Hi."', json.dumps(text).encode()))
        return content


def _ask(provider: str, wire: Wire) -> LoadRequest:
    body = dict(BODIES[wire.name])
    if wire.name != "gemini-generate":
        body["model"] = default_model(wire.name, provider)
    path = CLAUDE_ON_VERTEX if (provider, wire.name) == ("vertex", "anthropic-messages") else PATHS[wire.name]
    return LoadRequest(provider, wire, path, body)


LOAD_REQUESTS = [_ask(provider, wire) for provider in PROVIDERS for wire in provider_wires(provider)]
OWN = [load_request for load_request in LOAD_REQUESTS if load_request.provider == own_provider(load_request.wire.name)]
"""One request per wire, for the provider that the wire belongs to."""
NAMES = [load_request.name for load_request in LOAD_REQUESTS]
OWN_NAMES = [load_request.name for load_request in OWN]
