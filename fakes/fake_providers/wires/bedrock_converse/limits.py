"""What Bedrock's Converse cannot say, and how its streams end."""

from fake_providers.replies.wire_limits import OF_ANTHROPIC, OF_CHAT, QUIRKS, Feature, WireLimits

LIMITS = WireLimits(
    # The second is `{"type":"message_delta"` in a chunk of `invoke`.
    finish=rb"messageStop|eyJ0eXBlIjoibWVzc2FnZV9kZWx0YSI",
    # The stop reasons of the service model have none for a refusal, and two for calls that went wrong.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | frozenset[Feature](
        (
            "arguments-not-object",
            "call-id-null",
            "call-id-twice",
            "finish-refusal",
            "refusal-without-text",
            "unexpected-call",
            "blocked-prompt",
            "noise-crlf",
        )
    ),
    only_streams=frozenset[Feature](("arguments-not-json",)),
    framing="frames",
)
