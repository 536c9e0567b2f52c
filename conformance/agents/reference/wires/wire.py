"""What the loop asks of a wire. Knows turns and answers; knows no HTTP client."""

from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.tools import Offer
from conformance.agents.reference.turns import Turns


class Refused(Exception):
    """The provider reported an error within a response of status 200."""

    def __init__(self, message: str, status: int = 500) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Asking:
    """Everything a request is made of. `names` maps the tools' own names to those on the wire.

    `unsigned` stands in for the signature of a call, where the provider wants one and the call has none.
    """

    model: str
    stream: bool
    turns: Turns
    offer: Offer | None
    names: Mapping[str, str]
    provider: str = ""
    unsigned: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    body: Mapping[str, Any]
    stream: bool


class Reader(Protocol):
    """Puts one streamed answer together."""

    def feed(self, data: str) -> str:
        """Take the data of one event; returns the text in it. Raises `Refused`, or `ValueError` for no JSON."""

    def answer(self) -> Answer:
        """The whole answer. Raises `ValueError` where the stream broke off."""

    def so_far(self) -> Answer:
        """What there is of it, whole or not."""


class Wire(Protocol):
    """One HTTP format."""

    name: str

    def frames(self, chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
        """What a stream is made of, for the reader, one piece of data at a time, however the bytes are cut."""

    def headers(self, key: str) -> Mapping[str, str]: ...

    def encode(self, asking: Asking) -> Request: ...

    def decode(self, body: Any) -> Answer:
        """A plain response. Raises `Refused`, or any of `ValueError`, `LookupError`, `TypeError` for another shape."""

    def reader(self) -> Reader: ...
