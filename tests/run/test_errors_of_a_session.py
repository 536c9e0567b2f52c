"""What a session says where the agent cannot be judged: a mistake of the adapter, of the scenario, or of its own."""

import shutil
from typing import Any, ClassVar

import pytest

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.attach.loading import checked_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.transcripts.finding import Verdict
from tests.agents.plain import PlainAgent
from tests.trying import ONE_CALL, scenario, verdicts

SLOW = r"(a|aa)+$"
LONG_REPLY = ONE_CALL.replace("It is 7 degrees and raining in Oslo.", "a" * 60 + "b")
CHAT = RunOptions(wires=("openai-chat",))


def only(adapter: Any, text: str = ONE_CALL, **options: Any) -> Verdict:
    """The verdict of the one case on one wire."""
    (verdict,) = verdicts(adapter, text, wires=("openai-chat",), **options)
    return verdict


def test_right_agent_has_a_narrative_where_it_is_wanted() -> None:
    agent = checked_agent("trying", PlainAgent)
    (case,) = cases_of(scenario(ONE_CALL), agent, CHAT)

    with CaseSession(agent) as wanted, CaseSession(agent, narrates=lambda _: False) as unwanted:
        assert "get_weather" in wanted.run(case).narrative
        assert unwanted.run(case).narrative == ""


def test_pattern_of_the_adapter_that_never_ends_is_its_mistake() -> None:
    class Scrubs(PlainAgent):
        scrub = (SLOW,)

    verdict = only(Scrubs, LONG_REPLY)

    assert (verdict.outcome, verdict.case) == ("error", "trying/this@openai-chat+plain")
    assert verdict.reason.startswith("the adapter's `scrub`: the regular expression")


def test_pattern_of_the_scenario_that_never_ends_is_its_mistake() -> None:
    verdict = only(PlainAgent, LONG_REPLY + f"    expect: {{reply: {{matches: '{SLOW}'}}}}\n")

    assert (verdict.outcome, verdict.case) == ("error", "trying/this@openai-chat+plain")
    assert "trying/this.yaml: `matches`: the regular expression" in verdict.reason


def test_agent_that_never_streams_is_not_judged_as_one_that_does() -> None:
    class Streams(PlainAgent):
        modes = ("stream",)

    verdict = only(Streams)

    assert verdict.outcome == "error"
    assert "declares the mode stream" in verdict.reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (LookupError("no such thing"), "the suite's own fake failed, please report it: LookupError"),
        (AdapterMistake("`tool_names` is 7"), "`tool_names` is 7"),
    ],
)
def test_failure_within_the_fake_is_an_error_of_one_case(error: Exception, reason: str) -> None:
    failing: list[Exception] = [error, error]

    class Meets(PlainAgent):
        def begin(self, message: str) -> None:
            while failing:
                runner._fake_failed("/v1/chat/completions", failing.pop())
            super().begin(message)

    agent = checked_agent("trying", Meets)
    (case,) = cases_of(scenario(ONE_CALL), agent, CHAT)
    with CaseSession(agent) as runner:
        first, second = runner.run(case), runner.run(case)

    assert (first.outcome, first.reason[: len(reason)]) == ("error", reason)
    assert (second.outcome, second.reason) == ("pass", "")


def test_names_of_tools_that_are_no_names_are_a_mistake_of_the_adapter() -> None:
    class Names(PlainAgent):
        tool_names: ClassVar[Any] = 7

    verdict = only(Names)

    assert verdict.outcome == "error"
    assert verdict.reason.startswith("the adapter's tool_names is an int")


@pytest.mark.parametrize(("transport", "in_process"), [("process", True), ("loopback", False)])
def test_adapter_that_reaches_the_fakes_itself_is_told_where_they_are(transport: str, in_process: bool) -> None:
    class Reaches(PlainAgent):
        found: ClassVar[list[Any]] = []

        @classmethod
        def reach_fakes(cls, answerer: Any, host: str, port: int) -> None:
            cls.found.append((answerer, host, port))

    with CaseSession(checked_agent("trying", Reaches), transport=transport):
        ((answerer, host, port),) = Reaches.found

    assert (answerer is not None, host) == (in_process, "127.0.0.1")
    assert isinstance(port, int)


def test_agent_that_deletes_the_folders_of_all_cases_has_a_folder_in_the_next() -> None:
    class Deletes(PlainAgent):
        def begin(self, message: str) -> None:
            shutil.rmtree(self.setup.state_dir.parent, ignore_errors=True)
            super().begin(message)

    assert [verdict.outcome for verdict in verdicts(Deletes, ONE_CALL)] == ["pass"] * 5
