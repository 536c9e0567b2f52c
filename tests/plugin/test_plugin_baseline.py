"""Known findings: what is known does not fail, what is new does, what no longer occurs does too."""

from datetime import date

import pytest

from agent_conformance.baseline.baseline import BrokenBaseline, load_baseline

pytest_plugins = ["pytester"]

PLAIN, STREAM = "history/x@gemini-generate+plain", "history/x@gemini-generate+stream"
ENTRY = "- finding: {finding}\n  reason: {reason}\n"


def known(*findings, reason="the pruner counts messages", more=""):
    return "".join(ENTRY.format(finding=finding, reason=reason) + more for finding in findings)


def test_known_findings_are_xfailed_with_their_reason(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired", f"{PLAIN}#1.reply"))
    corpus.verdicts(f"{PLAIN} must:paired must:1.reply")

    result = corpus.run("history/x", "-rx")

    result.assert_outcomes(passed=3, xfailed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [f"XFAIL {PLAIN} - the pruner counts messages; *", "known findings: 2 causes in 1 case; -v lists them"]
    )
    corpus.run("history/x", "-v").stdout.fnmatch_lines(["known findings:", f"  reply · 1 case    {PLAIN}"])


def test_a_new_finding_beside_a_known_one_fails(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired"))
    corpus.verdicts(f"{PLAIN} must:paired must:1.reply")

    result = corpus.run("history/x", "-rf")

    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            f"{PLAIN}#1.reply",
            f"{PLAIN}#paired",
            "  known     the pruner counts messages (agent-baseline.yaml:1-2)",
            f"FAILED {PLAIN} - #1.reply *",
        ]
    )


def test_known_findings_fail_with_runxfail(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired"))
    corpus.verdicts(f"{PLAIN} must:paired")

    corpus.run("history/x", "--runxfail").assert_outcomes(passed=3, failed=1)


def test_an_entry_that_did_not_occur_is_stale_and_shows_the_lines_to_delete(corpus, baseline):
    baseline.write_text(
        "# ours\n\n" + known(f"{PLAIN}#paired", more="  owner: mara\n") + "\n" + known(f"{STREAM}#paired")
    )
    corpus.verdicts(f"{STREAM} must:paired")

    result = corpus.run("history/x", "-rf")

    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "  got       it did not occur any more",
            "  delete    agent-baseline.yaml:3-5",
            f"    - finding: {PLAIN}#paired",
            "      reason: the pruner counts messages",
            "      owner: mara",
            f"FAILED {PLAIN} - known, but did not occur: #paired",
            "stale in the baseline*",
            f"  {PLAIN}#paired",
        ]
    )


def test_an_entry_of_a_case_that_was_not_judged_is_not_stale(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired", "history/gone@openai-chat+plain#paired", f"{STREAM}#paired"))
    corpus.verdicts(f"{PLAIN} restore", f"{STREAM} must:paired")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=2, skipped=1, xfailed=1)
    assert result.ret == 0


def test_an_entry_behind_a_new_finding_is_not_called_stale(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired"))
    corpus.verdicts(f"{PLAIN} must:accepted:gemini/x")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=3, failed=1)
    assert "did not occur" not in result.stdout.str()


