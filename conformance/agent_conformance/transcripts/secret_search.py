"""One search for all secrets together: its time does not depend on how many there are, as long as none is in the text.

Each form of a secret has two *anchors*, which stand in every text that has this form. A text is cut into words; words
that had no anchor before have none now, and in the others four characters at once are looked up in a table.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator

from agent_conformance.transcripts.secret_forms import Form, forms_of

GRAM = 4
"""Characters that are looked up at once."""
FULL = 2 * GRAM - 1
"""Of an anchor of so many characters, every fourth place of a text is looked at."""
MOST_WORDS, LONGEST_WORD = 100_000, 100
"""Words that are remembered, and their length."""

_APART = str.maketrans({char: " " for char in map(chr, range(128)) if not (char.isalnum() or char in "._~-")})
"""What is in no anchor."""


class SecretSearch:
    """Add secrets, then ask which may be in a text."""

    def __init__(self) -> None:
        self._forms: dict[str, dict[str, list[Form]]] = {}
        self._with_anchor: dict[bytes, set[str]] = defaultdict(set)
        self._anchors: dict[int, dict[int, set[bytes]]] = {1: {}, 2: {}, GRAM: {}}
        """By the distance of the places that are looked at, and by four characters of them."""
        self._short: set[str] = set()
        self._clean: set[str] = set()

    def add(self, value: str) -> None:
        if value in self._forms:
            return
        forms: dict[str, list[Form]] = defaultdict(list)
        for form in forms_of(value):
            for anchor in dict.fromkeys(form.anchors):
                forms[anchor].append(form)
        self._forms[value] = dict(forms)
        for anchor in forms:
            self._add_anchor(anchor.encode(), value)
        self._clean.clear()

    def _add_anchor(self, anchor: bytes, value: str) -> None:
        self._with_anchor[anchor].add(value)
        if len(anchor) < GRAM:
            self._short.add(anchor.decode())
            return
        distance = GRAM if len(anchor) >= FULL else 2 if len(anchor) > GRAM else 1
        table = self._anchors[distance]
        for place in range(distance):
            table.setdefault(int.from_bytes(anchor[place : place + GRAM], sys.byteorder), set()).add(anchor)

    def found_in(self, text: str) -> dict[str, list[Form]]:
        """The secrets that may be in this text, which has no needless escapes, and their forms."""
        ascii_text = text if text.isascii() else text.encode("ascii", "replace").decode()
        new = set(ascii_text.translate(_APART).split()) - self._clean
        anchors = set(self._anchors_in("\n".join(new).encode())) if new else set()
        if not anchors:
            if len(self._clean) > MOST_WORDS:
                self._clean.clear()
            self._clean.update(word for word in new if len(word) <= LONGEST_WORD)
        anchors.update(anchor.encode() for anchor in self._short if anchor in text)
        found: dict[str, dict[Form, None]] = defaultdict(dict)
        for anchor in anchors:
            for value in self._with_anchor[anchor]:
                found[value].update(dict.fromkeys(self._forms[value][anchor.decode()]))
        return {value: list(forms) for value, forms in found.items()}

    def _anchors_in(self, data: bytes) -> Iterator[bytes]:
        for distance, table in self._anchors.items():
            for shift in range(0, GRAM if table else 0, distance):
                view = memoryview(data)[shift : shift + (len(data) - shift) // GRAM * GRAM].cast("I")
                if table.keys().isdisjoint(view):
                    continue
                for number, gram in enumerate(view):
                    for anchor in table.get(gram, ()):
                        at = shift + GRAM * number
                        if data.find(anchor, max(0, at - GRAM), at + len(anchor)) >= 0:
                            yield anchor
