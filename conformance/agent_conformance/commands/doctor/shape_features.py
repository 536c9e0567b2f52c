"""Whether a probe run shows that the agent keeps to the setup's `output_schema` and `tool_choice`. Knows no agent.

Each function returns None if the feature works, else the `Problem`.
"""

from agent_conformance.commands.doctor.check import Problem
from agent_conformance.commands.doctor.features import turn_ending
from agent_conformance.commands.doctor.obstacles import obstacle
from agent_conformance.commands.doctor.probe_runner import ProbeRun
from agent_conformance.run.provider.structured_output import json_object

PROPERTIES = {"place_name", "temperature_celsius"}


def structured_output(probe_run: ProbeRun) -> Problem | None:
    fix = (
        "Send `setup.output_schema` with the request that the model answers, where the wire has a field for it, as a "
        "tool of your own (`reply_tool`) or in the prompt, and return the JSON as it is."
    )
    if not probe_run.turns or probe_run.turns[0].outcome != "reply":
        return obstacle(probe_run) or Problem(turn_ending(probe_run), fix)
    value = json_object(probe_run.turns[0].reply)
    if value is not None and value.keys() == PROPERTIES:
        return None
    return Problem("the reply is not JSON of the schema in the setup", fix)


def tool_choice(probe_run: ProbeRun) -> Problem | None:
    fix = "Send `setup.tool_choice` in the first request of a turn, in the wire's own form, and not after the result."
    first, second = probe_run.counted[:1], probe_run.counted[1:2]
    if not first:
        return obstacle(probe_run) or Problem(turn_ending(probe_run), fix)
    if not first[0].view.forces:
        return Problem("the first request forces no call", fix)
    if second and second[0].view.forces == first[0].view.forces:
        return Problem("a request after the result forces the same call again", fix)
    return None
