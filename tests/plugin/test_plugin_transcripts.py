"""Transcripts on the terminal: `-v` and `-vv` below failures, `--agent-show` of every case that runs."""

import pytest

pytest_plugins = ["pytester"]

FAILING, PASSING = "no-tools/all-disabled@openai-chat+plain", "round-trip/empty-result[no-text]@openai-chat+plain"
AGENT = "--agent=agent_conformance.mutants:M1b_send_empty_tools"
OFF = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx", "-p", "no:syrupy", "-p", "no:cacheprovider")
NARRATIVE = ["turn 1", "  user: What is a pear?", "  request 1 (refused): offers nothing"]

pytestmark = pytest.mark.slow


def run(pytester, *args):
    """With the real session: a stand-in has no transcripts."""
    return pytester.runpytest_subprocess(*OFF, AGENT, FAILING, PASSING, *args)


def test_failure_has_no_transcript_by_default(pytester):
    result = run(pytester)

    result.assert_outcomes(failed=1, passed=1)
    assert "user: What is a pear?" not in result.stdout.str()


def test_verbose_prints_the_transcript_below_a_failure(pytester):
    result = run(pytester, "-v")

    result.stdout.fnmatch_lines([f"{FAILING}#accepted:openai/tools-empty", "*- transcript -*", *NARRATIVE])
    assert "POST " not in result.stdout.str()
    assert "Clear the cache" not in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["", "workers"])
def test_more_verbose_prints_the_requests_without_keys(pytester, workers):
    result = run(pytester, "-vv", *workers)

    result.stdout.fnmatch_lines(
        [
            *NARRATIVE,
            "turn 1, request 1 (refused): POST /v1/chat/completions, refused by openai/tools-empty",
            "  authorization: Bearer $*",
            '    "tools": [[][]]',
            "response 400",
            '      "message": "Invalid *',
        ]
    )


@pytest.mark.parametrize("workers", [(), ("-n", "1")], ids=["", "workers"])
def test_every_transcript_is_shown_on_request(pytester, workers):
    result = run(pytester, "--agent-show", *workers)

    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*= TRANSCRIPTS =*", f"*_ {FAILING} _*", *NARRATIVE])
    result.stdout.fnmatch_lines(
        ["*= TRANSCRIPTS =*", f"*_ {PASSING.replace('[', '[[]')} _*", "turn 1", "  user: Clear the cache *"]
    )
    assert result.stdout.str().count("user: What is a pear?") == 2


def test_requests_of_a_passing_case_are_shown_on_request(pytester):
    result = run(pytester, "--agent-show", "-vv", "-k", "empty")

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  reply: Cleared.", "turn 1, request 2: POST /v1/chat/completions", "response 200"])
