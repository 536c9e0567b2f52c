"""Whether a probe run shows `images` and `user-images`. Knows no agent.

Each function returns None if the feature works, else the `Problem`.
"""

from agent_conformance.commands.doctor.check import Problem
from agent_conformance.commands.doctor.features import turn_ending
from agent_conformance.commands.doctor.obstacles import obstacle
from agent_conformance.commands.doctor.probe_runner import ProbeRun
from agent_conformance.judge.pictures import last_pictures


def images(probe_run: ProbeRun) -> Problem | None:
    fix = "Send the parts of type `image` that `Tool.call` returns as pictures, in the result or after it."
    return _picture(probe_run, requests=2, what="the picture of a result is not in the next request", fix=fix)


def user_images(probe_run: ProbeRun) -> Problem | None:
    fix = "Let `send` take a list of `Part`, and send those of type `image` as pictures."
    return _picture(probe_run, requests=1, what="the picture of the user is not in the request", fix=fix)


def _picture(probe_run: ProbeRun, *, requests: int, what: str, fix: str) -> Problem | None:
    if len(probe_run.counted) < requests:
        return obstacle(probe_run) or Problem(turn_ending(probe_run), fix)
    return None if last_pictures(probe_run.counted[requests - 1].view) else Problem(what, fix)
