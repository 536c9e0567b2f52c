"""Findings that come and go: a new one is told from a steady one by a second run, a known one may stay away."""

from datetime import date, timedelta

import pytest

pytest_plugins = ["pytester"]

PLAIN, STREAM = "history/x@gemini-generate+plain", "history/x@gemini-generate+stream"


def entry(finding, *, days=30, flaky="true", reason="a race of two threads"):
    until = (date.today() + timedelta(days)).isoformat()
    return f"- finding: {finding}\n  flaky: {flaky}\n  reason: {reason}\n  until: {until}\n"


def test_new_finding_that_a_second_run_does_not_have_is_told_as_one_of_two(corpus):
    corpus.verdicts(f"{PLAIN} first:must:paired", f"{STREAM} must:paired must:once")

    result = corpus.run("history/x", "-vv")

    assert result.ret == 1
    result.stdout.fnmatch_lines(["  runs      in 1 of 2 runs; `flaky: true` and `until` in the baseline*"])
    result.stdout.fnmatch_lines(
        [
            "4 cases: 2 passed, 2 failed",
            "flaky findings: 1 new in 1 of 2 runs",
            "  paired · 2 cases, 1 of them in *",
        ]
    )
    assert result.stdout.str().count("in 1 of 2 runs;") == 1


def test_steady_findings_are_told_without_a_word_of_runs(corpus):
    corpus.verdicts(f"{PLAIN} must:paired")

    assert "of 2 runs" not in corpus.run("history/x").stdout.str()


@pytest.mark.parametrize("second", ["second:error", "second:must:once"])
def test_second_run_says_nothing_where_it_has_no_verdict_and_adds_no_finding(corpus, second):
    corpus.verdicts(f"{PLAIN} must:paired {second}")

    result = corpus.run("history/x")

    assert "of 2 runs" not in result.stdout.str()
    assert "#once" not in result.stdout.str()


def test_relation_has_second_runs_of_its_own(corpus):
    corpus.verdicts(f"{PLAIN} first:must:relation:wire")

    assert "of 2 runs" not in corpus.run("history/x").stdout.str()


def test_what_a_flaky_finding_may_hide_is_not_stale(corpus, baseline):
    baseline.write_text(entry(f"{PLAIN}#paired") + f"- finding: {PLAIN}#once\n  reason: an old bug\n")
    corpus.verdicts(f"{PLAIN} must:paired")

    assert corpus.run("history/x").ret == 0


def test_known_finding_is_stale_where_no_flaky_one_hides_it(corpus, baseline):
    baseline.write_text(entry(f"{PLAIN}#paired") + f"- finding: {PLAIN}#once\n  reason: an old bug\n")
    corpus.verdicts(PLAIN)

    assert "1 stale" in corpus.run("history/x").stdout.str()


def test_flaky_entry_is_known_where_it_occurs_and_not_stale_where_it_does_not(corpus, baseline):
    baseline.write_text(entry(f"{PLAIN}#paired") + entry(f"{STREAM}#paired"))
    corpus.verdicts(f"{PLAIN} must:paired")

    result = corpus.run("history/x", "-rx")

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            f"XFAIL {PLAIN} - a race of two threads",
            "4 cases: 3 passed, 1 known",
            "flaky findings: 1 known as flaky, 1 known as flaky stayed away",
        ]
    )


def test_flaky_entry_hides_no_other_finding(corpus, baseline):
    baseline.write_text(entry(f"{PLAIN}#paired"))
    corpus.verdicts(f"{PLAIN} must:once")

    assert corpus.run("history/x").ret == 1


@pytest.mark.parametrize("verdict", ["must:paired", ""])
def test_flaky_entry_fails_after_its_day_whether_it_occurs_or_not(corpus, baseline, verdict):
    baseline.write_text(entry(f"{PLAIN}#paired", days=-1))
    corpus.verdicts(f"{PLAIN} {verdict}")

    assert corpus.run("history/x").ret == 1


def test_entry_that_only_the_second_run_has_is_not_stale_and_is_named(corpus, baseline):
    baseline.write_text(f"- finding: {PLAIN}#paired\n  reason: a race\n")
    corpus.verdicts(f"{PLAIN} second:must:paired")

    result = corpus.run("history/x")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["known, and in 1 of 2 runs: add `flaky: true`*", f"  {PLAIN}#paired"])


def test_update_writes_what_comes_and_goes_as_flaky_and_keeps_it(corpus, baseline):
    corpus.verdicts(f"{PLAIN} first:must:paired", f"{STREAM} must:paired")
    corpus.run("history/x", "--agent-baseline-update")

    written = baseline.read_text()
    assert entry(f"{PLAIN}#paired", days=90, reason="not yet explained") in written
    assert f"- finding: {STREAM}#paired\n  reason: not yet explained\n" in written

    corpus.verdicts("")
    corpus.run("history/x", "--agent-baseline-update")
    assert f"{PLAIN}#paired" in baseline.read_text()
    assert f"{STREAM}#paired" not in baseline.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"- finding: {PLAIN}#c\n  flaky: true\n  reason: x\n", ":2: `until` is missing. A flaky entry *"),
        (f"- finding: {PLAIN}#c\n  flaky: often\n  reason: x\n", ":2: `flaky` is *; expected true*"),
        ("- tolerate: openai/tools-empty\n  flaky: true\n  reason: x\n", ":2: `flaky` is for entries about findings*"),
    ],
)
def test_flaky_entry_without_an_end_or_of_a_rule_is_a_usage_error(corpus, baseline, text, said):
    baseline.write_text(text)

    result = corpus.run("history/x")

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*agent-baseline.yaml{said}"])


AGENT = """
from pathlib import Path

import agent_conformance.reference

class Adapter(agent_conformance.reference.Adapter):
    def send(self, message):
        turns = Path(__file__).with_name("turns")
        turns.write_text(turns.read_text() + "x" if turns.exists() else "x")
        if len(turns.read_text()) in FAILING:
            raise KeyError("a race of two threads")
        return super().send(message)
"""


@pytest.mark.parametrize(("failing", "flaky"), [("(1,)", True), ("(1, 2)", False)])
def test_agent_that_crashes_in_one_of_two_runs(pytester, failing, flaky):
    pytester.makepyfile(sometimes=AGENT.replace("FAILING", failing))
    case = "no-tools/native-call-without-text[no-tools-at-all]@openai-chat+plain"

    result = pytester.runpytest_subprocess("--agent=sometimes:Adapter", case, "-p", "no:cacheprovider")

    assert result.ret == 1
    assert ("flaky findings: 1 new in 1 of 2 runs" in result.stdout.str()) == flaky
