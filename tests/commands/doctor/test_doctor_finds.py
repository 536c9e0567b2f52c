"""Each ailing adapter is named by what ails it, and by nothing else; right ones are given a clean bill."""

from typing import Any

import pytest

from conformance.agents.loading import declared_agent, load_agent
from conformance.agents.reference import Adapter as Reference
from conformance.commands.doctor.examination import Report, examine
from tests.agents import right_anthropic, right_openai
from tests.agents.plain import PlainAgent
from tests.commands.doctor import ailing
from tests.docs.documents import ROOT


def examined(adapter: Any, *, timeout: float = 10.0) -> Report:
    return examine(declared_agent("ailing", adapter), timeout=timeout)


def topics(report: Report, status: Any) -> list[str]:
    return [check.topic for check in report.with_status(status)]


@pytest.mark.parametrize("adapter", [PlainAgent, right_openai.Adapter, Reference])
def test_right_adapter_gets_a_clean_bill(adapter: Any) -> None:
    report = examined(adapter)

    assert report.is_clean
    assert {check.status for check in report.checks} <= {"ok", "not declared"}
    assert set(adapter.features) <= set(topics(report, "ok"))
    assert {f"{wire}+{mode}" for wire in adapter.wires for mode in adapter.modes} <= set(topics(report, "ok"))


def test_asynchronous_adapter_is_told_that_it_can_be_cancelled() -> None:
    report = examined(right_anthropic.Adapter)

    assert report.is_clean
    assert topics(report, "works, not declared") == ["cancel"]
    assert not topics(report, "advice")


def test_agent_in_another_language_gets_a_clean_bill() -> None:
    report = examine(load_agent("cmd:node tests/agents/node_agent.mjs", cwd=ROOT))

    assert report.is_clean
    assert not topics(report, "works, not declared")
    assert {"conversation", "native-tools", "request-limit", "tool-filter"} <= set(topics(report, "ok"))


FAULTS: list[tuple[Any, list[str], str, str]] = [
    (ailing.YieldsNoDeltas, ["deltas"], "there is none", "Yield each piece"),
    (ailing.YieldsTheWhole, ["deltas"], "the whole reply as one", "Yield each piece"),
    (ailing.IgnoresHistory, ["history"], 'lacks "My name is Ann. What is a pear?"', "`setup.history`"),
    (ailing.AsksPlainInStream, ["openai-chat+stream"], "asks for a plain response", "take 'stream' out of `modes`"),
    (ailing.ForgetsTools, ["offered", "executed", "native-tools", "tool-filter"], "it offers no tool", "`setup.tools`"),
    (ailing.ForgetsDescriptions, ["offered"], "lacks the description of get_weather", "`description`"),
    (ailing.GoesElsewhere, ["openai-chat+plain"], "it asks api.openai.com:443", "`setup.base_url`"),
    (ailing.AlsoGoesElsewhere, ["base_url"], "it also asks api.openai.com:443", "`setup.base_url`"),
    (ailing.NeverCalls, ["openai-chat+plain"], 'no request arrived; send gave "Hello."', "must ask the model"),
    (ailing.PostsToTheWrongPath, ["openai-chat+plain"], "it asks POST /v1/completions", "`setup.base_url`"),
    (ailing.HasItsOwnKey, ["api_key"], "another key", "`setup.api_key`"),
    (ailing.HasItsOwnModel, ["model"], "'gpt-4o-mini'", "`setup.model`"),
    (ailing.SendsWhatIsRefused, ["openai-chat+plain"], "refuses its request 1 at temperature: 400 ", "mend that"),
    (ailing.ExecutesTwice, ["executed"], "get_weather({'city': 'Oslo'}), get_weather(", "once"),
    (ailing.ExecutesNothing, ["executed"], "no tool was run", "`tool.call(arguments)`"),
    (ailing.LosesArguments, ["executed"], "called with {}, which its schema refuses", "the whole object"),
    (ailing.LosesTheReply, ["reply"], 'send gave "Done."', "Return the agent's reply"),
    (ailing.ReturnsANumber, ["openai-chat+plain"], "send returned int", ""),
    (ailing.CannotBeMade, ["openai-chat+plain"], "__init__ raised KeyError: 'OPENAI_API_KEY'", "`__init__`"),
    (ailing.Forgets, ["history", "conversation"], 'lacks "My name is Ann.', ""),
    (ailing.AnswersInProse, ["native-tools"], "the tool's result as a plain message", "own tool results"),
    (ailing.HasNoLimit, ["request-limit"], "given a limit of 3 requests, it made 8", "`setup.limits.requests`"),
    (
        ailing.OffersWhatIsDisabled,
        ["tool-filter"],
        "get_tide, which is disabled in turn 1, is offered",
        "`Tool.enabled`",
    ),
    (ailing.SaysItPrunes, ["context-limit"], "given was a limit of 1000", "`setup.limits.context_tokens`"),
    (ailing.SaysItRestarts, ["restart"], 'the request of turn 2 lacks "My name is Ann."', "`setup.state_dir`"),
    (ailing.SaysItIsCancelled, ["cancel"], "did not end as cancelled: the reply", "`cancel()`"),
    (ailing.SaysItHasTools, ["own-tools"], "only the tools of `setup.tools`", "take 'own-tools' out"),
    (ailing.FallsOverItsObserver, ["observer"], "crash: StopIteration", "`setup.observe`"),
    (ailing.FailsWithoutWords, ["errors"], "crash: RuntimeError: the provider said no", "`errors`"),
]


