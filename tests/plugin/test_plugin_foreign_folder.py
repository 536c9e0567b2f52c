"""A folder `scenarios/` of the project that is about something else is a notice; a broken scenario stays an error."""

import pytest

pytest_plugins = ["pytester"]

LOAD_TEST = "description: a busy Friday\nusers: 100\nspawn_rate: 5\n"
NOTICE = "no scenarios, left out: files without a field of a scenario:"


@pytest.fixture
def corpus(project):
    project.scenario("history/x")
    return project


def foreign(corpus, text=LOAD_TEST, name="scenarios/black_friday.yaml"):
    path = corpus.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    "text",
    [
        LOAD_TEST,
        "colour: blue\n",
        "- a list\n- of things\n",
        "",
        "just a text\n",
        "users: [1, 2\n",
        "first: 1\n---\nsecond: 2\n",
        "? {a: b}\n: c\n",
        "!!python/object:locust.User {}\n",
    ],
)
def test_a_file_about_something_else_is_a_notice(corpus, text):
    foreign(corpus, text)

    result = corpus.run()

    result.assert_outcomes(passed=4)
    assert result.ret == 0
    result.stdout.fnmatch_lines([NOTICE, "  scenarios/black_friday.yaml"])


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_the_notice_is_the_same_under_xdist(corpus, workers):
    foreign(corpus)
    foreign(corpus, name="scenarios/more/deeper/load.yml")

    result = corpus.run_process(workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines([NOTICE, "  scenarios/black_friday.yaml", "  scenarios/more/deeper/load.yml"])
    assert result.stdout.str().count("black_friday") == 1


def test_modules_in_the_folder_are_not_run(corpus):
    corpus.pytester.makepyfile(**{"scenarios/locustfile": "1 / 0", "scenarios/test_steps": "1 / 0"})

    assert corpus.run().ret == 0


@pytest.mark.parametrize(
    "text",
    [
        "conversation: 5\n",
        "conversation: [\n",
        "convesation: []\n",
        "description: a\nprofile: core\n",
        "descriptio: a\nprofil: core\n",
        "# yaml-language-server: $schema=../scenario.schema.json\nnonsense: 1\n",
    ],
)
def test_a_broken_scenario_is_an_error_and_hides_no_other(corpus, text):
    foreign(corpus)
    corpus.scenario("incidents/broken", into="scenarios", text=text)

    result = corpus.run()

    result.assert_outcomes(passed=4, errors=1)
    assert result.ret == 3
    result.stdout.fnmatch_lines(["ERROR incidents/broken - scenarios/incidents/broken.yaml:*"])
    result.stdout.fnmatch_lines([NOTICE, "  scenarios/black_friday.yaml"])


def test_beside_scenarios_one_field_makes_a_file_a_scenario(corpus):
    corpus.scenario("incidents/y", into="scenarios")
    corpus.scenario("incidents/half", into="scenarios", text="description: a\n")
    foreign(corpus, "users: 100\n")

    result = corpus.run()

    result.assert_outcomes(passed=8, errors=1)
    assert result.ret == 3
    result.stdout.fnmatch_lines([NOTICE, "  scenarios/black_friday.yaml"])


@pytest.mark.parametrize("arguments", [("scenarios/black_friday.yaml",), ("--agent-scenarios=scenarios",)])
def test_in_what_is_named_every_file_is_a_scenario(corpus, arguments):
    foreign(corpus)

    result = corpus.run(*arguments)

    result.assert_outcomes(passed=4 if arguments[0].startswith("--") else 0, errors=1)
    assert result.ret == 3


@pytest.mark.parametrize(
    ("arguments", "settings"),
    [
        (("--ignore=scenarios",), ""),
        (("--ignore", "scenarios/"), ""),
        (("--ignore-glob=*scenarios*",), ""),
        ((), "norecursedirs = scenarios"),
        ((), "norecursedirs = .git scen*"),
        ((".", "--ignore=scenarios"), ""),
        ((".",), "norecursedirs = scenarios"),
    ],
)
def test_pytests_own_options_leave_the_folder_out(corpus, arguments, settings):
    corpus.scenario("incidents/broken", into="scenarios", text="conversation: 5\n")
    foreign(corpus)
    corpus.pytester.makeini(f"[pytest]\n{settings}\n")

    result = corpus.run(*arguments)

    result.assert_outcomes(passed=4)
    assert result.ret == 0
    assert "black_friday" not in result.stdout.str()


@pytest.mark.parametrize("ignored", ["scenarios/incidents", "scenarios/incidents/broken.yaml"])
def test_a_part_of_the_folder_may_be_ignored(corpus, ignored):
    corpus.scenario("incidents/broken", into="scenarios", text="conversation: 5\n")
    corpus.scenario("orders/y", into="scenarios")

    result = corpus.run(f"--ignore={ignored}")

    result.assert_outcomes(passed=8)
    assert result.ret == 0
