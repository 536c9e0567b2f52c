"""Running a closed command-line program for one turn: where it is, a home of its own, its output, its end."""

import asyncio
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.machine.platform_features import IS_POSIX, apart, ask_to_end
from agent_conformance.machine.process_trees import ProcessTree
from agent_conformance.machine.refusing_proxy import refusing_proxy

LOOPBACK = "127.0.0.1,localhost,::1"
NODE = {"NODE_USE_ENV_PROXY": "1"}
"""Node reads the variables of proxies only with this."""
KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "COMSPEC", "PATHEXT")
"""Of this process's environment; the last three are of Windows, where little starts without them."""
LONGEST_LINE = 64 * 2**20
STDERR_KEPT = 64 * 1024
POLITE = 0.4
"""Seconds for an interrupted program to end by itself. With `DRAINING` it is less than a cancelled turn may take."""
DRAINING = 0.4
VERSION_TIMEOUT = 20.0
"""Seconds for a program to print its version."""


class NotInstalled(ImportError):
    """The program is not installed; one line that says what to do."""


def variable_of(program: str) -> str:
    """The variable of the environment that names the program's file: `CONFORMANCE_CODEX`, `CONFORMANCE_GEMINI`."""
    return f"CONFORMANCE_{program.upper().replace('-', '_')}"


def path_of(program: str) -> str | None:
    """The file that the program's variable names, or else the one on PATH; None where it cannot be executed."""
    path = shutil.which(os.environ.get(variable_of(program)) or program)
    return os.path.abspath(path) if path else None  # it is started in another folder


def installed(program: str, package: str, *, by: str = "npm install -g") -> str:
    """The program's file. Raises `NotInstalled`."""
    path = path_of(program)
    if path is None:
        variable = variable_of(program)
        named = os.environ.get(variable)
        where = f"{variable}={named} is no program" if named else f"the program {program} is not on PATH"
        raise NotInstalled(f"{where}: {by} {package}, or name its file in {variable}")
    return path