@pytest.mark.parametrize(
    ("adapter", "wrong", "seen", "change"), FAULTS, ids=[adapter.__name__ for adapter, *_ in FAULTS]
)
def test_fault_is_named(adapter: Any, wrong: list[str], seen: str, change: str) -> None:
    report = examined(adapter)

    assert topics(report, "not working") == wrong
    first = report.with_status("not working")[0]
    assert seen in first.seen
    assert change in first.change
    assert not report.is_clean


ADVICE: list[tuple[Any, str, str]] = [
    (ailing.ForgetsTheSystem, "system", "the Hotel Kestrel"),
    (ailing.CallsHome, "other hosts", "telemetry.example.org:443"),
    (ailing.AsksForATitle, "side requests", "request 1 offers no tool, and another one does"),
    (ailing.YieldsAtTheEnd, "live deltas", "only when the response has ended"),
    (ailing.StreamsInPlain, "openai-chat+plain", "asks for a stream all the same"),
]


@pytest.mark.parametrize(("adapter", "topic", "seen"), ADVICE, ids=[adapter.__name__ for adapter, *_ in ADVICE])
def test_advice_is_no_fault(adapter: Any, topic: str, seen: str) -> None:
    report = examined(adapter)

    assert topics(report, "advice") == [topic]
    assert seen in report.with_status("advice")[0].seen
    assert report.is_clean or adapter is ailing.AsksForATitle


def test_side_requests_that_are_declared_are_none() -> None:
    report = examined(ailing.DeclaresItsTitles)

    assert report.is_clean
    assert not topics(report, "advice")


@pytest.mark.parametrize(
    ("adapter", "working"),
    [
        (
            ailing.DeclaresTooLittle,
            ["history", "conversation", "native-tools", "request-limit", "tool-filter"],
        ),
        (ailing.HidesItsStreams, ["openai-chat+stream", "deltas", "restart", "cancel", "observer"]),
        (ailing.HasToolsOfItsOwn, ["own-tools"]),
    ],
)
def test_what_works_and_is_not_declared_is_told(adapter: Any, working: list[str]) -> None:
    report = examined(adapter)

    told = topics(report, "works, not declared")
    assert [topic for topic in told if "+" not in topic or topic in working] == working
    assert report.is_clean


def test_wires_that_are_not_declared_are_tried() -> None:
    report = examined(ailing.DeclaresTooLittle)

    assert {"anthropic-messages+plain", "gemini-generate+plain"} <= set(topics(report, "works, not declared"))
    assert "openai-chat+stream" in topics(report, "not declared")


def test_exception_that_is_not_listed_is_told_where_none_is_listed() -> None:
    report = examined(ailing.FailsUnlisted)

    (errors,) = [check for check in report.checks if check.topic == "errors"]
    assert errors.status == "not declared"
    assert "crash: RuntimeError" in errors.seen
    assert report.is_clean


def test_nothing_else_is_tried_where_no_target_works() -> None:
    report = examined(ailing.NeverCalls)

    assert set(topics(report, "not tried")) == set(ailing.NeverCalls.features)
    assert len(report.checks) == 1 + len(ailing.NeverCalls.features)


def test_hang_is_reported_and_leaves_a_stuck_thread() -> None:
    try:
        report = examined(ailing.HangsAtOnce, timeout=0.2)
    finally:
        ailing.HangsAtOnce.release.set()

    assert report.has_stuck_thread
    assert topics(report, "not working") == ["openai-chat+plain"]
    assert "send did not return within 0.2 s" in report.with_status("not working")[0].seen
