"""Scripted replies of a model, for every wire."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

MOST_SECONDS = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTiming:
    """How fast a model replies; by default at once.

    `ttft` is the time to the first token, in seconds. Each further piece of a stream takes the time of its share of the
    tokens, more or less by the share `jitter`: 0.2 is 80 to 120 %. After `stall_after` tokens nothing is sent for
    `stall` seconds; a shorter reply does not stall. What is not streamed is sent when its last token would be.

    Raises `ValueError` for what no stream can be.
    """

    ttft: float = 0.0
    tokens_per_second: float | None = None
    jitter: float = 0.0
    stall: float = 0.0
    stall_after: int = 1

    def __post_init__(self) -> None:
        _check("ttft", self.ttft, least=0, most=MOST_SECONDS)
        _check("stall", self.stall, least=0, most=MOST_SECONDS)
        _check("jitter", self.jitter, least=0, most=1)
        _check("stall_after", self.stall_after, least=1, most=math.inf)
        if self.tokens_per_second is not None:
            _check("tokens_per_second", self.tokens_per_second, least=0.1, most=math.inf)


def _check(name: str, value: float, *, least: float, most: float) -> None:
    if least <= value <= most:
        return
    bounds = f"from {least:g}" if most == math.inf else f"from {least:g} to {most:g}"
    raise ValueError(f"`{name}` is {value:g}; expected a number {bounds}.")


def moments(timing: StreamTiming, *, chunks: int, tokens: int, draw: random.Random) -> tuple[float, ...]:
    """When each chunk is sent, in seconds after the request. The tokens are spread evenly over the chunks."""
    if chunks < 1:
        return ()
    seconds = tokens / timing.tokens_per_second if timing.tokens_per_second else 0.0
    stalls = timing.stall > 0 and tokens > timing.stall_after
    if chunks == 1:
        return (timing.ttft + seconds + (timing.stall if stalls else 0.0),)
    stalled = max(1, math.ceil(timing.stall_after * (chunks - 1) / tokens)) if stalls else 0
    found = [timing.ttft]
    for chunk in range(1, chunks):
        taken = seconds / (chunks - 1) * draw.uniform(1 - timing.jitter, 1 + timing.jitter)
        found.append(found[-1] + taken + (timing.stall if chunk == stalled else 0.0))
    return tuple(found)


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


Noise = Literal["single-bytes", "crlf", "no-blank", "comments", "pings", "unknown-events"]
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
    "null-after-finish",
    "arguments-as-object",
    "reasoning-content",
    "text-in-the-start",
]
"""How some servers of chat completions send a reply otherwise than OpenAI; `fake_providers.wires.openai_chat.quirks`
has who. And `text-in-the-start`, of gateways that speak Anthropic's format: the event that begins a block of text or
thinking has its first word (langchain-ai/langchain#38442, earendil-works/pi#7283, can1357/oh-my-pi#8319).
"""
HARMLESS_QUIRKS: Final[frozenset[Quirk]] = frozenset(
    ("empty-choices", "empty-calls", "finish-with-the-last-delta", "null-after-finish", "text-in-the-start")
)
"""Quirks that large providers always have: OpenAI and Azure send chunks without choices, gateways empty lists of calls,
Mistral the finish reason with the last text or call, TensorZero and OpenRouter one more chunk after it, gateways a
first word in the start of its block. The reply is whole, and every client has to read it."""


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
    """A call of a tool that the provider runs itself: its own, or with `server` one of this MCP server.

    Without a `result` a paused reply leaves it open, and a call of a server asks for approval; without `arguments` it
    is the one that the request left open, or approved.
    """

    name: str
    arguments: Mapping[str, Any] | None = None
    result: str | None = None
    server: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a text rests on: a page, or else a file of this name. `text` is the part that rests on it; None is all.

    Raises `ValueError` without either, and with both.
    """

    url: str | None = None
    title: str = ""
    file: str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if (self.url is None) == (self.file is None):
            raise ValueError("a source is a page or a file. Give `url` or `file`.")

    def span(self, text: str) -> tuple[int, int]:
        """Where in this text the cited part begins and ends; the whole where it is not in it."""
        start = -1 if self.text is None else text.find(self.text)
        return (0, len(text)) if start < 0 else (start, start + len(self.text or ""))


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
    by itself. `retry_after` is in seconds; `retry_date` is a date that a proxy has put into that header (RFC 9110,
    10.2.3). `code` selects one of several bodies of a status: `insufficient_quota` is OpenAI's other 429, and is
    unknown elsewhere. `error_event` puts the provider's error event with that message into a stream of status 200.
    `content_type` replaces the header.

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
    retry_date: str | None = None
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
    `usage` of what the fake counts. `blocks` is the text in several blocks and `thoughts` the thinking, for wires that
    have blocks of them, and `sources` are those of the text.
    `alternatives` are the texts of further choices, where a request asks for `n` of them; the last one is repeated.
    `id` is that of the response, and `item_ids` are those of the items of its output, in their order, where it has
    items. `place` is where it is written, for messages.
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
    blocks: tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    alternatives: tuple[str, ...] = ()
    id: str | None = None
    item_ids: tuple[str, ...] = ()
    place: str = field(default="", repr=False, compare=False)

    def choices(self, count: int) -> tuple["Reply", ...]:
        """So many replies: this one, and the same with each of the other texts."""
        others = [
            self.alternatives[min(at, len(self.alternatives) - 1)]
            for at in range(count - 1 if self.alternatives else 0)
        ]
        again = [replace(self, text=text, chunks=(), blocks=()) for text in others]
        return (self, *(again or [self] * (count - 1)))

    @property
    def is_text_alone(self) -> bool:
        """Whether it is one text, which may be empty."""
        beside = self.calls or self.server_calls or self.blocks or self.thoughts or self.sources or self.quirks
        return self.text is not None and self.thinking is None and not beside

    @property
    def text_blocks(self) -> tuple[str, ...]:
        """The texts that are not empty, one for each block."""
        return tuple(text for text in (*self.blocks,) or (self.text,) if text)

    @property
    def thought_blocks(self) -> tuple[str, ...]:
        """The thoughts, one for each block; an empty one is one too."""
        return self.thoughts or (() if self.thinking is None else (self.thinking,))


class CannotExpress(Exception):
    """This wire cannot express a reply or a fault. `feature` is a `fake_providers.wire_facts.Feature`."""

    def __init__(self, feature: str) -> None:
        super().__init__(feature)
        self.feature = feature


def pieces(text: str, split: Split, *, given: Sequence[str] = (), size: int = 12) -> tuple[str, ...]:
    """The text in pieces; `size` is the number of characters in the provider's own pieces.

    Text without given pieces is split as the provider splits it, even if `split` is `given`.
    """
    if not text:
        return ()
    if given and split in ("provider", "given"):
        return tuple(given)
    if split == "whole":
        return (text,)
    step = 1 if split == "characters" else size
    return tuple(text[i : i + step] for i in range(0, len(text), step))


def inside_characters(chunks: Sequence[bytes]) -> tuple[bytes, ...]:
    """The same bytes with the boundaries moved into multi-byte characters, wherever a chunk has one."""
    moved: list[bytes] = []
    carry = b""
    for piece in chunks:
        chunk = carry + piece
        cut = next((i for i in range(len(chunk) - 1, -1, -1) if chunk[i] & 0xC0 == 0x80), 0)
        moved.append(chunk[:cut] if cut else chunk)
        carry = chunk[cut:] if cut else b""
    return (*moved, carry) if carry else tuple(moved)
