"""Families of models: which rules hold for which model. Reads `models.json`; knows no rule."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

_DATA: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "models.json").read_text())
LONGEST_KEPT = 100
"""Characters of a name that tell its family; names come from clients, so what is kept of them is bounded."""


def default_model(wire: str, provider: str = "") -> str:
    """The model a case uses on this wire unless its scenario names another; of the provider, where it has its own."""
    name: str = _DATA[f"{wire}:{provider}" if has_own_models(wire, provider) else wire]["default"]
    return name


def has_own_models(wire: str, provider: str) -> bool:
    """Whether this provider serves other models than the wire's own."""
    return f"{wire}:{provider}" in _DATA


def traits(wire: str, model: str) -> frozenset[str]:
    """What is special about this model, by its longest family prefix; what is of none is of the `newest`.

    A provider's prefix before a slash (`models/`, `openai/`) does not count, nor does `ft:` of one that was tuned.
    """
    return _traits(wire, model.rsplit("/", 1)[-1].removeprefix("ft:")[:LONGEST_KEPT])


@lru_cache(maxsize=1024)
def _traits(wire: str, bare: str) -> frozenset[str]:
    families: dict[str, list[str]] = _DATA[wire]["families"]
    known = max((family for family in families if bare.startswith(family)), key=len, default=_DATA[wire]["newest"])
    return frozenset(families.get(known, ()))
