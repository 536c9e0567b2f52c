"""What a wire cannot express and how its streams end: the type of each wire's module `limits`. Knows no wire."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from fake_providers.reply import CannotExpress, Finish, Quirk, Reply

Feature = Literal[
    "arguments-not-json",
    "arguments-not-object",
    "call-id-null",
    "call-id-twice",
    "call-id-verbatim",
    "thinking",
    "finish-refusal",
    "finish-malformed",
    "finish-content-filter",
    "refusal-without-text",
    "stop-with-calls",
    "null-finish",
    "calls-finish-without-calls",
    "unexpected-call",
    "blocked-prompt",
    "server-tools",
    "stream-quirk",
    "object-arguments",
    "error-event",
    "early-end",
    "noise-crlf",
    "noise-comments",
    "noise-pings",
    "noise-unknown-events",
]
"""What a scripted reply, or the fault of one, may need of a wire."""

NEED_A_STREAM: Final[frozenset[Feature]] = frozenset(
    ("error-event", "early-end", "stream-quirk", "noise-crlf", "noise-comments", "noise-pings", "noise-unknown-events")
)
OF_GEMINI: Final[frozenset[Feature]] = frozenset(("finish-malformed", "unexpected-call", "blocked-prompt"))
"""Endings that only Gemini has; Bedrock has the first as well."""
OF_CHAT: Final[frozenset[Feature]] = frozenset(("stop-with-calls", "null-finish"))
"""Endings that only servers of chat completions have. Elsewhere calls always come with a word of their own, or all
answers end with the same."""
OF_ANTHROPIC: Final[frozenset[Feature]] = frozenset(("server-tools",))
"""Only there the provider's own tools and pauses are built."""
QUIRKS: Final[frozenset[Feature]] = frozenset(("stream-quirk", "object-arguments"))
"""Known of servers of chat completions alone."""

KEEP_ALIVE: Final = b": keep-alive\n\n"
"""The comment that OpenRouter and proxies send; that the vendors' own servers might is inferred."""


@dataclass(frozen=True, slots=True)
class WireLimits:
    """What one wire cannot express, and what its streams consist of.

    - `finish`: a pattern that is found in the event with the finish reason, and in none before it.
    - `cannot_say`: features that it cannot express in either mode.
    - `only_streams`: features that it can express in a stream but not in a plain response.
    - `comment`, `ping`, `unknown_event`: noise that a client must skip; None if none is known.
    - `framing`: of its streams: server-sent events, lines of JSON, or binary frames.
    """

    finish: bytes
    cannot_say: frozenset[Feature] = frozenset()
    only_streams: frozenset[Feature] = frozenset()
    comment: bytes | None = None
    ping: bytes | None = None
    unknown_event: bytes | None = None
    framing: Literal["events", "lines", "frames"] = "events"

    def can_say(self, feature: Feature, mode: str) -> bool:
        noise = {
            "noise-comments": self.comment,
            "noise-pings": self.ping,
            "noise-unknown-events": self.unknown_event,
        }
        if feature in self.cannot_say or noise.get(feature, b"") is None:
            return False
        return mode == "stream" or feature not in (NEED_A_STREAM | self.only_streams)


OF_A_FINISH: Final[dict[Finish, Feature]] = {
    "none": "null-finish",
    "tool_calls": "calls-finish-without-calls",
    "content_filter": "finish-content-filter",
    "malformed": "finish-malformed",
    "unexpected-call": "unexpected-call",
    "blocked-prompt": "blocked-prompt",
    "pause": "server-tools",
}


def features_of_ending(finish: Finish | None, *, has_text: bool, has_calls: bool) -> Iterator[Feature]:
    """What a reply that ends in this way needs of a wire."""
    if finish == "refusal":
        yield "finish-refusal" if has_text else "refusal-without-text"
    elif finish == "stop" and has_calls:
        yield "stop-with-calls"
    elif finish in OF_A_FINISH:
        yield OF_A_FINISH[finish]


def features_of_quirks(quirks: Iterable[Quirk]) -> Iterator[Feature]:
    return ("object-arguments" if quirk == "arguments-as-object" else "stream-quirk" for quirk in quirks)


def refuse_inexpressible(reply: Reply, limits: WireLimits) -> None:
    """Raises `CannotExpress` for an ending or a quirk that no server is known to send on this wire."""
    if reply.finish is None and not reply.quirks and not reply.server_calls:
        return
    ending = features_of_ending(reply.finish, has_text=bool(reply.text), has_calls=bool(reply.calls))
    server_tools: tuple[Feature, ...] = ("server-tools",) if reply.server_calls else ()
    for feature in (*ending, *features_of_quirks(reply.quirks), *server_tools):
        if feature in limits.cannot_say:
            raise CannotExpress(feature)
