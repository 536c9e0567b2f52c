"""What follows `acp:`: assignments, then a program and its arguments. Knows no program and no protocol."""

import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
WIRE, MODE, APPROVAL = "wire", "mode", "approval"
"""Assigned as if they were variables, they say which wire the program uses, whether it requests streams, and that it
asks for permission before it runs a tool that is destructive."""


class Endpoint(NamedTuple):
    """The model that the program is to use."""

    base_url: str
    api_key: str
    model: str


class NotACommand(Exception):
    """One line that says what of the command cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program with its arguments, and the variables to set; both may contain `{base_url}`, `{api_key}`, `{model}`."""

    program: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    wire: str = ""
    mode: str = ""
    asks: bool = False

    @property
    def name(self) -> str:
        return Path(self.program).name


def command_line(text: str, *, cwd: Path) -> CommandLine:
    """Reads `wire=openai-chat MY_URL={base_url} my-agent --acp`. Raises `NotACommand`."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise NotACommand(f"{text!r} is no command: {error}") from None
    variables: dict[str, str] = {}
    while words and (match := ASSIGNMENT.fullmatch(words[0])):
        variables[match[1]] = match[2]
        words.pop(0)
    if not words:
        raise NotACommand("there is no program; write for example acp:my-agent --acp")
    wire, mode, approval = (variables.pop(name, "") for name in (WIRE, MODE, APPROVAL))
    if approval not in ("", "ask"):
        raise NotACommand(f"approval={approval}: write ask")
    if mode not in ("", "plain", "stream"):
        raise NotACommand(f"mode={mode}: write plain or stream")
    arguments = tuple(_absolute(word, cwd) for word in words[1:])
    return CommandLine(_found(words[0], cwd), arguments, variables, wire, mode, approval == "ask")


def filled(template: str, endpoint: Endpoint) -> str:
    """The template with the model's address in it. Other braces stay, as JSON has them."""
    for name, value in endpoint._asdict().items():
        template = template.replace(f"{{{name}}}", value)
    return template


def all_filled(templates: Sequence[str], endpoint: Endpoint) -> list[str]:
    return [filled(template, endpoint) for template in templates]


def _absolute(argument: str, cwd: Path) -> str:
    """An argument that is the path of a file is made absolute, since the program is started in another folder."""
    is_file = ("/" in argument or "." in argument) and (cwd / argument).is_file()
    return str(cwd / argument) if is_file else argument


def _found(program: str, cwd: Path) -> str:
    """The program's file: relative to `cwd` if it is a path, else on PATH. It is started in another folder."""
    path = shutil.which(str(cwd / program)) if "/" in program else shutil.which(program)
    if path is None:
        where = f"there is no program {cwd / program}" if "/" in program else f"the program {program} is not on PATH"
        raise NotACommand(f"{where}; install it, or write the path of its executable")
    return path
