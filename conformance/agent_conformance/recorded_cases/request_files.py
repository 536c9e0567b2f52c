"""Files `requests/NAME.json`: what they have, and where their bodies are judged."""

from collections.abc import Mapping
from typing import Any

from agent_conformance.cassettes.wires_of_bodies import path_of, wires_of
from fake_providers.http import Request
from fake_providers.registry import PROVIDERS, provider_wires

FOLDER = "requests"
KEYS = ("provider", "body", "path", "model", "source")


def paths_of(value: Mapping[str, Any]) -> list[str]:
    """None for a provider that does not take such a body. `model` is of bodies that do not name theirs."""
    provider, body = value["provider"], value["body"]
    if value.get("path"):
        request = Request("POST", value["path"], {}, b"{}")
        return [value["path"] for wire in provider_wires(provider) if wire.route(request) is not None][:1]
    named = {**body, "model": value["model"]} if value.get("model") else body
    wires = [wire for wire in PROVIDERS[provider] if wire in wires_of(body)]
    return [path_of(provider, wire, named) for wire in wires]
