"""What a worker reports of an exception, as an exception again. Runs nothing of the agent."""

from collections.abc import Mapping
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake, ReportedError
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending
from agent_conformance.run.driver import Flooded


class ReportedCancellation(ReportedError, Cancelled):
    """The agent ended the turn because it was cancelled."""


class ReportedPending(ReportedError, Pending):
    """The agent waits for the user."""


def error_of(fields: Mapping[str, Any]) -> BaseException:
    """The exception for the fields of `failed`. Raises `TypeError` for fields of other types."""
    kind, text = fields.get("kind", "other"), fields.get("text", "")
    if kind == "cannot-restore":
        return CannotRestore(_string(text))
    if kind == "mistake":
        return AdapterMistake(_string(text))
    if kind == "flood":
        return Flooded(_string(text))
    cls = {"cancelled": ReportedCancellation, "pending": ReportedPending}.get(kind, ReportedError)
    more = {name: _string(fields.get(name, "")) for name in ("hidden", "place", "trace", "whole_trace")}
    return cls(_string(fields["described"]), controlled=fields.get("controlled") is True, **more)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"found {type(value).__name__}, expected a text")
    return value
