"""Which wires and providers are built. A wire's module is imported when it is first asked for."""

from functools import cache
from importlib import import_module

from fakes.wire import Wire

WIRES: dict[str, str] = {
    "openai-chat": "fakes.openai_chat",
    "openai-responses": "fakes.openai_responses",
    "anthropic-messages": "fakes.anthropic_messages",
    "gemini-generate": "fakes.gemini_generate",
    "ollama-chat": "fakes.ollama_chat",
}
"""Each wire and the package that has its `WIRE`."""

PROVIDERS: dict[str, tuple[str, ...]] = {
    "openai": ("openai-chat", "openai-responses"),
    "anthropic": ("anthropic-messages",),
    "gemini": ("gemini-generate",),
    "ollama": ("ollama-chat",),
}
"""Each provider and the wires it speaks; the first provider of a wire is the wire's own."""


@cache
def wire_named(name: str) -> Wire:
    """Raises `LookupError` for a wire that is not built."""
    if name not in WIRES:
        raise LookupError(f"no wire `{name}`; built are {', '.join(WIRES)}")
    wire: Wire = import_module(WIRES[name]).WIRE
    return wire


def provider_wires(provider: str) -> tuple[Wire, ...]:
    """Raises `LookupError` for a provider that is not built."""
    if provider not in PROVIDERS:
        raise LookupError(f"no provider `{provider}`; built are {', '.join(PROVIDERS)}")
    return tuple(wire_named(name) for name in PROVIDERS[provider])


def own_provider(wire: str) -> str:
    """The provider whose wire it is: `openai` for `openai-chat`."""
    return next(provider for provider, wires in PROVIDERS.items() if wire in wires)
