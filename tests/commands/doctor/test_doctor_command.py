"""What `agent-conformance doctor` prints, and with which code it ends."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agent_conformance.adapter.contract import DeclaredAgent
from agent_conformance.attach import ready_made
from agent_conformance.attach.loading import checked_agent
from agent_conformance.commands.doctor.command import Report, report_lines
from agent_conformance.commands.doctor.probe_runner import Check
from agent_conformance.commands.main import main
from tests.agents.plain import PlainAgent
from tests.patience import PATIENCE

RIGHT = "tests.agents.plain:PlainAgent"
HANGING = """\
import threading


class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup):
        pass

    def send(self, message):
        threading.Event().wait()
"""


def agent(spec: str = "mine:Adapter") -> DeclaredAgent:
    return checked_agent(spec, PlainAgent)


def test_right_adapter_ends_with_0_and_the_next_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--agent", RIGHT]) == 0

    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == RIGHT
    assert any(line.startswith("  ok: ") and "history" in line for line in printed)
    assert printed[-1].endswith(f"Next: pytest --agent={RIGHT}")


def test_what_does_not_work_ends_with_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--agent=tests.commands.doctor.broken_adapters:IgnoresHistory"]) == 1

    printed = capsys.readouterr().out
    assert "  history                     not working\n" in printed
    assert printed.endswith("Fix these from top to bottom.\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec", ["tests.agents.plain:PlaneAgent", "no_such_module:Adapter", "plain", "cmd:/no/such/command"]
)
def test_agent_that_cannot_be_loaded_ends_with_4_and_the_line_that_pytest_has(
    spec: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["doctor", "--agent", spec]) == 4
    printed = capsys.readouterr()

    pytest_run = subprocess.run(
        [sys.executable, "-m", "pytest", f"--agent={spec}", "-p", "no:cacheprovider"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert not printed.out
    assert printed.err.count("\n") == 1
    assert f"ERROR: {printed.err}" in pytest_run.stderr
    assert pytest_run.returncode == 4


def test_agent_that_hangs_does_not_keep_the_process(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)

    done = subprocess.run(
        [sys.executable, "-m", "agent_conformance.commands.main", "doctor", "--agent=hanging:Adapter", "--timeout=0.3"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )

    assert done.returncode == 1
    assert "send did not return within 1.8 s of silence" in " ".join(done.stdout.split())


def test_output_of_the_agent_is_not_in_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "chatty_agent.py").write_text(
        "from tests.agents.plain import PlainAgent\n"
        "class Adapter(PlainAgent):\n"
        "    wires = ('openai-chat',)\n"
        "    def begin(self, message):\n"
        "        print('thinking')\n"
        "        super().begin(message)\n"
    )
    monkeypatch.chdir(tmp_path)

    assert main(["doctor", "--agent=chatty_agent:Adapter"]) == 0
    printed = capsys.readouterr()
    assert "thinking" not in f"{printed.out}{printed.err}"

    assert main(["doctor", "--agent=chatty_agent:Adapter", "-v"]) == 0
    printed = capsys.readouterr()
    assert "thinking" not in printed.out
    assert "thinking" in printed.err


CHECKS = (
    Check("reached", "openai-chat+plain", "ok"),
    Check("features", "history", "ok"),
    Check("features", "deltas", "not working", "there are none", "Yield them."),
    Check("features", "cancel", "not declared"),
    Check("features", "images", "not declared"),
)


def test_report_has_each_problem_with_its_fix_under_its_group() -> None:
    assert list(report_lines(Report(agent(), CHECKS))) == [
        "mine:Adapter",
        "",
        "wires and modes",
        "  ok: openai-chat+plain",
        "",
        "features",
        "  ok: history",
        "  not declared: cancel, images",
        "  deltas                      not working",
        "                              There are none.",
        "                              Yield them.",
        "",
        "ok: 2; not working: 1; works, not declared: 0. Fix these from top to bottom.",
    ]


def test_row_that_no_longer_holds_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "outdated.json"
    file.write_text('{"mine:Adapter": {"version": "1.1", "date": "2026-11-29", "why": "no tool was executed"}}')
    monkeypatch.setattr(ready_made, "OUTDATED", file)

    *_, note, rest, summary = report_lines(Report(agent(), CHECKS))

    assert note.startswith("Note: the leaderboard's row of mine:Adapter no longer holds: on 2026-11-29,")
    assert rest == "  did otherwise: no tool was executed"
    assert summary.startswith("ok: 2;")


def test_verbose_report_has_a_line_for_each_item() -> None:
    lines = list(report_lines(Report(agent(), CHECKS), verbose=True))

    assert lines[5:11] == [
        "features",
        "  history                     ok",
        "  deltas                      not working",
        "                              There are none.",
        "                              Yield them.",
        "  cancel                      not declared",
    ]


def test_transcripts_are_printed_on_request_before_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--agent=tests.commands.doctor.broken_adapters:SendsEmptyTools", "--transcripts"]) == 0

    printed = capsys.readouterr().out
    transcripts, _, report = printed.partition("\ntests.commands.doctor.broken_adapters:SendsEmptyTools\n")
    assert transcripts.startswith("probe probes/round@openai-chat+plain\n  turn 1\n")
    assert "refused openai/tools-empty: " in transcripts
    assert f"{transcripts.count('probe probes/')} probes in " in report
    assert "127.0.0.1" not in transcripts


def test_transcripts_are_not_printed_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--agent", RIGHT])

    printed = capsys.readouterr().out
    assert "probe probes/" not in printed
    assert re.search(r"^\d+ probes in \d+\.\d\ds$", printed, re.MULTILINE)


def test_command_with_spaces_is_quoted_in_the_next_command() -> None:
    *_, last = report_lines(Report(agent("cmd:node agent.mjs"), (Check("tools", "reply", "ok"),)))

    assert last == 'ok: 1; not working: 0; works, not declared: 0. Next: pytest --agent="cmd:node agent.mjs"'


def test_address_of_a_case_is_not_printed() -> None:
    got = "404 for http://127.0.0.1:41873/8fc54188f1/v1/chat"
    *_, line, _, _ = report_lines(Report(agent(), (Check("tools", "reply", "not working", got),)))

    assert line.strip() == "404 for <base_url>/v1/chat."


KEY = "sk-live-abcdefghijklmnop0123456789"
LEAKS_IN_SEND = """\
import os


class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup):
        pass

    def send(self, message):
        raise ValueError("no such key: " + os.environ["OPENAI_API_KEY"])
"""
LEAKS_WHEN_IMPORTED = 'import os\n\nraise ValueError("no such key: " + os.environ["OPENAI_API_KEY"])\n'


@pytest.mark.parametrize("source", [LEAKS_IN_SEND, LEAKS_WHEN_IMPORTED], ids=["send", "import"])
def test_key_that_the_agent_prints_is_named_and_not_shown(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.syspath_prepend(tmp_path)
    module = f"leaking_{len(source)}"
    (tmp_path / f"{module}.py").write_text(source)

    assert main(["doctor", "--agent", f"{module}:Adapter"]) != 0
    printed = "".join(capsys.readouterr())
    assert "$OPENAI_API_KEY" in printed
    assert KEY[:12] not in printed
