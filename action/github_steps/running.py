"""The step that runs the suite: pytest in a process of its own, whose output is no workflow command."""

import codecs
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agent_conformance.report_data.encoding import BrokenResults
from agent_conformance.report_data.folder import SUMMARY, read_results, remove_earlier
from agent_conformance.report_data.model import Results
from agent_conformance.transcripts.printing import write_command
from github_steps.outcome import (
    Runner,
    commands_stopped,
    environment_of_agent,
    judged_exit_code,
    write_outputs,
)

MOMENT = 5.0


@dataclass(frozen=True, slots=True)
class RunInputs:
    """The inputs of the action that say what runs. Empty ones are left to pytest's configuration."""

    agent: str
    profile: str = ""
    wires: str = ""
    baseline: str = ""
    args: str = ""
    report: Path = Path("agent-report")


def run_suite(inputs: RunInputs, runner: Runner) -> int:
    """Run the cases, add the summary to the job's, and write the output `exit-code`, which it returns: that of the
    results, since an agent that ends the process in C chooses that of pytest.

    Raises `ValueError` for `args`, and `OSError` for a folder that cannot be that of the report.
    """
    arguments = pytest_arguments(inputs)
    remove_earlier(inputs.report)  # a run that ends before it begins would leave the results of another
    with commands_stopped():
        print(shlex.join(["pytest", *arguments]), flush=True)
        ended = _run([sys.executable, "-m", "pytest", *arguments])
        code = judged_exit_code(ended, _results(inputs.report))
        if code != ended:
            print(f"agent-conformance: pytest ended with {ended}; by its results, in {inputs.report}, it is {code}")
    write_outputs(runner.output, {"exit-code": code})
    _add_summary(inputs.report / SUMMARY, runner)
    return code


def _results(folder: Path) -> Results | None:
    try:
        return read_results(folder)
    except BrokenResults:
        return None


def pytest_arguments(inputs: RunInputs) -> list[str]:
    """Raises `ValueError` where `args` has a quote without its end."""
    chosen = {"agent-profile": inputs.profile, "agent-wire": inputs.wires, "agent-baseline": inputs.baseline}
    options = [f"--{name}={value}" for name, value in chosen.items() if value]
    return [f"--agent={inputs.agent}", *options, f"--agent-report={inputs.report}", *shlex.split(inputs.args)]


def _run(command: Sequence[str]) -> int:
    """A signal that ends pytest is a code above 128, as in a shell. Ctrl-C reaches pytest too, which then ends.

    Both its streams are passed on as one, in order, and nothing after its end: an agent may leave programs behind.
    """
    reading, writing = os.pipe()
    relay = _Relay(reading)
    relay.start()
    with os.fdopen(writing, "wb") as stream:
        process = subprocess.Popen(command, env=environment_of_agent(os.environ), stdout=stream, stderr=stream)
    while True:
        try:
            code = process.wait()
            relay.end()
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


class _Relay(threading.Thread):
    """Prints what comes out of a pipe, which it closes, until the process behind it has ended."""

    def __init__(self, pipe: int) -> None:
        super().__init__(name="relay", daemon=True)
        self._pipe = pipe
        self._lock = threading.Lock()
        self._is_over = False

    def run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        with os.fdopen(self._pipe, "rb", buffering=0) as pipe:
            while data := pipe.read(65_536):
                with self._lock:
                    if self._is_over:
                        return
                    write_command(decoder.decode(data), sys.stdout)
                    sys.stdout.flush()

    def end(self) -> None:
        """Wait until all is printed; what another program keeps open is left after a moment."""
        self.join(MOMENT)
        with self._lock:
            self._is_over = True


def _add_summary(path: Path, runner: Runner) -> None:
    if runner.summary is None or not path.is_file():
        return
    with runner.summary.open("a", encoding="utf-8") as file:
        file.write(path.read_text(encoding="utf-8") + "\n")
