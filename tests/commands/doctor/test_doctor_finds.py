"""Each broken adapter gets its own problem and no other; right ones get a clean report."""

import importlib
from typing import Any

import pytest

from agent_conformance.agents.reference import Adapter as Reference
from agent_conformance.attach.loading import checked_agent, load_agent
from agent_conformance.commands.doctor.command import Report, make_report
from tests.agents import right_anthropic, right_openai
from tests.agents.plain import PlainAgent
from tests.commands.doctor import broken_adapters as broken
from tests.docs.documents import ROOT


def report_on(adapter: Any, *, timeout: float = 10.0) -> Report:
    return make_report(checked_agent("broken", adapter), timeout=timeout)


def topics(report: Report, status: Any) -> list[str]:
    return [check.topic for check in report.with_status(status)]


class OnEachWire(PlainAgent):
    wires = (*PlainAgent.wires, "bedrock-converse", "cohere-chat")


@pytest.mark.parametrize("adapter", [OnEachWire, right_openai.Adapter, Reference])
def test_right_adapter_gets_a_clean_report(adapter: Any) -> None:
    report = report_on(adapter)

    assert report.is_clean
    assert {check.status for check in report.checks} <= {"ok", "not declared"}
    assert set(adapter.features) <= set(topics(report, "ok"))
    assert {f"{wire}+{mode}" for wire in adapter.wires for mode in adapter.modes} <= set(topics(report, "ok"))


def test_asynchronous_adapter_works_with_cancel_undeclared() -> None:
    importlib.import_module("anthropic")  # takes seconds on a busy machine, which would count as silence
    report = report_on(right_anthropic.Adapter)

    assert report.is_clean
    assert topics(report, "works, not declared") == ["cancel"]
    assert not topics(report, "advice")


def test_agent_in_another_language_gets_a_clean_report() -> None:
    report = make_report(load_agent("cmd:node tests/agents/node_agent.mjs", cwd=ROOT))

    assert report.is_clean
    assert not topics(report, "works, not declared")
    assert {"conversation", "native-tools", "request-limit", "tool-filter"} <= set(topics(report, "ok"))


PROBLEMS: list[tuple[Any, list[str], str, str]] = [
    (broken.YieldsNoDeltas, ["deltas"], "`send` yields no deltas", "Yield each piece"),
    (broken.YieldsTheWhole, ["deltas"], "yields the whole reply as one delta", "Yield each piece"),
    (broken.IgnoresHistory, ["history"], 'lacks "My name is Ann. What is a pear?"', "`setup.history`"),
    (
        broken.IsPlainInStream,
        ["openai-chat+stream"],
        "is for a plain response",
        "take 'stream' out of `modes`",
    ),
    (
        broken.ForgetsTools,
        ["offered", "executed", "native-tools", "tool-filter"],
        "it offers no tool",
        "`setup.tools`",
    ),
    (broken.ForgetsDescriptions, ["offered"], "lacks the description of get_weather", "`description`"),
    (broken.UsesAnotherHost, ["openai-chat+plain"], "it sends its request to api.openai.com:443", "`setup.base_url`"),
    (broken.AlsoUsesAnotherHost, ["base_url"], "it also sends requests to api.openai.com:443", "`setup.base_url`"),
    (
        broken.NeverCalls,
        ["openai-chat+plain"],
        'no request arrived; `send` returned "Hello."',
        "must send a model request",
    ),
    (broken.PostsToTheWrongPath, ["openai-chat+plain"], "it sends POST /v1/answers", "`setup.base_url`"),
    (broken.HasItsOwnKey, ["api_key"], "another key", "`setup.api_key`"),
    (broken.HasItsOwnModel, ["model"], "'gpt-4o-mini'", "`setup.model`"),
    (
        broken.SendsWhatIsRefused,
        ["openai-chat+plain"],
        "refuses its request 1 at temperature: 400 ",
        "fix it there",
    ),
    (broken.ExecutesTwice, ["executed"], "get_weather({'city': 'Oslo'}), get_weather(", "once"),
    (broken.ExecutesNothing, ["executed"], "no tool ran", "`tool.call(arguments)`"),
    (broken.LosesArguments, ["executed"], "called with {}, which its schema refuses", "the complete arguments"),
    (broken.LosesTheReply, ["reply"], '`send` returned "Done."', "Return the agent's reply"),
    (broken.ReturnsANumber, ["openai-chat+plain"], "send returned int", ""),
    (broken.FailsInInit, ["openai-chat+plain"], "__init__ raised KeyError: 'OPENAI_API_KEY'", "`__init__`"),
    (broken.Forgets, ["history", "conversation"], 'lacks "My name is Ann.', ""),
    (broken.AnswersInProse, ["native-tools"], "the tool's result as a plain message", "own form of tool results"),
    (
        broken.HasNoLimit,
        ["request-limit"],
        "with a limit of 3 requests, it sent 8",
        "`setup.limits.requests`",
    ),
    (
        broken.OffersWhatIsDisabled,
        ["tool-filter"],
        "get_tide, which is disabled in turn 1, is offered",
        "`Tool.enabled`",
    ),
    (broken.ClaimsToPrune, ["context-limit"], "the limit is 1000", "`setup.limits.context_tokens`"),
    (broken.ClaimsToRestart, ["restart"], 'the request of turn 2 lacks "My name is Ann."', "`setup.state_dir`"),
    (broken.ClaimsToBeCancelled, ["cancel"], "did not end with `Cancelled`: the reply", "`cancel()`"),
    (broken.ClaimsToHaveTools, ["own-tools"], "only the tools of `setup.tools`", "take 'own-tools' out"),
    (broken.CrashesOnItsObserver, ["observer"], "crash: StopIteration", "`setup.observe`"),
    (broken.TellsItsObserverNothing, ["observer"], "nothing was reported to the observer", "`setup.observe`"),
    (broken.AsksNobody, ["approval"], "ran without a question to the user", "`setup.approve(call)`"),
    (broken.AsksForForm, ["approval"], "a call that the user denied ran all the same", "`setup.approve(call)`"),
    (broken.IsDeaf, ["steering"], "is in no message of the user", "`steer(message)`"),
    (broken.HearsTheLast, ["steering"], '"Please answer in Norwegian.", one of two messages', "`steer(message)`"),
    (broken.MixesSessions, ["sessions"], "the second session has the words of the first", "take `session`"),
    (broken.KeepsItsModel, ["model-switch"], "after the change names the model 'gpt-4.1'", "`switch(setup)`"),
    (broken.KeepsAllThatWasSaid, ["compaction"], "tokens, the one after it", "`compact()`"),
    (broken.OffersWhatIsDeferred, ["tool-search"], "is offered before any search", "`Tool.deferred`"),
    (broken.FindsNoTool, ["tool-search"], "is not offered after that", "`search_tools`"),
    (broken.AsksNobodyElse, ["fallback"], "the second provider was not asked", "`setup.fallback`"),
    (broken.IsBlind, ["images"], "the picture of a result is not in the next request", "`Tool.call`"),
    (broken.ReadsTextAlone, ["user-images"], "the picture of the user is not in the request", "`Part`"),
    (broken.RaisesItsOwnError, ["errors"], "crash: RuntimeError: the provider said no", "`errors`"),
]


