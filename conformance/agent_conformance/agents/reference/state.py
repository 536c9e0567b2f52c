"""The conversation on disk, so that it outlives the process."""

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from agent_conformance.adapter.types import Part
from agent_conformance.agents.reference.history import Call, Entry, History, Result, Thought

FILE = "conversation.json"


def save(history: History, folder: Path) -> None:
    """Write a new file and rename it, so that a crash leaves the older conversation. A copy of the process, which a
    tool may have made, writes another one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{FILE}.{os.getpid()}"
    draft.write_text(json.dumps(history, default=_members, ensure_ascii=True), encoding="ascii")
    draft.replace(folder / FILE)


def _members(saved: Any) -> dict[str, Any]:
    return {field.name: getattr(saved, field.name) for field in fields(saved)}


def load(folder: Path) -> History | None:
    """None if nothing was saved, or nothing that can be read."""
    try:
        return tuple(_entry(entry) for entry in json.loads((folder / FILE).read_text(encoding="ascii")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _entry(saved: Mapping[str, Any]) -> Entry:
    calls = tuple(Call(**call) for call in saved["calls"])
    thoughts = tuple(Thought(**thought) for thought in saved["thoughts"])
    results = tuple(Result(**{**result, "pictures": _pictures(result)}) for result in saved["results"])
    pictures, blocks = _pictures(saved), tuple(saved["blocks"])
    return Entry(
        saved["role"],
        saved["text"],
        calls,
        results,
        thoughts,
        saved["signature"],
        pictures,
        blocks,
        saved["provider"],
        saved["is_within"],
    )


def _pictures(saved: Mapping[str, Any]) -> tuple[Part, ...]:
    return tuple(Part(**picture) for picture in saved["pictures"])
