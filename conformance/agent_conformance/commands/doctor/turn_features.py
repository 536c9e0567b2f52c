"""Whether a probe run shows what goes on around a turn: `approval`, `steering`, `sessions`, `server-tools`,
`model-switch`, `fallback`. Knows no agent.

Each function returns None if the feature works, else the `Problem`.
"""

from agent_conformance.commands.doctor.check import Problem
from agent_conformance.commands.doctor.features import turn_ending
from agent_conformance.commands.doctor.obstacles import obstacle
from agent_conformance.commands.doctor.probe_runner import ProbeRun

SAID = "Please answer in Norwegian."


def approval(probe_run: ProbeRun) -> Problem | None:
    record = probe_run.turns[0] if probe_run.turns else None
    fix = "Call `setup.approve(call)` before a tool with `Tool.approval` runs, and run it only if that returns true."
    if record is None or not (record.approvals or record.executions):
        return obstacle(probe_run) or Problem(f"nobody was asked to allow a call: {turn_ending(probe_run)}", fix)
    if not record.approvals:
        return Problem("a tool with `approval` ran without a question to the user", fix)
    return Problem("a call that the user denied ran all the same", fix) if record.executions else None


def steering(probe_run: ProbeRun) -> Problem | None:
    fix = "Let `steer(message)` add the message to the conversation as the user's, after the results of open calls."
    request = probe_run.first_of(2)
    if request is None or probe_run.turns[0].steered_after is None:
        return obstacle(probe_run) or Problem(turn_ending(probe_run), fix)
    said = "\n".join(one.text for request in probe_run.counted for one in request.view.messages if one.role == "user")
    return None if SAID in said else Problem("what was said while a tool ran is in no message of the user", fix)


def sessions(probe_run: ProbeRun) -> Problem | None:
    fix = "Let `send` take `session`, the name of a conversation, and keep the messages of each by its name."
    first, second, third = (probe_run.first_of(turn) for turn in (1, 2, 3))
    if first is None or second is None or third is None:
        return obstacle(probe_run) or Problem(turn_ending(probe_run), fix)
    if "My name is Ann." in second.view.texts:
        return Problem("a request of the second session has the words of the first", fix)
    has_forgotten = "My name is Ann." not in third.view.texts
    return Problem("the first session is forgotten after a message in the second", fix) if has_forgotten else None


def server_tools(probe_run: ProbeRun) -> Problem | None:
    fix = "Declare `setup.server_tools` in each request, and send a reply that the provider has paused back as it is."
    if len(probe_run.counted) > 1 and probe_run.turns[0].outcome == "reply":
        return None
    return obstacle(probe_run) or Problem(
        f"a turn that the provider has paused does not go on: {turn_ending(probe_run)}", fix
    )


def model_switch(probe_run: ProbeRun) -> Problem | None:
    fix = "Let `switch(setup)` take the new `setup.model` and `setup.base_url`, and keep the conversation."
    request = probe_run.first_of(2)
    if request is None:
        return obstacle(probe_run) or Problem(turn_ending(probe_run), fix)
    wanted = probe_run.turns[1].target
    if wanted is not None and not request.view.model.endswith(wanted.model):
        return Problem(f"the request after the change names the model {request.view.model!r}", fix)
    has_forgotten = "My name is Ann." not in request.view.texts
    return Problem("the conversation is forgotten with the change of the model", fix) if has_forgotten else None


def fallback(probe_run: ProbeRun) -> Problem | None:
    fix = "Where the provider fails for good, send the request to that of `setup.fallback`, for its model."
    request = probe_run.first_of(1)
    if request is None or request.target is None:
        return Problem(f"the second provider was not asked: {turn_ending(probe_run)}", fix)
    if request.view.model.endswith(request.target.model):
        return None
    return Problem(f"the request to the second provider names the model {request.view.model!r}", fix)
