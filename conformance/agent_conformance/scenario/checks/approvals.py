"""What must agree between tools with `approval`, the answers of the user and the calls of the model. Knows no line."""

from collections.abc import Iterable
from itertools import pairwise

from agent_conformance.scenario.checks.mistakes import Found, demands_of
from agent_conformance.scenario.model import Demands, Scenario, Turn
from agent_conformance.scenario.yaml_files.problems import did_you_mean, listed
from agent_conformance.scenario.yaml_files.reading import KeyPath


def check_approvals(scenario: Scenario) -> Found:
    """Path and sentence of each mistake."""
    asking = [tool.name for tool in scenario.tools if tool.approval is not None]
    for index, turn in enumerate(scenario.conversation):
        path = ("conversation", index)
        yield from _of_answers(turn, (*path, "approve"), asking)
        yield from _unanswered(turn, (*path, "model"), asking)
        for demands, place in demands_of(turn, index):
            yield from _of_demands(demands, place, asking)
        if turn.cancel is not None and turn.cancel.at == "approval" and not turn.approve:
            yield (*path, "cancel", "at"), "nobody asks in this turn: say in `approve` what the user answers."
        if pending(turn) and turn.expect.outcome is not None:
            yield (*path, "expect", "outcome"), "`outcome` says how a turn ends whose answers are there. Leave it out."
    yield from _of_pending(scenario.conversation)


def pending(turn: Turn) -> list[str]:
    """The tools about which the user has not answered by the end of this turn."""
    return [
        tool for tool, given in turn.approve.items() if "pending" in (given if isinstance(given, list) else [given])
    ]


def _of_answers(turn: Turn, path: KeyPath, asking: list[str]) -> Found:
    for tool, given in turn.approve.items():
        yield from _not_asking(tool, (*path, tool), asking)
        if given == []:
            yield (*path, tool), "this list is empty. Write one answer for each call, or a single one for all."


def _unanswered(turn: Turn, path: KeyPath, asking: list[str]) -> Found:
    for index, reply in enumerate(turn.model):
        for place, call in enumerate(reply.calls):
            if call.name in asking and call.name not in turn.approve:
                yield (
                    (*path, index, "calls", place, "name"),
                    f"`{call.name}` has `approval: ask`. Say in `approve` of this turn what the user answers.",
                )


def _of_demands(demands: Demands, path: KeyPath, asking: list[str]) -> Found:
    for index, call in enumerate(demands.approvals or []):
        if len(call) != 1:
            yield (
                (*path, "approvals", index),
                f"a call has {len(call)} names; expected one, such as `{{delete_file: {{path: a.txt}}}}`.",
            )
        for name in call:
            yield from _not_asking(name, (*path, "approvals", index, name), asking)


def _of_pending(turns: list[Turn]) -> Found:
    for index, (turn, following) in enumerate(pairwise([*turns, None])):
        for tool in pending(turn) if turn is not None else ():
            at = ("conversation", index, "approve", tool)
            if following is None or not following.restart:
                yield at, "`pending` is answered after a restart: the next turn needs `restart: true`."
            elif isinstance(following.approve.get(tool, []), list):
                yield at, f"`{tool}` is pending. Give one answer in `approve` of the next turn: `{{{tool}: true}}`."


def _not_asking(name: str, path: KeyPath, asking: Iterable[str]) -> Found:
    known = list(asking)
    if name not in known:
        allowed = f"Those that do: {listed(known)}." if known else "No tool does."
        yield path, f"`{name}` is no tool with `approval: ask`.{did_you_mean(name, known)} {allowed}"
