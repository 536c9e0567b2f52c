"""The text of an answer that the user already has, over several attempts. Knows texts; knows no wire."""

from agent_conformance.adapter.types import AgentError


class DeltaTracker:
    """The deltas of one answer over all attempts: a repeated attempt continues where the last one broke off."""

    def __init__(self) -> None:
        self._delivered = ""
        self._current = ""

    def begin(self) -> None:
        self._current = ""

    def add(self, text: str) -> str:
        """The part of `text` that the user does not have yet. Raises `AgentError` if the attempts differ."""
        self._current += text
        if self._delivered.startswith(self._current):
            return ""
        if not self._current.startswith(self._delivered):
            raise AgentError("the answer broke off, and the second attempt was different")
        new = self._current.removeprefix(self._delivered)
        self._delivered = self._current
        return new

    def end(self) -> None:
        if self._current != self._delivered:
            raise AgentError("the answer broke off, and the second attempt was shorter")
