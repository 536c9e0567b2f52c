"""The loop around the model: one step is rounds of request, answer, calls, until there is a reply. Knows no wire.

It decides only what comes next; each defence is a part that it is given.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import replace

from conformance.adapter.types import Reply, Setup, Tool
from conformance.agents.reference import notes
from conformance.agents.reference.bounds import Bounds
from conformance.agents.reference.completion import Asker
from conformance.agents.reference.finishes import Answer
from conformance.agents.reference.parts import Parts
from conformance.agents.reference.pseudo_calls import Reading
from conformance.agents.reference.tools import Offer
from conformance.agents.reference.turns import Call, Result, Turn, Turns


class Step:
    """One step. `turns` is the conversation with all that this step adds to it, at any moment."""

    def __init__(self, setup: Setup, parts: Parts, asker: Asker, turns: Turns, message: str) -> None:
        self._setup = setup
        self._parts = parts
        self._asker = asker
        self._start = len(turns)
        self._bounds: Bounds = parts.bounds(setup.limits)
        self.turns: Turns = (*turns, Turn("user", message))

    async def run(self) -> AsyncGenerator[str, None]:
        """Deltas, and at the end the `Reply`. Raises `AgentError`."""
        parts, bounds = self._parts, self._bounds
        while not bounds.out_of_requests:
            enabled = self._enabled()
            names = parts.names_in_text(enabled, self._setup.tools)
            closing = bounds.spent or bounds.last_request
            offer = self._offer(enabled, closing=closing)
            answer, reading = Answer(), Reading("")
            async for piece in self._ask(enabled, offer, names):
                if isinstance(piece, str):
                    yield piece
                else:
                    answer, reading = piece
            calls = answer.calls + self._lifted(answer, reading, names)
            if calls and parts.may_call(bool(enabled)) and not closing:
                await self._run_all(replace(answer, text=reading.shown), calls, enabled)
                continue
            if reading.rejected and parts.after_hidden(reading.rejected) and not closing:
                self._ask_again(reading, enabled)
                continue
            text = parts.final_text(replace(answer, text=reading.shown), self.turns)
            if not text.strip() and not closing and bounds.blank():
                continue
            yield self._settled(text, replace(answer, text=reading.shown), closing=closing)
            return
        yield self._settled("", Answer(), closing=True)

    def _enabled(self) -> Mapping[str, Tool]:
        return {self._asker.names[tool.name]: tool for tool in self._setup.tools if tool.enabled}

    def _offer(self, enabled: Mapping[str, Tool], *, closing: bool) -> Offer | None:
        offer = self._parts.declare(enabled)
        return replace(offer, closing=closing) if offer is not None else None

    async def _ask(
        self, enabled: Mapping[str, Tool], offer: Offer | None, names: frozenset[str]
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        self._bounds.request()
        self._parts.notify(self._setup.observe, {"event": "request", "number": self._bounds.made})
        system = self._parts.system_text(self._setup.system, enabled, self._setup.tools)
        async for piece in self._asker.ask(lambda: self._history(system), offer, names, self._forget):
            yield piece

    def _history(self, system: str) -> Turns:
        return (Turn("system", system), *self.turns)

    def _forget(self) -> None:
        """Called before a request is repeated."""
        self.turns = self._parts.kept_on_retry(self.turns, self._start)

    def _lifted(self, answer: Answer, reading: Reading, names: frozenset[str]) -> tuple[Call, ...]:
        """Calls that were written as text, as native ones. Nothing is lifted from an answer that was cut off."""
        if not self._parts.may_run(answer):
            return ()
        found = self._parts.calls_in_text(answer, reading, self.turns, names)
        return tuple(Call(None, call.name, call.arguments) for call in found)

    async def _run_all(self, answer: Answer, calls: tuple[Call, ...], enabled: Mapping[str, Tool]) -> None:
        """Each call once, in order. What was done stays in the history, whatever ends this early."""
        calls = tuple(replace(c, id=c.id or f"call_{len(self.turns)}_{n}") for n, c in enumerate(calls))
        results: list[Result] = []
        refused = (
            None if self._parts.may_run(answer) else notes.CUT_OFF if answer.finish == "length" else notes.WITHHELD
        )
        if refused:
            self._bounds.correction()
        try:
            for call in calls:
                results.append(_error(call, refused) if refused else await self._run(call, enabled))
        finally:
            if self._bounds.spent and results:
                results[-1] = replace(results[-1], text=f"{results[-1].text}\n{notes.CLOSING}")
            self.turns += self._parts.round_turns(answer, calls, tuple(results))

    async def _run(self, call: Call, enabled: Mapping[str, Tool]) -> Result:
        parts = self._parts
        tool = parts.resolve(call.name, enabled, self._setup.tools)
        if tool is None:
            self._bounds.unknown(call.name)
            parts.notify(self._setup.observe, {"event": "unknown-tool", "name": call.name})
            return _error(call, parts.unknown_tool(call.name, enabled))
        arguments = parts.arguments_of(call)
        if arguments is None:
            self._bounds.correction()
            return _error(call, notes.bad_arguments(call.name, call.problem))
        if times := self._bounds.repeats(call.key):
            return _error(call, notes.REPEATED.format(n=times))
        parts.notify(self._setup.observe, {"event": "tool-call", "name": tool.name})
        result = await parts.run_tool(tool, call, parts.fit_to_schema(arguments, tool.parameters))
        self._bounds.brought(call.key, result.text)
        return result

    def _ask_again(self, reading: Reading, enabled: Mapping[str, Tool]) -> None:
        """Tell the model that its call was not run. Its words stay, the block does not: models copy what they see."""
        self._bounds.correction()
        note = self._parts.unreadable_call(reading.rejected, enabled)
        self.turns += (Turn("model", reading.shown or notes.UNREADABLE), Turn("user", note))

    def _settled(self, text: str, answer: Answer, *, closing: bool) -> Reply:
        """The reply, and the end of the step in the history."""
        if text.strip():
            self.turns += (Turn("model", text, thoughts=answer.thoughts, signature=answer.signature),)
        else:
            text = self._parts.give_up(answer, closing=closing)
            self.turns += (Turn("model", notes.CLOSED),)
        self._parts.notify(self._setup.observe, {"event": "reply", "text": text})
        return Reply(text)


def _error(call: Call, text: str) -> Result:
    return Result(call.id, call.name, text, is_error=True)
