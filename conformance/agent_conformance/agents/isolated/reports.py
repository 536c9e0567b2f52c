"""Exceptions of an agent, described in its own process as data. Whatever of the agent's code this runs, runs there."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake, DeclaredAgent
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending, ToolError
from agent_conformance.run.agent_errors import accident_behind, class_name, described_error, is_controlled
from agent_conformance.run.crash_trace import place_of, trace_of
from agent_conformance.run.driver import Flooded

LONGEST = 1 << 20
"""Characters of a text that are sent: a traceback of a recursion is long, and a class can have any name."""


def described(
    error: BaseException, agent: DeclaredAgent, start: Path, *, in_turn: bool, placed: bool = True
) -> dict[str, Any]:
    """The fields of `failed`. Raises nothing. A controlled failure of a turn has no traceback.

    `placed`: whether the frames say where the agent failed.
    """
    try:
        return _described(error, agent, start, in_turn=in_turn, placed=placed)
    except BaseException:
        return {"kind": "other", "described": f"{class_name(error)[:300]}: (it has no text: its __str__ fails)"}


def _described(
    error: BaseException, agent: DeclaredAgent, start: Path, *, in_turn: bool, placed: bool
) -> dict[str, Any]:
    controlled = is_controlled(error, (*agent.errors, ToolError), agent.raised_in)
    fields = {
        "kind": _kind(error),
        "described": described_error(error)[:LONGEST],
        "text": _text(error)[:LONGEST],
        "controlled": controlled,
        "hidden": accident_behind(error)[:LONGEST],
    }
    if (in_turn and controlled) or not (placed or getattr(error, "agent_traceback", None)):
        return fields
    trace = trace_of(error, start)
    place = place_of(error, start)
    traces = {"trace": trace.brief[:LONGEST], "whole_trace": trace.whole[:LONGEST]}
    return fields | traces | {"place": None if place is None else asdict(place)}


def _kind(error: BaseException) -> str:
    if isinstance(error, CannotRestore):
        return "cannot-restore"
    if isinstance(error, AdapterMistake):
        return "mistake"
    if isinstance(error, Flooded):
        return "flood"
    if isinstance(error, Pending):
        return "pending"
    is_cancelled = isinstance(error, Cancelled) or class_name(error) == "CancelledError"
    return "cancelled" if is_cancelled else "other"


def _text(error: BaseException) -> str:
    if isinstance(error, CannotRestore):
        return str(getattr(error, "reason", error))
    return str(error) if isinstance(error, AdapterMistake | Flooded) else ""
