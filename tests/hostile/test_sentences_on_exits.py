"""What SECURITY.md says of agents that end the process is true, sentence by sentence."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from tests.hostile.runs import ROOT, Run, run, write_scenarios
from tests.hostile.test_kinds_of_agents import AT_ONCE
from tests.tables import rows

IN_A_CASE = "`os._exit` and `os.exec*` in an agent do not end the run. In a case they fail it,"
AT_IMPORT = "while the agent is imported they are an error,"
IN_A_THREAD = "and in a thread between two cases as well."
AT_THE_END = (
    "What an agent has left for the end of the process, such as a function of `atexit`, does not change the exit code."
)
IN_C = "So it is for `_exit`, `exit` and `exec*` of the C library, if the agent reaches them through `ctypes`."
IN_A_HANDLER = "A handler of a signal that ends the process between two cases ends the run, never with 0."

AGENT = """
import atexit, ctypes, os, signal, threading
from tests.hostile.right_agent import Right

def end():
    {end}

def handler(*arguments):
    end()

{imported}

class Agent(Right):
    def send(self, message):
        reply = super().send(message)
        if self.is_hostile:
            {hostile}
        return reply
"""

BETWEEN = """
import sys

def pytest_runtest_logfinish(nodeid):
    if "boom" in nodeid:
        {hook}
"""
THREAD = "import threading, agent; thread = threading.Thread(target=agent.end); thread.start(); thread.join()"
SIGNAL = "import signal, threading; signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)"
HANDLER = "signal.signal(signal.SIGUSR1, handler)"

FINDING = "ProcessEnded: the agent ended its process: "
CANNOT = "cannot be imported: ProcessEnded: the agent ended its process: "


@dataclass(frozen=True)
class Exit:
    """How an agent ends its process, and what comes of it. Two of three cases pass where `summary` says so."""

    sentence: str
    end: str
    code: int
    says: str = ""
    hostile: str = "end()"
    imported: str = ""
    between: str = "pass"
    summary: str = ""


def exits() -> list[Exit]:
    failed, ended = "3 cases: 2 passed, 1 failed", "3 cases: 3 passed"
    python = ("os._exit(0)", "os.execv('/bin/true', ['true'])", "os.execlp('true', 'true')")
    c = ("ctypes.CDLL(None)._exit(0)", "ctypes.CDLL(None).exit(0)", "ctypes.CDLL(None).execv(b'/bin/true', None)")
    found = []
    for how in (*python, *c):
        home = IN_C if how in c else IN_A_CASE
        found.append(Exit(home, how, 1, FINDING, summary=failed))
        home = IN_C if how in c else AT_IMPORT
        found.append(Exit(home, "pass", 4, CANNOT, imported=how))
        home = IN_C if how in c else IN_A_THREAD
        found.append(Exit(home, how, 3, "between two cases", "pass", between=THREAD, summary=ended))
        home = IN_C if how in c else AT_THE_END
        found.append(Exit(home, how, 0, "", "atexit.register(end)", summary=ended))
        found.append(Exit(home, how, 1, "", "atexit.register(end); os._exit(0)", summary=failed))
    for how in python:
        found.append(Exit(AT_THE_END, how, 0, "", "threading._register_atexit(end)", summary=ended))
        found.append(Exit(IN_A_HANDLER, how, 3, "between two cases", "pass", HANDLER, SIGNAL))
        found.append(Exit(IN_A_CASE, how, 1, FINDING, f"{SIGNAL}; threading.Event().wait(5)", HANDLER, summary=failed))
    return found


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[Exit, Run]:
    """Of all, a few at the same time."""

    def run_with(one: Exit) -> Run:
        folder = tmp_path_factory.mktemp("exit")
        write_scenarios(folder)
        agent = AGENT.format(imported=one.imported, end=one.end, hostile=one.hostile)
        folder.joinpath("agent.py").write_text(agent)
        folder.joinpath("conftest.py").write_text(BETWEEN.format(hook=one.between))
        return run(folder, "agent:Agent")

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(exits(), pool.map(run_with, exits()), strict=True))


@pytest.mark.slow
@rows("one", exits(), ids=lambda one: f"{one.sentence[:40]} {one.end} {one.imported} {one.hostile}")
def test_process_that_an_agent_wants_to_end(one: Exit, runs: dict[Exit, Run]) -> None:
    ran = runs[one]

    assert (ran.code, one.says in ran.output, one.summary in ran.output) == (one.code, True, True), ran.output
    assert "process_exits.py" not in ran.output


def test_each_sentence_is_tried() -> None:
    text = " ".join(ROOT.joinpath("SECURITY.md").read_text().split())

    assert {one.sentence for one in exits()} == {IN_A_CASE, AT_IMPORT, IN_A_THREAD, AT_THE_END, IN_C, IN_A_HANDLER}
    for one in exits():
        assert one.sentence in text
