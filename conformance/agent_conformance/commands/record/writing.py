"""Writes a cassette while it is recorded, without keys. Knows no server."""

import contextlib
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from agent_conformance.cassettes.decoding.events import read_body
from agent_conformance.cassettes.exchange import Headers, Place, RecordedRequest, RecordedResponse
from agent_conformance.cassettes.formats import own
from agent_conformance.cassettes.http_keys import headers_without_keys, keys_in_body, learn_key, url_without_keys
from agent_conformance.record.redaction import redacted
from agent_conformance.scenario.data_files import LARGEST

SENT = frozenset(("accept", "anthropic-beta", "anthropic-version", "content-type", "openai-beta", "user-agent"))
GOT = frozenset(("content-type", "retry-after", "retry-after-ms", "x-should-retry"))
"""Headers that a cassette has: those that change what is answered. No other header can bring a key into it."""

NUMBERS = ("type", "index", "output_index", "content_index", "summary_index")
"""Members of an event that say which text it goes on with."""

Member = tuple[str, ...]


class CassetteWriter:
    """Writes to `FILE.part`, one line for each exchange; `close` makes it FILE. Thread-safe.

    So a file that was there stays whole until then, and what was recorded before a crash is in the other.
    Raises `OSError` where the file cannot be written.
    """

    def __init__(self, path: Path, *, provider: str, wire: str | None) -> None:
        self.path = path
        self.part = path.with_name(f"{path.name}.part")
        self.count = 0
        self._lock = threading.Lock()
        self._bytes = 0
        self._file: TextIO | None = self.part.open("w", encoding="utf-8")
        self._write(own.header_line({"provider": provider, **({"wire": wire} if wire else {})}))

    def add(self, request: RecordedRequest, response: RecordedResponse) -> str | None:
        """Write one exchange; or the reason why it is left out."""
        line = line_without_keys(request, response)
        if line is None or has_key_in_pieces(line):
            return "a key is in the response in pieces, where it cannot be hidden"
        with self._lock:
            if self._file is None:
                return "the recording has ended"
            if self._bytes + len(line.encode(errors="replace")) > LARGEST:
                return f"the cassette would have more than {LARGEST:,} bytes, which nobody reads"
            self._write(line)
            self.count += 1
        return None

    def close(self) -> bool:
        """Whether there is a cassette now: not where nothing was recorded. Does nothing when called again."""
        with self._lock:
            if self._file is None:
                return self.count > 0
            file, self._file = self._file, None
            with file:
                file.flush()
                os.fsync(file.fileno())
        if self.count:
            os.replace(self.part, self.path)
        else:
            with contextlib.suppress(OSError):
                self.part.unlink()
        return self.count > 0

    def _write(self, line: str) -> None:
        if self._file is not None:
            self._file.write(line)
            self._file.flush()
            self._bytes += len(line.encode(errors="replace"))


def line_without_keys(request: RecordedRequest, response: RecordedResponse) -> str | None:
    """The line of the cassette; None where hiding a key would break it."""
    headers_without_keys(request.headers)  # what it leaves out is known from then on
    for name, value in (*keys_in_body(request.body), *keys_in_body(response.body)):
        learn_key(name, value)
    kept = replace(request, url=url_without_keys(request.url), headers=_kept(request.headers, SENT))
    line = own.line_of(kept, replace(response, headers=_kept(response.headers, GOT)))
    hidden = redacted(line)
    return hidden if hidden == line or own.is_line(hidden) else None


def _kept(headers: Headers, names: frozenset[str]) -> Headers:
    return tuple((name, value) for name, value in headers if name in names or "ratelimit-" in name)


def has_key_in_pieces(line: str) -> bool:
    """Whether the events of a stream together still say what is hidden where one says it alone."""
    response = own.exchange_of(json.loads(line), Place("", 1)).response
    if len(response.chunks) < 2:
        return False
    joined: dict[Member, list[str]] = {}
    for event in read_body(response.body, response.content_type).events:
        for member, text in _texts(event.value, ()):
            joined.setdefault(member, []).append(text)
    return any(redacted(text) != text for text in map("".join, joined.values()))


def _texts(value: Any, member: Member) -> Iterator[tuple[Member, str]]:
    """The texts of one event, each with the members that lead to it and the numbers of what they belong to."""
    if isinstance(value, dict):
        numbers = tuple(f"{name}={value[name]}" for name in NUMBERS if name in value)
        for name, inner in value.items():
            yield from _texts(inner, (*member, *numbers, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(inner, (*member, str(number)))
    elif isinstance(value, str):
        yield member, value
