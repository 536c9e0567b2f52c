"""What a verdict is for pytest: the outcome, the text, the exit code."""

import pytest

pytest_plugins = ["pytester"]

PLAIN = "history/x@gemini-generate+plain"


@pytest.fixture
def corpus(project):
    project.scenario("history/x")
    return project


def test_a_pass_is_passed(corpus):
    result = corpus.run("history/x")

    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*agent conformance: mymodule:Adapter*", "4 cases: 4 passed"])


def test_a_finding_is_failed_with_its_facts_consequences_source_and_command(corpus):
    corpus.verdicts(f"{PLAIN} must:accepted:gemini/call-after-user-turn")

    result = corpus.run(PLAIN, "-rf")

    assert result.ret == 1
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            f"{PLAIN}#accepted:gemini/call-after-user-turn",
            "  at        turn 1, request 2, contents[[]0]",
            "  refused   400 Please ensure*",
            "  also      reply: not reached",
            "  not checked: survives",
            "  source    scenarios/history/x.yaml:3   https://example.org/7",
            f"  rerun     pytest *--agent=mymodule:Adapter *{PLAIN}",
            f"FAILED {PLAIN} - #accepted:gemini/call-after-user-t*",
            "findings by cause:",
            f"  gemini/call-after-user-turn · 1 case   {PLAIN}",
            f"next: pytest *{PLAIN}",
        ]
    )


def test_what_others_wrote_is_escaped_and_cut(corpus):
    corpus.verdicts(f"{PLAIN} must:paired")

    text = corpus.run(PLAIN, "-vv").stdout.str()

    assert "400 Please ensure\\x1b[2J that\\nit \\ud800 is long" in text
    assert "... (2035 characters)" in text
    assert "\x1b[2J" not in text
    assert "Traceback" not in text


def test_advice_is_listed_and_not_failed(corpus):
    corpus.verdicts(f"{PLAIN} should:1.should.requests[0]")

    result = corpus.run("history/x")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["advice: 1 cause in 1 case; --agent-level=should shows and fails it"])
    corpus.run("history/x", "-v").stdout.fnmatch_lines(["advice, not failed*", f"  requests · 1 case   {PLAIN}"])


def test_advice_fails_at_level_should(corpus):
    corpus.verdicts(f"{PLAIN} should:1.should.requests[0]")

    result = corpus.run("history/x", "--agent-level=should")

    result.assert_outcomes(failed=1, passed=3)
    assert result.ret == 1


def test_an_error_is_failed_and_says_whose_it_is_not(corpus):
    corpus.verdicts(f"{PLAIN} error")

    result = corpus.run("history/x")

    result.assert_outcomes(failed=1, passed=3)
    assert result.ret == 3
    result.stdout.fnmatch_lines(
        [
            "error (not the agent): the fake received no request in turn 1\\x1b[[]31m",
            "  more of it",
            f"  rerun     pytest *{PLAIN}",
            "errors (not the agent):",
            f"  the fake received no request in turn 1\\x1b[[]31m · 1 case   {PLAIN}",
        ]
    )


def test_a_crash_of_the_suite_is_an_error_with_its_traceback_and_the_others_run(corpus):
    corpus.verdicts(f"{PLAIN} crash")

    result = corpus.run("history/x")

    result.assert_outcomes(failed=1, passed=3)
    assert result.ret == 3
    result.stdout.fnmatch_lines(
        ["error (not the agent): the suite itself failed: RuntimeError: a defect of the suite", "*Traceback*"]
    )


def test_findings_beside_an_error_are_exit_3(corpus):
    corpus.verdicts(f"{PLAIN} error", "history/x@openai* must:paired")

    assert corpus.run("history/x").ret == 3


def test_a_missing_feature_is_skipped_and_counted_as_not_verified(corpus):
    corpus.scenario("streaming/y", extra="needs: [deltas]")

    result = corpus.run("-rs")

    result.assert_outcomes(passed=4, skipped=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["SKIPPED [[]4]*not verified: needs deltas", "not verified:", "  deltas · 4 cases"])


def test_a_history_that_cannot_be_restored_is_not_verified(corpus):
    corpus.verdicts(f"{PLAIN} restore")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=3, skipped=1)
    result.stdout.fnmatch_lines(["not verified:", "  cannot restore the history: no thinking · 1 case"])


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["", "workers"])
def test_a_run_in_vain_ends_after_its_first_cases(corpus, workers):
    for number in range(8):
        corpus.scenario(f"history/more{number}")
    corpus.verdicts("* error")

    result = corpus.run_process(*workers)

    assert result.ret == 3
    result.stdout.fnmatch_lines(["*the first 20 cases have no verdict, so the others were not run.*"])
    assert result.parseoutcomes()["failed"] < 30


def test_a_run_in_vain_goes_on_where_other_tests_run_too(corpus):
    for number in range(8):
        corpus.scenario(f"history/more{number}")
    corpus.verdicts("* error")
    corpus.pytester.makepyfile(test_own="def test_own(): pass")

    result = corpus.run("history", "test_own.py")

    result.assert_outcomes(failed=36, passed=1)


def test_a_run_with_one_verdict_goes_on_after_many_errors(corpus):
    for number in range(8):
        corpus.scenario(f"history/more{number}")
    corpus.verdicts("history/[mxy]* error", "history/more0@openai-chat+plain must:paired")

    assert corpus.run("history").parseoutcomes()["failed"] > 20


def test_a_run_that_judged_nothing_is_red(corpus):
    corpus.scenario("streaming/y", extra="needs: [deltas]")

    result = corpus.run("streaming")

    assert result.ret == 3
    result.stdout.fnmatch_lines(["4 cases: 0 passed, 4 not verified: nothing was judged"])