def version_of(program: str) -> str | None:
    """The last word of what `--version` prints; None if the program is missing or does not print it."""
    path = path_of(program)
    if path is None:
        return None
    with tempfile.TemporaryDirectory() as home:
        try:
            command, own = [path, "--version"], environment(Path(home))
            done = subprocess.run(
                command, env=own, capture_output=True, text=True, encoding="utf-8", timeout=VERSION_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
    words = done.stdout.split()
    return words[-1].removeprefix("v") if done.returncode == 0 and words else None


@dataclass(frozen=True, slots=True)
class ProgramFolders:
    """Where the program of one case lives. All of it is in the state folder, which the suite removes afterwards."""

    home: Path
    project: Path
    session: Path

    @property
    def resumed(self) -> str:
        """The id of the session to resume, also after a restart; empty at first."""
        return self.session.read_text(encoding="utf-8") if self.session.exists() else ""


def program_folders_in(state_dir: Path) -> ProgramFolders:
    place = ProgramFolders(state_dir / "home", state_dir / "project", state_dir / "session")
    for folder in (place.home / "tmp", place.project):
        folder.mkdir(parents=True, exist_ok=True)
    return place


def environment(home: Path, **more: str) -> dict[str, str]:
    """The environment of the program: no keys or settings of this machine, and only loopback is reachable."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), refusing_proxy().address)
    proxies |= {"NO_PROXY": LOOPBACK}
    lower = {name.lower(): value for name, value in proxies.items()}
    if not IS_POSIX:
        own = ("USERPROFILE", "APPDATA", "LOCALAPPDATA")
        kept |= dict.fromkeys(own, str(home)) | dict.fromkeys(("TEMP", "TMP"), str(home / "tmp"))
    return {**kept, "HOME": str(home), "TMPDIR": str(home / "tmp"), "NO_COLOR": "1", **NODE, **proxies, **lower, **more}


class Run:
    """A program that runs, in a session of its own. Its `code` is known once `events` has come to its end."""

    def __init__(self, child: asyncio.subprocess.Process, streams: "_Streams") -> None:
        self._child = child
        self._own = streams
        self._stderr = bytearray()
        self._asked_before = refusing_proxy().count
        self._draining = asyncio.ensure_future(self._drain())

    @property
    def code(self) -> int | None:
        return self._child.returncode

    @property
    def streams(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """The standard output and input of the program, for a protocol that reads and writes them itself."""
        assert self._child.stdout is not None
        assert self._child.stdin is not None
        return self._child.stdout, self._child.stdin

    @property
    def stderr(self) -> str:
        """The end of what was written to standard error."""
        return bytes(self._stderr).decode(errors="replace").strip()

    @property
    def other_hosts(self) -> str:
        """A line with the other hosts that it asked its proxy for."""
        return refusing_proxy().since(self._asked_before)

    def forget_stderr(self) -> None:
        """Leave out of `stderr` and of `other_hosts` what belongs to an earlier case."""
        self._stderr.clear()
        self._asked_before = refusing_proxy().count

    def write(self, text: str, *, last: bool = False) -> None:
        """Write to its standard input, which ends after the `last` text."""
        assert self._child.stdin is not None
        with contextlib.suppress(OSError):  # it does not read; its end has the reason
            self._child.stdin.write(text.encode(errors="replace"))
            if last:
                self._child.stdin.close()

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        """The lines of standard output that are JSON objects, to the end; other output is ignored."""
        while (event := await self.event()) is not None:
            yield event

    async def event(self) -> Mapping[str, Any] | None:
        """The next of `events`; None at the end, when the end of standard error is known."""
        assert self._child.stdout is not None
        async for line in self._child.stdout:
            with contextlib.suppress(ValueError, RecursionError):
                if isinstance(event := json.loads(line), dict):
                    return event
        await self.ended()
        return None

    async def ended(self) -> None:
        """Wait for its end, and until the end of standard error is known."""
        await asyncio.shield(self._own.exited)
        await asyncio.wait([self._draining], timeout=DRAINING)

    async def end(self) -> None:
        """End it and all its children: interrupt if it still runs, then kill."""
        if self.code is None:
            ask_to_end(self._child.pid, signal.SIGINT)
            await asyncio.wait([self._own.exited], timeout=POLITE)
        self._own.tree.kill()
        await asyncio.shield(self._own.exited)
        await asyncio.wait([self._draining], timeout=DRAINING)
        self._draining.cancel()
        self._own.end()

    async def leaves(self, timeout: float) -> bool:
        """Close its standard input, and say whether it ends by itself then, with all stored that it wanted to store."""
        assert self._child.stdin is not None
        self._child.stdin.close()
        await asyncio.wait([self._own.exited], timeout=timeout)
        return self.code is not None

    def kill(self) -> None:
        """Kill it and all its children at once, from any thread."""
        self._own.tree.kill()

    async def _drain(self) -> None:
        assert self._child.stderr is not None
        while chunk := await self._child.stderr.read(2**16):
            self._stderr += chunk
            del self._stderr[:-STDERR_KEPT]


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """A program's streams, which end with the program: what it has left running is ended, and may keep none open.

    asyncio's own `wait` returns only when every stream is closed.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, tree: ProcessTree) -> None:
        super().__init__(LONGEST_LINE, loop)
        self.tree = tree
        self.exited: asyncio.Future[None] = loop.create_future()
        self._is_over = False
        self._own_transport: asyncio.SubprocessTransport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._own_transport = transport
        self.tree.begin(transport.get_pid())
        super().connection_made(transport)

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        if not self._is_over:
            super().pipe_data_received(fd, data)

    def process_exited(self) -> None:
        self.tree.end_rest()
        self.exited.set_result(None)
        self.exited.get_loop().call_later(DRAINING, self.end)
        super().process_exited()

    def end(self) -> None:
        """Nothing more is read, whoever keeps them open."""
        self._is_over = True
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.feed_eof()
        self._own_transport.close()


async def started(command: Sequence[str], *, environment: Mapping[str, str], folder: Path) -> Run:
    """Start the command; the caller must end it."""
    loop = asyncio.get_running_loop()
    tree = ProcessTree(environment, folder)
    transport, streams = await loop.subprocess_exec(
        lambda: _Streams(loop, tree), *command, cwd=folder, env=tree.environment, **apart()
    )
    return Run(asyncio.subprocess.Process(transport, streams, loop), streams)


@asynccontextmanager
async def running(
    command: Sequence[str], *, stdin: str, environment: Mapping[str, str], folder: Path
) -> AsyncIterator[Run]:
    """A run with a text on its standard input. The program does not outlive the block."""
    run = await started(command, environment=environment, folder=folder)
    try:
        run.write(stdin, last=True)
        yield run
    finally:
        await run.end()


HERE = Path(__file__).resolve().parent


def client_folder() -> Path:
    """The npm package of the client: inside the wheel, or beside the packages in a checkout."""
    in_wheel = HERE.parent / "_clients" / "node"
    return in_wheel if in_wheel.is_dir() else HERE.parents[2] / "clients" / "node"


def bridge_command(bridge: Path) -> str:
    """The command that runs this bridge, which finds its framework in the folder that npm installed it into."""
    return shlex.join(["node", "--import", (HERE / "node_resolution.mjs").as_uri(), str(bridge)])
