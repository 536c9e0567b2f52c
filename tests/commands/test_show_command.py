"""What `agent-conformance show` prints of a report."""

from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.report_data.folder import write_report
from tests.report_data.made import RULE, case, results

FAILING = "history/y@gemini-generate+stream"


@pytest.fixture
def report(tmp_path: Path) -> str:
    write_report(results(), tmp_path)
    return str(tmp_path)


def test_case_is_shown_with_its_findings_and_its_transcript(report: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", report, FAILING]) == 0

    printed = capsys.readouterr().out
    assert printed.startswith(f"{FAILING}\n  title     a greeting is answered\n  outcome   fail\n")
    assert f"{FAILING}#accepted:{RULE}\n  at        turn 1, request 2, contents[0]\n" in printed
    assert f"  rerun     pytest --agent=m:A {FAILING}\n\nturn 1\n  user: Hello.\n  reply: Hi.\n" in printed
    assert "POST" not in printed


def test_raw_adds_the_requests_and_responses(report: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", report, FAILING, "--raw"]) == 0

    printed = capsys.readouterr().out
    head = f"turn 1, request 1 (refused): POST /v1beta/models/x:generateContent, refused by {RULE}"
    assert f'{head}\n  x-goog-api-key: $API_KEY\n  {{\n    "contents": []\n  }}\nresponse 400\n' in printed


def test_raw_says_that_requests_of_a_passing_case_are_not_there(
    report: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", report, "history/x@openai-chat+plain", "--raw"]) == 0

    assert "the requests of this case were not kept" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (f"{FAILING}#accepted:{RULE}", 1),
        ("tools", 3),
        ("tools/z", 1),
        ("history/y@gemini-generate", 1),
        ("history/*+plain", 1),
    ],
)
def test_cases_are_named_as_pytest_takes_them(
    report: str, capsys: pytest.CaptureFixture[str], wanted: str, shown: int
) -> None:
    assert main(["show", report, wanted]) == 0

    assert capsys.readouterr().out.count("  outcome   ") == shown


def test_row_of_the_examples_is_named_with_its_brackets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_report(results(case("history/x[a]@openai-chat+plain"), case("history/x[b]@openai-chat+plain")), tmp_path)

    assert main(["show", str(tmp_path), "history/x[b]"]) == 0

    assert capsys.readouterr().out.startswith("history/x[b]@openai-chat+plain\n")


def test_unknown_case_names_the_nearest(report: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", report, "history/y@gemini-generate+plain"]) == 1

    assert f"no case `history/y@gemini-generate+plain` in this report. Did you mean `{FAILING}`?" in (
        capsys.readouterr().err
    )


def test_folder_without_a_report_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path), "x"]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_case_without_a_transcript_says_so(report: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write_report(results(case(outcome="error", reason="the fake failed\nmore", narrative="")), tmp_path)

    assert main(["show", str(tmp_path), "history/x"]) == 0

    printed = capsys.readouterr().out
    assert "  outcome   error: the fake failed\n" in printed
    assert "there is no transcript" in printed
