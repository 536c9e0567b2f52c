"""`agent-conformance`: its subcommands, their help, and what is imported for them."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agent_conformance.commands.main import NAMES, main


def help_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])

    assert ended.value.code == 0
    return capsys.readouterr().out


def test_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    with pytest.raises(SystemExit) as ended:
        main(["--version"])

    assert ended.value.code == 0
    assert capsys.readouterr().out == f"agent-conformance {project['version']}\n"


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_subcommand_describes_it_and_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    usage, description, *_ = help_of(capsys, name).split("\n\n")

    assert usage.startswith(f"usage: agent-conformance {name}")
    assert description.endswith(".")
    assert len(description) > 60
    assert f"agent-conformance {name}" in help_of(capsys, name).partition("\nexamples:\n")[2]


def test_help_lists_every_subcommand_and_says_how_to_run_the_suite(capsys: pytest.CaptureFixture[str]) -> None:
    printed = help_of(capsys)

    assert "Companion tools. To run the suite use `pytest --agent=...`." in printed
    assert [name for name in NAMES if f"\n    {name}" not in printed] == []


def test_unknown_subcommand_is_a_usage_error_that_suggests_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["chek"])

    assert ended.value.code == 2
    known = f"Choose from {', '.join(NAMES)}."
    assert f"no command `chek`. Did you mean `check`? {known}" in capsys.readouterr().err


def test_only_the_subcommand_in_use_is_imported() -> None:
    """Starting `schema` or `--version` loads none of what the others need."""
    script = (
        "import sys\n"
        "from agent_conformance.commands.main import NAMES, main\n"
        "main(['schema', 'protocol'])\n"
        "loaded = [name for name in NAMES.values() if name in sys.modules]\n"
        "heavy = [name for name in ('pydantic', 'yaml', 'fake_providers', 'httpx2') if name in sys.modules]\n"
        "sys.exit(f'{loaded} {heavy}')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert done.stderr == "['agent_conformance.commands.schema'] []\n"


def test_schema_is_that_of_the_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"]


def test_ctrl_c_ends_a_command_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(options: object) -> int:
        print("1 of 2 mutants")
        raise KeyboardInterrupt

    monkeypatch.setattr("agent_conformance.commands.mutants.run", interrupted)

    assert main(["mutants"]) == 130
    assert capsys.readouterr() == ("1 of 2 mutants\n", "\ninterrupted\n")


def test_reader_that_stops_reading_is_no_error() -> None:
    command = [sys.executable, "-m", "agent_conformance.commands.main", "rules"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b"openai/")
        running.stdout.close()

        assert running.stderr.read() == b""
    assert running.returncode == 0
