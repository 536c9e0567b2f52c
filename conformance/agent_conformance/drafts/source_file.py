"""A source with what the user says of it, and its JSON. Knows no kind of source."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agent_conformance.drafts.evidence import CannotDraft
from agent_conformance.record.redaction import redacted
from fake_providers.values.json_texts import read_json


@dataclass(frozen=True, slots=True)
class SourceFile:
    """`answer` is the provider's answer in a file of its own. `provider` and `case` are "" where none is named."""

    label: str
    data: bytes
    answer: bytes | None = None
    provider: str = ""
    case: str = ""

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")

    def values(self) -> Iterator[tuple[int, Any]]:
        """Line and value: one of a JSON document, or each of JSON Lines. Raises `CannotDraft` where it is neither."""
        text = self.text
        try:
            yield 1, read_json(text)
            return
        except ValueError:
            lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        if len(lines) < 2 or not _is_json(lines[0][1]):
            raise CannotDraft(_stops(self.label, text))
        for count, (number, line) in enumerate(lines):
            if not _is_json(line):
                read = "1 line was" if count == 1 else f"{count} lines were"
                raise CannotDraft(
                    f"{self.label}:{number}: this line is not JSON; it begins with {redacted(line.strip())[:40]!r}. "
                    f"{read} read before it. Remove it, or give the file whole."
                )
            yield number, read_json(line)


def _is_json(text: str) -> bool:
    try:
        read_json(text)
    except ValueError:
        return False
    return True


def _stops(label: str, text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return (
            f"{label}:{error.lineno}: this is not JSON from column {error.colno} on: {error.msg}. Give the file whole."
        )
    except RecursionError:
        pass
    return f"{label}: it is nested too deep to be read."
