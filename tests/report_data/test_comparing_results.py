"""Two runs compared: what is new, fixed, changed, and what cannot be compared and why."""

import json
from dataclasses import replace

import pytest

from agent_conformance.commands.main import main
from agent_conformance.report_data.comparing import as_markdown, as_text, compare, headline
from agent_conformance.report_data.folder import write_report
from agent_conformance.report_data.model import Suite
from tests.report_data.made import SHARD, case, finding, results

ID = "history/x@openai-chat+plain"
OTHER = "history/y@openai-chat+plain"


def failing(*findings, id=ID, **more):
    return case(id, "fail", findings=findings, **more)


@pytest.fixture
def reports(tmp_path, capsys):
    """The exit code and the output of the command, for two runs."""

    def compared(first, second, *options):
        write_report(first, tmp_path / "a")
        write_report(second, tmp_path / "b")
        code = main(["compare", str(tmp_path / "a"), str(tmp_path / "b"), *options])
        return code, capsys.readouterr().out

    return compared


def test_equal_runs_have_nothing_new(reports):
    code, output = reports(results(), results())

    assert code == 0
    assert "0 new, 0 fixed, 0 changed, 0 not comparable; 3 as before, in 4 cases" in output


def test_finding_that_was_not_there_is_new(reports):
    code, output = reports(results(case()), results(failing(finding("paired"))))

    assert code == 1
    assert "1 new, 0 fixed" in output
    assert f"new      {ID}#paired\n  is      turn 1, request 2, contents[0]; Howdy.\n  rerun   pytest" in output


def test_new_finding_that_the_baseline_knows_fails_nothing(reports):
    known = case(ID, "known", findings=(finding("paired", "known", known="upstream bug"),))

    code, output = reports(results(case()), results(known))

    assert code == 0
    assert f"new      {ID}#paired   (known in the baseline)" in output


def test_finding_that_is_gone_is_fixed(reports):
    code, output = reports(results(failing(finding("paired"))), results(case()))

    assert code == 0
    assert f"fixed    {ID}#paired\n  was     turn 1" in output


def test_finding_that_says_something_else_is_changed():
    before = results(failing(finding("paired", facts=(("got", "one"),)), finding("1.reply")))
    after = results(failing(finding("paired", facts=(("got", "two"),)), finding("1.reply")))

    found = compare(before, after)

    assert [(change.before, change.after) for change in found.changed] == [("one", "two")]
    assert (found.new, found.fixed, found.same) == ((), (), 1)


def test_another_reason_in_the_baseline_changes_nothing_and_a_finding_that_becomes_known_does():
    first, second, new = (
        results(case(ID, "known" if reason else "fail", findings=(found,)))
        for reason in ("to be explained", "upstream bug", "")
        for found in [finding("paired", "known", known=reason) if reason else finding("paired")]
    )

    assert compare(first, second).changed == ()
    assert [change.after.endswith("; known") for change in compare(new, first).changed] == [True]


def test_advice_and_what_is_not_scored_are_no_findings_of_a_case():
    after = results(case(findings=(finding("foreign-host", "advice"), finding("paired", "later"))))

    assert headline(compare(results(case()), after)).startswith("0 new")


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (results(case(OTHER)), "not in the second run"),
        (results(case(OTHER), ended="interrupted"), "not in the second run: the run was interrupted"),
        (results(case(OTHER), shard=SHARD), "only shards 2 of 3 are in the second run"),
        (results(case(ID, "error", reason="no request\nmore"), case(OTHER)), "error in the second run: no request"),
        (
            results(case(ID, "not-verified", reason="needs images"), case(OTHER)),
            "not verified in the second run: needs images",
        ),
    ],
)
def test_case_without_a_verdict_in_one_run_says_why(after, why):
    found = compare(results(failing(finding("paired")), case(OTHER)), after)

    assert [(gap.id, gap.why) for gap in found.not_comparable] == [(ID, why)]
    assert (found.fixed, found.compared) == ((), 1)


def test_case_of_the_second_run_alone_is_not_comparable():
    found = compare(results(case()), results(case(), failing(finding("paired"), id=OTHER)))

    assert [(gap.id, gap.why) for gap in found.not_comparable] == [(OTHER, "not in the first run")]
    assert not found.has_new


def test_case_without_a_verdict_in_both_runs_is_left_out():
    unable = results(case(outcome="not-verified", reason="needs images"))

    assert compare(unable, unable).not_comparable == ()


