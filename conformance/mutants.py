"""The entry point `--agent=conformance.mutants:NAME`. The mutants are in `conformance.agents.mutants`."""

from typing import Any

from conformance.agents import mutants


def __getattr__(name: str) -> Any:
    return getattr(mutants, name)


def __dir__() -> list[str]:
    return dir(mutants)
