"""Cassettes among the scenarios: their cases have ids, can be chosen, known and run again as any others."""

import json
import shlex

import pytest

from tests.scenario_drafts.incidents import cassette, chat_answers, chat_bodies

pytest_plugins = ["pytester"]

CASE = "recorded/weather[1]@openai-chat+plain"


def recorded(project, name="weather.yaml", text=""):
    path = project.path / "sessions" / "recorded" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or cassette())
    return path


def har(*bodies):
    """An entry for each body, with the same answer."""
    entries = [
        {
            "request": {
                "method": "POST",
                "url": "https://api.openai.com/v1/chat/completions",
                "postData": {"text": body},
            },
            "response": {"status": 200, "headers": [], "content": {"text": json.dumps(chat_answers()[0])}},
        }
        for body in bodies
    ]
    return json.dumps({"log": {"version": "1.2", "entries": entries}}, indent=1)


@pytest.fixture
def corpus(project):
    project.scenario("history/x")
    return project


def test_cases_of_a_folder_run_beside_the_scenarios(corpus):
    recorded(corpus)

    result = corpus.run("--agent-scenarios=sessions", "-rA")

    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines([f"PASSED {CASE.replace('[', '[[]')}"])


@pytest.mark.parametrize("chosen", ["recorded/weather", "recorded", CASE, "recorded/weather[1]", "-k=weather"])
def test_case_is_chosen_as_any_other(corpus, chosen):
    recorded(corpus)

    corpus.run("--agent-scenarios=sessions", chosen).assert_outcomes(passed=1)


def test_typed_path_is_enough(corpus):
    path = recorded(corpus, "weather.har", har(json.dumps(chat_bodies()[0])))

    corpus.run(str(path)).assert_outcomes(passed=1)


def test_command_for_one_case_runs_it_again(corpus):
    recorded(corpus)
    corpus.verdicts("recorded/weather(1]* must:paired")

    result = corpus.run("--agent-scenarios=sessions")

    (command,) = [line.partition("pytest ")[2] for line in result.outlines if line.startswith("  rerun")]
    corpus.run(*shlex.split(command)[1:]).assert_outcomes(failed=1)


def test_finding_in_the_baseline_is_known(corpus):
    recorded(corpus)
    corpus.verdicts("recorded/weather(1]* must:paired")

    corpus.run("--agent-scenarios=sessions", "--agent-baseline-update")

    corpus.run("--agent-scenarios=sessions").assert_outcomes(passed=4, xfailed=1)


def test_report_has_the_case_with_the_path_of_the_cassette(corpus):
    recorded(corpus)

    corpus.run("--agent-scenarios=sessions", "--agent-report=report")

    cases = json.loads((corpus.path / "report" / "results.json").read_text())["cases"]
    (case,) = [case for case in cases if case["id"] == CASE]
    assert case["file"] == "sessions/recorded/weather.yaml"


def test_cassette_that_cannot_be_played_is_one_line_and_hides_no_other(corpus):
    recorded(corpus)
    recorded(corpus, "empty.har", har())

    result = corpus.run("--agent-scenarios=sessions")

    result.assert_outcomes(passed=5, errors=1)
    assert result.ret == 3
    result.stdout.fnmatch_lines(["ERROR recorded/empty - sessions/recorded/empty.har:1: none of its 0 entries*"])


def test_conversation_that_cannot_be_played_hides_no_other_of_its_cassette(corpus):
    first = json.dumps(chat_bodies()[0])
    nobody = json.dumps({"model": "gpt-4.1", "messages": [{"role": "assistant", "content": "x"}]})
    recorded(corpus, "weather.har", har(first, nobody))

    result = corpus.run("--agent-scenarios=sessions", "sessions")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["sessions/recorded/weather.har:*: conversation 2 cannot be played: it has no message *"]
    )
    corpus.run("--agent-scenarios=sessions", CASE).assert_outcomes(passed=1)


def test_other_json_in_the_folder_is_no_cassette(corpus):
    recorded(corpus, "settings.json", "{}")

    corpus.run("--agent-scenarios=sessions").assert_outcomes(passed=4)


def test_two_cassettes_with_one_id_are_an_error(corpus):
    recorded(corpus)
    recorded(corpus, "weather.har", har(json.dumps(chat_bodies()[0])))

    result = corpus.run("--agent-scenarios=sessions")

    result.assert_outcomes(passed=5, errors=1)
    result.stdout.fnmatch_lines(["*the id recorded/weather is already that of*Rename this file."])


def test_name_of_a_parametrized_test_becomes_a_safe_id(corpus):
    recorded(corpus, "test_add[two words].yaml")

    result = corpus.run("--agent-scenarios=sessions", "recorded/test_add-two-words", "-rA")

    result.assert_outcomes(passed=1)


def test_scenarios_folder_that_nobody_named_keeps_its_cassettes_to_itself(corpus):
    path = corpus.path / "scenarios" / "area" / "weather.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(cassette())

    corpus.run().assert_outcomes(passed=4)
