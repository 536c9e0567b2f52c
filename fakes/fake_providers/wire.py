"""What each wire must offer."""

from collections.abc import Callable, Hashable
from typing import Protocol, runtime_checkable

from msgspec import Struct

from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.reply import Fault, Reply, Split
from fake_providers.rule import Rule, Violation
from fake_providers.stored_batches import BatchSetting, StoredBatches
from fake_providers.stored_files import StoredFiles
from fake_providers.values.tokens import count_tokens
from fake_providers.view import View


class Route(Struct, frozen=True):
    """The target of a model request, as far as path and body say."""

    model: str
    stream: bool


class ReplyContext(Struct, frozen=True):
    """What a wire needs to write a reply: the request, the ids, how text is split, and the provider."""

    request: Request
    provider: str
    ids: Ids
    split: Split = "provider"
    view: View | None = None
    """The view of the request, where there is one by now: it is needed to count tokens, and is not made twice."""
    read_tokens: int | None = None
    """How many tokens of the conversation the model reads, where the provider drops the rest without a word."""
    tokens: int | None = None
    repeated: str | None = None
    """The tokens of the conversation, and what `AnswersAlike` says is repeated, where they are known by now."""

    def prompt_tokens(self, view_of: Callable[[Request], View]) -> int:
        """The tokens of the conversation."""
        return count_tokens(self.view or view_of(self.request)) if self.tokens is None else self.tokens


class Wire(Protocol):
    """One HTTP format. All methods are pure; none raises because of a client's request."""

    name: str
    providers: tuple[str, ...]
    rules: tuple[Rule, ...]
    base_path: str
    """What the official SDK's base URL ends in: `/v1` for OpenAI, nothing for Anthropic and Gemini."""

    def route(self, request: Request) -> Route | None:
        """None if the path is not a model request of this wire."""

    def missing_key(self, request: Request) -> Violation | None:
        """The refusal of a request without a key, or None; only for served fakes, never for `fake_providers.judge`."""

    def judge(self, request: Request, *, provider: str) -> Violation | None:
        """The first rule that the request breaks, in the provider's own order of checks."""

    def view(self, request: Request) -> View:
        """The neutral view, as far as the request can be parsed; also of a refused request."""

    def call_id(self, ids: Ids) -> str:
        """An id for a tool call in this provider's format."""

    def encode(self, reply: Reply, context: ReplyContext) -> Response:
        """The reply as the provider would send it, plain or streamed as the request wants.

        A `reply.fault` with `cut_after` or `error_event` is part of the response; one with a `status` goes to `fail`.
        Raises `CannotExpress`.
        """

    def fail(self, fault: Fault, context: ReplyContext) -> Response:
        """The provider's response to a scripted fault with a status: envelope, message and headers."""

    def refuse(self, violation: Violation, context: ReplyContext) -> Response:
        """The violation as the provider would send it, in the envelope for this request."""

    def too_long(self, request: Request, *, provider: str, tokens: int, window: int) -> Violation | None:
        """The refusal of `tokens` tokens in a window of `window` tokens; None if the provider truncates instead."""

    def stopped(self, message: str, context: ReplyContext) -> Response:
        """A 400 of ours in the provider's envelope, with `x-should-retry: false`."""


class ServedModels(Struct, frozen=True):
    """What a fake says of its models: those it lists, and the tokens of the longest conversation, where it has a bound.

    Any other name can be asked for as well.
    """

    provider: str
    names: tuple[str, ...]
    window: int | None = None


class Alike(Struct, frozen=True):
    """What a reply depends on in a request, beside its path and the tokens of the conversation; and JSON of the request
    that the reply repeats."""

    key: Hashable
    repeated: str = ""


@runtime_checkable
class AnswersAlike(Protocol):
    """A wire that knows which requests get the same reply. Pure."""

    def alike(self, request: Request) -> Alike | None:
        """None where that is not known. Only replies of a text alone are asked about."""


@runtime_checkable
class DescribesModels(Protocol):
    """A wire whose provider lists its models. Pure; does not raise because of a client's request."""

    def models(self, request: Request, served: ServedModels) -> Response | None:
        """The list of models or one of them, as the provider sends it; None for a request that asks for neither."""


@runtime_checkable
class CountsTokens(Protocol):
    """A wire whose provider counts the tokens of a request that is not sent to the model. Pure."""

    def counted(self, request: Request) -> Request | None:
        """The model request whose tokens are asked for, to be judged; None for a request that asks for no count."""

    def count_response(self, request: Request, tokens: int) -> Response:
        """The count as the provider sends it."""


@runtime_checkable
class HasEndpoints(Protocol):
    """A wire whose provider answers requests beside those to its models: embeddings, versions. Pure; never raises."""

    endpoints: tuple[str, ...]
    """What is answered beside model requests, models and counts, as it is named to a client: `POST /v1/embeddings`."""

    def endpoint(self, request: Request, served: ServedModels) -> Response | None:
        """The answer; None for a request to anything else."""


@runtime_checkable
class SignsReasoning(Protocol):
    """A wire whose own provider signs or encrypts reasoning, and checks it where it comes back. Pure."""

    def sign(self, thinking: str, ids: Ids) -> str:
        """What the provider sends with this reasoning."""


@runtime_checkable
class HasProfiles(Protocol):
    """A wire with names that do not say which model they stand for; `Request.stored` says it, where it is known."""

    profiles: bool


@runtime_checkable
class ResumesConversations(Protocol):
    """A wire whose provider stores conversations. All methods are pure; none raises because of a client's request."""

    def continued(self, request: Request) -> str | None:
        """The id of the response that this request continues, or None if it contains the whole conversation."""

    def response_id(self, response: Response) -> str | None:
        """The id by which a later request can reference this response, or None for one that failed or was cut off."""

    def resumed(self, request: Request, *, earlier: Request, response: Response) -> Request:
        """The same request with the whole conversation: `earlier`, its `response`, and what is new."""


class ResponseStore(Protocol):
    """What a provider stores for one user, in the wire's own types. Called by one thread at a time."""

    def resolve(self, request: Request) -> Request:
        """The same request with the stored objects in `stored`, for the wire's own `judge`, `view` and `encode`."""

    def keep(self, request: Request, response: Response) -> Response:
        """Store a response, whatever it is; `request` is one that `resolve` returned. The client gets what is returned:
        the same, or one that says that the model still works on it."""

    def answers(self, request: Request) -> bool:
        """Whether the request is about what is stored. Changes nothing."""

    def answer(self, request: Request) -> Response | None:
        """The answer to a request about what is stored; None for any other request."""


@runtime_checkable
class StoresFiles(Protocol):
    """A wire whose provider keeps files of its users."""

    def new_files(self) -> StoredFiles:
        """No files."""


@runtime_checkable
class HasBatches(Protocol):
    """A wire whose provider takes many requests at once and answers them later."""

    def new_batches(self, setting: BatchSetting) -> StoredBatches:
        """None yet."""


@runtime_checkable
class StoresResponses(Protocol):
    """A wire whose requests can reference the response before, and single items of any response."""

    def new_store(self) -> ResponseStore:
        """An empty store. Without a store, a request is judged as if everything that it references were stored."""
