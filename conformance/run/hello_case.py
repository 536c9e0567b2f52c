"""A greeting in place of a case: it tells an agent that gives up on the case from an adapter that never asks.

Knows the scenario model; nothing of performing or judging.
"""

from dataclasses import replace

from conformance.scenario.cases import Case
from conformance.scenario.model import Scenario

GREETING = Scenario.model_validate(
    {
        "description": "a greeting is answered",
        "profile": "core",
        "conversation": [{"user": "Hello.", "model": [{"text": "Hello."}]}],
    }
)


def greeting_of(case: Case) -> Case:
    """The case with neither tools nor history, on the same target, in the same mode."""
    return replace(case, id=f"greeting@{case.id.rpartition('@')[2]}", row=None, scenario=GREETING)
