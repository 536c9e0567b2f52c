"""Reports of real runs: equal for equal runs, and there whatever ends the run."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.report_data.encoding import results_schema
from agent_conformance.report_data.folder import read_results
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
AGENT = """\
import os, signal
import httpx2
from agent_conformance import AgentError

class Adapter:
    wires = ("openai-chat",)
    features = {"conversation"}

    def __init__(self, setup):
        self.setup = setup
        self.messages = []

    def send(self, message):
        if "end" in message:
            END
        self.messages.append({"role": "user", "content": message})
        body = {"model": self.setup.model, "messages": self.messages, "tools": [] if "wrong" in message else None}
        body = {name: value for name, value in body.items() if value is not None}
        headers = {"authorization": f"Bearer {self.setup.api_key}"}
        response = httpx2.post(f"{self.setup.base_url}/chat/completions", json=body, headers=headers)
        if response.status_code != 200:
            raise AgentError(response.text)
        answer = response.json()["choices"][0]["message"]
        self.messages.append({"role": "assistant", "content": answer["content"]})
        return answer["content"]
"""
SCENARIO = """\
description: a message is answered
profile: core
wires: [openai-chat]
conversation:
  - user: This is {what}.
    model:
      - text: Hi.
    expect: {{reply: Hi.}}
"""
WEATHER = """\
description: a call with arguments is run
profile: core
wires: [openai-chat]
tools:
  - name: get_weather
    description: Looks up the weather in a city.
    parameters: {city: string}
    returns: rain
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It rains.
    expect: {reply: It rains.}
"""
SMALL_AGENT = ROOT / "tests/acp/small_agent.py"
ENDINGS = {
    "interrupt": "os.kill(PID, signal.SIGINT)",
    "terminate": "os.kill(PID, signal.SIGTERM)",
    "kill": "os.kill(PID, signal.SIGKILL)",
}


@pytest.fixture
def project(tmp_path):
    """`area/a` passes, `area/b` breaks a rule, `area/c` ends the run, if it is there, and `area/d` passes."""
    area = tmp_path / "corpus" / "area"
    area.mkdir(parents=True)
    tmp_path.joinpath("agent.py").write_text(AGENT.replace("END", "pass"))
    for name, what in (("a", "right"), ("b", "wrong"), ("d", "right, too")):
        area.joinpath(f"{name}.yaml").write_text(SCENARIO.format(what=what))
    return tmp_path


def ending_with(project, code, *, workers):
    pid = "os.getppid()" if workers else "os.getpid()"
    text = AGENT.replace("END", f"{code.replace('PID', pid)}; import time; time.sleep(5)")
    project.joinpath("agent.py").write_text(text)
    project.joinpath("corpus/area/c.yaml").write_text(SCENARIO.format(what="the end"))


def run(project, report, *options, agent="agent:Adapter"):
    command = [sys.executable, "-m", "pytest", f"--agent={agent}", "--agent-scenarios=corpus", "corpus", "-q"]
    command += [f"--agent-report={report}", "-p", "no:cacheprovider", *options]
    environment = {**os.environ, "PYTHONPATH": str(project)}  # for the process of a command
    return subprocess.run(
        command,
        cwd=project,
        env=environment,
        preexec_fn=interruptible,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def interruptible():
    """What a shell runs in the background ignores SIGINT, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def without_times(path):
    text = path.read_text(encoding="utf-8")
    return re.sub(r'"(seconds|started)":[^,]*', r'"\1":0', text)


@pytest.mark.slow
def test_equal_runs_give_equal_files(project):
    for name, options in (("one", ()), ("two", ()), ("workers", ("-n2",))):
        run(project, name, *options)

    one, two, workers = (without_times(project / name / "results.json") for name in ("one", "two", "workers"))
    assert two == one
    assert workers == one
    for file in ("summary.md", "badge.json"):
        texts = [(project / name / file).read_text() for name in ("one", "two", "workers")]
        assert len({re.sub(r"\d+ s$", "", text, flags=re.MULTILINE) for text in texts}) == 1


