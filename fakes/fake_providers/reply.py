"""Scripted replies of a model, for every wire. Knows no wire and no scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from fake_providers.replies.stream_timing import StreamTiming

Finish = Literal[
    "stop",
    "none",
    "tool_calls",
    "length",
    "content_filter",
    "refusal",
    "malformed",
    "unexpected-call",
    "blocked-prompt",
    "pause",
]
Split = Literal["provider", "given", "whole", "characters", "bytes"]
"""How text is cut for a stream: as the provider cuts, as `Reply.chunks` says, whole, one character a piece, or so
that the boundaries of the HTTP body fall inside multi-byte characters."""


Noise = Literal["single-bytes", "crlf", "comments", "pings", "unknown-events"]
"""What a right client reads over: every byte by itself, other line ends, what keeps a connection awake, what is new."""
Ending = Literal["in-an-event", "before-the-finish", "before-the-terminator"]
Loss = Literal["closed", "reset", "silent"]
"""How a connection is lost: closed in good order, reset, or kept open without a byte until the client gives up."""


Quirk = Literal[
    "same-index",
    "no-index",
    "growing-index",
    "late-id",
    "id-in-every-delta",
    "repeated-name",
    "interleaved",
    "empty-choices",
    "empty-calls",
    "finish-with-the-last-delta",
    "arguments-as-object",
]
"""How some servers of chat completions send a reply otherwise than OpenAI; `fake_providers.wires.openai_chat.quirks`
has who.
"""
HARMLESS_QUIRKS: Final[frozenset[Quirk]] = frozenset(("empty-choices", "empty-calls", "finish-with-the-last-delta"))
"""Quirks that large providers always have: OpenAI and Azure send chunks without choices, gateways empty lists of calls,
Mistral the finish reason with the last text or call. The reply is whole, and every client has to read it."""


class _MadeByProvider:
    def __repr__(self) -> str:
        return "MADE_BY_PROVIDER"


MADE_BY_PROVIDER: Final = _MadeByProvider()


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. `arguments_text`, where given, is sent verbatim instead of `arguments`; `id` None is left out."""

    name: str
    arguments: Mapping[str, Any] | None = None
    arguments_text: str | None = None
    id: str | _MadeByProvider | None = MADE_BY_PROVIDER


@dataclass(frozen=True, slots=True)
class ServerCall:
    """A call of a tool that the provider runs itself.

    Without a `result` a paused reply leaves it open; without `arguments` it is the one that the request left open.
    """

    name: str
    arguments: Mapping[str, Any] | None = None
    result: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a provider says it has counted; what is None is as the fake counts it.

    `input` is the whole prompt with what was `cached` of it, `output` the whole answer with its `reasoning`: each wire
    adds and subtracts them as its provider does. Raises `ValueError` for a part that is larger than its whole.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None

    def __post_init__(self) -> None:
        for name in ("input", "output", "cached", "reasoning"):
            count = getattr(self, name)
            if count is not None and count < 0:
                raise ValueError(f"`{name}` is {count}. Tokens are counted from 0.")
        for part, whole in (("cached", "input"), ("reasoning", "output")):
            some, every = getattr(self, part), getattr(self, whole)
            if some is not None and every is None:
                raise ValueError(f"`{part}` is a part of `{whole}`, which is not given. Give both.")
            if some is not None and every is not None and some > every:
                raise ValueError(f"`{part}` is {some}, more than `{whole}`, which has {every} and includes it.")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a response, or in the middle of one. By default nothing goes wrong.

    `status` sends the provider's own body and headers for that status, or `body` (JSON or text), which has status 200
    by itself. `retry_after` is in seconds. `code` selects one of several bodies of a status: `insufficient_quota` is
    OpenAI's other 429, and is unknown elsewhere. `error_event` puts the provider's error event with that message into a
    stream of status 200. `content_type` replaces the header.

    `cut_after` loses the connection after that many chunks of a stream, or in the middle of a plain body; `cut_at`
    loses it after that many bytes of either body, and a negative number counts from the end. `connection` is how it is
    lost there; without a cut it is lost before the status. `ends` ends a body correctly for HTTP but too early: in the
    middle of the last event with content (of a plain body, in its middle), before the events with the finish reason
    (`before-the-finish`), or before the last event (`before-the-terminator`). `noise` is what a correct client skips;
    with noise alone the reply counts as sent.
    """

    status: int | None = None
    body: Any = None
    retry_after: float | None = None
    cut_after: int | None = None
    error_event: str | None = None
    content_type: str | None = None
    code: str | None = None
    cut_at: int | None = None
    connection: Loss | None = None
    ends: Ending | None = None
    noise: tuple[Noise, ...] = ()

    @property
    def is_harmful(self) -> bool:
        """Whether a correct client may fail because of it."""
        return self != Fault(noise=self.noise)

    @property
    def spoils_reply(self) -> bool:
        """Whether the client does not get the whole reply, or gets it without its proper end."""
        return not self.is_sent_whole or self.ends is not None

    @property
    def is_sent_whole(self) -> bool:
        """Whether the provider has sent the whole reply and knows of no fault: a later request can continue it.

        Whether a provider stores a response whose connection is lost is not known; that it does not is inferred.
        """
        return not (self.hides_reply or self.is_cut or self.error_event is not None)

    @property
    def is_cut(self) -> bool:
        return self.cut_after is not None or self.cut_at is not None

    @property
    def hides_reply(self) -> bool:
        """Whether nothing of the reply is sent, but something else instead."""
        lost = self.connection is not None and not self.is_cut
        return self.status is not None or self.body is not None or lost


NO_FAULT: Final = Fault()


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted reply. `finish` None is the natural end: `stop`, or the wire's word for tool calls.

    `none` sends no reason; `tool_calls` is that of calls, without any. `timing` is in place of that of the fake, and
    `usage` of what the fake counts.
    """

    text: str | None = None
    thinking: str | None = None
    calls: tuple[Call, ...] = ()
    finish: Finish | None = None
    chunks: tuple[str, ...] = ()
    fault: Fault | None = None
    quirks: tuple[Quirk, ...] = ()
    server_calls: tuple[ServerCall, ...] = ()
    timing: StreamTiming | None = None
    usage: Usage | None = None


class CannotExpress(Exception):
    """This wire cannot express a reply or a fault. `feature` is a `fake_providers.replies.wire_limits.Feature`."""

    def __init__(self, feature: str) -> None:
        super().__init__(feature)
        self.feature = feature
