"""The steps of `action.yml`, run as a runner runs them, with a stand-in for the runner and for GitHub's API."""

import json

import pytest

from github_steps.outcome import mark_of
from tests.github.stand_ins import StandInRunner

AGENT = """\
import httpx2

from agent_conformance import AgentError


class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup):
        self.setup = setup

    def send(self, message):
        {hook}
        response = httpx2.post(
            f"{{self.setup.base_url}}/chat/completions",
            headers={{"authorization": f"Bearer {{self.setup.api_key}}"}},
            json={{"model": self.setup.model, "messages": [{{"role": "user", "content": message}}]}},
        )
        if response.is_error:
            raise AgentError(response.text)
        return response.json()["choices"][0]["message"]["content"]
"""
SCENARIO = """\
description: {description}
profile: core
conversation:
  - user: {user}
    model:
      - text: {text}
{more}
"""
EMPTY = '""\n      - text: Late.\n        spare: true'
PULL_REQUEST = {"pull_request": {"number": 7}}


@pytest.fixture
def workspace(tmp_path):
    path = tmp_path / "repo"
    path.joinpath("scenarios/shop").mkdir(parents=True)
    path.joinpath("mymodule.py").write_text(AGENT.format(hook="pass"))
    for name, text in (("greeting", "Welcome."), ("silence", EMPTY)):
        scenario = SCENARIO.format(description=f"{name} is heard", user=f"Hello, {name}.", text=text, more="")
        path.joinpath(f"scenarios/shop/{name}.yaml").write_text(scenario)
    return path


@pytest.fixture
def runner(workspace, tmp_path, api):
    return StandInRunner(workspace, tmp_path / "runner", api=api.url, event=PULL_REQUEST)


def judge(runner, **inputs):
    return runner.run(**{"agent": "mymodule:Adapter", "args": "shop -p no:cacheprovider", **inputs})


def test_pull_request_with_a_finding_from_the_first_run_to_the_repair(runner, workspace, api) -> None:
    worse = judge(runner, install='-e . "two words"', python_version="3.12")

    assert worse.exit_code == 1
    assert worse.outputs == {
        "passed": "1",
        "failed": "1",
        "known": "0",
        "not-verified": "0",
        "errors": "0",
        "report": "agent-report",
        "report-url": "https://github.com/o/r/actions/runs/1/artifacts/2",
    }
    assert '[-e][.]["two][words"]' in worse.pip
    [annotation, end] = worse.commands
    assert annotation.startswith("::error file=mymodule.py,line=6,title=answers")
    assert "shop/silence@openai-chat+plain#answers" in annotation
    assert end == "::error title=agent conformance::there are new findings; fail-on is `findings`"
    upload = worse.used["actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f"]
    assert upload["path"] == "./agent-report"
    assert not any("upload-sarif" in name for name in worse.used)
    assert workspace.joinpath("agent-report/results.json").is_file()
    assert "answers" in worse.summary
    [body] = api.bodies
    assert body.startswith(mark_of("agent-conformance"))
    assert worse.summary.strip() in body
    assert api.tokens == {"Bearer the-token-of-the-job"}

    workspace.joinpath("scenarios/shop/silence.yaml").unlink()
    better = judge(runner)

    assert better.exit_code == 0
    assert better.outputs["failed"] == "0"
    assert better.commands == []
    assert len(api.bodies) == 1
    assert api.bodies != [body]


