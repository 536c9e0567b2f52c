"""Bugs of agents that serve several sessions: what belongs to one of them is kept for all."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agent_conformance.adapter.types import Setup, Tool
from agent_conformance.agents.mutants.mutant import Mutant
from agent_conformance.agents.reference import Defences
from agent_conformance.agents.reference.history import Call, Result

MEM0 = "https://github.com/mem0ai/mem0/issues/4359"


def _one_store(defences: Defences) -> Defences:
    def same_folder(setup: Setup, name: str) -> Setup:
        return replace(setup, history=())

    return replace(defences, session_setup=same_folder)


def _one_cache(defences: Defences) -> Defences:
    known: dict[object, Result] = {}

    async def cached(tool: object, call: Call, arguments: object) -> Result:
        key = (tool, call.key)
        known[key] = known.get(key) or await defences.run_tool(tool, call, arguments)  # type: ignore[arg-type]
        return replace(known[key], call_id=call.id)

    return replace(defences, run_tool=cached)


def _one_open_call(defences: Defences) -> Defences:
    open_now: dict[str, Mapping[str, Any]] = {}

    async def run(tool: Tool, call: Call, arguments: Mapping[str, Any]) -> Result:
        open_now["arguments"] = arguments
        await asyncio.sleep(0.01)
        return await defences.run_tool(tool, call, open_now["arguments"])

    return replace(defences, run_tool=run)


MUTANTS = (
    Mutant(
        "M43a_one_store",
        "each session has a store of its own",
        MEM0,
        (("turns/sessions-side-by-side", "apart"),),
        _one_store,
    ),
    Mutant(
        "M43b_one_cache",
        "the results of one session are not those of another",
        "https://github.com/mateaix/mateclaw/pull/457",
        (("turns/sessions-side-by-side", "apart"),),
        _one_cache,
    ),
    Mutant(
        "M43c_one_open_call",
        "the call that runs belongs to its turn, also if another turn runs",
        MEM0,
        (("turns/sessions-at-the-same-time", "apart"),),
        _one_open_call,
    ),
)
