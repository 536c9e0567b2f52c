"""What a `ScriptedFake` has got, and what it has answered."""

import math
from collections import deque

from msgspec import Struct

from fake_providers.http import Request
from fake_providers.reply import Reply
from fake_providers.rule import Violation
from fake_providers.view import View

MOST_STOPS = 100


class Stopped(Struct, frozen=True):
    """Stands for the reply to a request for which the script has none, or more than one."""

    message: str


Answer = Reply | Violation | Stopped


class Journal:
    """Keeps everything; or, with `most_bytes`, the last requests whose bodies have no more bytes together.

    Of one that is not kept only the number stays.
    """

    def __init__(self, *, most_bytes: int | None = None, most: int | None = None) -> None:
        self._is_bounded = most is not None or most_bytes is not None
        self._most_bytes = math.inf if most_bytes is None else most_bytes
        self._most = math.inf if most is None else most
        self._bytes = 0
        self.count = 0
        """How many requests there were, those that are not kept included."""
        self.requests: deque[Request] = deque()
        self.views: deque[View] = deque()
        self.answers: deque[Answer] = deque()
        """What each of `requests` got: one less while one is being answered."""
        self.last_answer: Answer | None = None
        self.stops: deque[str] = deque(maxlen=MOST_STOPS)
        """Why requests were stopped."""
        self._refused_counts: deque[Violation] = deque(maxlen=most)

    @property
    def violations(self) -> list[Violation]:
        """What was refused: first model requests, then counts of tokens."""
        return [*(answer for answer in self.answers if isinstance(answer, Violation)), *self._refused_counts]

    def received(self, request: Request, view: View) -> None:
        self.count += 1
        self.last_answer = None
        self.requests.append(request)
        self.views.append(view)
        self._bytes += len(request.body)

    def answered(self, answer: Answer) -> None:
        self.last_answer = answer
        if isinstance(answer, Stopped):
            self.stops.append(answer.message)
        self.answers.append(answer)
        while self._is_bounded and self.requests and self._is_full:
            self._bytes -= len(self.requests.popleft().body)
            self.views.popleft()
            self.answers.popleft()

    def refused_count(self, violation: Violation) -> None:
        """A count of tokens is not among `requests`: nothing was sent to the model."""
        self.last_answer = violation
        self._refused_counts.append(violation)

    @property
    def _is_full(self) -> bool:
        return len(self.requests) > self._most or self._bytes > self._most_bytes