def test_finding_behind_a_new_end_of_the_case_is_not_fixed():
    before = results(failing(finding("1.reply")))
    after = results(failing(finding("answers", ends_case=True)))

    found = compare(before, after)

    assert [change.finding for change in found.new] == [f"{ID}#answers"]
    assert found.fixed == ()
    assert [gap.why for gap in found.not_comparable] == ["the second run ended the case early, by answers"]


def test_new_finding_behind_an_earlier_end_says_so(reports):
    before = results(failing(finding("answers", ends_case=True)))

    code, output = reports(before, results(failing(finding("1.reply"))))

    assert code == 1
    assert f"new      {ID}#1.reply   (the first run had ended this case early)" in output


def test_flaky_finding_is_not_fixed_when_it_stays_away_nor_new_when_it_is_known_and_returns():
    without = results(case(ID))
    known, new = (results(failing(finding("paired", state, is_flaky=True))) for state in ("known", "new"))

    gone, back, first_seen = compare(new, without), compare(without, known), compare(without, new)

    assert (gone.fixed, gone.not_comparable[0].why) == ((), "it comes and goes, and the second run does not have it")
    assert (back.new, back.not_comparable[0].why) == ((), "it comes and goes, and the first run does not have it")
    assert first_seen.has_new
    assert "(in 1 of 2 runs)" in "\n".join(as_text(without, new, first_seen))
    assert compare(results(failing(finding("paired"))), without).fixed


def test_what_differs_between_the_runs_is_noted(reports):
    _, output = reports(results(), results(suite=Suite("0.2.0")))

    assert "\n  suite: version was 0.1.0, is 0.2.0\n" in output


def test_json_has_the_same(reports):
    code, output = reports(results(case()), results(failing(finding("paired"))), "--json")

    read = json.loads(output)
    assert (code, read["has_new"]) == (1, True)
    assert [change["finding"] for change in read["new"]] == [f"{ID}#paired"]
    assert set(read) == {
        "new",
        "fixed",
        "changed",
        "not_comparable",
        "same",
        "compared",
        "notes",
        "has_new",
        "no_longer_judged",
    }


def test_findings_of_one_cause_are_one_line_with_their_number(reports):
    ids = [f"history/s{n}@openai-chat+plain" for n in range(3)]
    before, after = results(*map(case, ids)), results(*(failing(finding("paired"), id=id) for id in ids))

    _, output = reports(before, after)
    _, markdown = reports(before, after, "--markdown")

    assert "3 new, " in output
    assert f"new      {ids[0]}#paired   and 2 more of this cause\n" in output
    assert markdown.count("#paired") == 1
    assert "   and 2 more of this cause\n" in markdown


@pytest.mark.parametrize("later", [[], [case(OTHER, "not-verified", reason="needs history")]])
def test_case_that_is_judged_no_longer_fails_unless_it_is_accepted(reports, later):
    before, after = results(case(), case(OTHER)), results(case(), *later)
    code, output = reports(before, after)
    accepted, _ = reports(before, after, "--accept-fewer")

    assert "0 new, 0 fixed, 0 changed, 1 no longer judged, 1 not comparable" in output
    assert (code, accepted) == (1, 0)


def test_case_that_was_not_to_run_is_not_missed(reports):
    code, output = reports(results(case(), case(OTHER)), replace(results(case()), ended="stopped"))

    assert "no longer judged" not in output
    assert code == 0


def test_markdown_has_foreign_text_in_code(reports):
    hostile = "`` @octocat [x](javascript:alert(1)) <img>"

    code, output = reports(
        results(case()), results(failing(finding("paired", facts=(("got", hostile),)))), "--markdown"
    )

    assert code == 1
    assert output.startswith("## agent conformance: 1 new, 0 fixed, 0 changed, 0 not comparable; ")
    assert f"- `{ID}#paired`: is ``` {hostile} ```\n" in output


def test_many_findings_stay_within_the_bound():
    wide = [finding("paired", facts=(("got", "ä" * 5000),), detail=f"text {n}") for n in range(2000)]
    after = results(*(failing(one, id=f"history/s{n}@openai-chat+plain") for n, one in enumerate(wide)))
    before = results(*(case(f"history/s{n}@openai-chat+plain") for n in range(2000)))

    text = as_markdown(before, after, compare(before, after))

    assert len(text.encode()) <= 60_000
    assert "- ... and 1960 more" in text


def test_what_is_no_report_is_a_usage_error(tmp_path, capsys):
    assert main(["compare", str(tmp_path), str(tmp_path)]) == 2
    assert "has no results.json" in capsys.readouterr().err
