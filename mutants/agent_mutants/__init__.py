"""The historic bugs, each the reference agent with one defence replaced. They are beside the tests, and in no wheel.

In a checkout, `agent_conformance.mutants:M3a_passthrough_bracket` is an agent: `pytest
--agent=agent_conformance.mutants:M3a_passthrough_bracket`.
"""

from agent_conformance.agents.reference import Adapter
from agent_mutants import (
    answers,
    arguments,
    broken_calls,
    cleaners,
    data,
    declarations,
    dialects,
    encoding,
    history,
    long_sessions,
    memory,
    models,
    no_tools,
    noise,
    pictures,
    pseudo_calls,
    reasoning,
    results,
    round_trip,
    sessions,
    steering,
    unknown_tools,
)
from agent_mutants.mutant import Mutant, mutant_adapter

MUTANTS: tuple[Mutant, ...] = (
    *no_tools.MUTANTS,
    *history.MUTANTS,
    *broken_calls.STORED_CALLS,
    *broken_calls.IDS,
    *pseudo_calls.MUTANTS,
    *dialects.MUTANTS,
    *broken_calls.MUTANTS,
    *round_trip.MUTANTS,
    *unknown_tools.MUTANTS,
    *memory.MUTANTS,
    *declarations.MUTANTS,
    *arguments.MUTANTS,
    *answers.MUTANTS,
    *no_tools.SERVER_TOOLS,
    *broken_calls.STREAMED,
    *reasoning.MUTANTS,
    *memory.LOOPS,
    *steering.USER_ANSWERS,
    *sessions.CRASHES,
    *pictures.MUTANTS,
    *steering.MUTANTS,
    *models.MUTANTS,
    *encoding.HALF_CHARACTERS,
    *sessions.MUTANTS,
    *declarations.SHAPES,
    *encoding.MUTANTS,
    *memory.WINDOWS,
    *memory.WITHIN_A_TURN,
    *memory.COMPACTED,
    *cleaners.MUTANTS,
    *noise.MUTANTS,
    *sessions.RESTORED,
    *results.MUTANTS,
    *long_sessions.MUTANTS,
    *data.MUTANTS,
)

__all__ = ["MUTANTS", "Mutant", "mutant_adapter", "named"]


def named(name: str) -> Mutant:
    """The mutant with this name, in full or up to its first `_`. Raises `LookupError`."""
    for mutant in MUTANTS:
        if name in (mutant.name, mutant.name.partition("_")[0]):
            return mutant
    raise LookupError(f"no mutant {name}; there are {', '.join(mutant.name for mutant in MUTANTS)}")


def __getattr__(name: str) -> type[Adapter]:
    try:
        return mutant_adapter(named(name))
    except LookupError as error:
        raise AttributeError(str(error)) from None


def __dir__() -> list[str]:
    return [*__all__, *(mutant.name for mutant in MUTANTS)]
