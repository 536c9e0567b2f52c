"""The process of pytest in the action: what it prints is passed on in order, and nothing after its end."""

import os
import sys
import time

import pytest

from github_steps import running
from github_steps.running import RunInputs, pytest_arguments

LEAVES_A_PROGRAM = """
import subprocess, sys
later = "import os, time; time.sleep(1); os.write(1, b'late'); open(sys.argv[1], 'w')"
subprocess.Popen([sys.executable, "-c", "import sys; " + later, sys.argv[1]])
print("in time")
"""


def run(*arguments):
    return running._run([sys.executable, *arguments])


def test_both_streams_are_one_and_in_order(capsys: pytest.CaptureFixture[str]) -> None:
    text = "import os\nfor n in range(3): os.write(1, b'out %d\\n' % n); os.write(2, b'err %d\\n' % n)"

    assert run("-c", text) == 0

    captured = capsys.readouterr()
    assert captured.out.split("\n") == ["out 0", "err 0", "out 1", "err 1", "out 2", "err 2", ""]
    assert captured.err == ""


def test_bytes_that_are_no_text_are_passed_on_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    run("-c", r"import os; os.write(1, b'\xff' + '\u00e4'.encode())")

    assert capsys.readouterr().out == "\ufffd\u00e4"


def test_program_that_is_left_behind_prints_nothing_after_the_end(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(running, "MOMENT", 0.2)
    done = tmp_path / "done"

    assert run("-c", LEAVES_A_PROGRAM, str(done)) == 0

    for _ in range(600):
        if done.exists():
            break
        time.sleep(0.05)
    assert done.exists()
    assert capsys.readouterr().out == "in time\n"


@pytest.mark.parametrize(("text", "code"), [("raise SystemExit(5)", 5), ("import os; os.kill(os.getpid(), 9)", 137)])
def test_exit_code_is_that_of_a_shell(text: str, code: int) -> None:
    assert run("-c", text) == code


def test_process_has_none_of_the_runners_files(monkeypatch, capsys) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", "a")
    monkeypatch.setenv("GITHUB_SHA", "b")

    run("-c", "import os; print(os.environ.get('GITHUB_OUTPUT'), os.environ['GITHUB_SHA'])")

    assert capsys.readouterr().out == "None b\n"
    assert os.environ["GITHUB_OUTPUT"] == "a"


def test_inputs_are_options_and_args_are_split_as_in_a_shell() -> None:
    assert pytest_arguments(RunInputs("m:A", "core", "openai-chat", "known.yaml", "-n 2 -k 'a and b'")) == [
        "--agent=m:A",
        "--agent-profile=core",
        "--agent-wire=openai-chat",
        "--agent-baseline=known.yaml",
        "--agent-report=agent-report",
        "-n",
        "2",
        "-k",
        "a and b",
    ]
    assert pytest_arguments(RunInputs("m:A")) == ["--agent=m:A", "--agent-report=agent-report"]
