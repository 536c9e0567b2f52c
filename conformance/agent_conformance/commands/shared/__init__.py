"""What several subcommands use: types for arguments, printing, the end of long ones. A module here is no subcommand."""

import argparse
import ctypes
import gc
import json
import math
import re
import shutil
import signal
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from queue import SimpleQueue
from types import FrameType
from typing import Any, TextIO


class CommandEnds(Exception):
    """Said on standard error, before the command ends with this exit code: 1 for what was not found, 2 for a usage
    error, 4 where there is no such agent."""

    def __init__(self, said: object, code: int) -> None:
        super().__init__(str(said))
        self.code = code


@contextmanager
def ends_command(code: int, *kinds: type[Exception], file: object = "") -> Iterator[None]:
    """An exception of these kinds ends the command in its own words; `file` is meant where an `OSError` names none."""
    try:
        yield
    except kinds as error:
        said = f"{error.filename or file}: {error.strerror or error}" if isinstance(error, OSError) else error
        raise CommandEnds(said, code) from None


def one_of(what: str, names: Iterable[str]) -> Callable[[str], str]:
    """For `type=`: gives the name itself. `what` is the kind of thing in the message: `provider`."""
    known = tuple(names)

    def checked(name: str) -> str:
        if name not in known:
            raise argparse.ArgumentTypeError(unknown_name(what, name, known))
        return name

    return checked


def add_provider(parser: argparse.ArgumentParser) -> None:
    """Add the required argument `--provider`."""
    from fake_providers import PROVIDERS

    known = ", ".join(PROVIDERS)
    provider = one_of("provider", PROVIDERS)
    parser.add_argument("--provider", required=True, type=provider, metavar="NAME", help=f"one of {known}")


def add_providers(parser: argparse.ArgumentParser) -> None:
    """Add `--provider`, which can be given several times, and `--all`: one of the two is required."""
    from fake_providers import PROVIDERS

    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--provider",
        action="append",
        type=one_of("provider", PROVIDERS),
        metavar="NAME",
        help=f"can be given several times, each is then below a path of its name: one of {', '.join(PROVIDERS)}",
    )
    group.add_argument("--all", action="store_true", help="all providers, each below a path of its name")


def positive(text: str) -> int:
    """For `type=`: a whole number from 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"`{text}` is not a whole number from 1.")
    return int(text)


def not_negative(text: str) -> float:
    """For `type=`: a number of seconds, 0 or more."""
    try:
        number = float(text)
    except ValueError:
        number = -1
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds, 0 or more.")
    return number


def unknown_name(what: str, name: str, known: Iterable[str], *, shown: str = "") -> str:
    """``no provider `opnai`. Did you mean `openai`? Choose from openai, azure, ...``.

    `shown` replaces the list of names at the end.
    """
    from agent_conformance.scenario.yaml_files import did_you_mean

    known = tuple(known)
    names = shown or f"Choose from {', '.join(known)}."
    return f"no {what} `{name}`.{did_you_mean(name, known)} {names}"


INDENT = 8
"""The columns by which the rest of a broken line is indented."""


LABEL = re.compile(r" {0,4}(?P<label>\S[\w ]{0,14}?) {2,}(?=\S)")
"""What stands before a text that is continued below itself."""
COPIED = ("rerun", "curl")
"""The labels of commands, which are never broken."""


def fitted(text: str, *, file: TextIO | None = None) -> str:
    """The text, its lines broken between words at the terminal's width; in a file or a pipe, as it is.

    A word that is wider, such as an address or a path, stays whole, so that it can be copied.
    """
    if not (file or sys.stdout).isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 2 * INDENT)
    lines = []
    for line in text.splitlines():
        label = LABEL.match(line)
        if label and label["label"] in COPIED:
            lines.append(line)
            continue
        begin = " " * label.end() if label else line[: len(line) - len(line.lstrip())] + " " * INDENT
        lines += textwrap.wrap(
            line, width, subsequent_indent=begin, break_long_words=False, break_on_hyphens=False
        ) or [""]
    return "\n".join(lines)


FORMAT = 1
"""A field may be added to an object; one that goes, or means something else, is another format."""


def print_json(fields: dict[str, Any]) -> None:
    print(json_text({"format": FORMAT, **fields}))


def json_text(value: Any) -> str:
    return printable_json(json.dumps(value, ensure_ascii=False, indent=1))


def printable_json(text: str) -> str:
    """A text of JSON, in which JSON's own escapes stand for what a stream of ours would escape in its own way."""
    from agent_conformance.report_data.texts import escaped

    return "\n".join(map(escaped, text.split("\n"))).replace("##", "#\\u0023")


@contextmanager
def stopped_by_signals() -> Iterator[Callable[[], None]]:
    """Yields what waits until one of the two signals has come, and ends the line. Only the main thread hears signals.

    The handlers raise nothing: an exception would be lost where it comes amid a weak reference's callback.
    A signal that whoever started the command has it ignore, as shells do with Ctrl-C in the background, stays so.
    """
    asked: SimpleQueue[int] = SimpleQueue()  # the one whose `put` may interrupt itself

    def ask(number: int, frame: FrameType | None) -> None:
        asked.put(number)

    def wait() -> None:
        asked.get()
        print()

    if threading.current_thread() is not threading.main_thread():
        yield wait
        return
    heard = [number for number in (signal.SIGTERM, signal.SIGINT) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, ask) for number in heard}
    try:
        yield wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def give_memory_back() -> None:
    """The C library keeps what was freed, in case it is needed again. Elsewhere than on Linux nothing happens."""
    gc.collect()
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Any:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)
