"""Rules that a run tolerates, by the option or the baseline; what ended cases early; causes that are apart."""

import pytest

pytest_plugins = ["pytester"]

PLAIN, STREAM = "history/x@gemini-generate+plain", "history/x@gemini-generate+stream"
RULE = "gemini/call-after-user-turn"
FINDING = f"accepted:{RULE}"


def test_cases_that_ended_early_are_counted_with_the_option_that_judges_the_rest(corpus):
    corpus.verdicts(f"history/x@gemini* must:{FINDING}")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "ended early, so that nothing after it was judged:",
            f"  {RULE} · 2 cases   --agent-tolerate={RULE} judges the rest",
            "findings by cause:",
            f"  {RULE} · 2 cases   {PLAIN}",
        ]
    )


def test_nothing_is_said_of_early_ends_where_there_are_none(corpus):
    corpus.verdicts(f"{PLAIN} must:paired")

    assert "ended early" not in corpus.run("history/x").stdout.str()


@pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=pytest.mark.slow)])
def test_tolerated_breach_is_known_and_other_findings_fail(corpus, workers):
    corpus.verdicts(f"history/x@gemini* must:{FINDING}", f"{STREAM} must:{FINDING} must:paired")
    run = corpus.run_process if workers else corpus.run

    result = run("history/x", f"--agent-tolerate={RULE}", "-rx", *workers)

    result.assert_outcomes(passed=2, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(
        [
            f"{STREAM}#paired",
            f"{STREAM}#{FINDING}",
            "  known     tolerated by --agent-tolerate",
            f"  rerun     pytest --agent=mymodule:Adapter * --agent-tolerate={RULE} {STREAM}",
            "4 cases: 2 passed, 1 failed, 1 known",
            "known findings:",
            f"  {RULE} · 2 cases   {PLAIN}",
        ]
    )
    assert "ended early" not in result.stdout.str()


def test_several_rules_are_tolerated(corpus):
    corpus.verdicts(f"{PLAIN} must:{FINDING} must:accepted:openai/tools-empty")

    separately = corpus.run("history/x", f"--agent-tolerate={RULE}", "--agent-tolerate=openai/tools-empty")
    together = corpus.run("history/x", f"--agent-tolerate={RULE},openai/tools-empty")

    separately.assert_outcomes(passed=3, xfailed=1)
    together.assert_outcomes(passed=3, xfailed=1)


def test_unknown_rule_is_a_usage_error_with_near_names(corpus, baseline):
    typed = corpus.run("history/x", "--agent-tolerate=openai/tool-empty")
    baseline.write_text("- tolerate: gemini/tools-emtpy\n  reason: x\n")
    written = corpus.run("history/x")

    assert (typed.ret, written.ret) == (4, 4)
    typed.stderr.fnmatch_lines(
        ["*--agent-tolerate=openai/tool-empty: there is no rule openai/tool-empty. Did you mean *openai/tools-empty*"]
    )
    written.stderr.fnmatch_lines(["*agent-baseline.yaml:1-2: there is no rule gemini/tools-emtpy.*"])


def test_rule_without_its_provider_names_those_of_all_providers(corpus):
    result = corpus.run("history/x", "--agent-tolerate=tools-empty")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*there is no rule tools-empty. Did you mean *openai/tools-empty*"])


def test_baseline_tolerates_a_rule_with_a_reason(corpus, baseline):
    baseline.write_text(f"# Ours.\n- tolerate: {RULE}\n  reason: the proxy accepts it\n  until: 2099-01-01\n")
    corpus.verdicts(f"{PLAIN} must:{FINDING}")

    result = corpus.run("history/x", "-rx")

    result.assert_outcomes(passed=3, xfailed=1)
    result.stdout.fnmatch_lines([f"XFAIL {PLAIN} - the proxy accepts it"])


def test_day_of_a_tolerated_rule_passes(corpus, baseline):
    baseline.write_text(f"- tolerate: {RULE}\n  reason: x\n  until: 2020-01-01\n")
    corpus.verdicts(f"{PLAIN} must:{FINDING}")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["tolerated no longer, the day has passed:", f"  agent-baseline.yaml:1-3: {RULE}"])


def test_rule_that_is_not_broken_is_named(corpus, baseline):
    baseline.write_text(f"- tolerate: {RULE}\n  reason: x\n")

    result = corpus.run("history/x")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["tolerated, and not broken in this run:", f"  {RULE}"])


def test_update_writes_the_rule_and_not_each_of_its_findings(corpus, baseline):
    baseline.write_text("# Ours.\n- tolerate: openai/tools-empty\n  reason: mine\n")
    corpus.verdicts(f"history/x@gemini* must:{FINDING}", f"{STREAM} must:{FINDING} must:paired")

    corpus.run("history/x", f"--agent-tolerate={RULE}", "--agent-baseline-update")

    assert baseline.read_text() == (
        f"# Ours.\n- tolerate: {RULE}\n  reason: not yet explained\n- tolerate: openai/tools-empty\n  reason: mine\n"
        f"- finding: {STREAM}#paired\n  reason: not yet explained\n"
    )
    assert corpus.run("history/x").ret == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- tolerate: openai/tools-empty\n", ":1: `reason` is missing. Say why*"),
        ("- tolerate: tools\n  reason: x\n", ":1: `tolerate` is *; expected the id of a rule, such as openai/*"),
        ("- tolerate: a/b\n  finding: a@b+plain#c\n  reason: x\n", ":1: `tolerate` is given beside `finding`*"),
        (2 * "- tolerate: a/b\n  reason: x\n", ":3: a/b is given twice. Keep one."),
    ],
)
def test_broken_entry_of_a_rule_is_a_located_usage_error(corpus, baseline, text, said):
    baseline.write_text(text)

    result = corpus.run("history/x")

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"*agent-baseline.yaml{said}"])


def test_causes_of_one_law_are_apart(corpus):
    corpus.verdicts(
        "history/x@gemini* must:answers~crash_at_a.py:7",
        "history/y@gemini* must:answers~crash_at_a.py:7",
        "history/y@openai* must:answers~crash_at_b.py:9",
    )

    result = corpus.run("history")

    result.stdout.fnmatch_lines(
        [
            "findings by cause:",
            f"  answers: crash at a.py:7 · 4 cases   {PLAIN}",
            "  answers: crash at b.py:9 · 2 cases   history/y@openai-chat+plain",
        ]
    )


def test_rule_is_named_with_its_field_only_where_there_are_several(corpus):
    corpus.verdicts(
        f"{PLAIN} must:{FINDING}~contents[]",
        f"{STREAM} must:{FINDING}~tools[]",
        "history/y@gemini* must:accepted:a/b~x",
    )

    result = corpus.run("history")

    result.stdout.fnmatch_lines(
        [
            f"  a/b · 2 cases {' ' * 26}*history/y@gemini-generate+plain",
            f"  {RULE} at contents[[]] · 1 case   {PLAIN}",
            f"  {RULE} at tools[[]] · 1 case *{STREAM}",
        ]
    )


def test_rule_of_the_same_name_at_another_provider_is_tolerated_too(corpus):
    corpus.verdicts(f"{PLAIN} must:accepted:groq/result-id-missing")

    other = corpus.run("history/x", "--agent-tolerate=openai/role-unknown")
    same = corpus.run("history/x", "--agent-tolerate=openai/result-id-missing")

    other.assert_outcomes(passed=3, failed=1)
    same.assert_outcomes(passed=3, xfailed=1)
    assert "not broken in this run" not in same.stdout.str()
    other.stdout.fnmatch_lines(["tolerated, and not broken in this run:", "  openai/role-unknown"])
