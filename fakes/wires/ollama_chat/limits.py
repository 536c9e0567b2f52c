"""What Ollama's chat cannot say, and how its streams end."""

from fakes.wire_limits import QUIRKS, WireLimits

LIMITS = WireLimits(
    finish=rb'"done": ?true',
    cannot_say=QUIRKS
    | frozenset(
        ("arguments-not-json", "arguments-not-object", "finish-refusal", "finish-malformed", "finish-content-filter")
    ),
    has_json_lines=True,
)
