"""The exit code of each way to end, as docs/options.md has it: in pytest's own process, and isolated."""

import re
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hostile.runs import ROOT, Signals, run, write_scenarios
from tests.tables import rows

AT_ONCE = 6
AGENT = """
import atexit, os, signal, sys, threading, time
from tests.hostile.right_agent import Right, hang

{imported}

class Agent(Right):
    def __init__(self, setup):
        super().__init__(setup)
        if self.is_hostile:
            {opened}

    def send(self, message):
        reply = super().send(message)
        if self.is_hostile:
            {turn}
        return reply

    def close(self):
        if self.is_hostile:
            {closed}
"""


@dataclass(frozen=True)
class End:
    """What is done while the agent is imported, opened, in a turn, and closed, and what happens to the run."""

    row: str
    imported: str = "pass"
    opened: str = "pass"
    turn: str = "pass"
    closed: str = "pass"
    options: tuple[str, ...] = ()
    signals: Signals = ()
    conftest: str = ""
    broken: str = ""


# A signal arrives while a turn hangs: three cases that pass may be over before it.
THREAD = "threading.Thread(target=hang, daemon={daemon}).start()"
ENDS = (
    End("all cases pass"),
    End("the agent has a finding", turn="reply = 'no'"),
    End("a scenario file is broken", broken="conversation: 7\n", options=("area",)),
    End("`conftest.py` raises", conftest="raise ValueError\n"),
    End("an option has a wrong value", options=("--agent-wire=none",)),
    End("no case was selected", options=("-k", "nothing")),
    End("Ctrl-C", turn="hang()", options=("-v",), signals=((signal.SIGINT, "PASSED"),)),
    End("SIGTERM", turn="hang()", options=("-v",), signals=((signal.SIGTERM, "PASSED"),)),
    End("SIGHUP: its terminal was closed", turn="hang()", options=("-v",), signals=((signal.SIGHUP, "PASSED"),)),
    End("the agent's import raises", imported="raise ValueError"),
    End("`sys.exit(0)` at import", imported="sys.exit(0)"),
    End("`os._exit(0)` at import", imported="os._exit(0)"),
    End("`os.execv` at import", imported="os.execv('/bin/true', ['true'])"),
    End("`sys.exit(0)` in `__init__`", opened="sys.exit(0)"),
    End("`os._exit(0)` in `__init__`", opened="os._exit(0)"),
    End("`sys.exit(0)` in a turn", turn="sys.exit(0)"),
    End("`os._exit(0)` in a turn", turn="os._exit(0)"),
    End("`os.execv` in a turn", turn="os.execv('/bin/true', ['true'])"),
    End("SIGKILL in a turn", turn="os.kill(os.getpid(), signal.SIGKILL)"),
    End("`KeyboardInterrupt` in a turn", turn="raise KeyboardInterrupt"),
    End("a turn that does not return", turn="hang()"),
    End("`sys.exit(0)` in `close`", closed="sys.exit(0)"),
    End("`os._exit(0)` in `close`", closed="os._exit(0)"),
    End("`os._exit(0)` by `atexit`", turn="atexit.register(os._exit, 0)"),
    End("a daemon thread that does not return", turn=THREAD.format(daemon=True)),
    End("a thread that does not return", turn=THREAD.format(daemon=False)),
)
WAYS: tuple[tuple[str, ...], ...] = ((), ("--agent-isolate",))


def documented() -> dict[str, tuple[str, str]]:
    """The codes of each row, in process and isolated."""
    text = ROOT.joinpath("docs", "options.md").read_text(encoding="utf-8")
    _, _, table = text.partition("| a run in which |")
    found = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", table.partition("\n\n")[0], re.MULTILINE)
    return {what: (own, isolated) for what, own, isolated in found}


def ended(end: End, options: tuple[str, ...], folder: Path) -> tuple[str, str]:
    """The code as a shell has it, and the output."""
    write_scenarios(folder)
    agent = AGENT.format(imported=end.imported, opened=end.opened, turn=end.turn, closed=end.closed)
    folder.joinpath("agent.py").write_text(agent)
    folder.joinpath("conftest.py").write_text(end.conftest)
    if end.broken:
        folder.joinpath("scenarios", "area", "broken.yaml").write_text(end.broken)
    ran = run(folder, "agent:Agent", *options, *end.options, signals=end.signals)
    code = ran.code if ran.code is None or ran.code >= 0 else 128 - ran.code
    return str(code), ran.output


@pytest.fixture(scope="module")
def codes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, str]]]:
    """Of all, a few at the same time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        asked = {
            end.row: [pool.submit(ended, end, way, tmp_path_factory.mktemp("end")) for way in WAYS] for end in ENDS
        }
        return {row: [one.result() for one in futures] for row, futures in asked.items()}


@pytest.mark.weekly
@rows("end", ENDS, ids=lambda end: end.row)
def test_run_ends_with_the_code_of_the_table(end: End, codes: dict[str, list[tuple[str, str]]]) -> None:
    found = codes[end.row]

    assert tuple(code for code, _ in found) == documented()[end.row], "\n".join(output for _, output in found)


def test_table_has_a_row_for_each_end() -> None:
    assert [*documented()] == [end.row for end in ENDS]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [pytest.param((), id="by itself"), pytest.param(("-n", "1"), id="in a worker", marks=pytest.mark.weekly)],
)
def test_killed_run_leaves_no_folder_of_its_cases(options: tuple[str, ...], tmp_path: Path) -> None:
    write, kill = "open('folder', 'w').write(str(setup.state_dir))", "os.kill(os.getpid(), signal.SIGKILL)"
    _, output = ended(End("killed", opened=write, turn=kill), options, tmp_path)

    folder = Path(tmp_path.joinpath("folder").read_text())

    assert "boom@openai-chat+plain" in output
    assert folder.parent.name.startswith("agent-conformance-")
    assert not folder.parent.exists()
