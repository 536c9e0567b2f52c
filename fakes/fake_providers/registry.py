"""Which wires and providers exist, and whether one would refuse a request. Imports their modules when they are needed.

This is the one place that joins the two: a wire knows no provider but its own, and a provider imports the wires it
offers.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from fake_providers.http import Request
from fake_providers.provider_facts import facts_by_provider
from fake_providers.rule import Violation
from fake_providers.wire import Wire
from fake_providers.wire_facts import WIRE_FACTS

WIRES: dict[str, str] = {name: f"fake_providers.wires.{name.replace('-', '_')}" for name in WIRE_FACTS}
"""Each wire and its package, whose module `wire` has the `WIRE`."""

PROVIDERS: dict[str, tuple[str, ...]] = {name: tuple(facts.wires) for name, facts in facts_by_provider().items()}
"""Each provider and its wires; the first provider of a wire is the wire's own."""


@cache
def wire_named(name: str) -> Wire:
    """The wire of its own provider. Raises `LookupError` for a wire that is not built."""
    if name not in WIRES:
        raise LookupError(f"no wire `{name}`; built are {', '.join(WIRES)}")
    wire: Wire = import_module(f"{WIRES[name]}.wire").WIRE
    return wire


@cache
def provider_wires(provider: str) -> tuple[Wire, ...]:
    """This provider's wires. Raises `LookupError` for a provider that is not built."""
    if provider not in PROVIDERS:
        raise LookupError(f"no provider `{provider}`; built are {', '.join(PROVIDERS)}")
    return tuple(wire_for(provider, name) for name in PROVIDERS[provider])


def rule_ids() -> frozenset[str]:
    """The ids of all rules of all providers. Imports every provider."""
    wires = (wire for provider in PROVIDERS for wire in provider_wires(provider))
    return frozenset(rule.id for wire in wires for rule in wire.rules)


@cache
def wire_for(provider: str, name: str) -> Wire:
    """One wire of this provider: its paths, key, rules and answers. Raises `LookupError`.

    A provider that is not the wire's own has a module named after itself and the last word of the wire, `groq_chat` for
    `openai-chat`, whose `PROVIDER` the wire's module `wire` turns into a `Wire`.
    """
    if name not in PROVIDERS.get(provider, ()):
        raise LookupError(f"provider `{provider}` does not offer `{name}`")
    own = wire_named(name)
    if provider in own.providers:
        return own
    folder = facts_by_provider()[provider].folder
    elsewhere = f"fake_providers.providers.{folder}.{folder}_{name.rpartition('-')[2]}"
    wire: Wire = import_module(f"{WIRES[name]}.wire").wire_of(import_module(elsewhere).PROVIDER)
    return wire


def judge(provider: str, path: str, body: bytes, headers: Mapping[str, str]) -> Violation | None:
    """None, or the violation with `rule`, `status` and the JSON `body` of the refusal.

    `path` may have a query. A missing key is no violation here, only for a served fake. State that cannot
    be resolved counts as accepted. Raises `LookupError` for a provider or a path that is not built.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    request = Request("POST", path, lower, body)
    for wire in provider_wires(provider):
        if wire.route(request) is not None:
            return wire.judge(request, provider=provider)
    raise LookupError(f"provider `{provider}` has no wire for the path {path}")
