"""Which cases a command line runs."""

import gc

import pytest

from agent_conformance.pytest import plugin
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.files.selection import smoke_ids

pytest_plugins = ["pytester"]

ALL_OF_X = [f"history/x@{wire}+{mode}" for wire in ("openai-chat", "gemini-generate") for mode in ("plain", "stream")]


ORIGINS = {
    "history/pruned-past-the-user",  # zeroclaw #6303
    "no-tools/nothing-is-taught",  # zeroclaw #6546
    "no-tools/text-like-a-call[leaked-address]",
    "pseudo-calls/calls-in-words[leaked-address]",  # hero_shrimp #24, in what GPT and Claude write
    "pseudo-calls/no-arguments-in-tags[invoke]",
    "declarations/offered-whole",  # openclaWP #83
    "round-trip/result-comes-back",
    "tool-names/invented-name-and-no-tool-runs",  # LocalAGI #481
}


def collected(result):
    return [line for line in result.outlines if "@" in line and " " not in line]


@pytest.fixture
def corpus(project):
    project.scenario("history/x")
    project.scenario("history/pruned-past-the-user")
    project.scenario(
        "tools/two-rows", extra="system: $greeting\nexamples: {short: {greeting: Hi}, long: {greeting: Hey}}"
    )
    return project


def test_no_path_means_bundled_configured_and_own_scenarios_and_no_unit_tests(corpus):
    corpus.scenario("incidents/y", into="scenarios")
    corpus.scenario("z", into="more")
    corpus.pytester.makepyfile(test_unit="def test_unit(): ...")
    corpus.pytester.makepyfile(**{"scenarios/test_beside": "def test_beside(): ..."})

    result = corpus.run("--collect-only", "-q", "--agent-scenarios=more")

    assert {line.partition("@")[0] for line in collected(result)} == {
        "history/x",
        "history/pruned-past-the-user",
        "tools/two-rows[short]",
        "tools/two-rows[long]",
        "incidents/y",
        "more/z",
    }
    assert "test_unit" not in result.stdout.str()
    assert "test_beside" not in result.stdout.str()


def test_folder_is_looked_through_once_however_many_of_its_files_are_chosen(corpus, monkeypatch):
    asked = []
    collect_file = plugin.collect_file

    def counted(path, *more):
        asked.append(path.name)
        return collect_file(path, *more)

    monkeypatch.setattr(plugin, "collect_file", counted)

    found = collected(corpus.run("history", "history/x", "--collect-only", "-q"))

    assert found == [*(id.replace("/x@", "/pruned-past-the-user@") for id in ALL_OF_X), *ALL_OF_X]
    assert [name for name in asked if name.endswith(".yaml")] == ["pruned-past-the-user.yaml", "x.yaml"]


def test_no_garbage_is_collected_until_all_cases_are_known(corpus, monkeypatch):
    running = []
    collect_file = plugin.collect_file
    monkeypatch.setattr(plugin, "collect_file", lambda *of: (running.append(gc.isenabled()), collect_file(*of))[1])

    corpus.run("history/x", "--collect-only", "-q")

    assert set(running) == {False}
    assert gc.isenabled()


def test_conftest_of_the_project_is_loaded_and_that_of_its_unit_tests_is_not(corpus):
    corpus.pytester.makeini("[pytest]\ntestpaths = tests")
    corpus.pytester.makeconftest("def pytest_addoption(parser): parser.addoption('--mine')")
    corpus.pytester.mkdir("tests").joinpath("conftest.py").write_text("1 / 0")

    assert corpus.run("history/x", "--mine=1").ret == 0
    assert corpus.run("--mine=1").ret == 0
    assert corpus.run("--mine", "1").ret == 0


def test_an_explicit_path_means_that_path(corpus):
    corpus.pytester.makepyfile(test_unit="def test_unit(): ...")

    corpus.run("test_unit.py").assert_outcomes(passed=1)
    assert collected(corpus.run("corpus/history/x.yaml", "--collect-only", "-q")) == ALL_OF_X


def test_an_explicit_folder_has_unit_tests_and_scenarios(corpus):
    corpus.pytester.makepyfile(test_unit="def test_unit(): ...")
    corpus.scenario("incidents/y", into="scenarios")
    corpus.scenario("data/config", into="elsewhere", text="colour: blue")

    corpus.run(".", "--ignore=corpus").assert_outcomes(passed=5)