# What is at fault is not the feature: the feature is not blamed, and is not to be taken out.
OBSTACLES: list[tuple[Any, list[str], str, str]] = [
    (
        broken.RefusedInTheSecondTurn,
        ["conversation", "tool-filter"],
        "the provider refuses request 1 of turn 2 at temperature: 400 ",
        "Fix this request first",
    ),
    (
        broken.CrashesInTheSecondTurn,
        ["conversation", "tool-filter"],
        "turn 2 ended in a crash: TypeError: unsupported operand at tests/commands/doctor/broken_adapters.py:",
        "Fix this first",
    ),
    (broken.RefusedWithHistory, ["history"], "the provider refuses request 1 of turn 1", "Fix this request first"),
    (broken.CrashesWithHistory, ["history"], "__init__ raised IndexError", "Fix this first"),
    (broken.CannotStartAgain, ["restart"], "__init__ raised OSError: the file is locked", "Fix this first"),
    (broken.CrashesBeforeTheTool, ["executed"], "turn 1 ended in a crash: KeyError: 'get_weather'", "Fix this first"),
]


@pytest.mark.parametrize(
    ("adapter", "wrong", "got", "fix"), OBSTACLES, ids=[adapter.__name__ for adapter, *_ in OBSTACLES]
)
def test_refusal_and_crash_are_named_before_a_feature_is_blamed(
    adapter: Any, wrong: list[str], got: str, fix: str
) -> None:
    report = report_on(adapter)

    assert topics(report, "not working")[: len(wrong)] == wrong
    for check in report.with_status("not working")[: len(wrong)]:
        assert got in check.got
        assert fix in check.fix
        assert "take" not in check.fix


def test_agent_that_sends_an_empty_list_of_tools_can_do_all_that_it_declares() -> None:
    report = report_on(broken.SendsEmptyTools)

    assert set(broken.SendsEmptyTools.features) <= set(topics(report, "ok"))
    assert "errors" in topics(report, "ok")
    assert "--agent-tolerate=openai/tools-empty" in report.with_status("advice")[0].fix


def test_cancel_works_only_if_the_next_message_is_answered() -> None:
    [busy] = report_on(broken.StaysBusy).with_status("not working")
    [late] = report_on(broken.AnswersTheOldMessage).with_status("not working")

    assert (busy.topic, late.topic) == ("cancel", "cancel")
    assert "the message after a turn that was cancelled ends in crash: RuntimeError: a turn is running" in busy.got
    assert "a turn that was cancelled goes on" in late.got


