"""A one-message case in place of another: an agent that gives up on that case sends a request here.

Knows the scenario model, and nothing of running or judging.
"""

from dataclasses import replace

from agent_conformance.scenario.cases import Case
from agent_conformance.scenario.model import Scenario

HELLO = Scenario.model_validate(
    {
        "description": "a greeting is answered",
        "profile": "core",
        "conversation": [{"user": "Hello.", "model": [{"text": "Hello."}]}],
    }
)


def hello_case(case: Case) -> Case:
    """The case with neither tools nor history, on the same wire and provider, in the same mode."""
    return replace(case, id=f"hello@{case.id.rpartition('@')[2]}", row=None, scenario=HELLO)
