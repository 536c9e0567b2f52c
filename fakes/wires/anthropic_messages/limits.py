"""What Anthropic's messages cannot say, and how their streams end."""

from fakes.wire_limits import KEEP_ALIVE, WireLimits

LIMITS = WireLimits(
    finish=rb"^event: message_delta",
    cannot_say=frozenset(("call-id-null", "finish-malformed", "finish-content-filter")),
    only_streams=frozenset(("arguments-not-json", "arguments-not-object")),
    comment=KEEP_ALIVE,
    # Documented: any number of them, anywhere in a stream.
    ping=b'event: ping\ndata: {"type": "ping"}\n\n',
    # Documented: new events may come.
    unknown_event=b'event: trace\ndata: {"type":"trace","note":"new"}\n\n',
)
