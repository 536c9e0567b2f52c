"""What a provider answers beside its model requests: models, counts of tokens, embeddings, stored objects, batches."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from fake_providers.http import AS_ESCAPE, Request, Response, compact, json_response
from fake_providers.ids import Ids
from fake_providers.models import default_model
from fake_providers.provider_facts import facts_by_provider
from fake_providers.reply import Fault
from fake_providers.rule import Violation
from fake_providers.serving.conversation_store import ConversationStore
from fake_providers.stored_batches import BatchSetting, BatchTime, Run
from fake_providers.values.json_texts import read_json
from fake_providers.values.tokens import count_tokens
from fake_providers.wire import (
    CountsTokens,
    DescribesModels,
    HasBatches,
    HasEndpoints,
    ReplyContext,
    ServedModels,
    StoresFiles,
    Wire,
)


class CountObserver(Protocol):
    """Whoever wants to know of a refused count: the model side of a fake."""

    def count_refused(self, request: Request, violation: Violation) -> None: ...


class Endpoints:
    """The endpoints of one provider on a wire that are no model requests. It lists `model`, or else the default one."""

    def __init__(
        self,
        wire: Wire,
        provider: str,
        conversations: ConversationStore,
        ids: Ids,
        *,
        model: str | None,
        window: int | None,
        batches: BatchTime,
    ) -> None:
        self._wire = wire
        self._provider = provider
        self._model = model
        self._window = window
        self._conversations = conversations
        self._ids = ids
        anything: object = wire
        self._offered = _offered_by(anything)
        stores_files = self._offered.stores_files
        self._files = None if stores_files is None else stores_files.new_files()
        has_batches = self._offered.has_batches
        self._batches = None if has_batches is None else has_batches.new_batches(BatchSetting(batches, self._files))

    def answer(
        self, request: Request, observer: CountObserver, *, run: Run, is_to_model: bool = False
    ) -> Response | None:
        """The answer at any time, also before the first turn: clients ask while they are made. None for a request to
        anything else. `run` answers a request of a batch. `is_to_model`: the wire is known to have a route for it."""
        if is_to_model or self._wire.route(request) is not None:
            return self._about_missing(request) if self._conversations.answers(request) else None
        counts = self._offered.counts
        if counts is not None and (counted := counts.counted(request)) is not None:
            return self._refused_without_key(request) or self._count(counts, request, counted, observer)
        stored = self._about_files(request) or self._about_batches(request, run)
        return self._unchanging(request) or stored or self._about_stored(request)

    def _unchanging(self, request: Request) -> Response | None:
        """The answer that is the same at any time: about models, and what else the wire answers by itself."""
        describes, has_endpoints = self._offered.describes, self._offered.has_endpoints
        if describes is None and has_endpoints is None:
            return None
        name = self._model or default_model(self._wire.name, self._provider)
        served = ServedModels(self._provider, (name,), self._window)
        listed = None if describes is None else describes.models(request, served)
        if listed is not None and facts_by_provider()[self._provider].lists_models_openly:
            return listed
        found = listed or (None if has_endpoints is None else has_endpoints.endpoint(request, served))
        return None if found is None else self._refused_without_key(request) or found

    def _about_files(self, request: Request) -> Response | None:
        if self._files is None or not self._files.answers(request):
            return None
        return self._refused_without_key(request) or self._files.answer(request)

    def _about_batches(self, request: Request, run: Run) -> Response | None:
        if self._batches is None or not self._batches.answers(request):
            return None
        return self._refused_without_key(request) or self._batches.answer(request, run)

    def _about_stored(self, request: Request) -> Response | None:
        if not self._conversations.answers(request):
            return None
        return self._refused_without_key(request) or self._conversations.answer(request)

    def _about_missing(self, request: Request) -> Response | None:
        """The answer to a model request that names what is not stored, and breaks no rule: rules are checked first."""
        if self._wire.missing_key(request) is not None:
            return None
        if self._wire.judge(self._conversations.resolve(request), provider=self._provider) is not None:
            return None
        return self._conversations.answer(request)

    def _refused_without_key(self, request: Request) -> Response | None:
        violation = self._wire.missing_key(request)
        return None if violation is None else self._wire.refuse(violation, self._context(request))

    def claims(self, request: Request) -> bool:
        """Whether `answer` has an answer. Changes nothing."""
        counts = self._offered.counts
        is_count = counts is not None and counts.counted(request) is not None
        is_about_files = self._files is not None and self._files.answers(request)
        is_about_batches = self._batches is not None and self._batches.answers(request)
        is_about_stored = is_about_files or is_about_batches or self._conversations.answers(request)
        return is_count or is_about_stored or self._unchanging(request) is not None

    def _count(self, wire: CountsTokens, request: Request, counted: Request, observer: CountObserver) -> Response:
        whole = self._conversations.resolve(counted)
        violation = self._wire.judge(whole, provider=self._provider)
        if violation is not None:
            observer.count_refused(request, violation)
            return self._wire.refuse(violation, self._context(counted))
        return wire.count_response(request, count_tokens(self._wire.view(whole)))

    def _context(self, request: Request) -> ReplyContext:
        return ReplyContext(request, self._provider, self._ids)


def describe_built(request: Request, wires: Sequence[Wire]) -> str:
    """What a 404 says of a request that none of these wires answers."""
    anything: Sequence[object] = wires
    endpoints = [one for wire in anything if isinstance(wire, HasEndpoints) for one in wire.endpoints]
    beside = ", ".join(dict.fromkeys(("its models", *endpoints)))
    path, names = request.path.partition("?")[0], " or ".join(wire.name for wire in wires)
    if "upgrade" in request.headers or path.rstrip("/").endswith("/realtime"):
        return f"{request.method} {path}: no fake speaks WebSocket, so Realtime and Live are not built; {names} is"
    return f"{request.method} {path} is no model request of {names}, and not built; built are also {beside}"


class _Offered(Struct, frozen=True):
    """The wire, as each of the protocols that it satisfies."""

    describes: DescribesModels | None
    counts: CountsTokens | None
    has_endpoints: HasEndpoints | None
    stores_files: StoresFiles | None
    has_batches: HasBatches | None


@lru_cache(maxsize=64)
def _offered_by(wire: object) -> _Offered:
    """Cached: Python compares a protocol's members anew each time."""
    return _Offered(
        wire if isinstance(wire, DescribesModels) else None,
        wire if isinstance(wire, CountsTokens) else None,
        wire if isinstance(wire, HasEndpoints) else None,
        wire if isinstance(wire, StoresFiles) else None,
        wire if isinstance(wire, HasBatches) else None,
    )


