"""What a finding, a law or a rule means: what is demanded and why, the evidence, what to look at.

Usable without the command line: the page and the report show the same texts.
"""

from agent_conformance.explain.lookup import explain, known_ids, scenario_of
from agent_conformance.explain.texts import OF_SAMPLE, Example, Explanation, Place, Scenario, Source, UnknownId

__all__ = [
    "OF_SAMPLE",
    "Example",
    "Explanation",
    "Place",
    "Scenario",
    "Source",
    "UnknownId",
    "explain",
    "known_ids",
    "scenario_of",
]
