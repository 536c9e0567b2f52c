"""An environment of its own for each ready-made adapter, made once and kept: a Python by uv, and packages by npm.

Frameworks exclude each other, so none shares an environment. Knows what an adapter needs; not how it is judged.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path

from agent_conformance.attach.ready_made import NODE_FOLDER, Ready

CACHE = "CONFORMANCE_CACHE"
NEWER_NODE = "node@24"
"""npm brings a newer Node than many machines have; some agents need one."""
CHECKOUT = Path(__file__).parents[2]
DONE = "installed.json"


class NotInstalled(Exception):
    """What could not be installed, and the last line of why."""


@dataclass(frozen=True, slots=True)
class AgentEnvironment:
    """The Python that judges an agent, and the variables with which it finds the agent."""

    python: str
    variables: Mapping[str, str]


HERE = AgentEnvironment(sys.executable, {})
"""This process's own."""


def cache_folder() -> Path:
    """`CONFORMANCE_CACHE`, else `~/.cache/agent-conformance`."""
    base = os.environ.get(CACHE) or os.path.join(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "agent-conformance")
    return Path(base).expanduser()


def environment_of(ready: Ready, pinned: str | None) -> AgentEnvironment:
    """The environment of this adapter, made if it is missing. `pinned` is the version to judge; None for the newest.

    Raises `NotInstalled`.
    """
    python = _python(ready, pinned)
    if ready.tool:
        return AgentEnvironment(python, {"PATH": os.pathsep.join([str(_tool(ready, pinned)), os.environ["PATH"]])})
    if not ready.npm:
        return AgentEnvironment(python, {})
    node = _node(ready, pinned)
    path = os.pathsep.join([str(node / "node_modules/node/bin"), str(node / "node_modules/.bin"), os.environ["PATH"]])
    return AgentEnvironment(python, {"PATH": path, NODE_FOLDER: str(node)})


def _python(ready: Ready, pinned: str | None) -> str:
    """An environment with this project and what the adapter needs. A checkout is installed as it stands."""
    ours = ["--editable", f"{CHECKOUT}[{ready.extra}]" if ready.extra else str(CHECKOUT)]
    version = [f"{ready.distribution}=={pinned}"] if pinned and not ready.program and not ready.npm else []
    wanted = [*ours, *ready.requirements, *version]
    folder = _folder("python", ready, [sys.version, *own_requirements(), *wanted])
    python = folder / "bin" / "python"
    if not (folder / DONE).is_file():
        uv = _uv()
        _run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)])
        _run([*uv, "pip", "install", "--quiet", "--no-config", "--python", str(python), *wanted])
        (folder / DONE).write_text(json.dumps(wanted), encoding="utf-8")
    return str(python)


def _tool(ready: Ready, pinned: str | None) -> Path:
    """The folder with the command of a program in Python. It has an environment, and a Python, of its own."""
    package, *more = ready.tool
    wanted = [f"{package}=={pinned}" if pinned else package, *more]
    folder = _folder("tool", ready, wanted)
    if not (folder / DONE).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        own = {"UV_TOOL_DIR": str(folder), "UV_TOOL_BIN_DIR": str(folder / "bin")}
        _run([*_uv(), "tool", "install", "--quiet", "--no-config", "--force", *wanted], **own)
        (folder / DONE).write_text(json.dumps(wanted), encoding="utf-8")
    return folder / "bin"


def own_requirements() -> list[str]:
    """What this project needs: an environment that was made before it needed something more is made anew."""
    return sorted(requires("pytest-agent-conformance") or ())


def _node(ready: Ready, pinned: str | None) -> Path:
    """A folder with the npm packages, and with a newer Node."""
    first, *others = ready.npm
    wanted = [f"{ready.distribution}@{pinned}" if pinned else first, *others, NEWER_NODE]
    folder = _folder("node", ready, wanted)
    if not (folder / DONE).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text("{}", encoding="utf-8")
        _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), NEWER_NODE])
        path = os.pathsep.join([str(folder / "node_modules/node/bin"), os.environ["PATH"]])
        _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *wanted], PATH=path)
        (folder / DONE).write_text(json.dumps(wanted), encoding="utf-8")
    return folder


def _folder(kind: str, ready: Ready, wanted: Sequence[str]) -> Path:
    digest = hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:12]
    return cache_folder() / kind / f"{ready.name}-{digest}"


def _uv() -> list[str]:
    beside = Path(sys.executable).with_name("uv")
    found = str(beside) if beside.is_file() else shutil.which("uv")
    if found is None:
        raise NotInstalled(
            "uv, which makes the environments, is missing: pip install uv, or judge what is here: --here"
        )
    return [found]


def _run(command: Sequence[str], **more: str) -> None:
    try:
        done = subprocess.run(command, env=os.environ | more, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotInstalled(f"{command[0]} cannot be run: {error}") from None
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no output"]
        raise NotInstalled(f"{' '.join(command[:3])} ... ended with {done.returncode}: {last[0]}")