def test_a_run_that_selects_nothing_is_red(corpus):
    assert corpus.run("-k", "nothing_is_called_so").ret == 5


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--agent-wire=openai-caht", "*there is openai-chat, *. Did you mean openai-chat?"),
        ("--agent-wire=anthropic-messages", "*this agent supports openai-chat, gemini-generate"),
        ("--agent-provider=opneai", "*Did you mean openai?"),
        ("--agent-profile=hard", "*there is core, hardened, smoke, all.*"),
        ("--agent-level=may", "*there is must, should.*"),
        ("--agent-transport=udp", "*there is process, socket.*"),
        ("--agent-timeout=soon", "*write seconds, a number above 0"),
        ("--agent-timeout=0", "*write seconds, a number above 0"),
        ("--agent-scenarios=nowhere", "*no such file or folder"),
        ("--agent-baseline=nowhere.yaml", "*no such file; --agent-baseline-update writes it"),
    ],
)
def test_a_wrong_option_is_a_usage_error_in_one_line(corpus, option, said):
    result = corpus.run(option)

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {option.partition('=')[0]}={said}"])
    assert "Traceback" not in result.stderr.str()


@pytest.mark.parametrize("typed", [True, False], ids=["in the file", "on the command line"])
@pytest.mark.parametrize("suite", [True, False], ids=["with --agent", "without"])
def test_a_dashed_key_of_the_configuration_is_a_usage_error(corpus, typed, suite):
    if typed:
        corpus.pytester.makeini("[pytest]\nagent-level = should\n")
    run = corpus.run if suite else corpus.run_plain

    result = run() if typed else run("-o", "agent-level=should")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: agent-level in pytest's configuration: write agent_level"])


@pytest.mark.parametrize("spec", ["missing:Adapter", "mymodule:Adaptor", "mymodule"])
def test_an_agent_that_is_not_there_is_a_usage_error_in_one_line(corpus, spec):
    result = corpus.run(agent=spec)

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: --agent={spec}: *"])
    assert "Traceback" not in result.stderr.str()


def test_what_an_agents_module_raises_is_escaped(corpus):
    corpus.path.joinpath("broken.py").write_text(r"raise RuntimeError('no \x1b[2J config\nfound')")

    result = corpus.run(agent="broken:Adapter")

    assert result.ret == 4
    result.stderr.fnmatch_lines([r"ERROR: *RuntimeError: no \x1b[[]2J config found (*broken.py:1)"])


@pytest.mark.slow
@pytest.mark.parametrize("capture", ["fd", "sys", "no"])
def test_a_module_that_wraps_standard_output_when_it_is_imported_ends_no_run(corpus, capture):
    wrapping = "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\n"
    module = corpus.path / "mymodule.py"
    module.write_text(wrapping + module.read_text())

    result = corpus.run_process("history/x", f"--capture={capture}")

    result.assert_outcomes(passed=4)
    assert result.ret == 0


def test_options_are_keys_of_the_configuration_too(corpus):
    corpus.scenario("z", into="more")
    corpus.verdicts("more/z@openai-chat+plain should:paired")
    corpus.pytester.makeini(
        "[pytest]\nagent = mymodule:Adapter\nagent_scenarios = more\nagent_wire = openai-chat\nagent_level = should\n"
        "agent_timeout = 3\nagent_transport = socket\nagent_profile = core\nagent_snapshots = shots\n"
        "agent_baseline = known.yaml\nagent_case = more/z\nagent_provider = openai"
    )

    result = corpus.run_plain("--agent=mymodule:Adapter", "--snapshot-update", "--agent-baseline-update")

    result.assert_outcomes(passed=1, xfailed=1)
    assert corpus.path.joinpath("known.yaml").is_file()
    assert corpus.path.joinpath("shots", "more", "z.ambr").is_file()


@pytest.mark.skipif(pytest.version_tuple < (9,), reason="[tool.pytest] is there since pytest 9")
def test_keys_of_pytests_own_toml_have_their_types(corpus):
    corpus.pytester.makepyprojecttoml(
        '[tool.pytest]\nagent = "mymodule:Adapter"\nagent_wire = ["openai-chat"]\nagent_timeout = 2.5\n'
        'agent_isolate = false\nagent_scenarios = ["more"]'
    )
    corpus.scenario("z", into="more")

    corpus.run_plain("--agent-case=more/z").assert_outcomes(passed=2)


def test_a_wrong_number_in_the_configuration_is_a_usage_error(corpus):
    corpus.pytester.makeini("[pytest]\nagent_timeout = soon")

    result = corpus.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --agent-timeout=soon: write seconds, a number above 0"])


def test_verbose_quiet_and_stop_at_the_first_work_as_ever(corpus):
    corpus.verdicts("history/x@* must:paired")

    corpus.run("history/x", "-x").assert_outcomes(failed=1)
    corpus.run("history/x", "--maxfail=2").assert_outcomes(failed=2)
    corpus.run("history/x", "-v").stdout.fnmatch_lines([f"{PLAIN} FAILED*"])
    assert "_____" not in corpus.run("history/x", "-q", "--tb=no").stdout.str()


def test_a_run_without_verbosity_prints_dots_not_a_line_a_case(corpus):
    corpus.run("history/x").stdout.fnmatch_lines(["....*[[]100%[]]"])


def test_last_failed_runs_what_failed_beside_unit_tests(corpus):
    corpus.pytester.makepyfile(test_unit="def test_fails(): assert 0\ndef test_passes(): ...")
    corpus.verdicts(f"{PLAIN} must:paired")
    corpus.run("history/x", "test_unit.py").assert_outcomes(failed=2, passed=4)

    corpus.run("history/x", "test_unit.py", "--lf").assert_outcomes(failed=2)
