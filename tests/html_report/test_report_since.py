"""`agent-conformance report DIR --since EARLIER`: the page is made again, with what has changed."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.commands.main import main
from agent_conformance.html_report.document import code_links, scenario_texts
from agent_conformance.report_data.folder import write_report
from agent_conformance.report_data.model import CaseRecord, with_cases
from tests.html_report.packed_data import block
from tests.html_report.sample_results import CRASHED, case, earlier_sample, run, sample


def index_of(folder: Path) -> Any:
    return block((folder / "index.html").read_text(encoding="utf-8"), "index")


def test_page_compares_with_the_earlier_report(tmp_path: Path) -> None:
    write_report(sample(), tmp_path / "now")
    write_report(earlier_sample(), tmp_path / "then")

    assert main(["report", str(tmp_path / "now"), "--since", str(tmp_path / "then")]) == 0

    earlier = index_of(tmp_path / "now")["earlier"]
    assert [earlier[name] for name in ("new", "fixed", "changed", "same")] == [1, 1, 1, 1]


def test_page_compares_with_nothing_without_the_option(tmp_path: Path) -> None:
    write_report(sample(), tmp_path)

    assert main(["report", str(tmp_path)]) == 0

    assert index_of(tmp_path)["earlier"] is None


def test_earlier_report_that_is_none_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_report(sample(), tmp_path)

    assert main(["report", str(tmp_path), "--since", str(tmp_path / "nothing")]) == 2

    assert "nothing" in capsys.readouterr().err
    assert not (tmp_path / "index.html").exists()


def test_several_reports_stand_side_by_side_and_the_last_is_compared(tmp_path: Path) -> None:
    for name, results in (("now", sample()), ("then", earlier_sample()), ("other", sample())):
        write_report(results, tmp_path / name)
    since = [f"--since={tmp_path / name}" for name in ("other", "then")]

    assert main(["report", str(tmp_path / "now"), *since]) == 0

    index = index_of(tmp_path / "now")
    assert [run["started"] for run in index["beside"]] == [
        run.started for run in (sample(), earlier_sample(), sample())
    ]
    assert index["earlier"]["new"] == 1


def test_kept_reports_are_the_history_of_a_run_with_causes_that_come_and_go(tmp_path: Path) -> None:
    later = replace(sample(), started="2026-11-23T12:00:00Z")
    for name, results in (("b", earlier_sample()), ("a", sample()), ("now", later)):
        write_report(results, tmp_path / "kept" / name)

    assert main(["report", str(tmp_path / "kept/now"), "--since", str(tmp_path / "kept")]) == 0

    beside = index_of(tmp_path / "kept/now")["beside"]
    assert [run["started"][8:10] for run in beside] == ["21", "22", "23"]
    assert [run["causes"].get("openai/tool-calls-unanswered") for run in beside] == [None, [1, False], [1, False]]


def test_cause_is_flaky_where_all_its_findings_came_and_went(tmp_path: Path) -> None:
    flaky = replace(CRASHED, state="new", is_flaky=True)
    cases = (case("history/x", "fail", flaky), case("history/y", "fail", flaky))
    steady = (cases[0], case("history/y", "fail", replace(flaky, is_flaky=False)))
    for name, these in (("now", cases), ("then", steady)):
        write_report(with_cases(run(), these, {}), tmp_path / name)

    main(["report", str(tmp_path / "now"), "--since", str(tmp_path / "then")])

    causes = [one["causes"] for one in index_of(tmp_path / "now")["beside"]]
    assert [*causes[0].values(), *causes[1].values()] == [[2, False], [2, True]]


def crashed_at(*files: str) -> list[CaseRecord]:
    places = (CodePlace("lib/its.py", 3, CodePlace(file, 7)) for file in files)
    return [case("history/x", "fail", replace(CRASHED, origin=place)) for place in places]


def test_line_that_crashed_is_a_link_to_the_repository_or_the_way_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    for name in ("my agent.py", "src/loop.py"):
        (tmp_path / name).touch()
    cases = crashed_at("my agent.py", "src/loop.py")
    address = "https://git.example/o/r/blob/1/"

    at_home = {"my agent.py": "../my%20agent.py", "src/loop.py": "../src/loop.py"}
    assert code_links(cases, "", tmp_path / "report") == at_home
    assert code_links(cases, "", tmp_path / "report/cases")["src/loop.py"] == "../../src/loop.py"
    assert code_links(cases, address, tmp_path / "report")["my agent.py"] == f"{address}my%20agent.py"
    assert code_links(cases, "", tmp_path.parent / "elsewhere") == {}, "the way there would name this machine's folders"


@pytest.mark.parametrize(
    "file", ["gone.py", "../outside.py", "{here}/agent.py", "<string>", "a\0b", "javascript:x", "."]
)
def test_place_that_is_no_file_of_the_project_is_no_link(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    for name in ("outside.py", "project/agent.py"):
        (tmp_path / name).touch()

    cases = crashed_at(file.format(here=Path.cwd()))

    assert code_links(cases, "https://git.example/", Path("report")) == {}


def test_page_reads_no_file_but_scenarios(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("mine.yaml", "secret.txt", "../outside.yaml"):
        (tmp_path / name).write_text(f"text of {name}")
    first, *rest = sample().cases
    files = ("mine.yaml:3-5", "secret.txt", "../outside.yaml", str(tmp_path.parent / "outside.yaml"), "/etc/passwd")
    cases = [replace(first, id=str(n), scenario=f"own/{n}", file=file) for n, file in enumerate(files)]

    assert scenario_texts(cases) == {"own/0": "text of mine.yaml"}
    assert rest


HOSTILE_FILES = {
    "null byte": "a\0.yaml",
    "too long": "x" * 5000 + ".yaml",
    "a long path": "x/" * 5000 + "y.yaml",
    "lone surrogate": "\ud800.yaml",
    "folder": "folder.yaml",
    "pipe": "pipe.yaml",
    "links in a circle": "circle.yaml",
    "link to nothing": "nowhere.yaml",
    "link out of the working directory": "out.yaml",
    "link to what is no scenario": "key.yaml",
    "below a file": "mine.yaml/x.yaml",
    "the working directory": "",
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
def test_hostile_path_of_a_scenario_is_no_error(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = tmp_path / "here"
    (here / "folder.yaml").mkdir(parents=True)
    monkeypatch.chdir(here)
    for file in ("mine.yaml", "secret.txt", "../outside.yaml"):
        Path(file).write_text(f"text of {file}", encoding="utf-8")
    if hasattr(os, "mkfifo"):  # Windows has none
        os.mkfifo("pipe.yaml")
    links = {"circle": "circle.yaml", "nowhere": "no.yaml", "out": "../outside.yaml", "key": "secret.txt"}
    for link, target in links.items():
        Path(f"{link}.yaml").symlink_to(target)
    hostile = HOSTILE_FILES[name]
    case = replace(sample().cases[0], scenario="own/mine", file="mine.yaml")
    cases = [replace(case, scenario="own/x", file=hostile), replace(case, scenario=hostile, file="no.yaml"), case]

    assert scenario_texts(cases) == {"own/mine": "text of mine.yaml"}


def test_scenario_that_may_not_be_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("text", encoding="utf-8")
    monkeypatch.setattr(Path, "open", refuse)

    assert scenario_texts([replace(sample().cases[0], scenario="own/mine", file="mine.yaml")]) == {}


def test_scenario_in_another_encoding_is_shown_as_far_as_it_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_bytes(b"# caf\xe9\n")

    texts = scenario_texts([replace(sample().cases[0], scenario="own/mine", file="mine.yaml")])

    assert texts == {"own/mine": "# caf\ufffd\n"}