def test_a_folder_outside_counts_when_one_of_its_files_is_a_scenario(corpus):
    corpus.scenario("incidents/good", into="elsewhere")
    corpus.scenario("incidents/broken", into="elsewhere", text="nonsense: 1")

    result = corpus.run("elsewhere")

    result.assert_outcomes(passed=4, errors=1)


@pytest.mark.parametrize(
    "argument", ["history/x", "scenarios/history/x.yaml", "./history/x", "history/?", "history/x.yaml"]
)
def test_a_scenario_is_selected_by(corpus, argument):
    assert collected(corpus.run(argument, "--collect-only", "-q")) == ALL_OF_X


def test_a_pasted_case_id_runs_that_case(corpus):
    assert collected(corpus.run("history/x@gemini-generate+stream", "--collect-only", "-q")) == ALL_OF_X[3:]


def test_a_pasted_finding_id_runs_its_case(corpus):
    pasted = "history/x@gemini-generate+stream#accepted:gemini/call-after-user-turn"

    assert collected(corpus.run(pasted, "--collect-only", "-q")) == ALL_OF_X[3:]


def test_an_example_is_selected_without_a_target(corpus):
    found = collected(corpus.run("tools/two-rows[long]", "--collect-only", "-q"))

    assert len(found) == 4
    assert {line.partition("@")[0] for line in found} == {"tools/two-rows[long]"}


def test_a_target_without_an_example_is_selected_in_all_examples(corpus):
    chosen = ["tools/two-rows[short]@gemini-generate+stream", "tools/two-rows[long]@gemini-generate+stream"]
    target = "tools/two-rows@gemini-generate+stream"

    assert collected(corpus.run(target, "--collect-only", "-q")) == chosen
    assert collected(corpus.run(f"{target}#answers", "--collect-only", "-q")) == chosen
    assert collected(corpus.run("tools/*@gemini-generate+str?am", "--collect-only", "-q")) == chosen
    assert collected(corpus.run(f"--agent-case={target}", "--collect-only", "-q")) == chosen
    assert corpus.run("tools/two-rows@ollama-chat+plain").ret == 4


def test_an_area_is_selected(corpus):
    assert {line.partition("@")[0] for line in collected(corpus.run("history", "--collect-only", "-q"))} == {
        "history/x",
        "history/pruned-past-the-user",
    }


def test_several_ids_and_paths_add_up_and_repeat_nothing(corpus):
    arguments = ("history/x@openai-chat+plain", "history/x", "history/x@openai-chat+stream", "corpus/history/x.yaml")

    assert collected(corpus.run(*arguments, "--collect-only", "-q")) == ALL_OF_X


def test_an_id_as_a_subdirectory_prints_it_is_selected(corpus):
    corpus.pytester.makeini("[pytest]")
    corpus.pytester.chdir()
    inside = corpus.pytester.mkdir("inside")
    corpus.pytester._monkeypatch.chdir(inside)

    result = corpus.run("../history/x@openai-chat+plain", "-v")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["../history/x@openai-chat+plain PASSED*"])


def test_agent_case_filters_by_glob_and_adds_up(corpus):
    result = corpus.run(
        "--agent-case=history/*@openai-chat+*", "--agent-case=tools/two-rows[[]*", "--collect-only", "-q"
    )
    assert result.ret == 4

    found = collected(
        corpus.run("--agent-case=history/*@openai-chat+*", "--agent-case=tools/two-rows[short]", "--collect-only", "-q")
    )
    assert len(found) == 2 * 2 + 4


def test_agent_case_narrows_a_path(corpus):
    found = collected(corpus.run("corpus/history", "--agent-case=*@gemini-generate+plain", "--collect-only", "-q"))

    assert found == ["history/pruned-past-the-user@gemini-generate+plain", "history/x@gemini-generate+plain"]


