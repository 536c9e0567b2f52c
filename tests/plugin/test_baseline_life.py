"""The whole life of a baseline: the first run in CI writes it, a worse agent fails, a better one too, a day passes."""

from datetime import date, timedelta

import pytest

pytest_plugins = ["pytester"]

PLAIN, STREAM = "history/x@gemini-generate+plain", "history/x@gemini-generate+stream"
RULE = "gemini/call-after-user-turn"
FINDING = f"accepted:{RULE}"
IN_CI = "--agent-baseline-create"


def until(days):
    return (date.today() + timedelta(days)).isoformat()


def entry(finding, day):
    about = f"  reason: the pruner\n  owner: mara\n  thread: https://example.org/7\n  until: {day}\n"
    return f"- finding: {finding}\n{about}"


def test_whole_life_with_one_command_in_ci(corpus, baseline):
    corpus.verdicts(f"{PLAIN} must:paired")

    first = corpus.run(IN_CI)

    assert first.ret == 0
    first.stdout.fnmatch_lines(
        ["8 cases: 7 passed, 1 known", "baseline: agent-baseline.yaml written, 0 entries before, 1 now"]
    )

    baseline.write_text(entry(f"{PLAIN}#paired", until(0)))
    on_its_last_day = corpus.run(IN_CI)

    assert on_its_last_day.ret == 0
    assert "written" not in on_its_last_day.stdout.str()

    corpus.verdicts(f"{PLAIN} must:paired must:once", f"{STREAM} must:paired")
    worse = corpus.run(IN_CI)

    assert worse.ret == 1
    worse.assert_outcomes(passed=6, failed=2)
    worse.stdout.fnmatch_lines(
        [
            f"{PLAIN}#once",
            f"  known     the pruner; mara; https://example.org/7; until {until(0)} (agent-baseline.yaml:1-5)",
            f"{STREAM}#paired",
        ]
    )

    corpus.verdicts("")
    better = corpus.run(IN_CI)

    assert better.ret == 1
    better.assert_outcomes(passed=7, failed=1)
    better.stdout.fnmatch_lines(["  delete    agent-baseline.yaml:1-5", "stale in the baseline*", f"  {PLAIN}#paired"])

    corpus.run("--agent-baseline-update")
    assert "finding:" not in baseline.read_text().replace("# Findings", "")
    assert corpus.run(IN_CI).ret == 0

    corpus.verdicts(f"{PLAIN} must:paired")
    baseline.write_text(entry(f"{PLAIN}#paired", until(-1)))
    expired = corpus.run(IN_CI)

    assert expired.ret == 1
    expired.stdout.fnmatch_lines(
        [f"  expired   known until {until(-1)}: the pruner; mara; https://example.org/7 (agent-baseline.yaml:1-5)"]
    )


def test_first_run_writes_where_the_option_or_the_configuration_names_a_file(corpus):
    corpus.verdicts(f"{PLAIN} must:paired")
    corpus.pytester.makeini("[pytest]\nagent_baseline = ci/known.yaml")

    assert corpus.run(IN_CI).ret == 0
    assert f"{PLAIN}#paired" in corpus.path.joinpath("ci/known.yaml").read_text()
    corpus.verdicts(f"{PLAIN} must:once")
    assert corpus.run().ret == 1


@pytest.mark.slow
def test_first_run_writes_with_workers(corpus, baseline):
    corpus.verdicts(f"{PLAIN} must:paired")

    assert corpus.run_process("-n2", IN_CI).ret == 0
    assert f"{PLAIN}#paired" in baseline.read_text()
    corpus.verdicts(f"{PLAIN} must:once")
    assert corpus.run_process("-n2", IN_CI).ret == 1


def test_rule_is_known_in_all_cases_and_the_fakes_still_refuse(corpus, baseline):
    baseline.write_text(f"- rule: {RULE}\n  reason: release 3\n  owner: mara\n")
    corpus.verdicts(f"history/x@gemini* must:{FINDING}", f"{STREAM} must:{FINDING} must:paired")

    result = corpus.run("history/x", "-rx")

    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            f"{STREAM}#paired",
            f"{STREAM}#{FINDING}",
            "  known     release 3; mara (agent-baseline.yaml:1-3)",
            f"XFAIL {PLAIN} - release 3",
            "ended early, so that nothing after it was judged:",
            f"  {RULE} · 2 cases   --agent-tolerate={RULE} judges the rest",
        ]
    )


