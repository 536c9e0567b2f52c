"""`agent-conformance check`: which files it reads, what it prints, and with which code it ends."""

import re
from pathlib import Path

import pytest

from agent_conformance.commands.main import main


def printed_by(capsys: pytest.CaptureFixture[str], *paths: Path | str, code: int) -> list[str]:
    assert main(["check", *map(str, paths)]) == code
    return capsys.readouterr().out.splitlines()


def test_id_of_a_bundled_scenario_is_a_problem(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = scenarios / "incidents" / "invented-tool.yaml"
    (scenarios / "tool-names").mkdir()
    own.rename(scenarios / "tool-names" / "invented-name.yaml")

    assert main(["check", str(scenarios)]) == 1
    printed = capsys.readouterr().out
    assert "invented-name.yaml:1: the id tool-names/invented-name is already that of a bundled scenario" in printed
    assert main(["check"]) == 0  # the bundled scenarios may have their own ids


def test_right_scenario_is_counted(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(scenarios)]) == 0
    assert capsys.readouterr().out == "files: 1, scenarios: 1, problems: 0\n"


def test_mistake_is_printed_with_its_line(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = scenarios / "incidents" / "invented-tool.yaml"
    path.write_text(path.read_text().replace("profile:", "profle:"))

    assert main(["check", str(scenarios)]) == 1
    assert "invented-tool.yaml:3: `profle`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "why"), [("nowhere", "No such file or directory"), ("link.yaml", "Too many levels of symbolic links")]
)
@pytest.mark.parametrize("is_typed", [True, False])
def test_broken_link_is_one_problem(
    target: str, why: str, is_typed: bool, scenarios: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = scenarios / "incidents" / "link.yaml"
    link.symlink_to(target)

    printed = printed_by(capsys, link if is_typed else scenarios, code=1)

    assert [line.partition("link.yaml")[2] for line in printed[:-1]] == [f":1: the file cannot be read: {why}."]
    assert printed[-1] == f"files: {1 if is_typed else 2}, scenarios: {0 if is_typed else 1}, problems: 1"


def test_warning_is_printed_and_is_no_problem(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = scenarios / "incidents" / "invented-tool.yaml"
    path.write_text(re.sub(r"returns: .*", "returns: [{type: image, data: abc}]", path.read_text()))

    printed = printed_by(capsys, path, code=0)

    assert "warning: `returns` is JSON, and no picture is made of it. For a picture write `content`." in printed[0]
    assert printed[-1] == "files: 1, scenarios: 1, problems: 0"


def test_missing_folder_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "nowhere")]) == 2
    assert capsys.readouterr().err.endswith("nowhere: no such file or folder\n")


def test_folder_without_scenarios_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.txt").write_text("")

    assert main(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"{tmp_path}: there are no scenario files (*.yaml) in it\n"


def test_single_file_is_checked_wherever_it_lies(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    in_area = scenarios / "incidents" / "invented-tool.yaml"
    deep = scenarios / "My Notes" / "2026" / "invented-tool.yaml"
    deep.parent.mkdir(parents=True)
    deep.write_text(in_area.read_text())

    for file in (in_area, deep):
        assert printed_by(capsys, file, code=0) == ["files: 1, scenarios: 1, problems: 0"]


def test_single_file_is_checked_from_inside_its_folder(
    scenarios: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(scenarios / "incidents")

    assert printed_by(capsys, "invented-tool.yaml", code=0) == ["files: 1, scenarios: 1, problems: 0"]
    assert printed_by(capsys, ".", code=0) == ["files: 1, scenarios: 1, problems: 0"]


def test_mistake_in_a_single_file_is_a_problem(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = scenarios / "incidents" / "invented-tool.yaml"
    file.write_text(file.read_text().replace("profile:", "profle:"))

    first, *_, last = printed_by(capsys, file, code=1)
    assert first.partition(":3: ")[2].startswith("`profle`")
    assert last.startswith("files: 1, scenarios: 0, problems: ")


def test_file_in_a_folder_called_scenarios_needs_an_area(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stray = tmp_path / "scenarios" / "stray.yaml"
    stray.parent.mkdir()
    stray.write_text("description: a\n")

    assert any("lies in no area" in line for line in printed_by(capsys, stray, code=1))
    assert any("lies in no area" in line for line in printed_by(capsys, stray.parent, code=1))


def test_area_alone_is_checked_as_part_of_its_scenarios(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    area = scenarios / "incidents"

    assert printed_by(capsys, area, code=0) == ["files: 1, scenarios: 1, problems: 0"]
    renamed = scenarios / "scenarios" / "Incidents"
    renamed.parent.mkdir()
    area.rename(renamed)
    assert any("the folder is named `Incidents`" in line for line in printed_by(capsys, renamed, code=1))


def test_broken_files_are_counted_too(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("one", "two", "three"):
        (scenarios / "incidents" / f"{name}.yaml").write_text("profile: [")

    *problems, last = printed_by(capsys, scenarios, code=1)
    assert len(problems) == 3
    assert last == "files: 4, scenarios: 1, problems: 3"


def test_several_paths_are_checked_together_and_each_file_once(
    scenarios: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenarios / "incidents" / "invented-tool.yaml"
    other = tmp_path / "more" / "incidents" / "another-tool.yaml"
    other.parent.mkdir(parents=True)
    other.write_text(file.read_text())
    file.rename(tmp_path / "moved.yaml")

    assert printed_by(capsys, other, tmp_path / "more", code=0) == ["files: 1, scenarios: 1, problems: 0"]
    last = printed_by(capsys, tmp_path / "moved.yaml", tmp_path / "more", code=0)[-1]
    assert last == "files: 2, scenarios: 2, problems: 0"


def test_same_id_in_two_folders_is_a_problem(
    scenarios: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = scenarios / "incidents" / "invented-tool.yaml"
    twin = tmp_path / "more" / "incidents" / "invented-tool.yaml"
    twin.parent.mkdir(parents=True)
    twin.write_text(file.read_text())

    first, last = printed_by(capsys, file, twin, code=1)
    assert "the id `incidents/invented-tool` is also that of" in first
    assert last.endswith("problems: 1")


def test_twin_is_a_warning_that_names_the_first(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = scenarios / "incidents" / "invented-tool.yaml"
    twin = own.with_name("same-again.yaml")
    twin.write_text(own.read_text().replace("an invented tool is answered", "a made up tool is answered"))

    printed = printed_by(capsys, scenarios, code=0)

    place, _, message = printed[0].partition(": warning: ")
    assert place.endswith("same-again.yaml:2")
    assert message.startswith("it is nearly the same as incidents/invented-tool, so one catches what the other does.")


def test_demand_that_is_empty_in_some_rows_is_no_warning(scenarios: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = scenarios / "incidents" / "invented-tool.yaml"
    rows = "    expect: {request_count: {min: $least}}\nexamples:\n  none: {least: 0}\n  some: {least: SOME}\n"

    own.write_text(own.read_text() + rows.replace("SOME", "2"))
    assert printed_by(capsys, scenarios, code=0) == ["files: 1, scenarios: 2, problems: 0"]

    own.write_text(own.read_text().replace("some: {least: 2}", "some: {least: 0}"))
    assert "any number is at least 0" in printed_by(capsys, scenarios, code=0)[0]


def test_bundled_scenarios_give_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    [line] = printed_by(capsys, Path(__file__).parents[2] / "scenarios", code=0)

    assert line.startswith("files: ")