def test_an_entry_that_occurs_as_advice_is_not_stale(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#1.should.reply"))
    corpus.verdicts(f"{PLAIN} should:1.should.reply")

    corpus.run("history/x").assert_outcomes(passed=4)
    corpus.run("history/x", "--agent-level=should").assert_outcomes(passed=3, xfailed=1)


def test_an_expired_entry_fails_and_says_until_when_it_was_known(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired", more="  until: 2020-01-31\n"))
    corpus.verdicts(f"{PLAIN} must:paired")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        ["  expired   known until 2020-01-31: the pruner counts messages (agent-baseline.yaml:1-3)"]
    )


@pytest.mark.parametrize(
    "about", ["law: paired", "area: history", "finding: history/x@*#paired", "finding: '*#pai?ed'"]
)
def test_entry_about_many_findings_knows_them_until_its_day(corpus, baseline, monkeypatch, about):
    text = f"- {about}\n  reason: the pruner\n  until: 2027-03-31\n"
    baseline.write_text(text)
    corpus.verdicts("history/x* must:paired")

    monkeypatch.setattr("agent_conformance.baseline.baseline.date", OnDay("2027-03-31"))
    then = corpus.run("history/x")
    updated = corpus.run("history/x", "--agent-baseline-update")
    monkeypatch.setattr("agent_conformance.baseline.baseline.date", OnDay("2027-04-01"))
    later = corpus.run("history/x")

    then.assert_outcomes(xfailed=4)
    assert (then.ret, updated.ret) == (0, 0)
    assert baseline.read_text() == text
    later.assert_outcomes(failed=4)
    later.stdout.fnmatch_lines(["  expired   known until 2027-03-31: the pruner (agent-baseline.yaml:1-3)"])


class OnDay(date):
    def __new__(cls, day):
        return date.__new__(cls, *map(int, day.split("-")))

    def today(self):
        return date(self.year, self.month, self.day)


def test_entry_about_many_findings_knows_no_other_and_no_snapshot(corpus, baseline):
    about = "- law: once\n  reason: x\n  until: 2999-01-01\n- area: tools\n  reason: x\n  until: 2999-01-01\n"
    baseline.write_text(about + "- finding: history/y*#*\n  reason: x\n  until: 2999-01-01\n")
    corpus.verdicts(f"{PLAIN} must:paired", "history/y@openai-chat+plain saw:Hi.")
    corpus.run("-p", "syrupy", "--snapshot-update")
    corpus.verdicts(f"{PLAIN} must:paired", "history/y@openai-chat+plain saw:Howdy.")

    result = corpus.run("-p", "syrupy")

    result.assert_outcomes(passed=6, failed=2)
    result.stdout.fnmatch_lines(
        ["entries about many findings, of which none occurred in this run:", "  agent-baseline.yaml:1-3: law once"]
    )


def test_an_entry_under_an_old_name_of_the_scenario_counts(corpus, baseline):
    corpus.scenario("history/renamed", extra="formerly: [history/first]")
    baseline.write_text(known("history/first@openai-chat+plain#paired"))
    corpus.verdicts("history/renamed@openai-chat+plain must:paired")

    corpus.run("history/renamed").assert_outcomes(passed=3, xfailed=1)
    corpus.run("history/renamed", "--agent-baseline-update")

    assert baseline.read_text() == known("history/renamed@openai-chat+plain#paired")


def test_update_freezes_what_is_known_today_and_the_next_run_is_green(corpus, baseline):
    corpus.verdicts(
        f"{PLAIN} must:paired", f"{STREAM} must:accepted:gemini/x must:1.requests[0]", "history/y@o* must:once"
    )

    first = corpus.run("--agent-baseline-update")
    then = corpus.run()

    first.assert_outcomes(passed=4, xfailed=4)
    assert first.ret == 0
    first.stdout.fnmatch_lines(["baseline: agent-baseline.yaml written, 0 entries before, 5 now"])
    assert then.ret == 0
    then.stdout.fnmatch_lines(["known findings: 4 causes in 4 cases; 5 not yet explained*"])
    assert [line for line in baseline.read_text().splitlines() if line.startswith("- ")] == [
        f"- finding: {PLAIN}#paired",
        f"- finding: {STREAM}#1.requests[0]",
        f"- finding: {STREAM}#accepted:gemini/x",
        "- finding: history/y@openai-chat+plain#once",
        "- finding: history/y@openai-chat+stream#once",
    ]
    corpus.verdicts("* must:paired")
    assert corpus.run().ret == 1


def test_update_keeps_reasons_comments_and_what_was_not_run_and_drops_what_is_gone(corpus, baseline):
    kept = "# the next one is mara's\n" + known(
        f"{PLAIN}#paired", reason='"counts: messages"', more="  thread: X-7\n\n"
    )
    elsewhere = known("tools/z@openai-chat+plain#once", more="  until: 2020-01-01\n")
    baseline.write_text("# ours\n\n" + kept + known(f"{STREAM}#paired") + elsewhere)
    corpus.verdicts(f"{PLAIN} must:paired", "history/x@openai-chat+plain must:once")

    result = corpus.run("history/x", "--agent-baseline-update")

    assert result.ret == 0
    new = known("history/x@openai-chat+plain#once", reason="not yet explained")
    assert baseline.read_text() == "# ours\n\n" + kept.rstrip("\n") + "\n" + new + elsewhere


def test_update_of_an_unchanged_run_changes_nothing(corpus, baseline):
    corpus.verdicts("* must:paired")
    corpus.run("--agent-baseline-update")
    before = baseline.read_bytes(), baseline.stat().st_mtime_ns

    corpus.run("--agent-baseline-update")

    assert (baseline.read_bytes(), baseline.stat().st_mtime_ns) == before


def test_update_leaves_an_expired_entry_red(corpus, baseline):
    baseline.write_text(known(f"{PLAIN}#paired", more="  until: 2020-01-31\n"))
    corpus.verdicts(f"{PLAIN} must:paired")

    result = corpus.run("history/x", "--agent-baseline-update")

    result.assert_outcomes(passed=3, failed=1)
    assert baseline.read_text() == known(f"{PLAIN}#paired", more="  until: 2020-01-31\n")


@pytest.mark.slow
def test_update_works_with_workers(corpus, baseline):
    corpus.verdicts("* must:paired")

    assert corpus.run_process("-n2", "--agent-baseline-update").ret == 0

    assert baseline.read_text().count("- finding: ") == 8
    assert corpus.run_process("-n2").ret == 0


def test_an_interrupted_update_keeps_what_was_judged(corpus, baseline):
    baseline.write_text(known("history/y@openai-chat+plain#paired"))
    corpus.verdicts("* must:paired", f"{PLAIN} interrupt")

    result = corpus.run_process("--agent-baseline-update")

    assert result.ret == 2
    assert [line.split()[2] for line in baseline.read_text().splitlines() if line.startswith("- ")] == [
        "history/x@openai-chat+plain#paired",
        "history/x@openai-chat+stream#paired",
        "history/y@openai-chat+plain#paired",
    ]


def test_errors_are_not_frozen(corpus, baseline):
    corpus.verdicts(f"{PLAIN} error")

    assert corpus.run("--agent-baseline-update").ret == 3
    assert "finding:" not in baseline.read_text().replace("# Findings", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- finding: a@b+plain#c\n", ":1: `reason` is missing. Say why*"),
        ("- finding: a@b+plain#c\n  reason: ''\n", ":2: `reason` is *"),
        ("- finding: a@b+plain\n  reason: x\n", ":1: `finding` is *; expected <case id>#<finding id>*"),
        (
            "- finding: a@b+plain#c\n  reason: x\n  untli: 2020-01-01\n",
            ":3: `untli` is no field *Did you mean `until`?",
        ),
        (
            "- finding: a@b+plain#c\n  reason: x\n  until: soon\n",
            ":3: `until` is *; expected a date, such as 2027-03-31.",
        ),
        (2 * "- finding: a@b+plain#c\n  reason: x\n", ":3: a@b+plain#c is given twice. Keep one."),
        ("- a\n", ":1: an entry has the fields *"),
        ("a: b\n", ":1: a baseline is a list of entries*"),
        ("[{finding: a@b+plain#c, reason: x}]\n", ":1: an entry begins on a line of its own*"),
        ("- finding: [\n", ":1: this is not YAML*"),
        ("- finding: a@b+plain#c\n  reason: !!python/object/apply:os.system [true]\n", ":2: the tag *"),
    ],
)
def test_a_broken_baseline_is_a_located_usage_error(corpus, baseline, text, said):
    baseline.write_text(text)

    result = corpus.run("history/x")

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*agent-baseline.yaml{said}"])
    assert "Traceback" not in result.stderr.str()


@pytest.mark.parametrize("text", ["", "# nothing is known\n", "[]\n"])
def test_an_empty_baseline_knows_nothing(corpus, baseline, text):
    baseline.write_text(text)
    corpus.verdicts(f"{PLAIN} must:paired")

    corpus.run("history/x").assert_outcomes(passed=3, failed=1)


def test_comment_that_yaml_does_not_take_is_named(tmp_path):
    file = tmp_path / "baseline.yaml"
    file.write_bytes(b"# known\n# a\0b\n")

    with pytest.raises(BrokenBaseline) as broken:
        load_baseline(file)

    assert "character U+0000 cannot stand in YAML" in str(broken.value.problems[0])
