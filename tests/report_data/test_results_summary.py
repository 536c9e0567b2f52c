"""The summary says what a reviewer needs to know, within its bound, and foreign text does nothing in it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from agent_conformance.report_data.folder import (
    LINES,
    PAGE,
    WRITTEN_AT_THE_END,
    append_step_summary,
    badge,
    write_report,
)
from agent_conformance.report_data.model import BrokenScenario, LawText
from agent_conformance.report_data.summary import MOST_BYTES, block, summary, verdict_of
from tests.report_data.made import RULE, SHARD, case, finding, refused, results

DOCUMENT = Path(__file__).parents[2] / "docs" / "report.md"
HOSTILE = (
    "`` ``` ```` | \\| \\\\| @octocat #1 [x](javascript:alert(1)) ![i](//evil.example/i) <img src=x> "
    "<!-- --> www.evil.example https://evil.example a@evil.example **b** $x$ \\"
)
FENCE = re.compile(r"^(`{3,})[a-z]*\n(?:.*\n)*?\1$", re.MULTILINE)
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def outside_code(text):
    """The Markdown without its fenced blocks and its code."""
    return SPAN.sub("", FENCE.sub("", text))


def test_summary_has_verdict_causes_areas_and_the_command():
    text = summary(results())

    assert text.startswith(
        "## agent conformance: failed, 2 new causes in 2 cases\n\n`m:A`: 1 passed, 2 failed, 1 known"
    )
    assert f"- `{RULE}` in 1 case, such as `history/y@gemini-generate+stream`" in text
    assert "| area | passed | failed | known | not verified |" in text
    assert "| `history` | 1 | 1 |  |  |" in text
    assert "\n  rerun     pytest --agent=m:A history/y@gemini-generate+stream\n```" in text
    assert "`paired` in 1 case, known: `upstream bug`" in text
    assert text.endswith("### Repeat\n\n```sh\npytest --agent=m:A\n```\n")


def test_new_causes_are_shown_before_the_areas_and_known_ones_after_in_a_line_each():
    text = summary(results())

    titles = ["New findings", "Causes, each with one example", "Areas", "Known findings", "Repeat"]
    assert re.findall(r"^### (.+)$", text, re.MULTILINE) == titles
    before, _, after = text.partition("### Areas")
    assert before.count("```text") == 2
    assert "```text" not in after


@pytest.mark.parametrize(
    ("state", "baseline", "tolerated", "first"),
    [
        ("known", "", False, True),
        ("known", "agent-baseline.yaml", False, False),
        ("known", "", True, False),
        ("advice", "", False, False),
    ],
)
def test_run_that_wrote_the_baseline_says_to_commit_it(state, baseline, tolerated, first):
    made = results(case(outcome="known", findings=(finding(state=state, is_tolerated=tolerated),)))
    made = replace(made, options=replace(made.options, baseline=baseline))

    assert ("\n**This run wrote the baseline. Commit the file" in summary(made)) is first


def test_example_says_what_its_law_demands_and_a_refusal_speaks_for_itself():
    demand = LawText("every call gets a result", "Every call gets one.", "Providers refuse it.")
    of_law = case(outcome="fail", findings=(finding("paired"),))
    of_rule = case(outcome="fail", findings=(finding(f"accepted:{RULE}"),))
    laws = {"paired": demand, "accepted": demand}

    assert "#paired\n  law       every call gets a result\n  at " in summary(replace(results(of_law), laws=laws))
    assert "every call" not in summary(replace(results(of_rule), laws=laws))


def test_what_is_fixed_is_named():
    stale = case(outcome="stale", stale=("history/x@openai-chat+plain#paired",))

    text = summary(results(stale))

    assert text.startswith("## agent conformance: failed, 1 fixed\n")
    assert "did not occur: delete these entries.\n\n- `history/x@openai-chat+plain#paired`" in text
    assert "```sh\npytest --agent=m:A --agent-baseline-update\n```" in text


def test_run_without_a_finding_is_short():
    text = summary(results(case(), exit_code=0))

    assert text.startswith("## agent conformance: passed\n")
    assert "###" not in text.replace("### Areas", "").replace("### Repeat", "")


def test_snapshot_shows_its_diff():
    facts = (("got", "reply was x, is y"), ("diff", "--- recorded\n+++ got\n-x\n+y"))
    changed = case(outcome="fail", findings=(finding("snapshot", cause="snapshot", facts=facts),))

    assert "  diff\n    --- recorded\n    +++ got\n    -x\n    +y\n" in summary(results(changed))


@pytest.mark.parametrize(
    ("more", "gap"),
    [
        ({"ended": "interrupted", "selected": 9}, "the run was interrupted after 1 of 9 cases"),
        ({"ended": "killed", "selected": 0}, "the run was killed after 1 cases"),
        ({"selected": 3}, "2 of 3 cases have no result"),
        ({"shard": SHARD}, "missing shards: 1/3, 3/3"),
        ({"broken_files": (BrokenScenario("x.yaml"),)}, "1 broken scenario file"),
        ({"stray_exits": ("SystemExit",)}, "the agent wanted to end the process between two cases"),
    ],
)
def test_what_keeps_a_run_from_being_complete_is_named(more, gap):
    incomplete = results(case(), **more)

    assert verdict_of(incomplete).gaps == (gap,)
    assert summary(incomplete).startswith("## agent conformance: incomplete\n")
    assert f"**{gap}**" in summary(incomplete)
    assert json.loads(badge(incomplete))["color"] == "orange"


def test_run_of_errors_alone_judged_nothing():
    failed = results(case(outcome="error", reason="no request in turn 1"))

    assert verdict_of(failed).gaps == ("1 error (not the agent)", "nothing was judged")
    assert "history/x@openai-chat+plain\nno request in turn 1\n```" in summary(failed)


def test_foreign_text_stands_in_code_alone():
    facts = (("got", HOSTILE), ("diff", f"{HOSTILE}\n```\n{HOSTILE}\n~~~~"))
    bad = finding(HOSTILE, cause=HOSTILE, detail=HOSTILE, facts=facts, known=HOSTILE, source=HOSTILE)
    wrong = case(
        HOSTILE, "fail", area=HOSTILE, findings=(bad, replace(bad, state="known")), rerun=HOSTILE, stale=(HOSTILE,)
    )
    failed = case("h/e@a+plain", "error", reason=HOSTILE)
    made = results(wrong, failed, command=HOSTILE)
    made = replace(made, agent=replace(made.agent, name=HOSTILE), suite=replace(made.suite, version=HOSTILE))

    rest = re.sub("</?(?:details|summary)>", "", outside_code(summary(made)))

    assert not re.search(r"@|octocat|evil|javascript|<|\]\(|`|\\", rest), rest
    table = [line for line in summary(made).splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in table} == {table[0].count("|")}


@pytest.mark.parametrize("line", ["```", "`````", "~~~", "    ```", "a``````b"])
def test_no_line_of_a_text_ends_its_block(line):
    first, *inner, last = block(["before", line, "after"]).split("\n")

    assert last == first.removesuffix("text")
    assert inner == ["before", line, "after"]
    assert last not in line


def test_many_causes_stay_within_the_bound_and_are_counted():
    many = [
        case(
            f"area-{n}/s{n}@openai-chat+plain",
            "fail",
            findings=(finding(f"law-{n}", cause=f"law-{n}", facts=(("got", "ä" * 5000),)),),
        )
        for n in range(3000)
    ]

    text = summary(results(*many))

    assert len(text.encode()) <= MOST_BYTES
    assert text.startswith("## agent conformance: failed, 3000 new causes in 3000 cases\n")
    assert "... and 2960 more, which results.json has" in text
    assert "... and 2940 more areas, which results.json has" in text
    left_out = re.search(r"and (\d+) more causes", text)
    assert left_out is not None
    assert int(left_out[1]) + text.count("```text") == 3000
    assert text.endswith("```sh\npytest --agent=m:A\n```\n")


def test_badge_says_version_profile_and_how_many():
    assert json.loads(badge(results())) == {
        "schemaVersion": 1,
        "label": "agent conformance 0.1.0",
        "message": "core, hardened: 1 passed, 2 failed, 1 known, 1 not verified",
        "color": "red",
        "isError": False,
    }
    assert json.loads(badge(results(case())))["color"] == "brightgreen"
    assert json.loads(badge(results(case(), case("a/k@w+plain", "known"))))["color"] == "yellowgreen"


def test_step_summary_of_github_is_appended(tmp_path):
    path = tmp_path / "step.md"
    path.write_text("before\n")

    append_step_summary(results(), {"GITHUB_STEP_SUMMARY": str(path)})
    append_step_summary(results(), {})

    assert path.read_text() == "before\n" + summary(results())


def test_folder_has_what_a_run_that_is_killed_does_not_leave_old_and_the_documents_list(tmp_path):
    write_report(results(refused()), tmp_path)

    written = {path.name for path in tmp_path.iterdir()}
    listed = re.findall(r"^\| `([^`]+)` \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert written == {*WRITTEN_AT_THE_END, "fix"} - {PAGE}
    assert {*WRITTEN_AT_THE_END, LINES} <= {*listed}
