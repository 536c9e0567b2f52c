"""What can go wrong with a command; each says what the agent did and shows the end of its standard error."""

LINES_SHOWN = 3


class CommandError(Exception):
    """The base of all. `stderr` is the end of what the process wrote there."""

    def __init__(self, what: str, stderr: str = "") -> None:
        lines = [line.strip() for line in stderr.splitlines() if line.strip()]
        shown = " | ".join(lines[-LINES_SHOWN:])
        super().__init__(f"{what}; its standard error ends: {shown}" if shown else what)
        self.what = what
        self.stderr = stderr


class NoGreeting(CommandError):
    """The command could not be started, or did not say hello."""


class ProcessDied(CommandError):
    """The process ended, or closed its standard output, in the middle of its work."""


class ProtocolBroken(CommandError):
    """The agent wrote what the protocol does not know."""
