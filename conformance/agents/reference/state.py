"""The conversation on disk, so that it outlives the process. Knows turns; knows nothing of what they mean."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from conformance.adapter.types import Part
from conformance.agents.reference.turns import Call, Result, Thought, Turn, Turns

FILE = "conversation.json"


def save(turns: Turns, folder: Path) -> None:
    """Written beside and moved into place: a crash in between leaves the older conversation."""
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{FILE}.new"
    draft.write_text(json.dumps(turns, default=_members, ensure_ascii=True), encoding="ascii")
    draft.replace(folder / FILE)


def _members(saved: Any) -> dict[str, Any]:
    return {field.name: getattr(saved, field.name) for field in fields(saved)}


def load(folder: Path) -> Turns | None:
    """None where nothing was saved, or nothing that can be read."""
    try:
        return tuple(_turn(turn) for turn in json.loads((folder / FILE).read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _turn(saved: Mapping[str, Any]) -> Turn:
    calls = tuple(Call(**call) for call in saved["calls"])
    thoughts = tuple(Thought(**thought) for thought in saved["thoughts"])
    results = tuple(
        Result(**{**result, "parts": tuple(Part(**part) for part in result["parts"])}) for result in saved["results"]
    )
    return Turn(saved["role"], saved["text"], calls, results, thoughts, saved["signature"])
