"""`agent-conformance fuzz`: each new finding is a file that replays alone; what is known is left out."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.fuzz import Search
from agent_conformance.scenario.loading import ScenarioFile, load_file

WRONG = "--agent=agent_conformance.mutants:M60f_conversation_left_out"
RIGHT = "--agent=agent_conformance.reference:Adapter"
FEW = ("--examples=6", "--seed=7")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_finding_is_a_scenario_that_replays_alone(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", WRONG, *FEW, "--to=scenarios/made"]) == 1

    out = capsys.readouterr().out
    assert out.startswith("seed 7\n")
    files = sorted(project.glob("scenarios/made/*.yaml"))
    assert out.count("rerun     pytest ") == len(files) > 0
    for path in files:
        file = load_file(path, root=project / "scenarios")
        assert isinstance(file, ScenarioFile)
        assert "agent-conformance fuzz --agent=agent_conformance.mutants:M60f" in file.comment
        assert "--seed=7" in file.comment
        assert main(["minimise", str(path), WRONG, "--runs=1"]) == 0
        assert path.stem.replace("-", "") in capsys.readouterr().err.replace("-", "").replace("/", "")


def test_right_agent_gives_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", RIGHT, *FEW]) == 0

    assert "seed 7: 6 documents" in (out := capsys.readouterr().out)
    assert "nothing new" in out
    assert list(project.iterdir()) == []


def test_seed_is_printed_and_another_one_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    main(["fuzz", RIGHT, "--examples=1"])
    main(["fuzz", RIGHT, "--examples=1"])

    seeds = [line for line in capsys.readouterr().out.splitlines() if line.startswith("seed ") and ":" not in line]
    assert len(set(seeds)) == 2


@pytest.mark.weekly
def test_earlier_files_stay(project: Path) -> None:
    main(["fuzz", WRONG, "--examples=1", "--seed=7"])
    before = {path: path.read_text() for path in project.glob("scenarios/fuzzed/*.yaml")}
    main(["fuzz", WRONG, "--examples=1", "--seed=7"])

    after = sorted(project.glob("scenarios/fuzzed/*.yaml"))
    assert {path: path.read_text() for path in before} == before
    assert [path.stem for path in after if path not in before] == [f"{path.stem}-2" for path in before]


def test_baseline_silences_its_rules_and_laws(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["fuzz", WRONG, *FEW])
    found = [line.split()[0] for line in capsys.readouterr().out.splitlines() if "   document " in line]
    entries = [
        f"- finding: area/name@openai-chat+plain#{id}\n  reason: known\n" for id in found if ":" in id or id.isalpha()
    ]
    Path("known.yaml").write_text("".join(entries), encoding="utf-8")

    code = main(["fuzz", WRONG, *FEW, "--baseline=known.yaml"])

    out = capsys.readouterr().out
    assert "that were known came" in out
    assert not [id for id in found if f"#{id}\n" in "".join(entries) and f"{id}   document" in out]
    assert code in (0, 1)


def test_interrupted_search_keeps_what_it_found(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Search.discoveries

    def interrupted(self, goes_on):
        yield next(before(self, goes_on))
        raise KeyboardInterrupt

    monkeypatch.setattr(Search, "discoveries", interrupted)

    assert main(["fuzz", WRONG, *FEW]) == 1
    assert "what was found is kept" in capsys.readouterr().err
    assert len(list(project.glob("scenarios/fuzzed/*.yaml"))) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--baseline=none.yaml"], "--baseline=none.yaml: no such file"),
        (["--baseline=broken.yaml"], "broken.yaml:1: "),
        (["--known=none"], "none"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.yaml").write_text("a text", encoding="utf-8")

    assert main(["fuzz", RIGHT, *FEW, *arguments]) == 2

    out, err = capsys.readouterr()
    assert said in err
    assert out == ""


@pytest.mark.parametrize("minutes", ["0", "-1", "soon", "inf", "nan"])
def test_minutes_are_a_number_above_zero(minutes: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["fuzz", RIGHT, f"--minutes={minutes}"])

    assert stopped.value.code == 2
    assert "is no number above 0." in capsys.readouterr().err


def test_agent_that_cannot_be_loaded_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--agent=nosuch:Adapter"]) == 4
    assert "nosuch" in capsys.readouterr().err


def test_without_hypothesis_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['hypothesis'] = None\n"
    program += "from agent_conformance.commands.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "fuzz", "--agent=agent_conformance.reference:Adapter"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr == "fuzz needs Hypothesis: pip install 'hypothesis>=6.150'\n"
