"""What the thread of an agent that was left behind has in its hands is neither freed nor taken away by later cases."""

import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from agent_conformance.pytest.reporting import MOST_WARNINGS, warnings_bounded
from agent_conformance.run.process.isolation import PRINT_HOLDS_ITS_STREAM, process_restored, streams_kept

AGENT = """
import logging, os, socket, sys, tempfile, threading, warnings
from agent_conformance.reference import Adapter as Reference


class Tee:
    def __init__(self, stream):
        self._stream = stream

    def __getattr__(self, name):
        return getattr(self._stream, name)


def prints(line):
    print("retrying ...")
    print("retrying ...", file=sys.stderr, flush=True)


def prints_to_its_own_stream(line):
    if type(sys.stdout) is not Tee:
        sys.stdout = Tee(sys.stdout)
    print("retrying ...")


def logs(line):
    logging.getLogger(f"agent.{line % 50}").warning("retrying ...")


def warns(line):
    warnings.warn(f"retrying {line} ...")


def warns_by_filters_of_its_own(line):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("retrying ...")


def opens_sockets(line):
    try:
        socket.create_connection(("localhost", 1), timeout=1).close()
    except OSError:
        pass


def changes_the_environment(line):
    os.environ[f"RETRY_{line % 50}"] = "x" * (line % 1000)
    os.environ.pop(f"RETRY_{(line + 7) % 50}", None)


def raises_in_threads(line):
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


def writes_files(line):
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "x"), "w") as file:
        file.write("retrying")


def imports(line):
    sys.modules.pop("colorsys", None)
    import colorsys


class Adapter(Reference):
    made = 0

    def __init__(self, setup):
        Adapter.made += 1
        self._number = Adapter.made
        super().__init__(setup)

    def send(self, message):
        line = 0
        while self._number == 3:
            WORK(line)
            line += 1
        return super().send(message)
"""
REPLACED = """
import io, sys, threading, weakref
from agent_conformance.run.process.isolation import streams_kept

go_on = threading.Event()
with streams_kept():
    sys.stdout = io.StringIO()
    of_the_case = weakref.ref(sys.stdout)
    if sys.argv[1] == "True":
        threading.Thread(target=go_on.wait).start()
sys.stdout = io.StringIO()
of_the_thread = weakref.ref(sys.stdout)
sys.stdout = sys.__stdout__
print(of_the_case() is not None, of_the_thread() is not None, file=sys.stderr)
go_on.set()
"""
WORK = re.findall(r"^def (\w+)\(line\)", AGENT, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("work", WORK)
def test_cases_after_a_hang_are_judged(work: str, tmp_path: Path) -> None:
    tmp_path.joinpath("left.py").write_text(AGENT.replace("WORK", work), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "--agent=left:Adapter", "--agent-timeout=3", "-q"]
    command += ["-p", "no:cacheprovider", "round-trip/empty-result", "tool-names/near-miss"]

    ran = subprocess.run(
        [*command, "--agent-wire=openai-chat"], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=300
    )

    # A thread that prints may come between any two pieces that pytest writes.
    counts = re.search(r"(\d+) cases: (\d+) passed, 1 (?:error|failed)", ran.stdout)
    assert counts is not None, f"exit code {ran.returncode}: {ran.stderr[-2000:]}"
    assert int(counts[1]) == int(counts[2]) + 1
    assert ran.returncode in (1, 3)


def test_warnings_without_end_are_counted_and_those_after_the_test_dropped(pytestconfig: pytest.Config) -> None:
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        with warnings_bounded(pytestconfig, "here"):
            for number in range(MOST_WARNINGS + 50):
                warnings.warn(f"retrying {number} ...", stacklevel=1)
        warnings.warn("pytest reads its list", stacklevel=1)

    texts = [str(one.message) for one in log]
    assert texts[-2:] == [f"retrying {MOST_WARNINGS - 1} ...", "here: 50 more warnings came, and are not shown"]
    assert len(texts) == MOST_WARNINGS + 1


def test_few_warnings_are_all_shown(pytestconfig: pytest.Config) -> None:
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        with warnings_bounded(pytestconfig, "here"):
            warnings.warn("one", stacklevel=1)

    assert [str(one.message) for one in log] == ["one"]


def test_wrapper_of_a_stream_is_the_same_in_each_case(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for _ in range(2):
        with streams_kept():
            seen.append((sys.stdout, sys.stderr))

    assert seen[0][0] is seen[1][0]
    assert seen[0][1] is seen[1][1]


def test_case_within_a_case_has_the_streams_of_the_outer_one() -> None:
    with streams_kept():
        outer = sys.stdout
        with streams_kept():
            assert sys.stdout is outer
        assert sys.stdout is outer


@pytest.mark.parametrize("leaves_a_thread", [True, False])
def test_stream_is_kept_by_whomever_it_is_replaced_once_a_thread_was_left(leaves_a_thread: bool) -> None:
    done = subprocess.run([sys.executable, "-c", REPLACED, str(leaves_a_thread)], check=True, capture_output=True)

    is_kept = leaves_a_thread and sys.version_info < PRINT_HOLDS_ITS_STREAM
    assert done.stderr.split() == [str(is_kept).encode()] * 2


def test_variables_that_are_as_they_were_are_not_set_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAYS", "1")
    monkeypatch.setenv("CHANGES", "1")
    monkeypatch.setenv("GOES", "1")
    changed: list[bytes] = []
    really_put, really_unset = os.putenv, os.unsetenv
    monkeypatch.setattr(os, "putenv", lambda name, value: (changed.append(name), really_put(name, value)))
    monkeypatch.setattr(os, "unsetenv", lambda name: (changed.append(name), really_unset(name)))
    with process_restored():
        os.environ.update(CHANGES="2", COMES="1")
        del os.environ["GOES"]
        changed.clear()

    monkeypatch.undo()
    assert sorted(changed) == [b"CHANGES", b"COMES", b"GOES"]