def test_entry_of_the_finding_itself_goes_before_that_of_its_rule(corpus, baseline):
    baseline.write_text(f"- rule: {RULE}\n  reason: all\n- finding: {PLAIN}#{FINDING}\n  reason: this one\n")
    corpus.verdicts(f"history/x@gemini* must:{FINDING}")

    result = corpus.run("history/x", "-rx")

    result.assert_outcomes(passed=2, xfailed=2)
    result.stdout.fnmatch_lines([f"XFAIL {PLAIN} - this one", f"XFAIL {STREAM} - all"])


def test_day_of_a_known_rule_passes(corpus, baseline):
    baseline.write_text(f"- rule: {RULE}\n  reason: x\n  until: {until(-1)}\n")
    corpus.verdicts(f"{PLAIN} must:{FINDING}")

    result = corpus.run("history/x")
    updated = corpus.run("history/x", "--agent-baseline-update")

    assert result.ret == updated.ret == 1
    result.stdout.fnmatch_lines([f"  expired   known until {until(-1)}: x (agent-baseline.yaml:1-3)"])
    assert "finding:" not in baseline.read_text()


def test_known_rule_that_is_not_broken_is_named_and_does_not_fail(corpus, baseline):
    baseline.write_text(f"- rule: {RULE}\n  reason: x\n")

    result = corpus.run("history/x")

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["rules of the baseline that were not broken in this run:", f"  agent-baseline.yaml:1-2: {RULE}"]
    )


def test_update_keeps_a_known_rule_and_writes_none_of_its_findings(corpus, baseline):
    text = f"# Ours.\n- rule: {RULE}\n  reason: x\n"
    baseline.write_text(text)
    corpus.verdicts(f"history/x@gemini* must:{FINDING}")

    corpus.run("history/x", "--agent-baseline-update")
    corpus.run("history/x", f"--agent-tolerate={RULE}", "--agent-baseline-update")

    assert baseline.read_text() == text


def test_entries_of_cases_that_do_not_exist_are_named_and_do_not_fail(corpus, baseline):
    corpus.scenario("history/renamed", extra="formerly: [history/first]")
    gone = ["history/gone@openai-chat+plain#paired", "history/x@opnai-chat+plain#once", f"{PLAIN}ly#once"]
    kept = ["history/first@openai-chat+plain#paired", "history/y@openai-chat+plain#paired"]
    baseline.write_text("".join(f"- finding: {finding}\n  reason: x\n" for finding in (*gone, *kept)))

    result = corpus.run("history/x")

    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "in the baseline, of cases that do not exist: delete the lines:",
            *(f"  agent-baseline.yaml:{2 * n + 1}-{2 * n + 2}: {finding}" for n, finding in enumerate(gone)),
        ],
        consecutive=True,
    )
    assert not any(finding in result.stdout.str() for finding in kept)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- rule: openai/tools-empty\n", ":1: `reason` is missing. Say why*"),
        ("- rule: tools\n  reason: x\n", ":1: `rule` is *; expected the id of a rule, such as openai/*"),
        ("- finding: a@b+plain#c\n  rule: a/b\n  reason: x\n", ":2: `rule` is given beside `finding`*"),
        ("- rule: a/b\n  tolerate: a/b\n  reason: x\n", ":2: `tolerate` is given beside `rule`*"),
        (2 * "- rule: a/b\n  reason: x\n", ":3: a/b is given twice. Keep one."),
        ("- rule: a/b\n  reason: x\n- tolerate: a/b\n  reason: x\n", ":3: a/b is given as `rule` and as `tolerate`.*"),
        ("- law: paired\n  reason: x\n", ":1: `until` is missing. An entry about many findings also hides *"),
        ("- finding: a/*#paired\n  reason: x\n", ":1: `until` is missing. An entry about many*"),
        ("- law: pared\n  reason: x\n  until: 2999-01-01\n", ":1: there is no law pared. Did you mean `paired`? *"),
        ("- area: a/*\n  reason: x\n  until: 2999-01-01\n", ":1: `area` is *; expected an area *"),
        ("- reason: x\n", ":1: `finding` is missing. An entry has that, `law`, `area`, or *"),
        ("- finding: a@b+plain#c\n  reason: x\n  issue: X-7\n", ":3: `issue` is now called `thread`."),
        ("- rule: openai/tool-empty\n  reason: x\n", ":1-2: there is no rule openai/tool-empty. Did you mean *"),
    ],
)
def test_bad_entry_is_a_usage_error_with_its_line_and_what_to_do(corpus, baseline, text, said):
    baseline.write_text(text)

    result = corpus.run("history/x")

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*agent-baseline.yaml{said}"])
