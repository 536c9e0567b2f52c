"""The command under `rerun` runs the one case that failed, in the options of the run that printed it."""

import shlex

pytest_plugins = ["pytester"]


def commands(result):
    return [line.split(maxsplit=1)[1] for line in result.outlines if line.startswith("  rerun ")]


def run_command(project, text):
    program, *arguments = shlex.split(text)
    assert program == "pytest"
    return project.pytester.runpytest_inprocess(*arguments, "-v")


def failing_alone(project, *arguments):
    """Run, then run each printed command; each must fail its one case and print itself again."""
    printed = commands(project.run(*arguments, "-vv"))
    for text in printed:
        again = run_command(project, text)
        again.assert_outcomes(failed=1)
        assert commands(again) == [text]
    return printed


def test_each_printed_command_runs_its_case(project):
    project.scenario("history/x")
    project.scenario("tools/rows", extra="system: $a\nexamples: {one: {a: A}, two-b: {a: B}}")
    project.verdicts("history/* must:paired", "tools/rows(two-b]@*plain error")

    printed = failing_alone(project)

    assert [text.rpartition(" ")[2] for text in printed] == [
        "history/x@openai-chat+plain",
        "history/x@openai-chat+stream",
        "history/x@gemini-generate+plain",
        "history/x@gemini-generate+stream",
        "'tools/rows[two-b]@openai-chat+plain'",
        "'tools/rows[two-b]@gemini-generate+plain'",
    ]


def test_options_that_were_typed_are_repeated(project):
    project.scenario("z", into="our incidents/more")
    project.verdicts("more/z@openai* should:paired")
    options = (
        "--agent-scenarios=our incidents/more",
        "--agent-level=should",
        "--agent-transport",
        "socket",
        "--agent-timeout=3",
        "--agent-profile=core,hardened",
    )

    printed = failing_alone(project, *options, "-k", "openai", "--agent-wire=openai-chat")

    assert len(printed) == 2
    assert "'--agent-scenarios=our incidents/more' --agent-level=should --agent-transport socket" in printed[0]
    assert " -k" not in printed[0]


def test_configured_options_are_not_repeated_and_still_in_force(project):
    project.scenario("z", into="more")
    project.verdicts("more/z@openai-chat+plain should:paired")
    project.pytester.makeini("[pytest]\nagent_scenarios = more\nagent_level = should")

    (printed,) = failing_alone(project)

    assert "should" not in printed


def test_a_file_outside_the_folders_is_named_by_its_path(project):
    path = project.scenario("z", into="elsewhere/more")
    project.verdicts("more/z@openai-chat+plain must:paired")

    (printed,) = failing_alone(project, str(path))

    assert "--agent-case=more/z@openai-chat+plain elsewhere/more/z.yaml" in printed


def test_an_agent_with_spaces_is_quoted(project):
    project.scenario("history/x")
    project.verdicts("history/x@openai-chat+plain must:paired")
    project.path.joinpath("it's here").mkdir()

    (printed,) = failing_alone(project, "--rootdir", ".", "-o", "cache_dir=it's here")

    assert shlex.split(printed)[-3:-1] == ["-o", "cache_dir=it's here"]


CUT = "--agent-cut=characters"


def test_findings_of_one_way_of_cutting_a_text_are_run_again_in_that_way(project):
    project.scenario("history/x")
    project.verdicts("history/*openai-chat+stream must:paired must:once cut:characters cut:characters")

    (printed,) = failing_alone(project)

    assert shlex.split(printed)[-2:] == [CUT, "history/x@openai-chat+stream"]


def test_findings_of_several_ways_are_run_again_in_all(project):
    project.scenario("history/x")
    project.verdicts("history/*openai-chat+stream must:paired must:once cut:characters")

    (printed,) = failing_alone(project)

    assert CUT not in printed


def test_known_findings_are_looked_for_in_all_ways(project):
    project.scenario("history/x")
    project.verdicts("history/*openai-chat+stream must:paired")
    project.run("--agent-baseline-update")
    project.verdicts("history/*openai-chat+stream must:paired must:once cut: cut:characters")

    (printed,) = commands(project.run())

    assert CUT not in printed


def test_way_that_there_is_not_is_an_error(project):
    project.scenario("history/x")

    result = project.run("--agent-cut=words")

    result.stderr.fnmatch_lines(["*--agent-cut=words: there is whole, given, characters, bytes*"])


def test_nothing_is_written_of_one_way_alone(project):
    project.scenario("history/x")

    result = project.run(CUT, "--agent-baseline-update")

    result.stderr.fnmatch_lines(["*--agent-cut=characters: baselines and snapshots are of all cuts*"])


def test_agent_of_the_configuration_is_in_no_command(project):
    project.scenario("z", into="more")
    project.verdicts("more/z@openai-chat+plain must:paired")
    project.pytester.makeini("[pytest]\nagent_scenarios = more\nagent = mymodule:Adapter")

    (printed,) = commands(project.run_plain("-vv", "more"))

    assert "--agent" not in printed
    run_command(project, printed).assert_outcomes(failed=1)


def test_agent_of_a_file_is_in_each_command_by_the_name_of_the_file(project):
    project.scenario("z", into="more")
    project.verdicts("more/z@openai-chat+plain must:paired")
    project.pytester.makeini("[pytest]\nagent_scenarios = more")
    project.pytester.path.joinpath("agent.toml").write_text("agent = 'mymodule:Adapter'")

    (printed,) = commands(project.run("-vv", agent="@agent.toml"))

    assert printed.startswith("pytest --agent=@agent.toml ")
    run_command(project, printed).assert_outcomes(failed=1)
