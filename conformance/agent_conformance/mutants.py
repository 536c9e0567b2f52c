"""The entry point `--agent=agent_conformance.mutants:NAME`. The mutants are in `agent_conformance.agents.mutants`."""

from typing import Any

from agent_conformance.agents import mutants


def __getattr__(name: str) -> Any:
    return getattr(mutants, name)


def __dir__() -> list[str]:
    return dir(mutants)
