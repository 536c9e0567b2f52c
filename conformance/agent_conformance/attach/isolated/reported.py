"""What a worker reports of an exception, as an exception again. Runs nothing of the agent."""

from collections.abc import Mapping
from typing import Any

from agent_conformance.adapter.contract import AdapterMistake, CodePlace, ReportedError
from agent_conformance.adapter.types import Cancelled, CannotRestore, Pending
from agent_conformance.run.agent.driver import Flooded


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
    more = {name: _string(fields.get(name, "")) for name in ("hidden", "trace", "whole_trace")}
    place = _place(fields.get("place"))
    return cls(_string(fields["described"]), controlled=fields.get("controlled") is True, place=place, **more)


def _place(value: Any) -> CodePlace | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or type(value.get("line")) is not int:
        raise TypeError(f"found {value!r:.100}, expected the place of a line")
    return CodePlace(_string(value.get("file")), value["line"], _place(value.get("called_from")))


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"found {type(value).__name__}, expected a text")
    return value
