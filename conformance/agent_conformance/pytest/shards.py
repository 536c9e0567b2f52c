"""`--agent-shard=1/3`: the part of the cases that one of several machines runs, in about the time that the others take.

Who runs what depends on the selected cases alone, so that all machines agree without asking each other: measured times
would differ from machine to machine, and a case be run twice or nowhere.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec import Struct

from agent_conformance.pytest.items import CaseItem
from agent_conformance.scenario.cases import Case

_SHARD = re.compile(r"([1-9]\d{0,3})/([1-9]\d{0,3})")
IDLE = "agent_idle_shard"
"""The key under which a worker of xdist says that its shard has nothing to judge."""


class ChosenShard(Struct, frozen=True):
    """Part `number` of `of`, from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard_named(text: str) -> ChosenShard:
    """Raises `pytest.UsageError`."""
    found = _SHARD.fullmatch(text)
    if found is None or int(found[1]) > int(found[2]):
        raise pytest.UsageError(f"--agent-shard={text}: write which of how many, such as 1/3, 2/3 and 3/3")
    return ChosenShard(int(found[1]), int(found[2]))


def cost_of(case: Case) -> int:
    """About how long a case takes: the messages of the user and the replies of the model. Nothing if it cannot run."""
    return 0 if case.missing else sum(1 + len(turn.model) for turn in case.scenario.conversation)


def shards_of(cases: Iterable[Case], number: int) -> list[set[str]]:
    """The ids of each shard: from the dearest case on, each goes to the shard that has least to do so far."""

    def place(case: Case) -> tuple[int, bytes]:  # the hash keeps the wires and modes of a scenario apart
        return -cost_of(case), hashlib.sha256(case.id.encode(errors="surrogatepass")).digest()

    shards: list[set[str]] = [set() for _ in range(number)]
    loads = [(0, 0, at) for at in range(number)]
    for case in sorted(cases, key=place):
        cost, held, at = min(loads)
        loads[at] = cost + cost_of(case), held + 1, at
        shards[at].add(case.id)
    return shards


class Sharding:
    """`is_idle`: the shard has nothing to judge, and others have. Its exit code is then 0, and a line says why."""

    def __init__(self, shard: ChosenShard) -> None:
        self._shard = shard
        self.is_idle = False

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """After `-k` and `-m`, so that what they leave is what is shared out."""
        cases = {item.case.id: item.case for item in items if isinstance(item, CaseItem)}
        own = shards_of(cases.values(), self._shard.of)[self._shard.number - 1]
        others = [item for item in items if isinstance(item, CaseItem) and item.case.id not in own]
        config.hook.pytest_deselected(items=others)
        items[:] = [item for item in items if not (isinstance(item, CaseItem) and item.case.id not in own)]
        can_judge = {id for id, case in cases.items() if not case.missing}
        self.is_idle = bool(others) and (can_judge.isdisjoint(own) if can_judge else not own)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            vars(session.config)["workeroutput"][IDLE] = self.is_idle

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        self.is_idle |= getattr(node, "workeroutput", {}).get(IDLE, False)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.is_idle:
            why = "there are fewer cases than shards, and the others have them."
            terminalreporter.write_line(f"shard {self._shard} has no case to judge: {why}")