def not_built(wire: Wire, message: str, context: ReplyContext) -> Response:
    """A 404 in the provider's envelope, which no client needs to repeat."""
    response = wire.fail(Fault(status=404), context)
    try:
        body = read_json(response.body)
    except ValueError:
        body = {}
    retry = ("x-should-retry", "false")
    if not isinstance(body, dict):
        return json_response(404, {"error": {"message": message}}, [retry])
    headers = tuple(header for header in response.headers if header[0] != retry[0])
    text = compact(_with_message(body, message)).encode(errors=AS_ESCAPE)
    return replace(response, headers=(*headers, retry), chunks=(text,))


def _with_message(body: dict[str, object], message: str) -> dict[str, object]:
    """The error with another message, wherever this provider has it, and without what says that a model is missing."""
    error = body.get("error")
    if isinstance(error, dict):
        return {**body, "error": {**error, **_unnamed(error), "message": message}}
    place = next((name for name in ("error", "message", "detail") if isinstance(body.get(name), str)), "error")
    return {**body, **_unnamed(body), place: message}


def _unnamed(error: dict[str, object]) -> dict[str, object]:
    """The code and the type of a missing model, replaced: a client may choose another model then."""
    code, kind = error.get("code"), error.get("type")
    plain: dict[str, object] = {"code": None} if isinstance(code, str) and " " not in code else {}
    return {**plain, "type": "invalid_request_error"} if kind == "invalid_model" else plain
