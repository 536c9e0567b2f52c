"""What of an answer has reached the user, when it takes several attempts. Knows texts; knows no wire."""

from conformance.adapter.types import AgentError


class Shown:
    """What the user has seen of an answer, over all attempts at it: a repeated one may go on where it broke off."""

    def __init__(self) -> None:
        self._seen = ""
        self._now = ""

    def begin(self) -> None:
        self._now = ""

    def add(self, text: str) -> str:
        """The part of `text` that is new to the user. Raises `AgentError` where the attempts say different things."""
        before, self._now = self._now, self._now + text
        if len(self._now) <= len(self._seen):
            if not self._seen.startswith(self._now):
                raise AgentError("the answer broke off, and the second attempt was another one")
            return ""
        if not self._now.startswith(self._seen):
            raise AgentError("the answer broke off, and the second attempt was another one")
        new = self._now[max(len(before), len(self._seen)) :]
        self._seen = self._now
        return new

    def end(self) -> None:
        if self._now != self._seen:
            raise AgentError("the answer broke off, and the second attempt was shorter")
