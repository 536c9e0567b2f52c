"""Getting one answer to the history as it stands: mended, pruned, sent, repeated where that helps. Knows no loop."""

from collections.abc import AsyncIterator, Callable

from conformance.adapter.types import Setup
from conformance.agents.reference import healing, pruning
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.parts import Parts
from conformance.agents.reference.provider import Provider, ProviderError, retrying
from conformance.agents.reference.pseudo_calls import Reading, StreamFilter, read_text
from conformance.agents.reference.shown import Shown
from conformance.agents.reference.tools import Offer
from conformance.agents.reference.turns import Turns
from conformance.agents.reference.wires.wire import Asking, Request, Wire

SHRINKS = 4
"""How often a request that does not fit the model's window is made smaller and sent again."""


class Asker:
    """Asks one provider on one wire. `names` maps the tools' own names to those on the wire."""

    def __init__(self, setup: Setup, parts: Parts, wire: Wire, provider: Provider) -> None:
        self._setup = setup
        self._parts = parts
        self._wire = wire
        self._provider = provider
        self._window: int | None = setup.limits.context_tokens
        self.names = parts.wire_names(tool.name for tool in setup.tools)

    async def close(self) -> None:
        await self._provider.close()

    async def ask(
        self, history: Callable[[], Turns], offer: Offer | None, names: frozenset[str], forget: Callable[[], None]
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        """Deltas for the user, then the answer and what was read in it. `history` is asked for before each attempt."""
        shown = self._parts.shown()
        for shrinks in range(SHRINKS):
            sent: Turns = ()
            try:
                async for attempt in retrying(self._parts.pause):
                    if attempt.retry_state.attempt_number > 1:
                        forget()
                    sent = self._mended(history(), offer)
                    with attempt:
                        async for piece in self._attempt(sent, offer, names, shown):
                            yield piece
                return
            except ProviderError as error:
                if not error.too_long or not self._shrink(history(), sent, offer, shrinks):
                    raise

    def _mended(self, turns: Turns, offer: Offer | None) -> Turns:
        turns = healing.heal(turns, self._parts.passes)
        if self._window is None:
            return turns
        declared = offer.letters // pruning.LETTERS_A_TOKEN if offer else 0
        return self._parts.prune(turns, self._window, declared, self._parts.shorten)

    def _shrink(self, turns: Turns, sent: Turns, offer: Offer | None, shrinks: int) -> bool:
        """Take two thirds of what was sent as the window from now on; False where nothing more can go."""
        declared = offer.letters // pruning.LETTERS_A_TOKEN if offer else 0
        self._window = (pruning.tokens(sent) + declared) * 2 // 3
        return shrinks + 1 < SHRINKS and self._mended(turns, offer) != sent

    async def _attempt(
        self, turns: Turns, offer: Offer | None, names: frozenset[str], shown: Shown
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        setup = self._setup
        asking = self._parts.whole_request(
            Asking(setup.model, setup.stream, turns, offer, self.names, setup.provider, self._parts.unsigned_call)
        )
        rules = self._parts.reading
        filtered = StreamFilter(names, self._parts.stream_rules(rules))
        shown.begin()
        async for piece in self._answered(self._wire.encode(asking)):
            if isinstance(piece, str):
                if new := shown.add(filtered.feed(piece)):
                    yield new
                continue
            reading = read_text(piece.text, names, rules, released=filtered.released)
            if new := shown.add(filtered.finish(reading.shown)):
                yield new
            shown.end()
            yield piece, reading

    async def _answered(self, request: Request) -> AsyncIterator[str | Answer]:
        """Pieces of text as they come, then the whole answer. Raises `ProviderError`."""
        so_far = ""
        try:
            async for piece in self._provider.ask(request):
                so_far += piece if isinstance(piece, str) else ""
                yield piece
        except ProviderError as error:
            salvaged = self._parts.salvaged(error, so_far)
            if salvaged is None:
                raise
            yield salvaged