@pytest.mark.slow
def test_findings_become_alerts_of_code_scanning_at_a_line_of_the_repository(runner, workspace) -> None:
    job = judge(runner, sarif="true")

    (upload,) = (given for name, given in job.used.items() if "upload-sarif" in name)
    assert upload == {"sarif_file": "./agent-report/results.sarif", "category": "agent-conformance"}
    (run,) = json.loads(workspace.joinpath("agent-report/results.sarif").read_text())["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("mymodule.py", 6)


@pytest.mark.slow
def test_agent_that_ends_the_process_of_pytest_in_c_fails_the_job(runner, workspace) -> None:
    ends = "import ctypes, os; ctypes.CDLL(None).syscall(231 if os.uname().machine == 'x86_64' else 94, 0)"
    workspace.joinpath("mymodule.py").write_text(AGENT.format(hook=ends))

    ended = judge(runner)

    assert ended.exit_code == 3
    assert ended.commands[-1].startswith("::error title=agent conformance::the run ended with exit code 3")


@pytest.mark.slow
def test_first_run_writes_the_baseline_and_later_runs_are_green(runner, workspace) -> None:
    arguments = "shop -p no:cacheprovider --agent-baseline-create"

    first, second = judge(runner, args=arguments), judge(runner, args=arguments)

    assert (first.exit_code, second.exit_code) == (0, 0)
    assert (first.outputs["known"], second.outputs["known"]) == ("1", "1")
    assert "shop/silence" in workspace.joinpath("agent-baseline.yaml").read_text()


@pytest.mark.slow
def test_token_of_a_fork_fails_nothing_and_findings_may_pass(runner, api) -> None:
    api.forbidden = "POST"

    job = judge(runner, fail_on="errors")

    assert job.exit_code == 0
    assert job.outputs["failed"] == "1"
    assert job.summary
    _, forbidden, end = job.commands
    assert forbidden.startswith(
        "::notice title=agent conformance::the token may not write comments, as in pull requests"
    )
    assert end == "::notice title=agent conformance::there are new findings; fail-on is `errors`"


@pytest.mark.slow
def test_hostile_agent_prints_no_command_and_finds_none_of_the_runners_files(runner, workspace) -> None:
    hook = (
        'import os, sys; print("::error::mine\\n::set-output name=failed::0"); '
        'print("::add-mask::a", file=sys.stderr); '
        'assert not [n for n in os.environ if n in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY")], "found"; '
        'assert "ACTIONS_RUNTIME_TOKEN" not in os.environ; '
        'raise ValueError("x\\n::error file=a::mine")'
    )
    workspace.joinpath("mymodule.py").write_text(AGENT.format(hook=hook))

    job = judge(runner, args="shop -s -p no:cacheprovider")

    assert "::error::mine" in job.log.splitlines()
    assert [line.partition(" ")[0] for line in job.commands] == ["::error"] * len(job.commands)
    assert "::error::mine" not in job.commands
    assert job.outputs["failed"] == "2"
    assert all("title=" in line for line in job.commands)
    assert "ValueError" in job.commands[0]
    assert job.commands[0].startswith("::error file=mymodule.py,line=13,")


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"agent": ""}, "the input `agent` is empty; write the agent, such as mymodule:Adapter"),
        ({"args": "'"}, "the input `args` cannot be read, No closing quotation: '"),
    ],
)
def test_input_that_cannot_be_read_fails_the_job_before_anything_runs(runner, workspace, inputs, said) -> None:
    job = judge(runner, **inputs)

    assert job.exit_code == 2
    assert job.commands == [f"::error title=agent conformance::{said}"]
    assert not workspace.joinpath("agent-report").exists()


def test_fail_on_of_another_name_fails_the_job_before_anything_runs(runner, workspace) -> None:
    job = judge(runner, fail_on="sometimes")

    assert job.exit_code == 2
    assert "invalid choice: 'sometimes'" in job.log
    assert not workspace.joinpath("agent-report").exists()


def test_run_that_judges_nothing_fails_the_job_and_has_no_results_of_an_earlier_one(runner, workspace) -> None:
    report = workspace.joinpath("agent-report")
    report.mkdir()
    report.joinpath("results.json").write_text('{"format":1, of an earlier run')
    report.joinpath("summary.md").write_text("of an earlier run")

    job = judge(runner, comment="false", agent="nowhere:Adapter")

    assert job.exit_code == 4
    assert job.commands[-1].endswith("::the run ended with exit code 4, and judged not all; fail-on is `findings`")
    assert (job.outputs["failed"], job.summary) == ("0", "")
    assert list(report.iterdir()) == []


def test_folder_of_something_else_is_left_as_it_is(runner, workspace) -> None:
    workspace.joinpath("index.html").write_text("our site")

    job = judge(runner, report_dir=".")

    assert job.exit_code == 2
    assert "the input `report-dir` cannot be the folder of the report: index.html is no file of a report" in job.log
    assert workspace.joinpath("index.html").read_text() == "our site"


def test_no_input_is_run_by_the_shell(runner, workspace) -> None:
    evil = '$(touch here) `touch here` "; touch here; #'
    names = ("agent", "profile", "wires", "baseline", "name", "install", "report_dir")

    job = runner.run(**dict.fromkeys(names, evil), args="$(touch here) ; touch here")

    assert job.exit_code != 0
    assert not [path for path in workspace.rglob("*") if path.name == "here"]
