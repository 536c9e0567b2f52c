"""One completion: repairs and prunes the history, sends the request, and retries it where that helps."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Setup
from agent_conformance.agents.reference import history_repair, pruning
from agent_conformance.agents.reference.answers import Answer, DeltaTracker
from agent_conformance.agents.reference.defences import Defences
from agent_conformance.agents.reference.history import History, without_signatures
from agent_conformance.agents.reference.provider import Provider, ProviderError, retrying
from agent_conformance.agents.reference.pseudo_calls import Reading, StreamFilter, read_text
from agent_conformance.agents.reference.tools import Offer
from agent_conformance.agents.reference.wires import CompletionRequest, HttpRequest, Wire

MAX_SHRINKS = 4
"""How often a request that does not fit the model's window is made smaller and sent again."""


class CompletionClient:
    """Requests completions of one provider on one wire. `names` maps the tools' own names to those on the wire."""

    def __init__(
        self,
        setup: Setup,
        defences: Defences,
        wire: Wire,
        provider: Provider,
        second: "CompletionClient | None" = None,
    ) -> None:
        self._second = second
        self._setup = setup
        self._defences = defences
        self._wire = wire
        self._provider = provider
        self._window: int | None = setup.limits.context_tokens
        self._sends_no_thoughts = False
        self.names = defences.wire_names(tool.name for tool in setup.tools)

    @property
    def shapes_beside_tools(self) -> bool:
        """Whether a request may have tools beside the schema of the answer."""
        return self._defences.shapes_beside_tools(self._wire, self._setup.model)

    async def close(self) -> None:
        await self._provider.close()
        if self._second is not None:
            await self._second.close()

    async def complete(
        self,
        history: Callable[[], History],
        offer: Offer | None,
        names: frozenset[str],
        before_retry: Callable[[], None],
        leave_out_pictures: Callable[[], None],
        summarise: Callable[[], Awaitable[bool]],
        schema: Mapping[str, Any] | None = None,
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        """Deltas for the user, then the answer and the calls in its text. `history` is called before each attempt.

        `summarise` is called where the request was too long, and returns whether the history is shorter now.
        Where this provider fails for good, the second one is asked.
        """
        deltas = self._defences.delta_tracker()
        try:
            async for piece in self._completed(
                deltas, history, offer, names, before_retry, leave_out_pictures, summarise, schema
            ):
                yield piece
        except ProviderError as error:
            if self._second is None or not self._defences.falls_back(error):
                raise
            before_retry()
            async for piece in self._second._completed(
                deltas, history, offer, names, before_retry, leave_out_pictures, summarise, schema
            ):
                yield piece

    async def _completed(
        self,
        deltas: DeltaTracker,
        history: Callable[[], History],
        offer: Offer | None,
        names: frozenset[str],
        before_retry: Callable[[], None],
        leave_out_pictures: Callable[[], None],
        summarise: Callable[[], Awaitable[bool]],
        schema: Mapping[str, Any] | None,
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        """The same of this provider alone."""
        for shrinks in range(MAX_SHRINKS):
            sent: History = ()

            def attempt(number: int) -> AsyncIterator[str | tuple[Answer, Reading]]:
                nonlocal sent
                if number > 1:
                    before_retry()
                sent = self._fitted(history(), offer)
                return self._attempt(sent, offer, names, deltas, schema)

            try:
                async for piece in retrying(attempt, self._defences.is_passing, self._defences.retry_delay):
                    yield piece
                return
            except ProviderError as error:
                if self._defences.refuses_pictures(error, sent):
                    leave_out_pictures()
                elif not self._sends_no_thoughts and self._defences.refuses_thoughts(error, sent):
                    self._sends_no_thoughts = True
                elif not self._defences.does_not_fit(error) or (
                    not await summarise() and not self._shrink(history(), sent, offer, shrinks)
                ):
                    raise

    async def summary(self, history: History, offer: Offer | None) -> Answer:
        """What the model answers to this history, which ends by asking for a summary; an empty answer if it fails."""
        answer = Answer()
        try:
            async for piece in self._attempt(self._fitted(history, offer), offer, frozenset(), DeltaTracker(), None):
                answer = answer if isinstance(piece, str) else replace(piece[0], text=piece[1].shown)
        except ProviderError:
            return Answer()
        return answer

    def _fitted(self, history: History, offer: Offer | None) -> History:
        history = self._defences.readable_reasoning(history, self._setup.provider)
        if self._sends_no_thoughts:
            history = tuple(without_signatures(entry) for entry in history)
        history = history_repair.repair(history, self._defences.repair_passes)
        if self._window is None:
            return history
        declared = offer.characters // pruning.CHARACTERS_PER_TOKEN if offer else 0
        return self._defences.prune(history, self._window, declared, self._defences.shorten)

    def _shrink(self, history: History, sent: History, offer: Offer | None, shrinks: int) -> bool:
        """From now on two thirds of what was sent is the window; False if the request cannot shrink further."""
        declared = offer.characters // pruning.CHARACTERS_PER_TOKEN if offer else 0
        self._window = (pruning.tokens(sent) + declared) * 2 // 3
        return shrinks + 1 < MAX_SHRINKS and self._fitted(history, offer) != sent

    async def _attempt(
        self,
        history: History,
        offer: Offer | None,
        names: frozenset[str],
        deltas: DeltaTracker,
        schema: Mapping[str, Any] | None,
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        setup = self._setup
        request = self._defences.full_request(
            CompletionRequest(
                setup.model,
                setup.stream,
                history,
                offer,
                self.names,
                setup.provider,
                self._defences.placeholder_signature,
                setup.server_tools,
                schema,
                setup.limits.context_tokens,
            )
        )
        rules = self._defences.reading
        stream_filter = StreamFilter(names, self._defences.stream_rules(rules))
        deltas.begin()
        async for piece in self._streamed(self._wire.encode(request)):
            if isinstance(piece, str):
                if new := deltas.add(stream_filter.feed(piece)):
                    yield new
                continue
            reading = read_text(piece.text, names, rules, released=stream_filter.released)
            if new := deltas.add(stream_filter.finish(reading.shown)):
                yield new
            deltas.end()
            yield replace(piece, provider=setup.provider), reading

    async def _streamed(self, request: HttpRequest) -> AsyncIterator[str | Answer]:
        """Pieces of text as they come, then the complete answer. Raises `ProviderError`."""
        so_far = ""
        try:
            async for piece in self._provider.send(request):
                so_far += piece if isinstance(piece, str) else ""
                yield piece
        except ProviderError as error:
            yield self._defences.partial_answer(error, so_far)
