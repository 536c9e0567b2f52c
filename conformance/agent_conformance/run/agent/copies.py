"""Copies of a scenario's JSON values. What an agent is handed is its own: it may edit it in place."""

from typing import Any


def copied(value: Any) -> Any:
    """A copy of dictionaries and lists; all other JSON values cannot be edited. A tenth of `deepcopy`'s time."""
    kind = type(value)
    if kind is dict:
        return {key: copied(inner) for key, inner in value.items()}
    if kind is list:
        return [copied(inner) for inner in value]
    return value
