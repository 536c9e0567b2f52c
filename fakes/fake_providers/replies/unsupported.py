"""Which replies a wire cannot express, as far as they end in an odd way or have a quirk. Knows no encoder."""

from collections.abc import Iterable, Iterator
from typing import Final

from fake_providers.replies.wire_limits import Feature, WireLimits
from fake_providers.reply import CannotExpress, Finish, Quirk, Reply

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
