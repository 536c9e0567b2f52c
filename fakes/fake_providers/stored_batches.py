"""Batches of model requests that a client creates, looks at, cancels and reads, as providers with such endpoints keep
them.

A batch takes so many seconds by the clock of the fake: none unless a test says so, and then it has ended when it is
first looked at. Its requests are answered then, in their order, as if each had been sent by itself. One that takes
longer than a day expires.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, Literal

from msgspec import Struct

from fake_providers.clock import SYSTEM_CLOCK, Clock
from fake_providers.http import Request, Response
from fake_providers.ids import Ids
from fake_providers.stored_files import StoredFiles
from fake_providers.values.bounded_store import BoundedStore, place_after

CREATED: Final = 1763596800
"""2025-11-20, when the clock of any fake starts."""
DAY: Final = 24 * 60 * 60
Run = Callable[[Request], Response]
"""Answers a request of a batch."""


class BatchTime(Struct, frozen=True):
    """How long a batch takes, by a clock."""

    clock: Clock = SYSTEM_CLOCK
    seconds: float = 0


NO_TIME: Final = BatchTime()


class BatchSetting(Struct, frozen=True):
    """What the batches of a fake need of it. `files` are those of the same provider."""

    time: BatchTime
    files: StoredFiles | None = None


class Line(Struct, frozen=True):
    """A request of a batch. It is not sent where it has a `response` already: a refusal of the batch's own."""

    custom_id: str
    request: Request
    response: Response | None = None


class Batch(Struct):
    """What is known of a batch. Moments are seconds since the fake's start. `responses` are those of `lines`, none of a
    batch that was cancelled or has expired. `members` has what its provider says of it besides."""

    id: str
    created: float
    lines: Sequence[Line]
    members: dict[str, Any]
    cancelled: float | None = None
    ended: float | None = None
    outcome: Literal["", "done", "cancelled", "expired"] = ""
    responses: Sequence[Response] = ()


class StoredBatches:
    """The batches of one served fake: the newest, as of all that fakes store. A provider's own class answers."""

    def __init__(self, setting: BatchSetting) -> None:
        self._time = setting.time
        self._files = setting.files
        self._ids = Ids("batches")
        self._started = self._time.clock.now()
        self._stored: BoundedStore[Batch] = BoundedStore()

    def answers(self, request: Request) -> bool:
        """Whether `answer` is for this request. Changes nothing."""
        raise NotImplementedError

    def answer(self, request: Request, run: Run) -> Response:
        """The answer to a request about batches."""
        raise NotImplementedError

    def now(self) -> float:
        return self._time.clock.now() - self._started

    def put(self, batch: Batch, size: int) -> None:
        self._stored.put(batch.id, batch, size)

    def looked_at(self, id: str, run: Run) -> Batch | None:
        """The batch as it is by now; None where there is none."""
        batch = self._stored.get(id)
        if batch is None or batch.outcome:
            return batch
        due = batch.created + min(self._time.seconds, DAY)
        if batch.cancelled is not None:
            batch.outcome, batch.ended = "cancelled", self.now()
        elif self.now() >= due:
            batch.ended = due
            batch.outcome = "expired" if self._time.seconds > DAY else "done"
            if batch.outcome == "done":
                batch.responses = tuple(line.response or run(line.request) for line in batch.lines)
        return batch

    def page(self, query: Mapping[str, str], run: Run, *, after: str) -> tuple[list[Batch], bool]:
        """The newest first, from where the query says; and whether there are more."""
        ids = [*self._stored][::-1]
        begin = place_after(query.get(after), ids)
        asked = query.get("limit", "")
        limit = min(max(int(asked), 1), 100) if asked.isdecimal() and len(asked) < 9 else 20
        found = (self.looked_at(id, run) for id in ids[begin : begin + limit])
        return [batch for batch in found if batch is not None], len(ids) > begin + limit


def unix_time(moment: float) -> int:
    return CREATED + int(moment)


def written_time(moment: float) -> str:
    """As `2025-11-20T00:00:00Z`."""
    return datetime.fromtimestamp(unix_time(moment), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def body_of_response(response: Response) -> Any:
    """The JSON of a response; its text where it is none."""
    text = response.body.decode(errors="replace")
    try:
        return json.loads(text)
    except ValueError:
        return text
