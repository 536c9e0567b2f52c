"""Agents with a historic bug, which the documents run: `--agent=agent_conformance.mutants:M2a_prune_first_user`.

Each is the reference agent with one defence replaced. In a checkout of the project this module has some hundred others
as well, from the folder `mutants/`, which is not installed for users.
"""

from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import Any, ClassVar

from agent_conformance.adapter.types import AgentError
from agent_conformance.agents.reference import Adapter, Defences, history_repair
from agent_conformance.agents.reference.history import History
from agent_conformance.agents.reference.pruning import Shorten, tokens

RIGHT = Adapter.defences


def _last_four(history: History, budget: int, declared: int, shorten: Shorten) -> History:
    if tokens(history) + declared <= budget:
        return history
    return (*(entry for entry in history[:1] if entry.role == "system"), *history[-4:])


def _abort(name: str, offered: Iterable[str]) -> str:
    raise AgentError(f"selected tool {name} not found in available tools")


def _one_result_each(history: History) -> History:
    return tuple(replace(entry, results=entry.results[:1]) for entry in history)


async def _equal_events_dropped(events: AsyncIterator[str]) -> AsyncIterator[str]:
    before = ""
    async for event in events:
        if event != before:
            yield event
        before = event


class M2a_prune_first_user(Adapter):
    """Keeps the system prompt and the last four messages when its context is full."""

    defences: ClassVar[Defences] = replace(RIGHT, prune=_last_four)


class M5d_abort_run(Adapter):
    """Gives up when the model calls a tool that there is not."""

    defences: ClassVar[Defences] = replace(RIGHT, unknown_tool=_abort)


class M8a_one_result_each(Adapter):
    """Keeps the first result of several calls alone."""

    defences: ClassVar[Defences] = replace(RIGHT, repair_passes=(*RIGHT.repair_passes, _one_result_each))


class M12_cancel_dangling(Adapter):
    """Sends a call that was interrupted without a result."""

    defences: ClassVar[Defences] = replace(
        RIGHT,
        repair_passes=tuple(one for one in RIGHT.repair_passes if one is not history_repair.answer_open_calls),
    )


class M20a_equal_events_dropped(Adapter):
    """Drops a piece of a stream that equals the one before it."""

    defences: ClassVar[Defences] = replace(RIGHT, stream_events=_equal_events_dropped)


def __getattr__(name: str) -> Any:
    if find_spec("agent_mutants") is None:
        raise AttributeError(f"{name} is not installed: most mutants are in a checkout of the project alone")
    return getattr(import_module("agent_mutants"), name)
