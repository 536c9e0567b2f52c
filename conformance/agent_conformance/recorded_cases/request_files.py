"""Files `requests/NAME.json`: what they have, and where their bodies are judged."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from agent_conformance.cassettes.decoding import path_of, wires_at
from fake_providers.http import Request
from fake_providers.registry import provider_wires

FOLDER = "requests"
KEYS = ("provider", "body", "path", "model", "source")
REQUIRED = frozenset(("provider", "body"))
ALIKE = 0.75
"""Of a member's name: one letter of `body` may be wrong, and two of `provider`."""


def is_request(value: Any) -> bool:
    """Whether it has, or nearly has, what each file must have: other projects have such folders for other things."""
    return isinstance(value, dict) and {meant_member(name) for name in value} >= REQUIRED


def meant_member(name: str) -> str:
    """The member of a request that somebody means by this name; "" for none."""
    near = get_close_matches(name.strip().lower()[:40], KEYS, n=1, cutoff=ALIKE)
    return near[0] if near else ""


def paths_of(value: Mapping[str, Any]) -> list[str]:
    """None for a provider that does not take such a body. `model` is of bodies that do not name theirs."""
    provider, body = value["provider"], value["body"]
    if value.get("path"):
        request = Request("POST", value["path"], {}, b"{}")
        return [value["path"] for wire in provider_wires(provider) if wire.route(request) is not None][:1]
    named = {**body, "model": value["model"]} if value.get("model") else body
    return [path_of(provider, wire, named) for wire in wires_at(provider, body)]
