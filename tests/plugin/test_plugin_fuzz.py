"""`--agent-fuzz`: made-up conversations after the cases of a run, and what they find in its report."""

import json
import logging
import subprocess
import sys

import pytest

from agent_conformance.pytest.fuzzing import FuzzLength, fuzz_length
from agent_conformance.run.process.descriptors import no_output

pytest_plugins = ["pytester"]

AGENT = "--agent=agent_conformance.mutants:M5d_abort_run"
ONE_CASE = ("--agent-case=round-trip/long-texts[message]", "--agent-wire=openai-chat")


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("30s", FuzzLength(30.0, None, None)),
        ("5m", FuzzLength(300.0, None, None)),
        ("200", FuzzLength(None, 200, None)),
        ("200,seed=7", FuzzLength(None, 200, 7)),
    ],
)
def test_length_is_a_time_or_a_number(text, length):
    assert fuzz_length(text) == length


@pytest.mark.parametrize("text", ["0s", "soon", "-1", "3 m", "30s,7", "1e3"])
def test_any_other_length_is_refused_with_what_to_write(text):
    with pytest.raises(pytest.UsageError, match="write how long to search, such as 30s"):
        fuzz_length(text)


def test_without_hypothesis_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    monkeypatch.setattr("agent_conformance.pytest.fuzzing.find_spec", lambda name: None)

    with pytest.raises(pytest.UsageError, match=r"needs Hypothesis: pip install 'hypothesis>="):
        fuzz_length("30s")


@pytest.mark.slow
def test_discovery_is_a_case_of_the_run_and_known_to_the_next(pytester):
    fuzz = "--agent-fuzz=1,seed=39"

    first = pytester.runpytest_subprocess(AGENT, *ONE_CASE, fuzz, "--agent-report=report")
    again = pytester.runpytest_subprocess(AGENT, "--agent-wire=openai-chat", fuzz, "scenarios")

    assert first.ret == 1
    first.assert_outcomes(passed=2, failed=1)
    first.stdout.fnmatch_lines(
        ["made-up conversations (--agent-fuzz):", "  seed 39: 1 documents, 1 new kind of findings"]
    )
    cases = json.loads((pytester.path / "report/results.json").read_text())["cases"]
    assert [case["outcome"] for case in cases if case["area"] == "fuzzed"] == ["fail"]
    [file] = pytester.path.glob("scenarios/fuzzed/*.yaml")
    assert "--seed=39 --start=0" in file.read_text()
    again.stdout.fnmatch_lines(["  seed 39: 1 documents, nothing new"])


def test_nothing_that_an_agent_prints_is_seen(capfd):
    with open(2, "w", encoding="utf-8", closefd=False) as stderr, no_output():  # as `sys.stderr` of a command is
        print("of the agent")
        logging.StreamHandler(stderr).emit(logging.makeLogRecord({"msg": "of its log"}))
        subprocess.run([sys.executable, "-c", "print('of a program')"], check=True)
    print("of the command")

    assert capfd.readouterr() == ("of the command\n", "")


BREAKS_THE_JUDGES = """
import agent_conformance.run.case_session as runs

really = runs.judge_case


def judge_case(scenario, *arguments, **more):
    if scenario.description != "{kept}":
        raise KeyError("max")
    return really(scenario, *arguments, **more)


runs.judge_case = judge_case
"""


def test_trial_that_raises_has_no_verdict_and_ends_no_run(pytester):
    pytester.makeconftest(BREAKS_THE_JUDGES.format(kept=KEPT))
    pytester.mkdir("scenarios").joinpath("area").mkdir()
    (pytester.path / "scenarios/area/x.yaml").write_text(ONE_SCENARIO)

    result = pytester.runpytest_subprocess(
        "--agent=agent_conformance.reference:Adapter", "--agent-wire=openai-chat", "--agent-fuzz=2,seed=7", "scenarios"
    )

    result.stdout.fnmatch_lines(["*no verdict, * times: the suite itself failed, please report it: KeyError: *max*"])
    assert "INTERNALERROR" not in result.stdout.str()
    assert result.ret == 0


def test_search_that_fails_leaves_the_verdicts_of_the_run(pytester):
    pytester.makeconftest("import agent_conformance.fuzz as s\ns.Search.discoveries = lambda *a: 1 / 0\n")
    pytester.mkdir("scenarios").joinpath("area").mkdir()
    (pytester.path / "scenarios/area/x.yaml").write_text(ONE_SCENARIO)

    result = pytester.runpytest_subprocess(
        "--agent=agent_conformance.reference:Adapter", "--agent-wire=openai-chat", "--agent-fuzz=2,seed=7", "scenarios"
    )

    said = "*the search of --agent-fuzz failed, please report it: ZeroDivisionError: division by zero*"
    result.stdout.fnmatch_lines(["* cases: * passed", said])
    assert result.ret == 3


KEPT = "a greeting is answered"
ONE_SCENARIO = f"""\
description: {KEPT}
profile: core
conversation:
  - user: Hello.
    model:
      - text: Hi.
"""