@pytest.mark.parametrize(
    ("argument", "near"),
    [
        ("history/pruned-past-user@gemini-generate+stream", "history/pruned-past-the-user"),
        ("history/x@openai-caht+plain", "history/x@openai-chat+plain"),
        ("tools/two-rows[lang]", "tools/two-rows[[]long]@openai-chat+plain"),
        ("histori", "history"),
        ("pruned-past-the-user", "history/pruned-past-the-user"),
        ("--agent-case=histry/*", "history"),
    ],
)
def test_an_unknown_id_is_a_usage_error_with_near_misses(corpus, argument, near):
    result = corpus.run(argument)

    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: *near are *{near}*"])
    assert "Traceback" not in result.stderr.str()


@pytest.mark.slow
def test_an_unknown_id_says_the_same_under_xdist(corpus):
    result = corpus.run_process("history/z", "-n2")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: history/z: is neither a path nor the id *"])


def test_an_old_id_is_answered_with_the_new_one(corpus):
    corpus.scenario("history/renamed", extra="formerly: [history/first-name]")

    result = corpus.run("history/first-name@openai-chat+plain")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["*history/first-name is now called history/renamed*"])


def test_a_missing_unit_test_is_still_pytests_own_error(corpus):
    result = corpus.run("tests/test_missing.py::test_it")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: file or directory not found*"])


def test_agent_in_the_configuration_adds_nothing_to_a_bare_run(corpus):
    corpus.scenario("incidents/y", into="scenarios")
    corpus.pytester.makepyfile(test_unit="def test_unit(): ...")
    for ini in ("addopts = --agent=mymodule:Adapter", "agent = mymodule:Adapter"):
        corpus.pytester.makeini(f"[pytest]\n{ini}")

        corpus.run_plain().assert_outcomes(passed=1)
        corpus.run_plain("test_unit.py").assert_outcomes(passed=1)
        corpus.run_plain("history/x").assert_outcomes(passed=4)
        corpus.run_plain("--agent-case=history/x").assert_outcomes(passed=4)


def test_testpaths_that_name_scenarios_run_them(corpus):
    corpus.scenario("incidents/y", into="scenarios")
    corpus.pytester.makeini("[pytest]\nagent = mymodule:Adapter\ntestpaths = scenarios")

    corpus.run_plain().assert_outcomes(passed=4)


def test_wires_and_profiles_narrow_the_run(corpus):
    corpus.scenario("history/hostile", profile="hardened")

    assert len(collected(corpus.run("history", "--agent-wire=gemini-generate", "--collect-only", "-q"))) == 6
    assert len(collected(corpus.run("history", "--agent-profile=hardened", "--collect-only", "-q"))) == 4
    streamed = collected(corpus.run("history", "--agent-mode=stream", "--collect-only", "-q"))
    assert len(streamed) == 6
    assert all(name.endswith("+stream") for name in streamed)


def test_mode_that_there_is_not_or_that_the_agent_lacks_is_a_usage_error(corpus):
    for mode, sentence in (("streams", "Did you mean stream?"), ("stream", "this agent supports plain")):
        result = corpus.run(f"--agent-mode={mode}")
        assert result.ret == 4
        result.stderr.fnmatch_lines([f"*--agent-mode={mode}: *{sentence}"])
        module = corpus.path / "mymodule.py"
        module.write_text(module.read_text().replace('("plain", "stream")', '("plain",)'))


@pytest.fixture
def smoke(corpus):
    corpus.path.joinpath("corpus", "smoke.txt").write_text("# picked\nhistory/x\n")
    corpus.scenario("incidents/y", into="scenarios")
    return corpus


def scenarios_of(result):
    return sorted({line.partition("@")[0] for line in collected(result)})


def targets_of(result):
    return list(dict.fromkeys(line.partition("@")[2] for line in collected(result)))


def test_the_profile_smoke_runs_the_picked_and_the_projects_own(smoke):
    assert scenarios_of(smoke.run("--agent-profile=smoke", "--collect-only", "-q")) == ["history/x", "incidents/y"]
    assert len(collected(smoke.run("tools/two-rows", "--agent-profile=smoke", "--collect-only", "-q"))) == 2


def test_the_profile_smoke_asks_on_the_main_wire_and_plain_unless_a_wire_is_chosen(smoke):
    wire, other = (name.partition("+")[0] for name in targets_of(smoke.run("--collect-only", "-q", "history/x"))[::2])

    assert targets_of(smoke.run("--agent-profile=smoke", "--collect-only", "-q")) == [f"{wire}+plain"]
    assert targets_of(smoke.run("--agent-profile=smoke", f"--agent-wire={other}", "--collect-only", "-q")) == [
        f"{other}+plain"
    ]


