"""What the suite knows of an adapter: what it declares, and that it broke the contract. Knows no scenario."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from conformance.adapter.types import Feature

FEATURE_NAMES: tuple[str, ...] = get_args(Feature)


class AdapterMistake(Exception):
    """The adapter, not the agent, does something that the contract does not allow."""


@dataclass(frozen=True, slots=True)
class DeclaredAgent:
    """An agent that can be started: its adapter class and what the adapter declares."""

    spec: str
    adapter: Callable[..., Any]
    wires: tuple[str, ...]
    modes: tuple[str, ...]
    features: frozenset[str]
    errors: tuple[type[BaseException], ...]
    slow: bool = False
