"""Results made by hand: a small run with each kind of outcome, and one of any number of cases."""

import json
from dataclasses import replace

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.report_data.model import (
    Agent,
    AttemptResult,
    Body,
    CaseOutcome,
    CaseRecord,
    FindingResult,
    Place,
    RequestResult,
    Results,
    RuleText,
    SnapshotResult,
    Suite,
    TurnResult,
    ViolationResult,
    with_cases,
)

RULE = "openai/tool-calls-unanswered"
REQUEST = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "user", "content": "What is the weather in Oslo?"},
        {"role": "assistant", "tool_calls": [{"id": "call_1", "function": {"name": "get_weather", "arguments": "{}"}}]},
        {"role": "user", "content": "Go on."},
    ],
}
MESSAGE = "An assistant message with 'tool_calls' must be followed by tool messages."
HEADERS = (
    ("content-type", "application/json"),
    ("authorization", "Bearer $OPENAI_API_KEY"),
    ("host", "127.0.0.1:PORT"),
)

REFUSED = FindingResult(
    f"accepted:{RULE}",
    RULE,
    "rule",
    "must",
    "new",
    law="accepted",
    rule=RULE,
    facts=(
        ("at", "turn 1, request 2, messages[1]"),
        ("refused", f"400 {MESSAGE}"),
        ("source", "scenarios/history/a.yaml:3   https://example.org/issues/1"),
    ),
    consequences=("reply: not reached",),
    source="https://example.org/issues/1",
    place=Place(1, 2, "messages[1]"),
)
CRASHED = FindingResult(
    "answers",
    "answers",
    "law",
    "must",
    "known",
    law="answers",
    detail="KeyError at agent.py:45",
    facts=(("got", "KeyError: 'ghost' at agent.py:45"),),
    place=Place(1),
    known="the maintainers know, issue 7",
    file_line="src/agent.py:45",
    origin=CodePlace("src/agent.py", 45),
    trace='Traceback (most recent call last):\n  File "src/agent.py", line 45\nKeyError: ghost',
)
ADVICE = FindingResult("property-order", "property-order", "law", "should", "advice", law="property-order")
CHANGED = FindingResult("snapshot", "snapshot", "snapshot", "must", "new", facts=(("expected", "as it was recorded"),))
TURN = TurnResult(
    1,
    "What is the weather in Oslo?",
    outcome="error",
    failure="AgentFailure: the provider refused the request",
    attempts=(AttemptResult(1, "get_weather", '{"city": "Oslo"}', True, "rainy", requests_before=1),),
    requests=(
        RequestResult(
            1, "reply", 200, "openai", "openai-chat", "gpt-4.1", ("get_weather",),
            "user: What is the weather in Oslo?\n", "model calls get_weather {} (id-1)\n", request="r1", response="a1",
        ),
        RequestResult(
            2, "refused", 400, "openai", "openai-chat", "gpt-4.1", ("get_weather",), "user: Go on.\n",
            violation=ViolationResult(RULE, "messages[1]", MESSAGE), attempts_before=1, request="r2", response="a2",
        ),
    ),
)  # fmt: skip
BODIES = {
    "r1": Body(json.dumps({**REQUEST, "messages": REQUEST["messages"][:1]}), HEADERS, "POST", "/v1/chat/completions"),
    "a1": Body('{"choices": []}', status=200),
    "r2": Body(json.dumps(REQUEST), HEADERS, "POST", "/v1/chat/completions"),
    "a2": Body(json.dumps({"error": {"message": MESSAGE}}), status=400),
}
DIFF = "--- recorded\n+++ got\n@@ -1 +1 @@\n-hello\n+Result: hello"
NARRATIVE = "turn 1\n  user: Hello.\n  request 1: offers get_weather\n    user: Hello.\n  model: Hi.\n  reply: Hi.\n"


def case(name: str, outcome: CaseOutcome, *findings: FindingResult, wire: str = "openai-chat") -> CaseRecord:
    """`name` is `area/scenario`. A case with a finding has turns."""
    return CaseRecord(
        id=f"{name}@{wire}+plain",
        scenario=name,
        example="",
        area=name.partition("/")[0],
        profile="core",
        wire=wire,
        provider="openai",
        mode="plain",
        file=f"scenarios/{name}.yaml",
        title=f"what {name} is about",
        outcome=outcome,
        sources=("https://example.org/issues/1", "a recording of 2026"),
        seconds=0.25,
        rerun=f"pytest --agent=mymodule:Adapter {name}@{wire}+plain",
        findings=findings,
        narrative=NARRATIVE,
        turns=(TURN,) if findings else (),
    )


def sample() -> Results:
    """One case of each kind, in three areas and on two wires."""
    changed = case("round-trip/prefix", "fail", CHANGED)
    unable = case("turns/steered", "not-verified")
    cases = (
        case("history/lost-result", "fail", REFUSED, ADVICE),
        case("history/lost-result", "pass", wire="anthropic-messages"),
        case("history/ghost", "known", CRASHED),
        replace(changed, snapshot=SnapshotResult("changed", DIFF)),
        replace(case("round-trip/broken", "error"), reason="Adapter.start raised: no such file"),
        replace(unable, reason="the agent takes no steering", missing=("steering",)),
        case("round-trip/result-comes-back", "pass"),
    )
    return with_cases(run(), cases, BODIES)


def earlier_sample() -> Results:
    """A run before that of `sample`: one finding is new since then, one has changed, and one is fixed."""
    other_place = replace(CRASHED, facts=(("got", "KeyError: 'ghost' at agent.py:12"),))
    cases = (
        case("history/lost-result", "fail", ADVICE),
        case("history/ghost", "known", other_place),
        case("round-trip/prefix", "fail", CHANGED),
        case("round-trip/result-comes-back", "fail", CRASHED),
    )
    return with_cases(replace(run(), started="2026-11-21T12:00:00Z"), cases, {})


def run() -> Results:
    return Results(
        suite=Suite("0.1.0"),
        agent=Agent("mymodule:Adapter", ("openai-chat", "anthropic-messages"), version="1.2"),
        command="pytest --agent=mymodule:Adapter",
        started="2026-11-22T12:00:00Z",
        seconds=12.0,
        ended="complete",
        rules={RULE: RuleText("A call has no result.", "recorded", "https://example.org/docs", "must be followed by")},
    )


def many(count: int, *, failing_each: int = 3) -> Results:
    """So many cases, every `failing_each`-th of which fails, each with bodies of its own."""
    cases, bodies = [], {}
    for number in range(count):
        name, wire = f"area-{number % 17:02}/case-{number:05}", ("openai-chat", "anthropic-messages")[number % 2]
        if number % failing_each:
            cases.append(replace(case(name, "pass", wire=wire), narrative=f"{NARRATIVE}{number}\n" * 20))
            continue
        own = {id: f"{id}-{number}" for id in BODIES}
        bodies |= {
            own[id]: replace(body, text=body.text.replace("Oslo", f"Oslo {number}" * 40)) for id, body in BODIES.items()
        }
        requests = [replace(one, request=own[one.request], response=own[one.response]) for one in TURN.requests]
        cases.append(replace(case(name, "fail", REFUSED, wire=wire), turns=(replace(TURN, requests=tuple(requests)),)))
    return with_cases(run(), cases, bodies)
