"""Delta debugging: the smallest document that an order of edits leads to, while a test holds. Knows no agent."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from agent_conformance.minimise.documents import Document
from agent_conformance.minimise.edits import edits_of, size


@dataclass(slots=True)
class Shrinking:
    """`holds` is called at most `most` times, never twice with equal documents. `is_whole`: nothing more can go."""

    holds: Callable[[Document], bool]
    most: int
    tried: int = 0
    is_whole: bool = False
    _known: dict[str, bool] = field(default_factory=dict)

    def smallest(self, document: Document) -> Document:
        """Passes over all edits until one changes nothing; the same result each time."""
        while True:
            before = document
            document = self._passed(document)
            if document is before:
                self.is_whole = self.tried < self.most
                return document
            if self.tried >= self.most:
                return document

    def _passed(self, document: Document) -> Document:
        edits, place = list(edits_of(document)), 0
        while place < len(edits) and self.tried < self.most:
            smaller = edits[place](document)
            if size(smaller) < size(document) and self._holds(smaller):
                document = smaller
                edits = list(edits_of(document))
            else:
                place += 1
        return document

    def _holds(self, document: Document) -> bool:
        key = json.dumps(document)
        if key not in self._known:
            if self.tried >= self.most:
                return False
            self.tried += 1
            self._known[key] = self.holds(document)
        return self._known[key]
