"""Which files of a folder `scenarios/` are about something else."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from agent_conformance.scenario.files.id_patterns import SUFFIXES
from agent_conformance.scenario.model import Scenario
from agent_conformance.scenario.yaml_files.reading import MAX_BYTES, read, read_data

FIELDS = (*Scenario.model_fields, "examples")
_ALIKE = 0.8
"""From here on a key counts as a misspelt field."""

_TOP_LEVEL_KEY = re.compile(r"""^["']?([\w$-]+)["']?\s*:""", re.MULTILINE)


def is_foreign(path: Path, folder: Path) -> bool:
    """Whether a file of this folder is no scenario. In a folder with scenarios, half its keys must be our fields."""
    if is_surely_scenario(path):
        return False
    keys = list(top_level_keys(path))
    fields = [key for key in keys if _field_like(key)]
    return not fields or 2 * len(fields) < len(keys) or not holds_scenarios(folder)


@cache
def holds_scenarios(folder: Path) -> bool:
    """Whether some file below the folder cannot be anything but a scenario, complete or not."""
    files = (path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file())
    return any(is_surely_scenario(path) for path in files)


def is_surely_scenario(path: Path) -> bool:
    """It has a `conversation`, or both a `description` and a `profile`, or its line for editors names our schema."""
    if b"scenario.schema.json" in _beginning(path):
        return True
    fields = {_field_like(key) for key in top_level_keys(path)}
    return "conversation" in fields or fields >= {"description", "profile"}


def top_level_keys(path: Path) -> Iterable[str]:
    """The keys of the mapping in a YAML file; of one that cannot be parsed, those that its lines begin with."""
    data = _beginning(path)
    value = read(data).value
    if value is None:
        return _TOP_LEVEL_KEY.findall(data.decode("utf-8", "replace"))
    return list(value) if isinstance(value, dict) else []


def _field_like(key: str) -> str:
    near = get_close_matches(key, FIELDS, n=1, cutoff=_ALIKE)
    return near[0] if near else ""


def _beginning(path: Path) -> bytes:
    try:
        return read_data(path)[:MAX_BYTES]
    except OSError:
        return b""
