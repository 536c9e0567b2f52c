"""The simulated platforms lack what the real ones lack, for the project's packages alone."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.platforms.simulated import environment_of


def ask(platform: str, folder: Path, code: str, *, name: str = "agent_conformance.asking") -> str:
    """What the code does on this platform, run as if it were a module of this name: its output, or its exception."""
    program = f"""
import sys
try:
    exec(compile({code!r}, "asking.py", "exec"), {{"__name__": {name!r}, "__builtins__": __builtins__}})
except Exception as error:
    print(type(error).__name__)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment_of(platform), capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", errors="replace").strip()


LACKS_ON_WINDOWS = (
    "import resource",
    "import fcntl",
    "import os; os.fork",
    "import os; os.killpg",
    "from os import setsid",
    "import signal; signal.SIGKILL",
    "import socket; socket.AF_UNIX",
    "import select; select.poll",
    "open('/proc/self/stat')",
    "import pathlib; pathlib.Path('/proc/self/stat').read_bytes()",
    "import subprocess; subprocess.run(['/bin/sh', '-c', 'true'])",
    "import asyncio; asyncio.new_event_loop().add_reader(0, print)",
    "open('a:b', 'w')",
    "open('nul.txt', 'w')",
    "import os; os.mkdir('a?')",
    "open('x' * 240 + '/' * 9 + 'y' * 20, 'w')",
    "open('Case', 'w').close(); open('case', 'w')",
    "open('text', 'w').write('→')",
)
LACKS_ON_MACOS = (
    "import socket; socket.SOCK_SEQPACKET",
    "import os; os.pidfd_open",
    "open('/proc/self/stat')",
    "open('Case', 'w').close(); open('case', 'w')",
)
HAS_ON_MACOS = (
    "import resource",
    "import os; os.fork",
    "import signal; signal.SIGKILL",
    "open('text', 'w').write('→')",
)


@pytest.mark.parametrize(
    ("platform", "code"),
    [*(("windows", code) for code in LACKS_ON_WINDOWS), *(("macos", code) for code in LACKS_ON_MACOS)],
)
def test_platform_lacks_it(platform: str, code: str, tmp_path: Path) -> None:
    assert ask(platform, tmp_path, code).endswith(("Error", "FileNotFoundError"))


@pytest.mark.parametrize("code", HAS_ON_MACOS)
def test_platform_has_it(code: str, tmp_path: Path) -> None:
    assert ask("macos", tmp_path, code) == ""


@pytest.mark.parametrize("code", ["import resource", "import os; os.fork", "open('/proc/self/stat')"])
def test_others_keep_it(code: str, tmp_path: Path) -> None:
    assert ask("windows", tmp_path, code, name="another_distribution") == ""


def test_lines_end_in_two_characters(tmp_path: Path) -> None:
    ask("windows", tmp_path, "open('text', 'w').write('a\\nb')")

    assert (tmp_path / "text").read_bytes() == b"a\r\nb"


def test_processes_of_a_process_are_on_the_same_platform(tmp_path: Path) -> None:
    inner = "import sys; print('lacking' in sys.modules)"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"

    assert ask("macos", tmp_path, code) == "True"
