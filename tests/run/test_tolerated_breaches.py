"""What one refusal hides is judged where its rule is tolerated; the breach itself is a finding that counts as known."""

from typing import Any

from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, scenario

RULE = "openai/tools-empty"
NO_TOOLS = """\
wires: [openai-chat]
conversation:
  - user: Say hello.
    model:
      - text: Hello.
"""
CALL = "wires: [openai-chat]\n" + ONE_CALL


class SendsEmptyTools(PlainAgent):
    def body(self) -> dict[str, Any]:
        return {"tools": [], **super().body()}


class AlsoSaysNothing(SendsEmptyTools):
    def reply(self, text: str) -> str:
        return ""


class LeavesACallUnanswered(PlainAgent):
    def answer(self, results: Any) -> None:
        self.messages += self.shape.user("go on")


def judged(adapter: Any, text: str, *tolerated: str) -> Verdict:
    agent = checked_agent("trying", adapter)
    with CaseSession(agent, tolerated=tolerated) as runner:
        [case] = cases_of(scenario(text), agent, RunOptions())
        return runner.run(case)


def ids(verdict: Verdict) -> list[tuple[str, bool, bool]]:
    return [(finding.id, finding.is_tolerated, finding.ends_case) for finding in verdict.findings]


def test_refusal_ends_a_case_and_hides_what_follows() -> None:
    assert ids(judged(SendsEmptyTools, NO_TOOLS)) == [(f"accepted:{RULE}", False, True)]
    assert ids(judged(AlsoSaysNothing, NO_TOOLS)) == [(f"accepted:{RULE}", False, True)]


def test_right_agent_but_for_the_breach_has_that_alone() -> None:
    verdict = judged(SendsEmptyTools, NO_TOOLS, RULE)

    assert ids(verdict) == [(f"accepted:{RULE}", True, False)]
    assert f"tolerated {RULE}: " in verdict.narrative
    assert "reply: Hello." in verdict.narrative


def test_wrong_agent_gets_what_the_breach_hid() -> None:
    assert ids(judged(AlsoSaysNothing, NO_TOOLS, RULE)) == [
        (f"accepted:{RULE}", True, False),
        ("answers", False, False),
        ("survives", False, False),
    ]


def test_law_that_finds_the_same_in_the_messages_is_no_finding_of_its_own() -> None:
    [refused] = judged(LeavesACallUnanswered, CALL).findings
    rule = refused.id.removeprefix("accepted:")
    [tolerated] = judged(LeavesACallUnanswered, CALL, rule).findings

    assert tolerated.id == refused.id
    assert tolerated.is_tolerated
    assert any(text.startswith("paired: ") for text in map(str, tolerated.consequences))


def test_agent_that_breaks_nothing_is_judged_alike() -> None:
    assert judged(PlainAgent, CALL, RULE) == judged(PlainAgent, CALL)