def test_transcript_of_each_probe_is_kept_with_its_crash() -> None:
    report = report_on(broken.CrashesInTheSecondTurn)

    conversation = next(text for text in report.transcripts if text.startswith("probe probes/conversation@"))
    assert "    user: My name is Ann." in conversation.split("\n")
    assert "    crash: TypeError: unsupported operand" in conversation.split("\n")
    assert "  trace of turn 2" in conversation.split("\n")
    assert 'in begin: raise TypeError("unsupported operand")' in conversation
    assert report.seconds > 0


@pytest.mark.parametrize(
    ("adapter", "wrong", "got", "fix"), PROBLEMS, ids=[adapter.__name__ for adapter, *_ in PROBLEMS]
)
def test_problem_is_named(adapter: Any, wrong: list[str], got: str, fix: str) -> None:
    report = report_on(adapter)

    assert topics(report, "not working") == wrong
    first = report.with_status("not working")[0]
    assert got in first.got
    assert fix in first.fix
    assert not report.is_clean


ADVICE: list[tuple[Any, str, str]] = [
    (broken.ForgetsTheSystem, "system", "the Hotel Kestrel"),
    (broken.ContactsTelemetry, "other hosts", "telemetry.example.org:443"),
    (broken.RequestsATitle, "side requests", "request 1 offers no tool, and another one does"),
    (broken.WrapsEverything, "errors", "LoopError, a class in `errors`, wraps what is a bug: TypeError: "),
    (broken.YieldsAtTheEnd, "live deltas", "only after the response has ended"),
    (broken.StreamsInPlain, "openai-chat+plain", "its request is for a stream"),
    (broken.CollectsToolsOnce, "tools within a turn", "get_tide, which another tool has enabled, is not offered"),
    (broken.SendsEmptyTools, "without tools", "the provider refuses request 1 of turn 1 at tools: 400 "),
    (broken.StreamsWithEmptyTools, "without tools", "the provider refuses request 1 of turn 1 at tools: 400 "),
]


@pytest.mark.parametrize(("adapter", "topic", "got"), ADVICE, ids=[adapter.__name__ for adapter, *_ in ADVICE])
def test_advice_is_no_problem(adapter: Any, topic: str, got: str) -> None:
    report = report_on(adapter)

    assert topics(report, "advice") == [topic]
    assert got in report.with_status("advice")[0].got
    assert report.is_clean or adapter is broken.RequestsATitle


def test_declared_side_requests_are_no_advice() -> None:
    report = report_on(broken.DeclaresItsTitles)

    assert report.is_clean
    assert not topics(report, "advice")


@pytest.mark.parametrize(
    ("adapter", "working"),
    [
        (
            broken.DeclaresTooLittle,
            ["history", "conversation", "native-tools", "request-limit", "tool-filter", "observer"],
        ),
        (broken.HidesItsStreams, ["openai-chat+stream", "deltas", "restart", "cancel", "observer"]),
        (broken.HasToolsOfItsOwn, ["own-tools"]),
    ],
)
def test_what_works_and_is_not_declared_is_reported(adapter: Any, working: list[str]) -> None:
    report = report_on(adapter)

    printed = topics(report, "works, not declared")
    assert [topic for topic in printed if "+" not in topic or topic in working] == working
    assert report.is_clean


def test_wires_that_are_not_declared_are_tried() -> None:
    report = report_on(broken.DeclaresTooLittle)

    assert {"anthropic-messages+plain", "gemini-generate+plain"} <= set(topics(report, "works, not declared"))
    assert "openai-chat+stream" in topics(report, "not declared")


def test_exception_that_is_not_listed_is_shown_if_none_is_listed() -> None:
    report = report_on(broken.FailsUnlisted)

    (errors,) = [check for check in report.checks if check.topic == "errors"]
    assert errors.status == "not declared"
    assert "crash: RuntimeError" in errors.got
    assert report.is_clean


def test_nothing_else_is_tried_if_no_target_works() -> None:
    report = report_on(broken.NeverCalls)

    assert set(topics(report, "not tried")) == set(broken.NeverCalls.features)
    assert len(report.checks) == 1 + len(broken.NeverCalls.features)


def test_agent_that_claims_to_have_a_limit_for_silence_waits_for_ever() -> None:
    report = report_on(broken.ClaimsToLoseItsPatience, timeout=1.0)

    assert topics(report, "not working") == ["idle-limit"]
    assert "`setup.limits.idle_seconds`" in report.with_status("not working")[0].fix


def test_hang_is_reported_and_leaves_a_stuck_thread() -> None:
    try:
        report = report_on(broken.HangsAtOnce, timeout=0.2)
    finally:
        broken.HangsAtOnce.release.set()

    assert report.has_stuck_thread
    assert topics(report, "not working") == ["openai-chat+plain"]
    assert "send did not return within 1.2 s" in report.with_status("not working")[0].got
