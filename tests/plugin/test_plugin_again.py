"""The commands that run the same cases again, to record or to freeze them, select what the run selected."""

import shlex

import pytest

pytest_plugins = ["pytester"]


def command(result, mark):
    return next(line.partition(mark)[2] for line in result.outlines if mark in line)


def rerun(project, text):
    program, *arguments = shlex.split(text)
    assert program == "pytest"
    return project.pytester.runpytest_inprocess(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "cases"),
    [
        ((), 8),
        (("history/x",), 4),
        (("history/x@openai-chat+plain", "tools/y@openai-chat+plain"), 2),
        (("elsewhere",), 4),
        (("--agent-wire=openai-chat",), 4),
        (("--agent-wire", "openai-chat", "-k", "plain", "history"), 1),
        (("--agent-case=history/x", "-m", "stream"), 2),
    ],
)
@pytest.mark.parametrize("mark", ["record: ", "fail on new ones only: "])
def test_the_command_selects_what_the_run_selected(project, arguments, cases, mark):
    project.scenario("history/x")
    project.scenario("tools/y")
    project.scenario("more/z", into="elsewhere")
    project.verdicts("* must:paired")

    text = command(project.run(*arguments), mark)

    outcomes = rerun(project, text).parseoutcomes()
    assert sum(outcomes.get(outcome, 0) for outcome in ("failed", "xfailed")) == cases


def test_a_case_alone_does_not_repeat_the_selection(project):
    project.scenario("history/x")
    project.verdicts("history/x@openai-chat+plain must:paired")

    text = command(project.run("history", "-k", "openai"), "next: ")

    assert shlex.split(text)[-1] == "history/x@openai-chat+plain"
    assert " -k" not in text
    assert not text.endswith(" history")


def test_next_is_a_case_of_the_most_frequent_cause(project):
    project.scenario("history/x")
    project.scenario("tools/y")
    project.verdicts("history/x@openai-chat+plain must:asked", "tools/y* must:paired")

    assert shlex.split(command(project.run(), "next: "))[-1] == "tools/y@gemini-generate+plain"


def test_next_is_an_error_where_nothing_failed(project):
    project.scenario("history/x")
    project.verdicts("history/x@gemini-generate+stream error")

    assert shlex.split(command(project.run(), "next: "))[-1] == "history/x@gemini-generate+stream"
