"""Which providers a body goes to, on which wire and path: from its address, or from what it looks like."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from agent_conformance.cassettes.decoding import path_of, wires_at, wires_of
from fake_providers import PROVIDERS
from fake_providers.http import Request
from fake_providers.provider_facts import facts_by_provider
from fake_providers.registry import provider_wires, wire_for
from fake_providers.wires.bedrock_converse.request import is_invoke


@dataclass(frozen=True, slots=True)
class Target:
    """One provider, and where it takes the body."""

    provider: str
    wire: str
    path: str

    @property
    def format(self) -> str:
        """The wire whose bodies these are: Bedrock takes Anthropic's Messages too, by another path."""
        is_messages = self.wire == "bedrock-converse" and is_invoke(Request("POST", self.path, {}, b""))
        return "anthropic-messages" if is_messages else self.wire

    @property
    def model(self) -> str:
        """The model that the path names; "" where bodies name it."""
        route = wire_for(self.provider, self.wire).route(Request("POST", self.path, {}, b""))
        return (route.model if route else None) or ""

    def at_model(self, model: str) -> "Target":
        """The same with another model in the path."""
        encodings: tuple[Callable[[str], str], ...] = (lambda name: quote(name, safe=""), str)
        encode = next(encode for encode in encodings if encode(self.model) in self.path)
        return replace(self, path=self.path.replace(encode(self.model), encode(model), 1))


def targets_of(body: Any, *, providers: tuple[str, ...], path: str = "", host: str = "") -> Iterator[Target]:
    """With an address: the provider whose host it is, or all that have its path. Without: all of the body's wire."""
    chosen = providers or providers_at(host, path)
    for provider, wires in PROVIDERS.items():
        if chosen and provider not in chosen:
            continue
        if path:
            yield from _at(provider, path)
            continue
        likely = wires_at(provider, body) if chosen else [wire for wire in wires if wire in wires_of(body)]
        for wire in (likely or list(wires if providers else ()))[:1]:
            yield Target(provider, wire, path_of(provider, wire, body))


def providers_at(host: str, path: str) -> tuple[str, ...]:
    """The providers of this host: of Google's, the one whose path it is. Nothing for a host that is nobody's."""
    facts = facts_by_provider().values()
    found = [one.name for one in facts if any(host == own or host.endswith(f".{own}") for own in one.hosts)]
    if "azure" in found:
        return ("azure",)
    if len(found) > 1:
        is_vertex = "aiplatform" in host or "/projects/" in path
        return ("vertex",) if is_vertex else ("gemini",)
    return tuple(found)


def _at(provider: str, path: str) -> Iterator[Target]:
    request = Request("POST", path, {}, b"{}")
    wire = next((wire for wire in provider_wires(provider) if wire.route(request) is not None), None)
    if wire is not None:
        yield Target(provider, wire.name, path)
