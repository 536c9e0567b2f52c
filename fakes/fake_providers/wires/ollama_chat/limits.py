"""What Ollama's chat cannot say, and how its streams end."""

from fake_providers.replies.wire_limits import OF_ANTHROPIC, OF_CHAT, OF_GEMINI, QUIRKS, Feature, WireLimits

LIMITS = WireLimits(
    finish=rb'"done": ?true',
    # A local model stops by itself or at a limit.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | OF_GEMINI
    | frozenset[Feature](
        (
            "arguments-not-json",
            "arguments-not-object",
            "finish-refusal",
            "refusal-without-text",
            "finish-content-filter",
            "calls-finish-without-calls",
        )
    ),
    framing="lines",
)
