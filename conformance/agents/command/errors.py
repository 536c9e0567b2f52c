"""What can go wrong with a command; each says which side did what, and what its standard error says of it."""

import re

from conformance.adapter.contract import AdapterMistake

LINES_SHOWN = 3
LONGEST_SHOWN = 120
TELLING = re.compile(r"^(?:[\w.]*(?:Error|Exception)\b|panic:|thread '.*' panicked)")
"""Lines that say why a program ended; runtimes write stacks before them, behind them or both."""


class CommandError(Exception):
    """The base of all that an agent does. `stderr` is the end of what the process wrote there."""

    def __init__(self, what: str, stderr: str = "") -> None:
        said = summary(stderr)
        super().__init__(f"{what}; its standard error says: {said}" if said else what)
        self.what = what
        self.stderr = stderr


class NoGreeting(CommandError):
    """The command could not be started, or did not say hello."""


class OtherProtocol(CommandError):
    """The agent speaks another version of the protocol."""


class ProcessDied(CommandError):
    """The process ended, or closed its standard output, in the middle of its work."""


class ProtocolBroken(CommandError):
    """The agent wrote what the protocol does not know."""


class AgentCrashed(CommandError):
    """The agent says itself that it has crashed."""


class SuiteBroke(AdapterMistake):
    """The suite itself was about to write what the protocol does not know: no verdict on the agent."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the suite broke the protocol, please report it: {what}")


def summary(stderr: str) -> str:
    """One line of what a process wrote to its standard error: why it ended where that is told, else its end."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    context = [line for line in lines if TELLING.match(line)]
    return context[-1][:LONGEST_SHOWN] if context else " | ".join(lines[-LINES_SHOWN:])[-LONGEST_SHOWN:]
