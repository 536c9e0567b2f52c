"""Snapshots: the transcript of a case as it was recorded, compared as text."""

from xml.etree import ElementTree

import pytest

pytest_plugins = ["pytester"]

OPENAI, GEMINI = "history/x@openai-chat+plain", "history/x@gemini-generate+plain"


@pytest.fixture
def folder(corpus):
    return corpus.path / "agent-snapshots"


def test_a_case_without_a_snapshot_is_new_and_the_summary_says_how_to_record(corpus, folder):
    folder.mkdir()

    result = corpus.run()

    assert result.ret == 0
    result.stdout.fnmatch_lines(["snapshots: 8 new; record: pytest --agent=mymodule:Adapter *--snapshot-update"])
    assert not any(folder.iterdir())


def test_who_has_no_snapshots_hears_nothing_of_them(corpus, folder):
    result = corpus.run()

    result.stdout.no_fnmatch_line("snapshots: *")
    assert not folder.exists()


def test_a_file_tells_the_common_transcript_once_and_then_what_differs(corpus, folder):
    corpus.verdicts("* saw:Hi.", f"{GEMINI} saw:Howdy.")

    result = corpus.run("--snapshot-update")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["snapshots: 2 files written in agent-snapshots"])
    lines = folder.joinpath("history/x.ambr").read_text().splitlines()
    digest = lines.pop(4)
    assert digest.startswith("  digest: ")
    assert lines.pop(9).split()[:2] == digest.split()[:2]
    assert lines == [
        "# serializer version: agent-conformance-3",
        "# name: gemini-generate+stream",
        "  same: openai-chat+plain",
        "  same: openai-chat+stream",
        "  turn 1",
        "    user: Hello.",
        "    reply: Hi.",
        "# ---",
        "# name: gemini-generate+plain",
        "  turn 1",
        "    user: Hello.",
        "    reply: Howdy.",
        "# ---",
    ]


def test_an_unchanged_case_passes_and_nothing_is_said(corpus):
    corpus.run("--snapshot-update")

    result = corpus.run()

    assert result.ret == 0
    assert "snapshots: " not in result.stdout.str()


def test_a_changed_case_is_the_finding_snapshot_with_a_diff(corpus):
    corpus.verdicts("* saw:Hi.")
    corpus.run("--snapshot-update")
    corpus.verdicts("* saw:Hi.", f"{GEMINI} saw:Howdy\x1b[0m saw:You.")

    result = corpus.run("history/x", "-rf")

    result.assert_outcomes(passed=3, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            f"{GEMINI}#snapshot",
            "  at        agent-snapshots/history/x.ambr:7",
            '  got       reply was "Hi.", is "Howdy\\x1b[[]0m"; and 1 more change',
            "  diff",
            "    --- recorded",
            "    +++ got",
            "     turn 1",
            "    -  reply: Hi.",
            "    +  reply: Howdy\\x1b[[]0m",
            "    +  reply: You.",
            "  rerun *",
            f'FAILED {GEMINI} - #snapshot reply was "Hi.", is "Howdy*',
            '  snapshot: reply: "Hi." became "Howdy\\x1b[[]0m"; reply: "You." is new · 1 case *',
        ]
    )
    assert "scrub" not in result.stdout.str()


def test_one_change_in_many_cases_is_one_group(corpus):
    corpus.verdicts("history/x@* saw:Hi.", "history/y@* saw:Good_day.")
    corpus.run("--snapshot-update")
    corpus.verdicts("history/x@* saw:Reply:_Hi.", "history/y@* saw:Reply:_Good_day.")

    result = corpus.run()

    result.assert_outcomes(failed=8)
    result.stdout.fnmatch_lines(['  snapshot: reply: "Reply:_" added at its start · 8 cases *'])


def test_junit_says_what_changed(corpus):
    corpus.verdicts("* saw:Hi.")
    corpus.run("--snapshot-update")
    corpus.verdicts("* saw:Howdy.")

    corpus.run(GEMINI, "--junitxml=junit.xml")

    [failure] = ElementTree.parse(corpus.path / "junit.xml").iter("failure")
    assert failure.get("message") == '#snapshot reply was "Hi.", is "Howdy."'


