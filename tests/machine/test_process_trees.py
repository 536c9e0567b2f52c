"""What a program has started is found, ended and, where it is a daemon, named; and nothing else is."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from agent_conformance.machine.platform_features import apart
from agent_conformance.machine.process_trees import ProcessTree, take_left_running

SLEEPER = "[sys.executable, '-c', 'import time; time.sleep(600)', 'a sleeper']"
CHILD = f"child = subprocess.Popen({SLEEPER})"
DAEMON = f"child = subprocess.Popen({SLEEPER}, start_new_session=True)"
NO_ENVIRONMENT = f"child = subprocess.Popen({SLEEPER}, start_new_session=True, env={{}})"
SAY = "print(child.pid, flush=True)"
GO_ON = "time.sleep(600)"

Start = Callable[..., tuple[ProcessTree, "subprocess.Popen[str]", psutil.Process]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Gives a tree, its program, which runs these lines of Python, and the process whose id that prints."""
    programs: list[psutil.Process] = []

    def started(
        *lines: str, environment: dict[str, str] | None = None, folder: Path | None = None
    ) -> tuple[ProcessTree, object, psutil.Process]:
        code = "\n".join(("import os, subprocess, sys, time", *lines))
        tree = ProcessTree({} if environment is None else environment, folder)
        program = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=tree.environment, cwd=folder, **apart()
        )
        tree.begin(program.pid)
        assert program.stdout is not None
        with program.stdout as said:
            child = psutil.Process(int(said.readline()))
        programs.extend([child, psutil.Process(program.pid)])
        return tree, program, child

    take_left_running()
    yield started  # type: ignore[misc]
    for process in programs:
        if process.is_running():
            process.kill()


def lives(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


BEGUN = f"""
import subprocess, sys
from agent_conformance.machine.process_trees import ProcessTree
tree = ProcessTree({{}})
code = "import subprocess, sys, time; {DAEMON}; {SAY}; {GO_ON}"
program = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=tree.environment,
    stderr=subprocess.DEVNULL)
tree.begin(program.pid)
print(program.pid, program.stdout.readline())
"""
"""Ends without an end of the program that it has begun."""


def test_program_and_its_daemon_end_with_the_process_that_has_begun_it() -> None:
    said = subprocess.run([sys.executable, "-c", BEGUN], capture_output=True, text=True, check=True).stdout

    assert [pid for pid in map(int, said.split()) if psutil.pid_exists(pid) and lives(psutil.Process(pid))] == []
    assert len(said.split()) == 2


@pytest.mark.parametrize("child", [CHILD, DAEMON, NO_ENVIRONMENT])
def test_all_ends_with_a_program_that_is_killed(start: Start, child: str) -> None:
    tree, program, started = start(child, SAY, GO_ON)

    tree.kill()

    assert program.wait() != 0
    assert not lives(started)


def test_daemon_that_outlives_its_program_is_ended_and_named_once(start: Start) -> None:
    tree, program, daemon = start(DAEMON, SAY)
    program.wait()
    assert lives(daemon)

    tree.end_rest()
    tree.end_rest()

    assert not lives(daemon)
    (named,) = take_left_running()
    assert named.endswith("a sleeper")
    assert take_left_running() == []


def test_daemon_without_an_environment_is_found_in_the_folder_of_its_case(start: Start, tmp_path: Path) -> None:
    _, elsewhere, other = start(NO_ENVIRONMENT, SAY)
    tree, program, daemon = start(NO_ENVIRONMENT, SAY, folder=tmp_path)
    elsewhere.wait()
    program.wait()

    tree.end_rest()

    assert not lives(daemon)
    assert lives(other)
    assert take_left_running()[0].endswith("a sleeper")


def test_daemon_is_found_while_it_executes_its_program(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux then gives neither its environment nor its arguments."""
    tree, program, daemon = start(DAEMON, SAY)
    program.wait()
    looks: list[int] = []

    def delayed(read: Callable[[psutil.Process], Any], nothing: object) -> Callable[[psutil.Process], Any]:
        def look(process: psutil.Process) -> Any:
            if process.pid != daemon.pid:
                return read(process)
            looks.append(process.pid)
            return read(process) if len(looks) > 3 else nothing

        return look

    monkeypatch.setattr(psutil.Process, "environ", delayed(psutil.Process.environ, {}))
    monkeypatch.setattr(psutil.Process, "cmdline", delayed(psutil.Process.cmdline, []))

    tree.end_rest()

    assert not lives(daemon)


def test_daemon_is_found_under_the_number_of_a_process_that_is_over(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, program, daemon = start(DAEMON, SAY)
    program.wait()
    other = psutil.Process(daemon.pid)
    monkeypatch.setattr(other, "is_running", lambda: False)  # as psutil says of one that it has met before
    monkeypatch.setattr(psutil, "process_iter", lambda: iter([other]))

    tree.end_rest()

    assert not lives(daemon)


def test_child_in_the_session_of_its_program_is_ended_without_a_word(start: Start) -> None:
    tree, program, child = start(CHILD, SAY)
    program.wait()

    tree.end_rest()

    assert not lives(child)
    assert take_left_running() == []


def test_tree_ends_no_process_of_another(start: Start) -> None:
    outer, program, daemon = start(DAEMON, SAY)
    program.wait()
    inner, other, daemon_of_the_other = start(DAEMON, SAY, environment=outer.environment)
    other.wait()

    inner.end_rest()
    assert not lives(daemon_of_the_other)
    assert lives(daemon)
    outer.end_rest()

    assert not lives(daemon)


def test_nothing_is_ended_twice(start: Start) -> None:
    """The number of a process that is over may be that of another one by now."""
    tree, program, daemon = start(DAEMON, SAY)
    program.wait()
    tree.end_rest()

    tree.kill()

    assert not lives(daemon)
