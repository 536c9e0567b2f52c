"""What Anthropic's messages cannot say, and how their streams end."""

from fake_providers.replies.wire_limits import KEEP_ALIVE, OF_CHAT, OF_GEMINI, QUIRKS, WireLimits

LIMITS = WireLimits(
    finish=rb"^event: message_delta",
    # The schema of `input` is an object, and no two calls have one id: the API refuses both in requests.
    cannot_say=QUIRKS
    | OF_CHAT
    | OF_GEMINI
    | frozenset(("arguments-not-object", "call-id-null", "call-id-twice", "finish-content-filter")),
    # A message may be cut off in the middle of its arguments.
    only_streams=frozenset(("arguments-not-json",)),
    comment=KEEP_ALIVE,
    # Documented: any number of them, anywhere in a stream.
    ping=b'event: ping\ndata: {"type": "ping"}\n\n',
    # Documented: new events may come.
    unknown_event=b'event: trace\ndata: {"type":"trace","note":"new"}\n\n',
)
