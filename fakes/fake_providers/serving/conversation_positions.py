"""How far the replies of a script have got in each conversation. Knows no script: replies go by numbers.

A request is at a place: its messages, as far as an agent does not change them when it sends them again. The place
before is that of the longest beginning which a request had. So it does not matter in which order requests of several
conversations arrive, and a request that is sent again is at the same place. The newest places are remembered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from fake_providers.values.bounded_store import BoundedStore
from fake_providers.view import ViewMessage

MOST = 5_000


@dataclass(slots=True)
class Position:
    """For each script how many replies were sent in the conversation: before this request, and with it.

    `spoilt` are those of this request that went wrong on purpose, after which a client sends it again.
    """

    before: dict[int, int]
    after: dict[int, int]
    spoilt: dict[int, int] = field(default_factory=dict)

    def next_number(self, script: int) -> int:
        return self.before.get(script, 0) + self.spoilt.get(script, 0)

    def sent(self, script: int, *, is_spoilt: bool) -> None:
        """Count the next reply of the script as sent."""
        self.after[script] = self.next_number(script) + 1
        if is_spoilt:
            self.spoilt[script] = self.spoilt.get(script, 0) + 1


class ConversationPositions:
    """Positions by conversation. Not thread-safe."""

    def __init__(self) -> None:
        self._stored: BoundedStore[Position] = BoundedStore(most=MOST, most_bytes=MOST)

    def at(self, messages: Sequence[ViewMessage]) -> Position:
        """The position of a request with these messages."""
        *beginnings, place = ["", *_digests(messages)]
        position = self._stored.get(place)
        if position is None:
            earlier = next((self._stored[one].after for one in reversed(beginnings) if one in self._stored), {})
            position = Position(dict(earlier), dict(earlier))
            self._stored.put(place, position, 1)
        return position


def _digests(messages: Sequence[ViewMessage]) -> Iterator[str]:
    """One for the messages up to each. Agents shorten results and leave reasoning out: only their numbers count."""
    digest = blake2b(digest_size=16)
    for message in messages:
        said = message.text.strip() if message.role == "user" else ""
        names = [call.name for call in message.calls]
        digest.update(repr((message.role, said, names, len(message.results))).encode(errors="backslashreplace"))
        yield digest.hexdigest()