def test_the_profile_smoke_may_pick_an_example(smoke):
    smoke.path.joinpath("corpus", "smoke.txt").write_text("tools/two-rows[short]\n")

    assert scenarios_of(smoke.run("--agent-profile=smoke", "--collect-only", "-q")) == [
        "incidents/y",
        "tools/two-rows[short]",
    ]


@pytest.fixture
def started_in(smoke):
    """The project's agent, as if a process of its own took so many seconds to start for each case."""

    def took(seconds):
        with smoke.path.joinpath("mymodule.py").open("a") as file:
            file.write("\n\nimport agent_conformance.attach.loading as agents\nfrom dataclasses import replace\n")
            file.write("original = agents.checked_agent\n")
            file.write(f"took = {{'start_seconds': {seconds}}}\n")
            file.write("agents.checked_agent = lambda spec, adapter: replace(original(spec, adapter), **took)\n")
        return smoke

    return took


@pytest.mark.slow
def test_an_agent_that_starts_slowly_runs_every_case_and_says_how_long_that_takes(started_in):
    smoke = started_in(60.0)
    smoke.scenario("incidents/z", into="scenarios")
    result = smoke.run_process("--collect-only", "-q")

    assert len(collected(result)) == 24
    result.stdout.fnmatch_lines(["24 cases, about 24 minutes; --agent-profile=smoke runs twenty"])
    two_workers = smoke.run_process("-n", "2", "-q")
    two_workers.stdout.fnmatch_lines(["24 cases, about 12 minutes; --agent-profile=smoke runs twenty"])


@pytest.mark.slow
def test_twenty_cases_or_less_say_nothing_of_the_profile_smoke(started_in):
    result = started_in(60.0).run_process("history", "--collect-only", "-q")

    result.stdout.no_fnmatch_line("*minutes*")


@pytest.mark.slow
def test_a_short_run_says_nothing_about_its_time(started_in):
    result = started_in(5.9).run_process("--collect-only", "-q")

    result.stdout.no_fnmatch_line("*minutes*")


def test_the_smoke_profile_is_at_most_twenty_cases_each_origin_among_them(pytester):
    run = pytester.runpytest(
        "--agent=agent_conformance.reference:Adapter", "--agent-profile=smoke", "--collect-only", "-q"
    )
    ids = [line.partition("@") for line in collected(run)]

    assert {target for _, _, target in ids} == {"openai-chat+plain"}
    assert sorted(name for name, _, _ in ids) == sorted(smoke_ids(bundled_scenarios()))
    assert len(ids) <= 20
    assert {name for name, _, _ in ids} >= ORIGINS


def test_two_files_of_one_id_are_a_located_error(corpus):
    corpus.scenario("history/x", into="scenarios")

    result = corpus.run("-q")

    result.assert_outcomes(passed=16, errors=1)
    result.stdout.fnmatch_lines(
        ["scenarios/history/x.yaml:1: the id history/x is already that of corpus/history/x.yaml*"]
    )


@pytest.fixture
def some_examples(corpus):
    corpus.path.joinpath("corpus", "default.txt").write_text("# one of two\ntools/two-rows[short]\n")
    return corpus


@pytest.mark.parametrize("arguments", [(), ("--agent-mode=plain",), ("-k", "two-rows")])
def test_some_scenarios_play_not_every_example(some_examples, arguments):
    played = scenarios_of(some_examples.run(*arguments, "--collect-only", "-q"))

    assert [name for name in played if "[" in name] == ["tools/two-rows[short]"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--agent-profile=all",),
        ("--agent-profile=core,all",),
        ("tools",),
        ("tools/two-rows",),
        ("tools/two-rows[*]",),
        ("corpus/tools/two-rows.yaml",),
        ("--agent-case=tools/*",),
    ],
)
def test_every_example_is_played_if_it_is_asked_for(some_examples, arguments):
    played = scenarios_of(some_examples.run(*arguments, "--collect-only", "-q"))

    assert len([name for name in played if "[" in name]) == 2
