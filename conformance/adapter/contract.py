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
    """An agent that can be started: its adapter class and what the adapter declares.

    `start_seconds` is what a process of its own took to start, for an agent that needs one for each case. It is only
    for an estimate: nothing that runs may depend on it.
    """

    spec: str
    adapter: Callable[..., Any]
    wires: tuple[str, ...]
    modes: tuple[str, ...]
    features: frozenset[str]
    errors: tuple[type[BaseException], ...]
    raised_in: tuple[str, ...] = ()
    """Modules, packages and folders whose deliberate exceptions are controlled failures too, whatever their class."""
    start_seconds: float = 0.0
