"""Workflow commands and the runner's files: no text becomes a command or an output of its own."""

import re
from dataclasses import replace

import pytest

from github_steps.outcome import (
    command,
    commands_stopped,
    environment_of_agent,
    exit_code_of_job,
    judged_exit_code,
    outputs_of,
    reason_of_end,
    runner_of,
    write_outputs,
)
from tests.github.stand_ins import outputs_in
from tests.report_data.made import results

HOSTILE = "100%\n::error::x\r::set-output name=a::b,file=c:d"


def test_command_has_its_properties_and_its_message() -> None:
    assert command("error", "no", {"file": "a.py", "line": 3}) == "::error file=a.py,line=3::no"
    assert command("notice", "no", {}) == "::notice::no"


def test_empty_properties_are_left_out() -> None:
    assert command("error", "no", {"file": "", "line": 0, "title": "t"}) == "::error title=t::no"


def test_hostile_text_is_one_line_and_no_other_command() -> None:
    line = command("error", HOSTILE, {"file": HOSTILE, "title": HOSTILE})

    assert len(line.splitlines()) == 1
    head, _, message = line.removeprefix("::error ").partition("::")
    assert message == "100%25%0A::error::x%0D::set-output name=a::b,file=c:d"
    assert head.count(",") == 1
    assert "file=100%25%0A%3A%3Aerror%3A%3Ax%0D%3A%3Aset-output name=a%3A%3Ab%2Cfile=c%3Ad" in head


def test_commands_are_stopped_until_a_token_that_nobody_can_guess(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        with commands_stopped():
            print("::error::no command")

    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    tokens = [line.removeprefix("::stop-commands::") for line in lines if line.startswith("::stop-commands::")]
    assert lines == [
        line for token in tokens for line in (f"::stop-commands::{token}", "::error::no command", f"::{token}::")
    ]
    assert len(set(tokens)) == 2
    assert all(re.fullmatch("[0-9a-f]{64}", token) for token in tokens)


def test_commands_start_again_after_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OSError, match="gone"), commands_stopped():
        raise OSError("gone")

    first, *_, last = capsys.readouterr().out.split()
    assert last == f"::{first.removeprefix('::stop-commands::')}::"


def test_outputs_hold_any_text(tmp_path) -> None:
    path = tmp_path / "output"
    write_outputs(path, {"passed": 3, "report": "a\nfailed=0\nx<<y"})
    write_outputs(path, {"failed": 1})
    write_outputs(None, {"failed": 1})

    assert outputs_in(path.read_text()) == {"passed": "3", "report": "a\nfailed=0\nx<<y", "failed": "1"}


def test_agent_does_not_get_the_runners_files() -> None:
    given = {"GITHUB_OUTPUT": "a", "GITHUB_ENV": "b", "ACTIONS_RUNTIME_TOKEN": "c", "GITHUB_REF": "d", "HOME": "e"}

    assert environment_of_agent(given) == {"GITHUB_REF": "d", "HOME": "e"}


@pytest.mark.parametrize(
    ("event", "number"),
    [
        ('{"pull_request": {"number": 7}}', 7),
        ('{"issue": {"number": 7, "pull_request": {}}}', 7),
        ('{"issue": {"number": 7}}', None),
        ('{"pull_request": {"number": "7/../8"}}', None),
        ('{"pull_request": {"number": true}}', None),
        ('{"ref": "main"}', None),
        ("[]", None),
        ("{", None),
    ],
)
def test_pull_request_is_that_of_the_event(tmp_path, event: str, number: int | None) -> None:
    path = tmp_path / "event.json"
    path.write_text(event)

    assert runner_of({"GITHUB_EVENT_PATH": str(path)}).pull_request == number
    assert runner_of({}).pull_request is None


@pytest.mark.parametrize("name", ["owner", "../../user", "a/b/c", "a b/c", "owner/repo?x=1"])
def test_repository_of_another_form_is_none(name: str) -> None:
    assert runner_of({"GITHUB_REPOSITORY": name}).repository == ""
    assert runner_of({"GITHUB_REPOSITORY": "owner/repo.py"}).repository == "owner/repo.py"


def test_outputs_are_counts_of_cases() -> None:
    assert outputs_of(results()) == {"passed": 1, "failed": 2, "known": 1, "not-verified": 1, "errors": 0}
    assert set(outputs_of(None).values()) == {0}


@pytest.mark.parametrize(
    ("ended", "written", "judged"),
    [(0, 0, 0), (1, 1, 1), (0, 1, 1), (0, 3, 3), (1, 3, 3), (1, 0, 1), (137, 1, 137), (0, None, 3), (1, None, 1)],
)
def test_exit_code_is_not_below_that_of_the_results(ended: int, written: int | None, judged: int) -> None:
    passed = replace(results(), exit_code=written, counts={"pass": 1})
    assert judged_exit_code(ended, passed) == judged
    if written is None:
        assert judged_exit_code(ended, None) == judged


def test_exit_code_is_not_below_what_the_cases_say() -> None:
    assert judged_exit_code(0, replace(results(), exit_code=0, counts={"pass": 1, "fail": 1})) == 1
    assert judged_exit_code(0, replace(results(), exit_code=0, counts={"stale": 1})) == 1
    assert judged_exit_code(0, replace(results(), exit_code=0, counts={"pass": 1}, fewer=("a wire",))) == 1
    assert judged_exit_code(3, replace(results(), exit_code=3, counts={"fail": 1})) == 3


@pytest.mark.parametrize(
    ("code", "findings", "errors", "nothing"),
    [(0, 0, 0, 0), (1, 1, 0, 0), (3, 3, 3, 0), (4, 4, 4, 0), (137, 137, 137, 0)],
)
def test_fail_on_says_what_fails_the_job(code: int, findings: int, errors: int, nothing: int) -> None:
    assert exit_code_of_job(code, "findings") == findings
    assert exit_code_of_job(code, "errors") == errors
    assert exit_code_of_job(code, "nothing") == nothing
    assert bool(reason_of_end(code, "nothing", results())) == (code != 0)


def test_end_says_what_the_job_fails_for() -> None:
    run = results()
    assert reason_of_end(1, "findings", None).startswith("the run ended with exit code 1")
    clean = replace(run, cases=tuple(replace(case, findings=(), stale=()) for case in run.cases))
    stale = replace(clean, cases=(replace(clean.cases[0], stale=("a/b#paired",)),))
    fewer = replace(clean, fewer=("1 of 2 cases of core",))
    new = replace(run, cases=tuple(replace(case, stale=()) for case in run.cases))

    said = [reason_of_end(1, "findings", one).partition(";")[0] for one in (new, stale, fewer)]

    assert said == [
        "there are new findings",
        "the baseline has entries of what is fixed",
        "less is judged than when the baseline was written",
    ]
