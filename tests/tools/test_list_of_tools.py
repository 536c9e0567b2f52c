"""`python -m tools` lists its commands: every module beside it is one, or is named as none."""

import re

import pytest

from tools import TOOLS, run


@pytest.mark.parametrize(("words", "code"), [([], 2), (["--help"], 0)])
def test_without_a_command_all_are_known(words: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run(words)

    printed = capsys.readouterr()
    assert ended.value.code == code
    listed = [line.split()[0] for line in printed.out.splitlines() if re.match(" {4}[a-z]", line)]
    assert code or listed == list(TOOLS.commands)


@pytest.mark.parametrize("name", TOOLS.commands)
def test_each_has_a_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        run([name, "--help"])

    assert ended.value.code == 0
    assert f"python -m tools {name}" in capsys.readouterr().out
