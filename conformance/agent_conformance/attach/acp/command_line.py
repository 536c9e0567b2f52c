"""What follows `acp:`: options and assignments, then a program and its arguments."""

import contextlib
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
OPTIONS = {
    "wire": "",
    "model": "",
    "mode": "plain|stream",
    "approval": "ask",
    "tools": "stdio|http|sse",
    "side": "",
    "instructions": "",
    "home": "",
    "like": "",
}
"""Assigned as if they were variables, they are about the program; each with the words that it may be, if it has any."""


TOOLS_URL = "{tools_url}"
"""Where this stands, the program is told of the MCP server there, and not with a session."""


class Endpoint(NamedTuple):
    """The model that the program is to use, and the MCP server, if it is not told of that with a session."""

    base_url: str
    api_key: str
    model: str
    tools_url: str = ""


class NotACommand(Exception):
    """One line that says what of the command cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A program with its arguments, and the variables to set; both may contain the names of an `Endpoint` in braces.

    `asks`: it asks for permission before it runs a tool that is destructive. `tools` is how it takes an MCP server. A
    request in which `side` is found is a side request. `instructions` is the file of its project that it reads as the
    system prompt. `home` has files that it finds in its home, which may contain the same. It is `like` a known program.
    `model` is that of the cases. `places_tools`: something of all this contains `{tools_url}`.
    """

    program: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str]
    wire: str = ""
    mode: str = ""
    asks: bool = False
    tools: str = ""
    side: re.Pattern[str] | None = None
    instructions: str = ""
    home: Path | None = None
    like: str = ""
    model: str = ""
    places_tools: bool = False

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
    options = {name: variables.pop(name, "") for name in OPTIONS}
    for name, words_of_it in OPTIONS.items():
        if words_of_it and options[name] not in ("", *words_of_it.split("|")):
            raise NotACommand(f"{name}={options[name]}: write {words_of_it.replace('|', ' or ')}")
    try:
        side = re.compile(options["side"]) if options["side"] else None
    except re.error as error:
        raise NotACommand(f"side={options['side']} is no regular expression: {error}") from None
    home = cwd / options["home"] if options["home"] else None
    if home is not None and not home.is_dir():
        raise NotACommand(f"home={options['home']}: there is no folder {home}")
    places_tools = any(TOOLS_URL in text for text in (*words[1:], *variables.values(), *_texts(home)))
    if places_tools and options["tools"] == "stdio":
        raise NotACommand(f"tools=stdio: {TOOLS_URL} is the address of a server over http or sse")
    # The program's file: relative to `cwd` if it is a path, else on PATH. It is started in another
    # folder.
    program = words[0]
    path = shutil.which(str(cwd / program)) if "/" in program else shutil.which(program)
    if path is None:
        where = f"there is no program {cwd / program}" if "/" in program else f"the program {program} is not on PATH"
        raise NotACommand(f"{where}; install it, or write the path of its executable")
    return CommandLine(
        path,
        tuple(_absolute(word, cwd) for word in words[1:]),
        variables,
        options["wire"],
        options["mode"],
        options["approval"] == "ask",
        options["tools"],
        side,
        options["instructions"],
        home,
        options["like"],
        options["model"],
        places_tools,
    )


def _texts(folder: Path | None) -> Iterator[str]:
    for path in folder.rglob("*") if folder else ():
        with contextlib.suppress(UnicodeDecodeError, OSError):
            yield path.read_text(encoding="utf-8")


def filled(template: str, endpoint: Endpoint) -> str:
    """The template with the model's address in it. Other braces stay, as JSON has them."""
    for name, value in endpoint._asdict().items():
        template = template.replace(f"{{{name}}}", value)
    return template


def all_filled(templates: Sequence[str], endpoint: Endpoint) -> list[str]:
    return [filled(template, endpoint) for template in templates]


def write_home(template: Path, home: Path, endpoint: Endpoint) -> None:
    """Copy the files of this folder into a program's home, the texts with the model's address in them."""
    for path in sorted(template.rglob("*")):
        if not path.is_file():
            continue
        target = home / path.relative_to(template)
        target.parent.mkdir(parents=True, exist_ok=True)
        given = path.read_bytes()
        with contextlib.suppress(UnicodeDecodeError):  # no text
            given = filled(given.decode(), endpoint).encode()
        target.write_bytes(given)


def _absolute(argument: str, cwd: Path) -> str:
    """An argument that is the path of a file is made absolute, since the program is started in another folder."""
    is_file = ("/" in argument or "." in argument) and (cwd / argument).is_file()
    return str(cwd / argument) if is_file else argument
