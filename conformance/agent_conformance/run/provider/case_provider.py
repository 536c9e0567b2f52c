"""The model provider of one case run, as transports see it: endpoints, and one exchange for each of their requests.

A handler for any transport.
"""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from agent_conformance.adapter.contract import AdapterMistake, DeclaredAgent
from agent_conformance.run.process import hold_collections
from agent_conformance.run.provider.adapter_readers import RequestHints
from agent_conformance.run.provider.answering import STOPPED, CaseModel, Endpoint, Exchange, TurnBounds
from agent_conformance.run.provider.model_script import Script
from agent_conformance.run.provider.one_by_one import renumbered
from agent_conformance.run.provider.running_turn import RunningTurn
from agent_conformance.run.provider.side_requests import SideRequests
from agent_conformance.run.provider.tool_names import Naming, ToolSearches
from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.derived.routes import Target, fallback_of, first_target
from agent_conformance.transcripts.transcript import (
    BOUND_WITH_LIMIT,
    BOUND_WITHOUT_LIMIT,
    DEFAULT_REQUEST_LIMIT,
    TurnRecord,
)
from fake_providers import Request, Response
from fake_providers.http import Handler
from fake_providers.ids import Ids
from fake_providers.registry import wire_for
from fake_providers.reply import Split
from fake_providers.serving.request_loop import RequestLoop, Window


def bound_of(case: Case, agent: DeclaredAgent) -> int:
    """How many counted requests a turn may have before the suite stops it."""
    if "request-limit" not in agent.features:
        return BOUND_WITHOUT_LIMIT
    limit = case.scenario.limits.requests
    return BOUND_WITH_LIMIT if limit is None else limit + BOUND_WITH_LIMIT - DEFAULT_REQUEST_LIMIT


def window_of(case: Case) -> Window | None:
    """The window of the case's model, where the scenario makes it small."""
    window = case.scenario.window
    if window is None:
        return None
    words = (window.words.status, window.words.body) if window.words else None
    return Window(window.tokens, words, truncates=window.how == "truncate")


class EndpointHandler(Struct, frozen=True):
    """What a transport serves of one endpoint."""

    provider: "CaseProvider"
    endpoint: Endpoint

    def handle(self, request: Request) -> Response:
        return self.provider.handle_at(self.endpoint, request)


class CaseProvider:
    """`handle` may be called from any thread; one request at a time is answered."""

    def __init__(
        self,
        case: Case,
        turn: RunningTurn,
        *,
        split: Split,
        bound: int,
        hints: RequestHints,
        tolerated: frozenset[str] = frozenset(),
        anywhere: bool = False,
        most_requests: int = DEFAULT_REQUEST_LIMIT,
    ) -> None:
        ids = Ids(case.id)
        second = fallback_of(case.scenario, case.wire)
        beside = SideRequests(case.scenario, hints.has_own_tools)
        searches = ToolSearches(case.scenario)
        self._model = CaseModel(case, turn, bound, hints, ids, second, beside, searches, anywhere, most_requests)
        window, served = window_of(case), case.scenario.served_model
        self._new_loop = partial(
            RequestLoop, ids=ids, split=split, window=window, tolerated=tolerated, served_model=served
        )
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self._main = self._endpoint(first_target(case.scenario, case.wire, case.provider))
        """Where requests arrive at first."""
        self._came_apart = False
        """Whether replies of turns before came one call after the other."""
        self.mistake = ""
        """Of the adapter, so that there is no verdict on the agent."""

    @property
    def stopped(self) -> bool:
        return self._model.stopped

    @property
    def inexpressible(self) -> str:
        """Why the model of this case cannot say to this agent what the script has."""
        return self._model.inexpressible

    def use_hints(self, side_request: Callable[[dict[str, Any]], Any] | None, tool_names: Any) -> None:
        """What the adapter's instance says of its own requests."""
        self._model.hints = replace(self._model.hints, side_request=side_request, tool_names=tool_names)

    def begin_turn(
        self, record: TurnRecord, *, cancel: Callable[[], Future[None]], steer: Callable[[str], Future[None]]
    ) -> None:
        """From here on requests belong to this turn, which is cancelled or steered where the scenario says so."""
        with self._model.lock:
            self._model.turn.begin(record, cancel=cancel, steer=steer)
            self._model.beside.records.append(record)
            if record.turn.forgotten:
                for endpoint in self._endpoints.values():
                    endpoint.loop.forget()
            self._model.scripts = {record.number: Script(record.turn.model)}
            self._model.bounds = TurnBounds()

    def join_turn(self, record: TurnRecord) -> None:
        """From here on this turn runs beside the one that has begun."""
        with self._model.lock:
            self._model.turn.join(record)
            self._model.beside.records.append(record)
            self._model.scripts[record.number] = Script(record.turn.model)

    def end_turns(self, *records: TurnRecord) -> None:
        """No turn is running now. Each has the replies that no request got."""
        with self._model.lock:
            self._model.turn.end()
            for record in records:
                record.unused = self._model.scripts[record.number].unused
                record.turn = renumbered(record.turn, record.splits, after_others=self._came_apart)
                self._came_apart = self._came_apart or bool(record.splits)
                self._model.beside.settle(record)

    def handler_of(self, target: Target) -> Handler:
        """The handler where this provider serves the wire; the same for each of its models."""
        endpoint = self._endpoint(target)
        return self if endpoint is self._main else EndpointHandler(self, endpoint)

    def handle(self, request: Request) -> Response:
        """The response of the first endpoint."""
        return self.handle_at(self._main, request)

    def handle_at(self, endpoint: Endpoint, request: Request) -> Response:
        """The response. A request that continues a stored response is judged and recorded with all it continues."""
        if self.stopped:
            return endpoint.loop.stop(request, STOPPED)
        try:
            exchange = Exchange(self._model, endpoint, self._declared_naming())
            with self._model.lock:
                hold_collections()
                self._model.note_activity()
                response = endpoint.loop.handle(request, exchange)
                if exchange.recorded is not None:
                    exchange.recorded.response = response
                return response
        except AdapterMistake as mistake:
            self.mistake = self.mistake or str(mistake)
            self._model.stopped = True
        return endpoint.loop.stop(request, STOPPED)

    def _declared_naming(self) -> Naming:
        hints, turn = self._model.hints, self._model.turn
        if hints.tool_names is None or turn.record is None:
            return Naming(has_own_tools=hints.has_own_tools)
        tools = [tool.name for tool in self._model.case.scenario.tools]
        return Naming(self._model.answer(partial(hints.declared_names, tools)), hints.has_own_tools)

    def _endpoint(self, target: Target) -> Endpoint:
        key = target.wire, target.provider
        if key not in self._endpoints:
            wire = wire_for(target.provider, target.wire)
            loop = self._new_loop(wire, target.provider, model=target.model)
            self._endpoints[key] = Endpoint(target, wire, loop)
        return self._endpoints[key]
