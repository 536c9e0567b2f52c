"""What a provider stores between requests, by id: the newest, since a fake may be served for days."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from fake_providers.http import Request, Response

MOST = 1000
MOST_BYTES = 16 * 1024 * 1024

_V = TypeVar("_V")


class BoundedStore(Mapping[str, _V], Generic[_V]):
    """Forgets the oldest beyond `most` entries, or beyond so many bytes of what they were made of."""

    def __init__(self, *, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._entries: dict[str, tuple[_V, int]] = {}
        self._bytes = 0

    def put(self, id: str, value: _V, size: int) -> None:
        """What is too large by itself is not stored at all."""
        self.remove(id)
        if size > self._most_bytes:
            return
        self._entries[id] = (value, size)
        self._bytes += size
        while len(self._entries) > self._most or self._bytes > self._most_bytes:
            self.remove(next(iter(self._entries)))

    def remove(self, id: str) -> None:
        """Nothing happens where there is no such entry."""
        if id in self._entries:
            self._bytes -= self._entries.pop(id)[1]

    def size_of(self, id: str) -> int:
        """What was put with the entry; 0 where there is none."""
        return self._entries[id][1] if id in self._entries else 0

    def __contains__(self, id: object) -> bool:
        return id in self._entries

    def __getitem__(self, id: str) -> _V:
        return self._entries[id][0]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def size_of(request: Request, response: Response) -> int:
    return len(request.body) + sum(map(len, response.chunks))


class Unread:
    """Requests with their responses, until somebody reads them: as many as a store may keep."""

    def __init__(self, *, most: int = MOST) -> None:
        self._pairs: deque[tuple[Request, Response]] = deque(maxlen=most)
        self._bytes = 0

    def put(self, request: Request, response: Response) -> None:
        if len(self._pairs) == self._pairs.maxlen:
            self._forget_oldest()
        self._pairs.append((request, response))
        self._bytes += size_of(request, response)
        while self._bytes > MOST_BYTES:
            self._forget_oldest()

    def taken(self) -> Iterator[tuple[Request, Response]]:
        """Each, from the oldest on; they are here no longer."""
        while self._pairs:
            yield self._forget_oldest()

    def _forget_oldest(self) -> tuple[Request, Response]:
        pair = self._pairs.popleft()
        self._bytes -= size_of(*pair)
        return pair


def place_after(id: str | None, ids: Sequence[str]) -> int:
    """Where a page begins that goes on behind this id: at the beginning, where there is none."""
    return 0 if id is None or id not in ids else ids.index(id) + 1


def ends_of(ids: Sequence[str]) -> dict[str, str | None]:
    """The members of a page that name its first and its last entry."""
    return {"first_id": ids[0], "last_id": ids[-1]} if ids else {"first_id": None, "last_id": None}
