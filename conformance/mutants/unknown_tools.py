"""Bugs with names that no tool has: LocalAGI pull 481 and its relatives."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from conformance.adapter import AgentError
from conformance.mutants.mutant import Mutant, untouched
from conformance.reference import Parts
from conformance.reference.bounds import SAME_NAME, Bounds

LOCALAGI = "https://github.com/mudler/LocalAGI/pull/481"
ENDLESS = 10_000


class Unbounded(Bounds):
    """Never has enough, and knows no limit on requests."""

    @property
    def spent(self) -> bool:
        return False


class BoundedByName(Bounds):
    """Counts each name by itself and nothing else."""

    @property
    def spent(self) -> bool:
        return any(count > SAME_NAME for count in self.names.values())


def _nothing_said(parts: Parts) -> Parts:
    return replace(parts, unknown_tool=lambda name, offered: "")


def _observer_crashes(parts: Parts) -> Parts:
    def notify(observe: Callable[[Any], None] | None, event: Mapping[str, Any]) -> None:
        if observe is not None and event["event"] == "unknown-tool":
            raise AttributeError("'NoneType' object has no attribute 'definition'")
        parts.notify(observe, event)

    return replace(parts, notify=notify)


def _unbounded(parts: Parts) -> Parts:
    return replace(parts, bounds=lambda limits: Unbounded(ENDLESS))


def _aborted(parts: Parts) -> Parts:
    def abort(name: str, offered: Iterable[str]) -> str:
        raise AgentError(f"selected tool {name} not found in available tools")

    return replace(parts, unknown_tool=abort)


def _unlisted(parts: Parts) -> Parts:
    return replace(parts, unknown_tool=lambda name, offered: f"Error: there is no tool named {name!r}.")


def _by_name_only(parts: Parts) -> Parts:
    return replace(parts, bounds=lambda limits: BoundedByName(ENDLESS))


MUTANTS = (
    Mutant(
        "M5a_nil_action_empty_result",
        "the model is told that a tool does not exist",
        LOCALAGI,
        (("tool-names/invented-name", "*"),),
        _nothing_said,
    ),
    Mutant(
        "M5b_crash_with_observer",
        "an observer changes nothing",
        LOCALAGI,
        (("tool-names/invented-name-with-an-observer", "answers"),),
        _observer_crashes,
    ),
    Mutant(
        "M5c_unbounded_correction",
        "corrections have an end",
        LOCALAGI,
        (("tool-names/invented-name-for-ever", "bounded"),),
        _unbounded,
    ),
    Mutant(
        "M5d_abort_run",
        "an unknown name does not end the step",
        "mudler/cogito, toolSelection",
        (("tool-names/invented-name", "1.outcome"), ("tool-names/invented-in-a-batch", "*")),
        _aborted,
    ),
    Mutant(
        "M5e_control_verbs_corrected",
        "verbs that the agent handles itself are no unknown tools",
        LOCALAGI,
        (),
        untouched,
        reachable=False,
        reason="an agent's own verbs are its own tools, which no scenario can call",
    ),
    Mutant(
        "M5f_no_list",
        "the correction lists the tools that there are",
        LOCALAGI,
        (("tool-names/invented-name", "1.should.*"),),
        _unlisted,
    ),
    Mutant(
        "M5g_per_name_only",
        "corrections have an end though the name is new each time",
        LOCALAGI,
        (("tool-names/new-name-each-time", "bounded"),),
        _by_name_only,
    ),
)
