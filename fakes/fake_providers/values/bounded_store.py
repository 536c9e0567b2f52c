"""What a provider stores between requests, by id: the newest, since a fake may be served for days."""

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

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
