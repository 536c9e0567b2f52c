"""Scripted answers of a model, in no wire's words. Knows no wire and no scenario."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

Finish = Literal["stop", "length", "content_filter", "refusal", "malformed"]
Split = Literal["provider", "given", "whole", "characters", "bytes"]
"""How text is cut for a stream: as the provider cuts, as `Reply.chunks` says, whole, one character a piece, or so
that the boundaries of the HTTP body fall inside multi-byte characters."""


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
class Fault:
    """What goes wrong instead of, or in the middle of, a reply.

    `status` answers with the provider's own body and headers for that status, or with `body` (JSON or text).
    `retry_after` is in seconds. `cut_after` closes the connection after that many chunks of a stream, or in the
    middle of a plain body. `error_event` puts the provider's error event for that message into a stream of
    status 200. `content_type` replaces the header.
    """

    status: int | None = None
    body: Any = None
    retry_after: float | None = None
    cut_after: int | None = None
    error_event: str | None = None
    content_type: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One scripted answer. `finish` None is the natural end: `stop`, or the wire's word for tool calls."""

    text: str | None = None
    thinking: str | None = None
    calls: tuple[Call, ...] = ()
    finish: Finish | None = None
    chunks: tuple[str, ...] = ()
    fault: Fault | None = None


class CannotExpress(Exception):
    """This wire has no way of saying it. `feature` is a row of `fakes.expressible.TABLE`."""

    def __init__(self, feature: str) -> None:
        super().__init__(feature)
        self.feature = feature
