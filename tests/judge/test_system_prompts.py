"""`system-kept` on instructions that were cut: right agents of several styles, and wrong ones."""

import html
from dataclasses import replace
from typing import Any

import pytest

from agent_conformance import Setup
from tests.agents.plain import PlainAgent
from tests.judge.trying_laws import assert_breaks_only, assert_right
from tests.trying import ONE_CALL, only_findings

RULES = [f"{number}. A customer with a contract of type {number} is sent to room {number * 7}." for number in range(9)]
LONG = f"system: {chr(10).join(RULES)!r}\n".replace("'", '"') + ONE_CALL
LIMITED = "limits: {context_tokens: 4000}\n" + LONG


class Writes(PlainAgent):
    """Sends the instructions as a subclass writes them."""

    def __init__(self, setup: Setup) -> None:
        super().__init__(replace(setup, system=self.written(setup.system)))

    def written(self, system: str) -> str:
        return f"You work for a shop.\n\n{system}\n\nToday is Monday."


class WritesAList(Writes):
    def written(self, system: str) -> str:
        return "\n".join(f"- {line}" for line in system.splitlines())


class WritesMarkup(Writes):
    def written(self, system: str) -> str:
        return f"<rules>{html.escape(system.replace('A customer', '<A customer>'))}</rules>".replace(
            "&lt;A customer&gt;", "A customer"
        )


class WritesInOtherWords(Writes):
    def written(self, system: str) -> str:
        return "Customers are sent to rooms."


class FillsIn(Writes):
    def written(self, system: str) -> str:
        return super().written(system.replace("type 4", "the fourth type"))


class SaysThatItCut(Writes):
    def written(self, system: str) -> str:
        return f"{system[:200]}\n[... 300 characters of instructions were left out]"


class Cuts(Writes):
    def written(self, system: str) -> str:
        return system[:200]


class CutsWithinItsOwn(Writes):
    def written(self, system: str) -> str:
        return super().written(system[:200])


class KeepsTheEnd(Writes):
    def written(self, system: str) -> str:
        return system[-200:]


class LosesTheMiddle(Writes):
    def written(self, system: str) -> str:
        return super().written(system[:150] + system[-150:])


class CutsWithinALimit(Cuts):
    features = Cuts.features | {"context-limit"}


RIGHT = [PlainAgent, Writes, WritesAList, WritesMarkup, WritesInOtherWords, FillsIn, SaysThatItCut]


@pytest.mark.parametrize("agent", RIGHT)
def test_instructions_that_are_whole_or_marked_or_said_in_other_words_are_right(agent: Any) -> None:
    assert_right(agent, LONG)


@pytest.mark.parametrize("agent", [Cuts, CutsWithinItsOwn, KeepsTheEnd, LosesTheMiddle])
def test_instructions_that_were_cut_in_silence_are_one_finding(agent: Any) -> None:
    assert_breaks_only("system-kept", agent, LONG)


def test_instructions_may_be_cut_where_the_context_is_limited() -> None:
    assert {*map(tuple, only_findings(CutsWithinALimit, LIMITED).values())} == {()}
