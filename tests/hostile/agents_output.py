"""Kinds that print: too much, what moves a terminal, and what CI takes for a command."""

import json
import logging
import os
import subprocess
import sys
import warnings
from typing import Any

from tests.hostile.right_agent import Right
from tests.hostile.right_agent import weekly_kind as kind

COMMANDS = (
    "::error file=agent.py,line=1::forged",
    "  ::warning::forged",
    "\t::add-mask::get_weather",
    "no command \r::error::forged",
    "\u2028::error::forged",
    "\x0b::error::forged",
    "##[error]forged",
    "behind a text ##[group]forged",
    "##vso[task.setvariable variable=PATH]forged",
    "::stop-commands::forged",
)
CONTROLS = "\x1b[2J\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\ \x9b31m \u202egnp.exe \x00 \x08\x08 \ufeff\u200b"


class Printing(Right):
    """Right, and prints what it has to while it is asked."""

    def send(self, message: str) -> Any:
        if self.is_hostile:
            self.print()
        return super().send(message)

    def print(self) -> None: ...


@kind("passed", "\\x3a:error file=agent.py,line=1::forged", when="slow")
class PrintsCommands(Printing):
    def print(self) -> None:
        print("\n".join(COMMANDS), CONTROLS, sep="\n")


@kind("passed", "\\x3a:error file=agent.py,line=1::forged", options=("--agent-isolate",))
class PrintsCommandsIsolated(PrintsCommands): ...


@kind("passed", "\\x3a:error file=agent.py,line=1::forged")
class WritesCommandsToTheDescriptor(Printing):
    def print(self) -> None:
        os.write(2, "\n".join((*COMMANDS, CONTROLS)).encode())


@kind("passed", "\\x3a:error file=agent.py,line=1::forged")
class ItsChildPrintsCommands(Printing):
    def print(self) -> None:
        text = "\n".join((*COMMANDS, CONTROLS.replace("\x00", "")))
        subprocess.run([sys.executable, "-c", f"print({text!r})"], check=True, env={"PYTHONIOENCODING": "utf-8"})


@kind("passed", "\\x3a:error file=agent.py,line=1::forged")
class LogsCommands(Printing):
    def print(self) -> None:
        logging.getLogger("agent").warning("\n%s", "\n".join((*COMMANDS, CONTROLS)))


@kind("passed", "\\x3a:error file=agent.py,line=1::forged")
class WarnsWithCommands(Printing):
    def print(self) -> None:
        warnings.warn("\n" + "\n".join((*COMMANDS, CONTROLS)), stacklevel=1)


@kind("failed", "ValueError: ::error file=agent.py,line=1::forged")
class RaisesCommands(Printing):
    """Its message is one line, behind its class."""

    def print(self) -> None:
        raise ValueError("\n" + "\n".join((*COMMANDS, CONTROLS)))


@kind("failed", "\\x3a:error file=agent.py,line=1::forged")
class ItsTracebackHasCommands(Printing):
    """Of an agent in another language the traceback is text."""

    def print(self) -> None:
        error = ValueError("no")
        error.agent_traceback = "\n".join((*COMMANDS, CONTROLS))  # type: ignore[attr-defined]
        raise error


@kind("passed", "more characters left out")
class PrintsTooMuch(Printing):
    def print(self) -> None:
        line = "x" * 999 + "\n"
        for _ in range(30_000):
            print(line, end="")


@kind("passed", "more characters left out", options=("--capture=sys",))
class PrintsTooMuchIntoMemory(PrintsTooMuch): ...


@kind("passed", "bytes left out", options=("--agent-isolate",))
class PrintsTooMuchIsolated(PrintsTooMuch): ...


@kind("passed", "more characters left out")
class PrintsOneLongLineOfEscapes(Printing):
    def print(self) -> None:
        print("\x1b" * 12_000_000)


@kind("passed", "more characters left out")
class LogsTooMuch(Printing):
    def print(self) -> None:
        for _ in range(15):
            logging.getLogger("agent").warning("x" * 1_000_000)


@kind("failed", "openai/parameter-type")
class RepliesWithCommands(Right):
    """The commands stand in the finding and in the transcript."""

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        answer = super().post(body)
        if self.is_hostile:
            text = "\n".join(("", *COMMANDS, CONTROLS))
            body = {**body, "temperature": text, "messages": [{"role": "user", "content": text + json.dumps(text)}]}
            return super().post(body)
        return answer
