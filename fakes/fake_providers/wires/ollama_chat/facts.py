"""What Ollama's chat is: where its requests go, what it can do and cannot express, how its streams end."""

from fake_providers.features import (
    OF_ANTHROPIC,
    OF_CHAT,
    OF_GEMINI,
    QUIRKS,
    SOURCES,
    TOOLS_OF_PROVIDERS,
    Feature,
    WireFacts,
)

FACTS = WireFacts(
    rank=50,
    path="/api/chat",
    address=r"/api/chat$",
    forces_calls=False,
    finish=rb'"done": ?true',
    # A local model stops by itself or at a limit.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | TOOLS_OF_PROVIDERS
    | SOURCES
    | OF_GEMINI
    | frozenset[Feature](
        (
            "arguments-not-json",
            "arguments-not-object",
            "finish-refusal",
            "refusal-without-text",
            "finish-content-filter",
            "calls-finish-without-calls",
            "noise-no-blank",
        )
    ),
    framing="lines",
    serves_open_models=True,
    pictures_in_results=True,
    result_names="should",
    truncates=True,
    streams_by_default=True,
)
