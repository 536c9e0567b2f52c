"""A compaction that the user asks for in one session, on right agents and on wrong ones."""

import json
from typing import Any

import pytest

from tests.agents.plain import PlainAgent
from tests.judge.test_laws_on_sessions import TWO, OneAgentEach
from tests.trying import only_findings, verdicts

COMPACTED = TWO.replace("system:", "summaries: [{text: Ben has 12 euros.}]\nsystem:").replace(
    "    session: b\n    model:\n      - text: You have 12 euros.\n    expect: {requests: [{at: each, contains: "
    "[I am Ben.], extends: previous}]}\n",
    "    session: b\n    compact: true\n    model: [{text: You have 12 euros.}]\n",
)
THEN = """
  - user: Is that all?
    model: [{text: It is.}]
"""


class Each(OneAgentEach):
    features = OneAgentEach.features | {"compaction"}

    class agent(PlainAgent):  # noqa: N801 - in place of the attribute
        def compact(self) -> None:
            wanted = self.shape.user(f"Sum up this conversation in two sentences: {json.dumps(self.messages)}")
            summary = self.shape.read(self.post(self.shape.body(wanted, [])))[1]
            self.messages = self.shape.user(f"What was before: {summary}")

    def compact(self, session: str | None = None) -> None:
        self.agents[session].compact()


class CompactsTheFirst(Each):
    """Wrong: whoever asks."""

    def compact(self, session: str | None = None) -> None:
        self.agents[None].compact()


class ForgetsTheOthers(Each):
    """Wrong: what the other sessions have is gone with it."""

    def compact(self, session: str | None = None) -> None:
        super().compact(session)
        for name, other in self.agents.items():
            other.messages = other.messages if name == session else []


class NotesTheOthers(ForgetsTheOthers):
    """Right: it says so."""

    def compact(self, session: str | None = None) -> None:
        super().compact(session)
        first = self.agents[None]
        first.messages = first.shape.user("[Earlier messages of this session were left out.]")


class Unnamed(Each):
    def compact(self) -> None:  # type: ignore[override]
        raise AssertionError


@pytest.mark.parametrize(
    ("agent", "laws"),
    [(Each, []), (CompactsTheFirst, ["apart"]), (ForgetsTheOthers, ["restored"]), (NotesTheOthers, [])],
)
def test_compaction_of_a_session_leaves_the_others_as_they_are(agent: Any, laws: list[str]) -> None:
    [found] = only_findings(agent, COMPACTED + THEN).values()

    assert found == laws


def test_compaction_that_takes_no_session_is_not_verified() -> None:
    [verdict] = verdicts(Unnamed, COMPACTED)

    assert (verdict.outcome, verdict.reason) == (
        "not-verified",
        "its compact() takes no `session`, of which it makes the conversation shorter",
    )
