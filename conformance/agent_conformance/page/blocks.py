"""Cases and the bodies of their requests as compressed blocks, which a browser unpacks one at a time."""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agent_conformance.results.encoding import adapter_of
from agent_conformance.results.model import Body, CaseRecord

MOST_OF_BLOCK = 256_000
"""Characters of JSON: enough to compress well, and unpacked in some milliseconds."""


@dataclass(slots=True)
class Blocks:
    """A body is in the block of the first case that has it.

    `places` are the blocks of the cases, `elsewhere` those of bodies that a case in a later block has too. `size` is
    what the finished blocks take in the page.
    """

    bodies: Mapping[str, Body]
    finished: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, int] = field(default_factory=dict)
    size: int = 0
    _homes: dict[str, int] = field(default_factory=dict)
    _cases: list[bytes] = field(default_factory=list)
    _bodies: list[bytes] = field(default_factory=list)
    _length: int = 0

    def add(self, case: CaseRecord) -> None:
        number = len(self.finished)
        self.places[case.id] = number
        self._put(self._cases, case.id, adapter_of(CaseRecord).dump_json(case, exclude_defaults=True))
        for id in _bodies_of(case):
            home = self._homes.setdefault(id, number)
            if home != number:
                self.elsewhere[id] = home
            elif id in self.bodies:
                self._put(self._bodies, id, adapter_of(Body).dump_json(self.bodies[id], exclude_defaults=True))
        if self._length >= MOST_OF_BLOCK:
            self.finish()

    def finish(self) -> None:
        """Close the block that is being filled, if there is one."""
        if not self._cases:
            return
        parts = (b'{"cases":{', b",".join(self._cases), b'},"bodies":{', b",".join(self._bodies), b"}}")
        block = packed(b"".join(parts))
        self.finished.append(block)
        self.size += len(block)
        self._cases, self._bodies, self._length = [], [], 0

    def _put(self, members: list[bytes], key: str, value: bytes) -> None:
        member = json.dumps(key).encode() + b":" + value
        members.append(member)
        self._length += len(member)


def packed(text: bytes) -> str:
    """Compressed, as a JSON string of base64: no text in it can end the element that holds it."""
    return f'"{base64.b64encode(zlib.compress(text)).decode()}"'


def _bodies_of(case: CaseRecord) -> Iterator[str]:
    """Each body once, in order: a conversation's requests resemble each other, and compress well side by side."""
    ids = (id for turn in case.turns for request in turn.requests for id in (request.request, request.response))
    yield from dict.fromkeys(id for id in ids if id)
