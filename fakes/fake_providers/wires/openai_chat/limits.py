"""What chat completions cannot say, and how their streams end."""

from fake_providers.replies.wire_limits import KEEP_ALIVE, OF_ANTHROPIC, OF_GEMINI, WireLimits

LIMITS = WireLimits(
    finish=rb'"finish_reason": ?"',
    # A refusal is a text of its own.
    cannot_say=OF_GEMINI | OF_ANTHROPIC | frozenset(("refusal-without-text",)),
    comment=KEEP_ALIVE,
    # A chunk without choices is recorded, with the usage.
    unknown_event=b'data: {"id":"","object":"chat.completion.chunk","created":0,"model":"","choices":[]}\n\n',
)
