"""The wires of the reference agent, by name. Each is imported when it is used."""

from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from agent_conformance.agents.reference.answers import Answer
from agent_conformance.agents.reference.call_pieces import JoinCalls, join_calls
from agent_conformance.agents.reference.history import History
from agent_conformance.agents.reference.tools import Offer


class ErrorResponse(Exception):
    """The provider reported an error within a response of status 200."""

    def __init__(self, message: str, status: int = 500) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """Everything that a request is made of. `names` maps the tools' own names to those on the wire.

    `placeholder_signature` is sent if the provider requires a signature of a call that has none. `schema` is that of
    the answer, and `window` how many tokens the server has to keep of the conversation.
    """

    model: str
    stream: bool
    history: History
    offer: Offer | None
    names: Mapping[str, str]
    provider: str = ""
    placeholder_signature: str = ""
    server_tools: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    window: int | None = None


@dataclass(frozen=True, slots=True)
class HttpRequest:
    path: str
    body: Mapping[str, Any]
    stream: bool


class Reader(Protocol):
    """Joins the events of one streamed answer."""

    def feed(self, data: str) -> str:
        """Take the data of one event; returns the text in it. Raises `ErrorResponse`, or `ValueError` for no JSON."""

    def answer(self) -> Answer:
        """The complete answer. Raises `ValueError` if the stream broke off."""

    def so_far(self) -> Answer:
        """The answer so far, complete or not."""


class Wire(Protocol):
    """One HTTP format."""

    name: str

    def frames(self, chunks: AsyncIterable[bytes]) -> AsyncIterator[str]:
        """The data of each event of a stream for the reader, however the bytes are cut."""

    def shapes_beside_tools(self, model: str) -> bool:
        """Whether a request may have a schema of the answer and tools, and the model still calls them."""

    def headers(self, key: str, url: str, content: bytes) -> Mapping[str, str]:
        """Those that show the key; a signature is of the request's address and body."""

    def encode(self, request: CompletionRequest) -> HttpRequest: ...

    def decode(self, body: Any) -> Answer:
        """A plain response. Raises `ErrorResponse`, or `ValueError`, `LookupError`, `TypeError` for another shape."""

    def reader(self, join: JoinCalls = join_calls) -> Reader:
        """`join` joins the pieces of calls, on a wire that streams them in pieces without their bounds."""


WIRES = (
    "openai-chat",
    "openai-responses",
    "anthropic-messages",
    "gemini-generate",
    "ollama-chat",
    "bedrock-converse",
    "cohere-chat",
)
"""The module of each has its `BY_PROVIDER`: what the wire is on providers whose paths, keys or abilities are not those
of the others, and, under "", on all others."""


def wire_of(name: str, provider: str) -> Wire:
    by_provider: Mapping[str, Wire] = import_module(f"{__name__}.{name.replace('-', '_')}").BY_PROVIDER
    return by_provider.get(provider, by_provider[""])
