"""The commands that run the same cases again, to record or to freeze them, select what the run selected."""

import shlex
from pathlib import Path

import pytest

import agent_conformance.pytest
from pytest_agent_conformance_options import OPTIONS

pytest_plugins = ["pytester"]


def command(result, mark):
    return next(line.partition(mark)[2] for line in result.outlines if mark in line)


def rerun(project, text):
    program, *arguments = shlex.split(text)
    assert program == "pytest"
    return project.pytester.runpytest_inprocess(*arguments)


TYPED = {
    "agent-scenarios": "elsewhere",
    "agent-case": "history/x",
    "agent-wire": "openai-chat",
    "agent-mode": "plain,stream",
    "agent-provider": "openai",
    "agent-profile": "core",
    "agent-models": "newest",
    "agent-level": "must",
    "agent-transport": "process",
    "agent-cut": "whole",
    "agent-relations": "repeat",
    "agent-timeout": "9",
    "agent-turn-limit": "90",
    "agent-baseline": "b.yaml",
    "agent-tolerate": "openai/role-unknown",
    "agent-snapshots": "snaps",
    "agent-shard": "1/1",
    "agent-report": "out",
}
NOT_TYPED = {"agent", "agent-fuzz", *(option.name for option in OPTIONS if option.action == "store_true")}
"""The agent stands in every command; the others would make another run of it."""


def test_each_option_that_says_so_is_repeated_and_no_other(project):
    project.scenario("history/x")
    project.scenario("more/z", into="elsewhere")
    project.verdicts("history/x@openai-chat+plain must:paired")
    typed = {name: f"--{name}={value}" for name, value in TYPED.items()}

    project.pytester.path.joinpath("b.yaml").write_text("# nothing is known\n")
    project.pytester.mkdir("snaps")  # `record: ` is for those who have snapshots

    result = project.run(*typed.values())

    assert [option.name for option in OPTIONS if option.name not in NOT_TYPED and option.name not in TYPED] == []
    for mark, repeated in (("next: ", ("case",)), ("record: ", ("case", "cases"))):
        words = shlex.split(command(result, mark))
        wanted = [option.name for option in OPTIONS if option.again in repeated]
        assert [name for name, word in typed.items() if word in words] == [name for name in typed if name in wanted]


def test_each_option_is_read():
    plugin = Path(agent_conformance.pytest.__file__).parent
    read = "".join(path.read_text(encoding="utf-8") for path in plugin.glob("*.py"))

    names = (option.name for option in OPTIONS if option.name != "agent")
    assert [name for name in names if f'"{name}"' not in read and f'"{name.replace("-", "_")}"' not in read] == []


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
    project.pytester.mkdir("agent-snapshots")  # `record: ` is for those who have snapshots

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