def test_what_differs_in_numbers_alone_names_scrub_with_an_example(corpus):
    corpus.verdicts("* saw:took_120_ms")
    corpus.run("--snapshot-update")
    corpus.verdicts("* saw:took_97_ms")

    result = corpus.run("history/x")

    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        ['  scrub     if this changes from run to run, leave it out in the adapter: scrub = (r"took_\\d+_ms",)']
    )


def test_an_earlier_format_is_to_re_record_and_does_not_fail(corpus, folder):
    corpus.run("--snapshot-update")
    path = folder.joinpath("history/x.ambr")
    path.write_text(path.read_text().replace("agent-conformance-3", "agent-conformance-1"))
    corpus.verdicts("history/x@* saw:Yo.")

    result = corpus.run()
    corpus.run(GEMINI, "--snapshot-update")

    assert result.ret == 0
    result.stdout.fnmatch_lines(["snapshots: 4 to re-record, their files have an earlier format; record: *"])
    corpus.run().stdout.fnmatch_lines(["snapshots: 3 to re-record, their files have an earlier format; record: *"])
    corpus.run("--snapshot-update")
    assert "snapshots: " not in corpus.run().stdout.str()


def test_a_change_beside_a_new_finding_is_its_consequence(corpus):
    corpus.run("--snapshot-update")
    corpus.verdicts(f"{GEMINI} must:paired saw:Howdy.")

    result = corpus.run("history/x")

    result.stdout.fnmatch_lines([f"{GEMINI}#paired", "  also      *; snapshot: differs"])
    assert "#snapshot" not in result.stdout.str()


def test_a_change_beside_a_known_finding_is_new(corpus):
    corpus.verdicts(f"{GEMINI} must:paired")
    corpus.run("--snapshot-update", "--agent-baseline-update")
    corpus.verdicts(f"{GEMINI} must:paired saw:Howdy.")

    result = corpus.run("history/x")

    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines([f"{GEMINI}#snapshot"])


def test_a_changed_scenario_says_re_record_and_does_not_fail(corpus):
    corpus.run("--snapshot-update")
    corpus.scenario("history/x", extra="system: Be brief.")
    corpus.verdicts("history/x@* saw:Yo.")

    result = corpus.run()

    assert result.ret == 0
    result.stdout.fnmatch_lines(["snapshots: 4 to re-record, their scenarios changed; record: *"])


def test_a_filtered_update_leaves_the_others_alone(corpus, folder):
    corpus.verdicts("* saw:Hi.")
    corpus.run("--snapshot-update")
    other = folder.joinpath("history/y.ambr").read_bytes()
    corpus.verdicts("* saw:Hello.")

    corpus.run(GEMINI, "--snapshot-update")

    assert folder.joinpath("history/y.ambr").read_bytes() == other
    text = folder.joinpath("history/x.ambr").read_text()
    assert text.count("# name: ") + text.count("  same: ") == 4
    assert text.count("reply: Hello.") == text.count("reply: Hi.") == 1
    corpus.run("history/x").assert_outcomes(passed=1, failed=3)


def test_a_filtered_update_of_a_changed_scenario_leaves_the_rest_to_re_record(corpus):
    corpus.run("--snapshot-update")
    corpus.scenario("history/x", extra="system: Be brief.")
    corpus.run(GEMINI, "--snapshot-update")

    corpus.run("history/x").stdout.fnmatch_lines(["snapshots: 3 to re-record*"])


def test_an_unchanged_update_writes_nothing(corpus, folder):
    corpus.run("--snapshot-update")
    before = folder.joinpath("history/x.ambr").stat().st_mtime_ns

    corpus.run("--snapshot-update").stdout.fnmatch_lines(["snapshots: 0 files written in agent-snapshots"])

    assert folder.joinpath("history/x.ambr").stat().st_mtime_ns == before


