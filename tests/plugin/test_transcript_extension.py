"""`FakeTranscriptExtension`: transcripts without quotes in syrupy's own files, and plain diffs."""

import pytest

from agent_conformance.pytest.transcript_extension import FakeTranscriptExtension

pytest_plugins = ["pytester"]

pytestmark = pytest.mark.slow

PLUGINS = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx")
TEST = """
from agent_conformance.pytest.transcript_extension import FakeTranscriptExtension

TEXT = "request 1: offers nothing\\n  user: Hello.\\nmodel: {word}."

def test_both(snapshot):
    assert TEXT == snapshot.use_extension(FakeTranscriptExtension)

def test_own(snapshot):
    assert {{"n": 1}} == snapshot.use_extension(FakeTranscriptExtension)

def test_empty(snapshot):
    assert "" == snapshot.use_extension(FakeTranscriptExtension)

def test_theirs(snapshot):
    assert "theirs" == snapshot
"""


@pytest.fixture
def run(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # of the run that this test is in

    def run(word, *args):
        pytester.makepyfile(test_it=TEST.format(word=word))
        return pytester.runpytest_subprocess(*PLUGINS, *args)

    return run


def test_a_difference_is_a_plain_diff_and_an_update_accepts_it(run, pytester):
    assert run("Welcome", "--snapshot-update").ret == 0
    assert run("Welcome").ret == 0

    result = run("Welcome back", "--color=yes")

    assert result.parseoutcomes() == {"failed": 1, "passed": 3}
    lines = "\n".join(line for line in result.outlines if "Welcome" in line and "request" not in line)
    assert "-model: Welcome.\x1b" in lines
    assert "+model: Welcome back.\x1b" in lines
    run("Welcome back", "--snapshot-update")
    assert run("Welcome back").ret == 0
    assert (
        pytester.path.joinpath("__snapshots__/test_it.ambr")
        .read_text()
        .startswith(
            "# serializer version: 1\n# name: test_both\n  request 1: offers nothing\n"
            "    user: Hello.\n  model: Welcome back.\n# ---\n"
        )
    )


def test_a_diff_has_no_codes_for_colours():
    lines = list(FakeTranscriptExtension().diff_lines("turn 1\n  reply: Hi.", "turn 1\n  reply: Howdy."))

    assert lines == ["--- recorded", "+++ got", "@@ -1,2 +1,2 @@", " turn 1", "-  reply: Howdy.", "+  reply: Hi."]
