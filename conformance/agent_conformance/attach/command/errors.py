"""What can go wrong with a command. Each error names the side at fault and has the end of its standard error.

That is no part of its words in a case: its last line may be about anything, and a report shows it beside the finding.
"""

import re

from agent_conformance.adapter.contract import AdapterMistake
from agent_conformance.transcripts.redaction import redacted

LINES_SHOWN = 3
LONGEST_SHOWN = 120
REASON = re.compile(r"^(?:[\w.]*(?:Error|Exception)\b|Fatal Python error:|panic:|thread '.*' panicked)")
"""Lines with the reason why a program ended; runtimes write stacks before them, after them or both."""


class CommandError(Exception):
    """Base class of the errors of an agent. `stderr` is the end of its standard error."""

    def __init__(self, what: str, stderr: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.stderr = stderr

    @property
    def with_log(self) -> str:
        """The error with the line of the log that may say why."""
        said = summary(self.stderr)
        return f"{self.what}; its standard error says: {said}" if said else self.what


class NoHello(CommandError):
    """The command could not be started, or sent no hello."""


class OtherProtocol(CommandError):
    """The agent has another version of the protocol."""


class ProcessDied(CommandError):
    """The process ended, or closed its standard output, before the turn was over."""


class ProtocolBroken(CommandError):
    """The agent wrote something that the protocol does not allow."""


class AgentCrashed(CommandError):
    """The agent reports that it has crashed, with its traceback if it sends one."""

    def __init__(self, what: str, stderr: str = "", traceback: str = "") -> None:
        super().__init__(what, stderr)
        self.agent_traceback = traceback


class SuiteBrokeProtocol(AdapterMistake):
    """The suite was about to write something that the protocol does not allow. This is no verdict on the agent."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the suite broke the protocol, please report it: {what}")


def summary(stderr: str) -> str:
    """The standard error of a process as one line: the reason why it ended if there is one, else the last lines."""
    lines = [line.strip() for line in redacted(stderr).splitlines() if line.strip()]
    context = [line for line in lines if REASON.match(line)]
    return context[-1][:LONGEST_SHOWN] if context else " | ".join(lines[-LINES_SHOWN:])[-LONGEST_SHOWN:]