def test_examples_are_kept_apart_and_a_vanished_one_is_unused_until_the_next_update(corpus, folder):
    rows = "system: $a\nexamples: {one: {a: A}, two: {a: B}}"
    corpus.scenario("tools/rows", extra=rows)
    corpus.verdicts("tools/rows(two]@* saw:Two.")
    corpus.run("--snapshot-update")
    corpus.scenario("tools/rows", extra=rows.replace("two", "three"))

    result = corpus.run()
    elsewhere = corpus.run("history")

    result.stdout.fnmatch_lines(["unused snapshots in agent-snapshots:", "  tools/rows[[]two]@gemini-generate+plain"])
    assert result.ret == 0
    assert "unused snapshots" not in elsewhere.stdout.str()
    corpus.run("tools/rows[one]", "--snapshot-update")
    assert "[two]" not in folder.joinpath("tools/rows.ambr").read_text()


def test_a_case_that_no_longer_applies_leaves_its_snapshot_unused(corpus):
    corpus.run("--snapshot-update")
    corpus.verdicts(f"{GEMINI} restore")

    corpus.run().stdout.fnmatch_lines(["unused snapshots in agent-snapshots:", f"  {GEMINI}"])


@pytest.mark.slow
def test_recording_and_comparing_work_with_workers(corpus, folder):
    corpus.verdicts("* saw:Hi.", f"{GEMINI} saw:Howdy.")

    recorded = corpus.run_process("-n2", "--snapshot-update")
    compared = corpus.run_process("-n2")

    assert recorded.ret == compared.ret == 0
    assert sorted(path.name for path in folder.rglob("*") if path.is_file()) == ["x.ambr", "y.ambr"]
    assert "snapshots: " not in compared.stdout.str()


@pytest.mark.parametrize("damage", ["<<<<<<< HEAD\n", "import os\n"])
def test_a_damaged_file_is_an_error_that_names_the_line(corpus, folder, damage):
    corpus.run("--snapshot-update")
    path = folder.joinpath("history/x.ambr")
    path.write_text(damage + path.read_text())

    result = corpus.run()

    result.assert_outcomes(passed=4, failed=4)
    assert result.ret == 3
    result.stdout.fnmatch_lines(
        ["error (not the agent): agent-snapshots/history/x.ambr:1: `* is no line of a snapshot*"]
    )
    recorded = corpus.run("--snapshot-update")
    assert recorded.ret == 3
    recorded.stdout.fnmatch_lines(["not written, and as it was before:", "  agent-snapshots/history/x.ambr:1: *"])
    assert path.read_text().startswith(damage)
    path.unlink()
    assert corpus.run("--snapshot-update").ret == 0
    assert corpus.run().ret == 0


def test_what_is_recorded_survives_control_characters_and_trailing_blanks(corpus, folder):
    corpus.verdicts("history/x@* saw:a\x1b[2J\x07 saw:\u202eb saw:#\u2028--- saw:")
    corpus.run("--snapshot-update")

    text = folder.joinpath("history/x.ambr").read_text()

    assert "\x1b" not in text
    assert "\\u202eb" in text
    assert corpus.run().ret == 0


def test_snapshots_can_lie_elsewhere(corpus):
    corpus.run("--agent-snapshots=shots", "--snapshot-update")

    assert corpus.path.joinpath("shots/history/x.ambr").is_file()
    assert "new" not in corpus.run("--agent-snapshots=shots").stdout.str()


def test_folder_that_cannot_be_written_is_an_error_after_the_report(corpus, folder):
    folder.write_text("a file in its place")
    corpus.verdicts("history/x@* must:answers")

    result = corpus.run("--snapshot-update", "--agent-baseline-update")

    assert result.ret == 3
    result.stdout.fnmatch_lines(["8 cases: *", "not written, and as it was before:", "  agent-snapshots/*: *"])
    assert corpus.path.joinpath("agent-baseline.yaml").is_file()


def test_baseline_that_cannot_be_written_is_an_error_after_the_report(corpus, folder):
    corpus.path.joinpath("agent-baseline.yaml").mkdir()
    corpus.verdicts("history/x@* must:answers")

    result = corpus.run("--snapshot-update", "--agent-baseline-update")

    assert result.ret == 3
    result.stdout.fnmatch_lines(["8 cases: *", "not written, and as it was before:", "  agent-baseline.yaml: *"])
    assert not corpus.path.joinpath(".agent-baseline.yaml.new").exists()
    assert any(folder.rglob("*.ambr"))
