"""One request and its response as they were recorded.

Readers stop at the end of the list of entries.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from agent_conformance.scenario.files import cassette_format

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: the file, the line where it begins, and its number among the entries, from 1."""

    path: str
    line: int
    number: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Problem:
    """What could not be read, and what to do. Entries before it are whole."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """`url` is whole where the recorder kept it. Header names are lower case; headers and query have no keys."""

    method: str
    url: str
    headers: Headers
    body: bytes

    @property
    def path(self) -> str:
        """The path with the query."""
        parts = urlsplit(self.url)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def headers_by_name(self) -> Mapping[str, str]:
        return dict(self.headers)


@dataclass(frozen=True, slots=True)
class RecordedResponse:
    """`chunks` has one piece for each event of a stream; of a plain body, the body alone. Nothing is compressed.

    `is_cut`: the connection was lost before the end.
    """

    status: int
    headers: Headers
    chunks: tuple[bytes, ...]
    is_cut: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def content_type(self) -> str:
        return dict(self.headers).get("content-type", "")


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """A request with its response.

    `is_made_up`: the file has no HTTP, only what to match and what to answer, as the fixtures of aimock. The exchange
    was made from that, as a chat completion.
    """

    request: RecordedRequest
    response: RecordedResponse
    place: Place
    is_made_up: bool = False


_NO_YAML = re.compile(r"""^(?![\s#%?]|- |-\s*$|---|\.\.\.|[\w"'-]+\s*:)""", re.MULTILINE)
"""A line that is not indented, and begins neither a member nor an item."""
ABOUT = "the cassette ends before this line, which is something else. Give one file for each."


def line_after_the_end(text: str) -> int | None:
    """The first line that is no part of the cassette; None where there is none, or where each line is an entry."""
    kind = cassette_format(text)
    end = None
    if kind in ("har", "aimock", "vcr-json"):
        end = _end_of_json(text)
    elif kind == "vcr-yaml":
        found = _NO_YAML.search(text)
        end = found.start() if found else None
    rest = "" if end is None else text[end:].lstrip()
    return text.count("\n", 0, len(text) - len(rest)) + 1 if rest else None


def _end_of_json(text: str) -> int | None:
    try:
        return json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip()))[1]
    except (ValueError, RecursionError):
        return None
