"""Programs that stand in for the real ones: scripts that record how they were started and print fixed lines."""

import json
import os
import select
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent_conformance import Setup, Tool
from agent_conformance.adapter.types import Limits

HEAD = """\
#!{python}
import json, os, sys
from pathlib import Path
notes = Path({notes!r})
note = {{"argv": sys.argv[1:], "environ": dict(os.environ), "cwd": os.getcwd(), "pid": os.getpid()}}
"""


def stand_in(folder: Path, name: str, *said: Any, reads: bool = True, then: str = "") -> tuple[Path, Path]:
    """The script, and the file to which each run of it adds a line.

    It takes its whole standard input first where it `reads`, prints a line for each text or object of `said`, and goes
    on with the Python of `then`.
    """
    script, notes = folder / name, folder / f"{name}.notes"
    lines = [HEAD.format(python=sys.executable, notes=str(notes))]
    lines += ['note["stdin"] = sys.stdin.read()\n'] if reads else []
    lines += ['with notes.open("a") as out: out.write(json.dumps(note) + "\\n")\n']
    lines += [f"print({(line if isinstance(line, str) else json.dumps(line))!r}, flush=True)\n" for line in said]
    script.write_text("".join(lines) + textwrap.dedent(then))
    script.chmod(0o755)
    return script, notes


def runs_of(notes: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]


def weather(run: Callable[[Any], Any] = lambda arguments: "7 degrees") -> Tool:
    async def arun(arguments: Any) -> Any:
        return run(arguments)

    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    return Tool("get_weather", "Current weather for a city.", schema, run=run, arun=arun)


def setup_in(folder: Path, **members: Any) -> Setup:
    folder.mkdir(exist_ok=True)
    fields: dict[str, Any] = {
        "wire": "openai-responses",
        "provider": "openai",
        "base_url": "http://127.0.0.1:1/v1",
        "api_key": "conformance-key",
        "model": "gpt-5.4",
        "stream": True,
        "system": "",
        "tools": (),
        "history": (),
        "limits": Limits(),
        "state_dir": folder,
    }
    return Setup(**fields | members)


def has_ended(pid: int) -> bool:
    """Whether the process ends, waited for a moment."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 5.0)[0])
    finally:
        os.close(handle)
