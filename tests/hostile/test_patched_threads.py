"""Agents that patch threads or sockets for the whole process, as gevent and eventlet do, by stand-ins for both."""

from pathlib import Path

import pytest

from agent_conformance.run.process.shared_functions import PATCHED
from tests.hostile.runs import Run, run, write_scenarios

AGENT = """
import select, socket, threading
from tests.hostile.right_agent import Right

def patch():
    {patch}

{at_import}

class Agent(Right):
    {body}

    def send(self, message):
        reply = super().send(message)
        if self.is_hostile:
            {in_turn}
        return reply
"""

GREENLETS = "threading._start_new_thread = lambda function, arguments, more={}: function(*arguments, **more)"
"""A thread that is started runs on the thread that starts it."""
CLASS = (
    "vars(select).pop('poll', None);"
    " threading.Thread = type('Thread', (threading.Thread,), {'start': lambda self: self.run()})"
)
WITHOUT = "threading.Thread = None"
SOCKETS = "socket.socket = type('socket', (), {})"
DEBUGGER = (
    "start = threading._start_new_thread;"
    " threading._start_new_thread = lambda function, arguments, *more: start(function, arguments, *more)"
)
WATCHED = "threading.Thread = type('Thread', (threading.Thread,), {})"
TRACER = "socket.socket = type('socket', (socket.socket,), {})"


def ran(folder: Path, *options: str, patch: str, at_import: str = "patch()", in_turn: str = "pass", body: str) -> Run:
    write_scenarios(folder)
    agent = AGENT.format(patch=patch, at_import=at_import, in_turn=in_turn, body=body)
    folder.joinpath("agent.py").write_text(agent)
    return run(folder, "agent:Agent", *options)


@pytest.mark.slow
@pytest.mark.parametrize("patch", [GREENLETS, CLASS, WITHOUT, SOCKETS])
def test_agent_that_patches_at_import_is_told_in_one_sentence(patch: str, tmp_path: Path) -> None:
    told = ran(tmp_path, patch=patch, body="pass")

    assert told.code == 4, told.output
    assert told.output.count(PATCHED) == 1
    assert "cases" not in told.output


@pytest.mark.slow
@pytest.mark.parametrize("patch", [GREENLETS, SOCKETS])
def test_cases_after_one_that_patches_are_errors(patch: str, tmp_path: Path) -> None:
    told = ran(tmp_path, patch=patch, at_import="", in_turn="patch()", body="pass")

    assert told.code == 3, told.output
    assert "3 cases: 2 passed, 1 error" in told.output
    assert PATCHED in told.output


@pytest.mark.slow
@pytest.mark.parametrize("patch", [DEBUGGER, WATCHED, TRACER])
def test_threads_and_sockets_that_are_watched_are_real(patch: str, tmp_path: Path) -> None:
    right = ran(tmp_path, patch=patch, body="pass")

    assert "3 cases: 3 passed" in right.output, right.output


@pytest.mark.slow
@pytest.mark.parametrize("body", ["isolated = True", "isolated: bool = True"])
def test_adapter_that_declares_it_is_isolated(body: str, tmp_path: Path) -> None:
    """The stand-in runs there without threads of its own."""
    right = ran(tmp_path, patch="import os; os.environ['PATCHED'] = '1'", body=body)

    assert "agent conformance: agent:Agent, isolated" in right.output
    assert "3 cases: 3 passed" in right.output, right.output


@pytest.mark.slow
def test_isolated_agent_may_take_poll_away(tmp_path: Path) -> None:
    """As eventlet does, which leaves `select`."""
    right = ran(tmp_path, patch="del select.poll", body="isolated = True")

    assert "3 cases: 3 passed" in right.output, right.output


@pytest.mark.slow
@pytest.mark.parametrize("body", ["isolated = False", "pass", "is_isolated = True"])
def test_other_adapters_are_not(body: str, tmp_path: Path) -> None:
    right = ran(tmp_path, patch="pass", body=body)

    assert "isolated" not in right.output
