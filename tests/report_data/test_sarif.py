"""`results.sarif` has what SARIF 2.1.0 requires, and says of each cause where it is and in which cases."""

import json
from typing import Any

import pytest

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.report_data.folder import sarif
from agent_conformance.report_data.model import LawText, RuleText
from agent_conformance.transcripts.finding import ScenarioPlace
from tests.report_data.made import case, finding, refused, results

REQUIRED = {
    (): {"version", "runs"},
    ("runs",): {"tool"},
    ("runs", "tool"): {"driver"},
    ("runs", "tool", "driver"): {"name"},
    ("runs", "tool", "driver", "rules"): {"id"},
    ("runs", "invocations"): {"executionSuccessful"},
    ("runs", "invocations", "toolExecutionNotifications"): {"message"},
    ("runs", "results"): {"message"},
    ("runs", "results", "suppressions"): {"kind"},
}
"""Members that the standard requires, by the names of what they stand in."""
LEVELS = {"none", "note", "warning", "error"}
CRASH = finding("answers", detail="crash at src/agent.py:5", origin=CodePlace("src/my agent.py", 5))
SCENARIO = ScenarioPlace("scenarios/history/x.yaml", 3, demand=9, source="https://example.org/7")


def of(*cases: Any, **more: Any) -> dict[str, Any]:
    (run,) = json.loads(sarif(results(*cases, **more)))["runs"]
    return run


def objects(value: Any, names: tuple[str, ...] = ()) -> Any:
    if isinstance(value, list):
        for item in value:
            yield from objects(item, names)
    elif isinstance(value, dict):
        yield names, value
        for name, member in value.items():
            if name != "properties":
                yield from objects(member, (*names, name))


@pytest.mark.parametrize(
    "made",
    [results(), results(refused()), results(case()), results(case(outcome="error", reason="no\nrequest"))],
)
def test_every_object_has_what_the_standard_requires(made: Any) -> None:
    document = json.loads(sarif(made))

    assert document["version"] == "2.1.0"
    for names, one in objects(document):
        assert REQUIRED.get(names, set()) <= one.keys(), names
        assert one.get("level", "error") in LEVELS
        if names[-1:] in (("message",), ("shortDescription",), ("fullDescription",), ("help",)):
            assert one["text"]
        if names[-1:] == ("region",):
            assert one["startLine"] >= 1
    rules = document["runs"][0]["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in document["runs"][0]["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_cause_is_one_result_at_the_line_that_crashed_with_all_its_cases() -> None:
    cases = [case(f"history/{name}@openai-chat+plain", "fail", findings=(CRASH,)) for name in "xy"]

    (result,) = of(*cases)["results"]

    assert (result["ruleId"], result["level"], result["occurrenceCount"]) == ("answers", "error", 2)
    assert result["properties"]["cases"] == ["history/x@openai-chat+plain", "history/y@openai-chat+plain"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "src/my%20agent.py"}, "region": {"startLine": 5}}
    assert "history/x@openai-chat+plain#answers\nat: turn 1" in result["message"]["text"]
    assert "got: Howdy." in result["message"]["text"]


def test_finding_without_a_crash_stands_at_its_scenario_and_names_the_expectation() -> None:
    (result,) = of(case(outcome="fail", findings=(finding("1.reply", scenario=SCENARIO),)))["results"]

    (at,) = result["locations"]
    assert at["physicalLocation"]["artifactLocation"]["uri"] == "scenarios/history/x.yaml"
    assert at["physicalLocation"]["region"] == {"startLine": 3}
    assert result["relatedLocations"][0]["physicalLocation"]["region"] == {"startLine": 9}
    assert result["ruleId"] == "reply"


def test_known_finding_is_suppressed_and_advice_is_a_note() -> None:
    known = finding("paired", "known", known="the maintainers know")
    found = of(case(outcome="known", findings=(known, finding("once", "advice", level="should"))))["results"]

    assert [(one["ruleId"], one["level"], one.get("suppressions")) for one in found] == [
        ("paired", "error", [{"kind": "external", "justification": "the maintainers know"}]),
        ("once", "note", None),
    ]


def test_rules_have_what_the_results_know_of_them() -> None:
    broken = finding("accepted:openai/role")
    run = of(
        case(outcome="fail", findings=(broken, finding("paired"), finding("1.reply"))),
        rules={"openai/role": RuleText("a role that is none", "verbatim", "https://example.org/role", "No.")},
        laws={"paired": LawText("calls have results", "each call", "or nothing works")},
    )

    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert rules["openai/role"]["shortDescription"] == {"text": "a role that is none"}
    assert rules["openai/role"]["helpUri"] == "https://example.org/role"
    assert rules["paired"]["fullDescription"] == {"text": "each call"}
    assert rules["reply"]["shortDescription"]["text"]
    assert {rule["properties"]["kind"] for rule in rules.values()} == {"rule", "law", "expectation"}


def test_fingerprint_stays_when_the_code_above_moves_and_differs_between_causes() -> None:
    def fingerprint(one: Any) -> str:
        (result,) = of(case(outcome="fail", findings=(one,)))["results"]
        return result["partialFingerprints"]["cause/v2"]

    def crash(line: int, code: str, error: str = "KeyError: 7") -> Any:
        trace = f"adapter.py:1 in send: go()\nagent.py:{line} in run: {code}\n{error}"
        place, facts = CodePlace("agent.py", line), (("got", f"{error} at agent.py:{line}"),)
        return finding("answers", detail=f"crash at agent.py:{line}", origin=place, trace=trace, facts=facts)

    here, moved = crash(5, "tools[name]"), crash(9, "tools[name]")

    assert fingerprint(moved) == fingerprint(here)
    assert fingerprint(crash(9, "chunk.choices[0]")) != fingerprint(here)
    assert fingerprint(crash(5, "tools[name]", "TypeError: no")) != fingerprint(here)
    assert fingerprint(finding("answers", detail='the reply ""')) != fingerprint(here)
    assert fingerprint(finding("paired", detail='the reply ""')) != fingerprint(here)


def test_error_is_a_notification_and_no_result() -> None:
    run = of(case(outcome="error", reason="the fake received no request"))

    (invocation,) = run["invocations"]
    assert run["results"] == []
    assert invocation["executionSuccessful"] is False
    assert "the fake received no request" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_text_of_an_agent_is_no_link() -> None:
    hostile = finding("paired", facts=(("got", "[click](https://evil.example) contents[0]"),))
    (result,) = of(case(outcome="fail", findings=(hostile,)))["results"]

    assert r"got: \[click](https://evil.example) contents[0]" in result["message"]["text"]
