"""The loop around the model: a turn is rounds of request, answer and calls until there is a reply.

It decides only what comes next; the defences are given to it.
"""

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import replace
from functools import partial

from agent_conformance.adapter.types import Pending, Reply, Setup, Tool
from agent_conformance.agents.reference import prompts
from agent_conformance.agents.reference.answers import Answer, entry_of
from agent_conformance.agents.reference.bounds import Bounds
from agent_conformance.agents.reference.completion import CompletionClient
from agent_conformance.agents.reference.defences import Defences
from agent_conformance.agents.reference.history import Call, Entry, History, Result, error_result, identity
from agent_conformance.agents.reference.pseudo_calls import Reading
from agent_conformance.agents.reference.tools import Offer, offered_tools


class Turn:
    """One turn. `history` is the conversation with everything that this turn has added so far.

    What the user says meanwhile is in `said`. It is added before a request, and so after all results.
    """

    def __init__(
        self,
        setup: Setup,
        defences: Defences,
        completions: CompletionClient,
        history: History,
        message: Entry,
        said: deque[str],
    ) -> None:
        self._said = said
        self._setup = setup
        self._defences = defences
        self._completions = completions
        self._start = len(history)
        self._summarised = False
        self._bounds: Bounds = defences.bounds(setup.limits)
        self.history: History = (*history, message)

    async def run(self) -> AsyncGenerator[str, None]:
        """Deltas, and at the end the `Reply`. Raises `AgentError`, and `Pending` where the user has to answer first."""
        defences, bounds = self._defences, self._bounds
        await self._resume()
        forbidden = defences.forbids_calls(self._setup.tool_choice)
        drafted = False
        while True:
            self.history += defences.said_meanwhile(self._said)
            enabled = self._enabled()
            names = defences.names_in_text(enabled, self._setup.tools)
            closing = bounds.exhausted or bounds.last_request
            shaping = self._shapes(last=drafted or closing)
            offer = self._offer(enabled, closing=closing, forbidden=forbidden)
            if shaping and not self._completions.shapes_beside_tools:
                enabled, offer = {}, None
            answer, reading = Answer(), Reading("")
            async for piece in self._complete(enabled, offer, names, shaping=shaping):
                if isinstance(piece, str):
                    if shaping or self._setup.output_schema is None:
                        yield piece
                else:
                    answer, reading = piece
            calls = answer.calls + self._calls_in_text(answer, reading, names)
            if calls and defences.may_call(bool(enabled)) and not closing:
                await self._run_all(replace(answer, text=reading.shown), calls, enabled)
                continue
            if reading.rejected and defences.retry_after_hidden(reading.rejected) and not closing:
                self._report_unreadable_call(reading, enabled)
                continue
            if defences.is_to_be_continued(answer) and not closing:
                self.history += (Entry("model", answer.text, blocks=answer.blocks, provider=answer.provider),)
                continue
            if self._setup.output_schema is not None and not shaping:
                drafted = True
                continue
            text = defences.final_text(replace(answer, text=reading.shown), self.history)
            if not text.strip() and not closing and bounds.may_retry_empty():
                continue
            yield self._reply(text, replace(answer, text=reading.shown), closing=closing)
            return

    def _enabled(self) -> Mapping[str, Tool]:
        """The tools that the next request offers, by their names on the wire."""
        enabled = {self._completions.names[tool.name]: tool for tool in self._setup.tools if tool.enabled}
        return offered_tools(enabled, self._defences.found_names(self.history), self._defences.matching_tools)

    def _shapes(self, *, last: bool) -> bool:
        """Whether the next request says what shape the answer has. Before the last one it must leave room for calls."""
        return self._setup.output_schema is not None and (last or self._completions.shapes_beside_tools)

    def _offer(self, enabled: Mapping[str, Tool], *, closing: bool, forbidden: bool) -> Offer | None:
        offer = self._defences.declare(enabled)
        if offer is None:
            return None
        turn, choice = self.history[self._start :], self._setup.tool_choice
        forced = self._defences.forced_tool(choice, self._completions.names, turn, self._setup.provider)
        return replace(offer, closing=closing or forbidden, forced=None if closing else forced, forbidden=forbidden)

    async def _complete(
        self, enabled: Mapping[str, Tool], offer: Offer | None, names: frozenset[str], *, shaping: bool
    ) -> AsyncIterator[str | tuple[Answer, Reading]]:
        self._bounds.count_request()
        system = self._defences.system_text(self._setup.system, enabled, self._setup.tools)
        async for piece in self._completions.complete(
            lambda: self._request_history(system),
            offer,
            names,
            self._before_retry,
            self._leave_out_pictures,
            partial(self._summarise, system, offer),
            self._setup.output_schema if shaping else None,
        ):
            yield piece

    def _request_history(self, system: str) -> History:
        return (Entry("system", system), *self.history)

    def _before_retry(self) -> None:
        """Called before a request is retried."""
        self.history = self._defences.history_on_retry(self.history, self._start)

    def _leave_out_pictures(self) -> None:
        """Called before a request is sent again that was refused and has pictures."""
        self.history = self._defences.leave_out_pictures(self.history)

    async def _summarise(self, system: str, offer: Offer | None) -> bool:
        """Called after a request was too long. Once in a turn, a summary takes the place of the turns before it.

        The request for it offers the tools, which some providers demand where there are calls.
        """
        older = self.history[: self._start]
        if self._summarised or not older:
            return False
        self._summarised = True
        wanted = (Entry("system", system), *older, Entry("user", prompts.SUMMARISE))
        answer = await self._completions.summary(wanted, self._defences.summary_offer(offer))
        text = self._defences.summary_of(answer, older)
        if text is None:
            return False
        self.history = self._defences.summarised(text, self.history, self._start)
        self._start = 1
        return True

    async def compacted_before(self) -> History:
        """The conversation before this turn with a summary in its place, since the user asks for it; not while a call
        waits for the user, who is asked about it.
        """
        if any(result.pending for entry in self.history for result in entry.results):
            return self.history[:-1]
        enabled = self._enabled()
        system = self._defences.system_text(self._setup.system, enabled, self._setup.tools)
        await self._summarise(system, self._defences.declare(enabled))
        return self.history[:-1]

    def _calls_in_text(self, answer: Answer, reading: Reading, names: frozenset[str]) -> tuple[Call, ...]:
        """Calls that were written as text, as native calls. An answer that was cut off is not read for calls."""
        if not self._defences.may_run(answer):
            return ()
        found = self._defences.calls_in_text(answer, reading, self.history, names)
        return tuple(Call(None, call.name, call.arguments) for call in found)

    async def _run_all(self, answer: Answer, calls: tuple[Call, ...], enabled: Mapping[str, Tool]) -> None:
        """Run each call once, in order. Results stay in the history, even if this ends early.

        What is known is stored before each call, so that none is run again after a crash.
        """
        calls = tuple(replace(c, id=c.id or f"call_{len(self.history)}_{n}") for n, c in enumerate(calls))
        results: list[Result] = []
        not_run = (
            None
            if self._defences.may_run(answer)
            else prompts.CUT_OFF
            if answer.finish == "length"
            else prompts.WITHHELD
        )
        if not_run:
            self._bounds.count_correction()
        try:
            for call in calls:
                so_far = self._defences.round_entries(answer, calls, tuple(results))
                self._defences.save((*self.history, *so_far), self._setup.state_dir)
                results.append(error_result(call, not_run) if not_run else await self._run(call, enabled))
        finally:
            self.history += self._defences.round_entries(answer, calls, tuple(results))
        self._wait_for_user()

    async def _run(self, call: Call, enabled: Mapping[str, Tool]) -> Result:
        defences = self._defences
        tool = defences.resolve(call.name, enabled, self._setup.tools)
        if tool is None:
            self._bounds.count_unknown(call.name)
            defences.notify(self._setup.observe, {"event": "unknown-tool", "name": call.name})
            return error_result(call, defences.unknown_tool(call.name, enabled))
        arguments = defences.arguments_of(call)
        if arguments is None:
            self._bounds.count_correction()
            return error_result(call, prompts.bad_arguments(call.name, call.problem))
        if times := self._bounds.repeated_results(call.key):
            return error_result(call, prompts.REPEATED.format(n=times))
        arguments = defences.fit_to_schema(arguments, tool.parameters)
        if refusal := await defences.ask_user(self._setup, tool, call, arguments):
            return refusal
        result = await defences.run_tool(tool, call, arguments)
        self._bounds.record_result(call.key, identity(result))
        return result

    async def _resume(self) -> None:
        """Run the calls that an earlier turn has left for the user to allow, as the user answers now. That turn goes on
        with this message: the model has not had their results.
        """
        is_open = any(result.pending for entry in self.history for result in entry.results)
        history: list[Entry] = []
        calls: dict[str | None, Call] = {}
        for entry in self.history:
            calls |= {call.id: call for call in entry.calls}
            results = [
                await self._run(calls[result.call_id], self._enabled()) if result.pending else result
                for result in entry.results
            ]
            history.append(replace(entry, results=tuple(results)))
        if is_open:
            history[-1] = replace(history[-1], is_within=True)
            begun = (place for place, entry in enumerate(history) if entry.role == "user" and not entry.is_within)
            self._start = max(begun)
        self.history = tuple(history)
        self._wait_for_user()

    def _wait_for_user(self) -> None:
        """End the turn here if the user has not answered about a call. Raises `Pending`."""
        if any(result.pending for entry in self.history for result in entry.results):
            raise Pending(prompts.PENDING)

    def _report_unreadable_call(self, reading: Reading, enabled: Mapping[str, Tool]) -> None:
        """Report to the model that its call was not run. Its text stays without the block, which models would copy."""
        self._bounds.count_correction()
        note = self._defences.unreadable_call(reading.rejected, enabled)
        self.history += (Entry("model", reading.shown or prompts.UNREADABLE), Entry("user", note, is_within=True))

    def _reply(self, text: str, answer: Answer, *, closing: bool) -> Reply:
        """The reply, and the end of the turn in the history."""
        if text.strip():
            self.history += (entry_of(answer, text),)
        else:
            text = self._defences.give_up(answer, closing=closing)
            self.history += (Entry("model", prompts.CLOSED),)
        return Reply(text)
