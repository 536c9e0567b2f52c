"""What Gemini cannot say, and how its streams end."""

from fake_providers.replies.wire_limits import OF_ANTHROPIC, OF_CHAT, QUIRKS, WireLimits

LIMITS = WireLimits(
    finish=rb'"finishReason"',
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | frozenset(("arguments-not-json", "arguments-not-object", "calls-finish-without-calls")),
    # That Google sends comments is not known, and its SDK takes them for an error.
    comment=None,
    # That a chunk may lack candidates is inferred.
    unknown_event=b'data: {"usageMetadata":{"promptTokenCount":1,"totalTokenCount":1}}\r\n\r\n',
)
