"""Marks, keywords, junit, workers: what people know from pytest."""

import xml.etree.ElementTree as ElementTree

import pytest

pytest_plugins = ["pytester"]

PLAIN = "history/x@gemini-generate+plain"


@pytest.fixture
def corpus(project):
    project.scenario("history/x")
    project.scenario("no-tools/rows", profile="hardened", extra="system: $a\nexamples: {one: {a: A}, two-b: {a: B}}")
    return project


@pytest.mark.parametrize(
    ("expression", "count"),
    [
        ("history and gemini_generate and stream and core", 1),
        ("no_tools", 8),
        ("hardened and openai_chat", 4),
        ("plain", 6),
        ("history and gemini-generate and stream and core", 1),
        ("no-tools and not openai-chat", 4),
    ],
)
def test_marks_select(corpus, expression, count):
    result = corpus.run("-m", expression, "--strict-markers", "-W", "error")

    assert result.parseoutcomes()["passed"] == count


@pytest.mark.parametrize("spelling", ["our_incidents", "our-incidents"])
def test_marks_of_an_own_area_are_known(corpus, spelling):
    corpus.scenario("our-incidents/y", into="scenarios")

    corpus.run("-m", spelling, "--strict-markers", "-W", "error").assert_outcomes(passed=4, deselected=12)


def test_an_area_named_like_a_mark_of_pytest_gets_none(corpus):
    corpus.scenario("skip/y", into="scenarios")

    corpus.run("skip/y").assert_outcomes(passed=4)


@pytest.mark.parametrize(("keyword", "count"), [("gemini", 6), ("rows and two-b and plain", 2), ("history", 4)])
def test_keywords_select(corpus, keyword, count):
    assert corpus.run("-k", keyword).parseoutcomes()["passed"] == count


def test_deselect_takes_an_id(corpus):
    corpus.run("history", f"--deselect={PLAIN}").assert_outcomes(passed=3, deselected=1)


def test_junit_names_the_scenario_and_the_target(corpus):
    corpus.verdicts(f"{PLAIN} must:paired")
    corpus.run("--junitxml=junit.xml")

    cases = ElementTree.parse(corpus.path / "junit.xml").findall(".//testcase")

    names = {(case.get("classname"), case.get("name")) for case in cases}
    assert ("history.x", "gemini-generate+stream") in names
    assert ("no-tools.rows", "[two-b]@openai-chat+plain") in names
    (failure,) = [case.find("failure") for case in cases if case.find("failure") is not None]
    assert failure.get("message").startswith("#paired 400 Please ensure")
    assert failure.text.startswith(f"{PLAIN}#paired")


@pytest.mark.slow
def test_workers_give_the_same_report_as_one_process(corpus):
    corpus.scenario("streaming/y", extra="needs: [deltas]")
    corpus.scenario("bad/oops", text="conversation: [")
    corpus.verdicts(f"{PLAIN} must:paired should:1.should.reply", "no-tools/rows(one]@* error", "history/x@o* restore")
    counts = {"passed": 5, "failed": 5, "skipped": 6, "errors": 1}

    alone, together = corpus.run_process("--junitxml=a.xml"), corpus.run_process("--junitxml=b.xml", "-n2")

    alone.assert_outcomes(**counts)
    together.assert_outcomes(**counts)
    assert alone.ret == together.ret == 3

    def summary(result):
        lines = result.outlines
        start = next(index for index, line in enumerate(lines) if "agent conformance: " in line)
        return [line for line in lines[start:-1] if not line.startswith(("FAILED", "ERROR"))]

    assert summary(alone) == summary(together)

    def names(path):
        return sorted(
            (c.get("classname"), c.get("name")) for c in ElementTree.parse(corpus.path / path).iter("testcase")
        )

    assert names("a.xml") == names("b.xml")


@pytest.mark.slow
@pytest.mark.parametrize("mode", [[], ["-k", "gemini"], ["-n2"], ["--collect-only"], ["-q"], ["-m", "history"]])
def test_a_broken_file_is_a_located_error_and_the_others_run(corpus, mode):
    corpus.scenario("bad/oops", text="description: a\nprofile: core\nprofil: hardened\nconversation: []\n")

    result = corpus.run_process(*mode)

    assert result.ret == 3
    text = result.stdout.str()
    assert "corpus/bad/oops.yaml:3: " in text
    assert "Traceback" not in text
    assert "ERROR bad/oops - corpus/bad/oops.yaml:3: " in text
    if mode != ["--collect-only"]:
        assert result.parseoutcomes()["passed"] >= 4
    assert result.parseoutcomes().get("errors", result.parseoutcomes().get("error")) == 1


def test_every_mistake_of_a_file_is_reported(corpus):
    corpus.scenario("bad/oops", text="descriptio: a\nprofil: core\nconversation: []\n")

    corpus.run("bad").stdout.fnmatch_lines(["corpus/bad/oops.yaml:1: *", "corpus/bad/oops.yaml:2: *"])


def test_a_unit_test_that_cannot_be_imported_still_stops_the_run(corpus):
    corpus.pytester.makepyfile(test_unit="1 / 0")

    result = corpus.run("test_unit.py", "corpus")

    assert result.ret == 2
    result.stdout.fnmatch_lines(["*Interrupted: 1 error during collection*"])


@pytest.mark.parametrize("options", [(), ("--agent-show",)])
def test_run_without_pytests_terminal_ends_as_any_other(corpus, options):
    assert corpus.run("-p", "no:terminal", *options, "history/x").ret == 0
