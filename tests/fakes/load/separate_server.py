"""A server in a process of its own: its URLs, and what the kernel reports about the process."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from load_site import is_served

from tests.patience import PATIENCE

HERE = Path(__file__).parent


@dataclass
class SeparateServer:
    process: "subprocess.Popen[str]"
    urls: dict[str, str]

    def memory(self) -> float:
        """Megabytes of its own. Pages of files come and go, as the system has room for them."""
        return self._status("RssAnon")

    def resident(self) -> float:
        """Megabytes of resident memory now."""
        return self._status("VmRSS")

    def peak(self) -> float:
        """The most megabytes of resident memory since `forget_peak`."""
        return self._status("VmHWM")

    def forget_peak(self) -> None:
        self._proc("clear_refs").write_text("5")

    def descriptors(self) -> int:
        return len(os.listdir(self._proc("fd")))

    def closes_all_but(self, descriptors: int) -> bool:
        """Whether the other descriptors are closed before a timeout; requests are sent meanwhile."""
        return any(self.descriptors() <= descriptors for _ in range(500) if is_served(self.urls["constant"]))

    def threads(self) -> int:
        return len(os.listdir(self._proc("task")))

    def _status(self, field: str) -> float:
        lines = self._proc("status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))

    def _proc(self, name: str) -> Path:
        return Path("/proc", str(self.process.pid), name)


@contextlib.contextmanager
def run_separate_server() -> Iterator[SeparateServer]:
    """Runs the server; asserts that it stopped by itself and reported no error."""
    paths = os.pathsep.join([str(HERE.parents[2]), str(HERE)])
    process = subprocess.Popen(
        [sys.executable, str(HERE / "separate_server_process.py")],
        env={**os.environ, "PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield SeparateServer(process, json.loads(process.stdout.readline()))
        printed, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.communicate()
    assert (process.returncode, json.loads(printed), errors) == (0, [], "")
