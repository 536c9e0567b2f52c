"""What a runner of GitHub Actions reads: workflow commands in the output, and lines of its files. Knows no results.

A text of an agent in a command is escaped, so that it is no command of its own. While a program prints what nobody
escaped, commands are stopped.
"""

import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

Severity = Literal["error", "warning", "notice"]


def command(name: Severity, message: str, properties: Mapping[str, str | int]) -> str:
    """One workflow command, such as `::error file=agent.py,line=3::text`. Properties that are empty are left out."""
    given = ",".join(f"{key}={escaped_property(str(value))}" for key, value in properties.items() if value)
    return f"::{name} {given}::{escaped(message)}" if given else f"::{name}::{escaped(message)}"


def escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    return escaped(text).replace(":", "%3A").replace(",", "%2C")


@contextmanager
def commands_stopped() -> Iterator[None]:
    """No line that is printed within is a command: only one with a token that nobody can guess starts them again."""
    token = secrets.token_hex(32)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        sys.stdout.flush()
        print(f"\n::{token}::", flush=True)


def write_outputs(path: Path | None, outputs: Mapping[str, str | int]) -> None:
    """Add outputs of the step to the runner's file, each value between two lines that it cannot contain."""
    if path is None:
        return
    with path.open("a", encoding="utf-8") as file:
        for name, value in outputs.items():
            end = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}<<{end}\n{value}\n{end}\n")
