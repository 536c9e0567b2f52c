"""Writing what was planned: a file that is there is never overwritten, a configuration only gets new lines."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agent_conformance.commands.init.plan import NewFile, Plan


@dataclass(frozen=True, slots=True)
class Done:
    """What happened to one file."""

    what: Literal["written", "added", "kept", "left out"]
    path: Path
    note: str


def carry_out(plan: Plan) -> Iterator[Done]:
    """Write each file that the plan wants. Raises `OSError` where one cannot be written."""
    adapter, *others = plan.files
    yield from _write(adapter)
    yield from _configure(plan)
    for file in others:
        yield from _write(file)


def _write(file: NewFile) -> Iterator[Done]:
    if os.path.lexists(file.path):
        differs = file.outdated and file.path.read_bytes() != file.text.encode()
        yield Done("kept", file.path, file.outdated if differs else "it is there")
        return
    if file.instead:
        yield Done("left out", file.path, file.instead)
        return
    file.path.parent.mkdir(parents=True, exist_ok=True)
    with file.path.open("x", encoding="utf-8", newline="") as out:
        out.write(file.text)
    yield Done("written", file.path, file.purpose)


def _configure(plan: Plan) -> Iterator[Done]:
    path = plan.settings.path
    if plan.settings_text is None:
        if not plan.keys:
            yield Done("kept", path, "it has what is needed")
        return
    what: Literal["added", "written"] = "added" if path.exists() else "written"
    with path.open("w", encoding="utf-8", newline="") as out:
        out.write(plan.settings_text)
    yield Done(what, path, f"pytest's options {', '.join(plan.keys)}")
