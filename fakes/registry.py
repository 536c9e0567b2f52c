"""Which wires and providers are built. A wire's module is imported when it is first asked for."""

from functools import cache
from importlib import import_module

from fakes.wire import SpokenByMany, Wire

WIRES: dict[str, str] = {
    "openai-chat": "fakes.wires.openai_chat",
    "openai-responses": "fakes.wires.openai_responses",
    "anthropic-messages": "fakes.wires.anthropic_messages",
    "gemini-generate": "fakes.wires.gemini_generate",
    "ollama-chat": "fakes.wires.ollama_chat",
}
"""Each wire and the package that has its `WIRE`."""

PROVIDERS: dict[str, tuple[str, ...]] = {
    "openai": ("openai-chat", "openai-responses"),
    "anthropic": ("anthropic-messages",),
    "gemini": ("gemini-generate", "openai-chat"),
    "vertex": ("gemini-generate",),
    "ollama": ("ollama-chat",),
    "azure": ("openai-chat",),
    "mistral": ("openai-chat",),
    "deepseek": ("openai-chat", "openai-responses"),
    "groq": ("openai-chat",),
    "openrouter": ("openai-chat", "openai-responses"),
    "xai": ("openai-chat", "openai-responses"),
    "vllm": ("openai-chat",),
    "llama.cpp": ("openai-chat",),
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
    """The wires as this provider speaks them. Raises `LookupError` for a provider that is not built."""
    if provider not in PROVIDERS:
        raise LookupError(f"no provider `{provider}`; built are {', '.join(PROVIDERS)}")
    return tuple(wire_for(provider, name) for name in PROVIDERS[provider])


@cache
def wire_for(provider: str, name: str) -> Wire:
    """One wire as this provider speaks it: its paths, key, rules and answers. Raises `LookupError`."""
    if name not in PROVIDERS.get(provider, ()):
        raise LookupError(f"provider `{provider}` does not speak `{name}`")
    wire = wire_named(name)
    return wire.spoken_by(provider) if isinstance(wire, SpokenByMany) else wire


def own_provider(wire: str) -> str:
    """The provider whose wire it is: `openai` for `openai-chat`."""
    return next(provider for provider, wires in PROVIDERS.items() if wire in wires)