@pytest.mark.slow
def test_failing_case_has_its_turn_its_request_and_its_response(project):
    run(project, "out")

    results = read_results(project / "out")
    case = next(case for case in results.cases if case.id.startswith("area/b@"))
    (finding,) = [finding for finding in case.findings if finding.state == "new"]
    assert (finding.rule, finding.place.turn, finding.place.request) == ("openai/tools-empty", 1, 1)
    (request,) = case.turns[0].requests
    assert (request.kind, request.status, request.violation.rule) == ("refused", 400, "openai/tools-empty")
    sent, got = results.bodies[request.request], results.bodies[request.response]
    assert json.loads(sent.text)["tools"] == []
    assert (sent.method, sent.path.rpartition("/")[2]) == ("POST", "completions")
    assert dict(sent.headers)["authorization"] == "Bearer $setup.api_key"
    assert (got.status, "error" in json.loads(got.text)) == (400, True)
    passed = next(case for case in results.cases if case.id.startswith("area/a@"))
    assert (passed.turns, passed.narrative.startswith("turn 1\n")) == ((), True)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "worker"])
@pytest.mark.parametrize(
    ("signal", "ended", "code"), [("interrupt", "interrupted", 2), ("terminate", "terminated", 143)]
)
def test_run_that_a_signal_ends_has_what_was_judged(project, workers, signal, ended, code):
    ending_with(project, ENDINGS[signal], workers=workers)

    done = run(project, "out", *workers)

    results = read_results(project / "out")
    assert (done.returncode, results.exit_code, results.ended, results.selected) == (code, code, ended, 4)
    assert [case.id for case in results.cases][:2] == ["area/a@openai-chat+plain", "area/b@openai-chat+plain"]
    assert f"the run was {ended} after {len(results.cases)} of 4 cases" in (project / "out/summary.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["alone", "worker"])
def test_run_that_is_killed_loses_the_case_in_flight_alone(project, workers, capsys):
    run(project, "out")
    ending_with(project, ENDINGS["kill"], workers=workers)

    run(project, "out", *workers)

    assert [path.name for path in (project / "out").glob("results.*")] == ["results.ndjson"]
    results = read_results(project / "out")
    assert results.ended == "killed"
    assert [case.id for case in results.cases] == ["area/a@openai-chat+plain", "area/b@openai-chat+plain"]
    assert main(["report", str(project / "out")]) == 0
    assert "the run was killed after 2 cases" in (project / "out/summary.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("how", ["isolated", "cmd"])
def test_agents_in_processes_of_their_own_have_the_same_report(project, how):
    bridge = f"cmd:{sys.executable} {ROOT / 'tests/command_agent/bridge.py'} agent:Adapter"
    options = ["--agent-isolate"] if how == "isolated" else []

    run(project, "out", *options, agent=bridge if how == "cmd" else "agent:Adapter")

    results = read_results(project / "out")
    assert results.counts == {"pass": 2, "fail": 1}
    assert results.agent.isolated == (how == "isolated")
    case = next(case for case in results.cases if case.outcome == "fail")
    assert case.turns[0].requests[0].request in results.bodies


@pytest.mark.slow
def test_agent_over_acp_has_a_report(project):
    for file in project.glob("corpus/area/*.yaml"):
        file.unlink()
    project.joinpath("corpus/area/weather.yaml").write_text(WEATHER)

    run(project, "out", agent=f"acp:wire=openai-chat mode=plain {sys.executable} {SMALL_AGENT} drops-arguments")

    results = read_results(project / "out")
    assert (results.agent.name.partition(":")[0], results.counts) == ("acp", {"fail": 1})
    (case,) = results.cases
    (finding,) = [finding for finding in case.findings if finding.level == "must"]
    assert (finding.law, finding.place.turn) == ("sent-arguments", 1)
    requests = case.turns[0].requests
    assert [request.status for request in requests] == [200, 200]
    assert "What is the weather in Oslo?" in results.bodies[requests[0].request].text
    assert (project / "out/index.html").is_file()


def test_schema_names_every_field_of_the_draft():
    assert {"suite", "agent", "environment", "options", "seeds", "cases", "bodies"} <= set(
        results_schema()["properties"]
    )
