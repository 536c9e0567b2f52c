"""An agent that never stops asking ends with its case, whatever its adapter has."""

from collections.abc import Callable
from itertools import combinations
from typing import Any, get_args

import pytest

from agent_conformance.adapter.types import Feature
from tests.run.test_endless_agents import HELLO, IsRefused, NeverStops
from tests.tables import rows
from tests.trying import verdicts

MEMBERS: dict[str, dict[str, Any]] = {
    "tool_names": {"tool_names": {}},
    "tool_names called": {"tool_names": lambda self, tool: tool},
    "side_request": {"side_request": lambda self, body: False},
    "side_request of all": {"side_request": lambda self, body: True},
    "side_request answered": {"side_request": lambda self, body: "Weather"},
    "reply_tool": {"reply_tool": ("reply", "text")},
    "scrub": {"scrub": (r"\d+",)},
    "modes": {"modes": ("plain", "stream")},
    "features": {"features": frozenset(get_args(Feature))},
    "log_tail": {"log_tail": "the end of its log"},
    "cancel": {"cancel": lambda self: None},
    "kill": {"kill": lambda self: None},
    "steer": {"steer": lambda self, message: None},
    "switch": {"switch": lambda self, setup: None},
    "close": {"close": lambda self: None},
}
"""Each member of docs/adapter-reference.md that an adapter may have and need not, but `errors`."""

ALONE = [(name,) for name in MEMBERS]
PAIRS = [*combinations(MEMBERS, 2)]
ALL = tuple(MEMBERS)
"""Of two that set the same member the later one counts."""


def check(names: tuple[str, ...]) -> None:
    members: dict[str, Any] = {key: value for name in names for key, value in MEMBERS[name].items()}
    members["body"] = lambda self: NeverStops.body(self) | {"stream": self.setup.stream}
    wrong: tuple[type[NeverStops], ...] = (NeverStops, IsRefused)
    for base in wrong:
        found = verdicts(type("Asks", (base,), members), HELLO, timeout=0.5, turn_limit=60)

        assert {verdict.outcome for verdict in found} == {"fail"}, found


name_of: Callable[[tuple[str, ...]], str] = " and ".join


@rows("names", [*ALONE, ALL], ids=lambda names: name_of(names)[:60])
def test_agent_that_never_stops_asking_is_stopped(names: tuple[str, ...]) -> None:
    check(names)


@pytest.mark.weekly
@rows("names", PAIRS, ids=name_of)
def test_agent_that_never_stops_asking_is_stopped_with_two_members(names: tuple[str, ...]) -> None:
    check(names)
