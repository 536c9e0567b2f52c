"""What Responses cannot say, and how their streams end."""

from fake_providers.replies.wire_limits import KEEP_ALIVE, OF_ANTHROPIC, OF_CHAT, OF_GEMINI, QUIRKS, WireLimits

LIMITS = WireLimits(
    finish=rb'"type":"response\.(completed|incomplete)"',
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_ANTHROPIC
    | OF_GEMINI
    | frozenset(("call-id-null", "refusal-without-text", "calls-finish-without-calls")),
    comment=KEEP_ALIVE,
    # Responses have grown by new events.
    unknown_event=b'event: response.trace.delta\ndata: {"type":"response.trace.delta","delta":"new"}\n\n',
)
