"""Results made by hand, small and complete: a case that passes, one that fails, one that is known, one not verified."""

from agent_conformance.report_data.model import (
    Agent,
    AttemptResult,
    Body,
    CaseRecord,
    FindingResult,
    RequestResult,
    Results,
    RuleText,
    Shard,
    SnapshotResult,
    Suite,
    TurnResult,
    ViolationResult,
    with_cases,
)
from agent_conformance.transcripts.finding import Place

RULE = "gemini/call-after-user-turn"
REFUSAL = "Please ensure that function call turn comes immediately after a user turn."


def case(id="history/x@openai-chat+plain", outcome="pass", **more):
    scenario, _, target = id.partition("@")
    wire, _, mode = target.partition("+")
    fields = {
        "scenario": scenario.partition("[")[0],
        "example": scenario.partition("[")[2].removesuffix("]"),
        "area": scenario.partition("/")[0],
        "profile": "core",
        "wire": wire,
        "provider": wire.partition("-")[0],
        "mode": mode,
        "file": f"scenarios/{scenario}.yaml",
        "title": "a greeting is answered",
        "rerun": f"pytest --agent=m:A {id}",
        "narrative": "turn 1\n  user: Hello.\n  reply: Hi.",
    }
    return CaseRecord(id=id, outcome=outcome, **{**fields, **more})


def finding(id="1.reply", state="new", **more):
    law, _, rule = id.partition(":")
    kind = "rule" if rule else "expectation" if "." in id else "law"
    fields = {
        "cause": rule or law.rpartition(".")[2],
        "kind": kind,
        "level": "must",
        "law": "" if kind == "expectation" else law,
        "rule": rule,
        "facts": (("at", "turn 1, request 2, contents[0]"), ("expected", "Hi."), ("got", "Howdy.")),
        "source": "scenarios/history/x.yaml:3   https://example.org/7",
        "place": Place(1, 2, "contents[0]"),
    }
    return FindingResult(id=id, state=state, **{**fields, **more})


def refused():
    """A case that fails by a rule, with its turn and the two bodies of its request."""
    violation = ViolationResult(RULE, "contents[0]", REFUSAL)
    request = RequestResult(
        1,
        "refused",
        400,
        "gemini",
        "gemini-generate",
        "gemini-2.5-flash",
        ("get_weather",),
        news="user: Hello.",
        violation=violation,
        request="aaaa",
        response="bbbb",
    )
    attempt = AttemptResult(1, "get_weather", '{"city": "Oslo"}', True, "7 degrees")
    turn = TurnResult(
        1, "Hello.", outcome="error", failure="ProviderError: 400", attempts=(attempt,), requests=(request,)
    )
    return case(
        "history/y@gemini-generate+stream",
        "fail",
        findings=(finding(f"accepted:{RULE}", ends_case=True, detail="contents[]"),),
        turns=(turn,),
        seconds=0.25,
    )


BODIES = {
    "aaaa": Body('{"contents": []}', (("x-goog-api-key", "$API_KEY"),), "POST", "/v1beta/models/x:generateContent"),
    "bbbb": Body('{"error": {"code": 400}}', (("content-type", "application/json"),), status=400),
}


def results(*cases, **more):
    """A run of these cases, by default of one for each common outcome."""
    chosen = cases or (
        case(),
        refused(),
        case("tools/z@openai-chat+plain", "known", findings=(finding("paired", "known", known="upstream bug"),)),
        case("tools/n@openai-chat+plain", "not-verified", reason="needs images", missing=("images",)),
        case(
            "tools/s@openai-chat+plain",
            "fail",
            findings=(finding("snapshot", cause="snapshot", kind="snapshot"),),
            snapshot=SnapshotResult("changed", "--- recorded\n+++ got\n-  reply: Hi.\n+  reply: Howdy."),
        ),
    )
    rules = {RULE: RuleText("A call comes right after a user turn.", "verbatim", "example/repo#7", REFUSAL)}
    fields = {
        "suite": Suite("0.1.0"),
        "agent": Agent("m:A", ("openai-chat", "gemini-generate"), ("plain", "stream"), ("conversation",)),
        "command": "pytest --agent=m:A",
        "started": "2026-11-22T17:30:00+00:00",
        "seconds": 12.5,
        "ended": "complete",
        "exit_code": 1,
        "selected": len(chosen),
        "rules": rules,
        "shard": None,
    }
    return with_cases(Results(**{**fields, **more}), chosen, BODIES)


SHARD = Shard(3, (2,))
