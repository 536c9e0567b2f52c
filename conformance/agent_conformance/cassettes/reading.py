"""Reads a cassette, whatever recorder wrote it. The content says which format it is, not the name of the file."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent_conformance.cassettes.bodies import CannotUnpack, unpacked
from agent_conformance.cassettes.formats import Unreadable, aimock, har, own, vcr
from agent_conformance.cassettes.list_items import CutShort, json_items, yaml_items
from agent_conformance.cassettes.recorded_exchange import Place, Problem, RecordedExchange
from agent_conformance.scenario.files import LOOKED_AT, CassetteFormat, cassette_format
from agent_conformance.scenario.yaml_files.reading import read_data
from agent_conformance.transcripts.redaction import redacted

MOST = 10_000
"""Entries of one file."""

READ = "a cassette of vcrpy or pytest-recording (YAML or JSON), HAR, fixtures of aimock, or what `record` writes"

Items = Callable[[str], Iterable[tuple[int, Any]]]


class UnknownFormat(ValueError):
    """The file is no cassette that is read here."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of cassette: how its entries are found, and what each says."""

    name: str
    items: Items
    exchange: Callable[[Any, Place], RecordedExchange]


@dataclass(frozen=True, slots=True)
class Cassette:
    """What a file has: `problems` are entries that could not be read, and where a cut file stops."""

    path: Path
    format: str
    exchanges: tuple[RecordedExchange, ...]
    problems: tuple[Problem, ...] = ()


OWN = Format("agent-conformance", own.items_of, own.exchange_of)
HAR = Format("har", lambda text: json_items(text, har.KEYS), har.exchange_of)
AIMOCK = Format("aimock", lambda text: json_items(text, aimock.KEYS), aimock.exchange_of)
VCR_JSON = Format("vcr", lambda text: json_items(text, vcr.KEYS), vcr.exchange_of)
LANGCHAIN = Format("vcr", vcr.items_of_langchain, vcr.exchange_of)
VCR_YAML = Format("vcr", lambda text: yaml_items(text, vcr.KEYS), vcr.exchange_of)
FORMATS: Mapping[CassetteFormat, Format] = {
    "agent-conformance": OWN,
    "aimock": AIMOCK,
    "har": HAR,
    "langchain": LANGCHAIN,
    "vcr-json": VCR_JSON,
    "vcr-yaml": VCR_YAML,
}


def read_cassette(path: Path) -> Cassette:
    """Raises `OSError` for a file that cannot be read, and `UnknownFormat` for one that is no cassette."""
    data = read_data(path)
    found = list(exchanges_of(data, str(path)))
    return Cassette(
        path,
        format_of(_text(data, str(path)), str(path)).name,
        exchanges=tuple(one for one in found if isinstance(one, RecordedExchange)),
        problems=tuple(one for one in found if isinstance(one, Problem)),
    )


def exchanges_of(data: bytes, path: str) -> Iterator[RecordedExchange | Problem]:
    """Each entry in order, as it is read; a problem for one that says nothing. Raises `UnknownFormat`."""
    text = _text(data, path)
    kind = format_of(text, path)
    number, line = 0, 1
    try:
        for line, entry in kind.items(text):
            number += 1
            if number > MOST:
                yield Problem(Place(path, line, number), f"{MOST:,} entries were read, and no more are.")
                return
            yield _entry(kind, entry, Place(path, line, number))
    except CutShort as cut:
        read = f"{number} {'entry was' if number == 1 else 'entries were'} read before it."
        yield Problem(Place(path, cut.line, number + 1), f"{cut} {read}")


def _entry(kind: Format, entry: Any, place: Place) -> RecordedExchange | Problem:
    try:
        return kind.exchange(entry, place)
    except (Unreadable, CannotUnpack) as error:
        return Problem(place, str(error))


def format_of(text: str, path: str) -> Format:
    """Raises `UnknownFormat`, which says what is read."""
    name = cassette_format(text)
    if name is not None:
        return FORMATS[name]
    head = text[:LOOKED_AT].lstrip("\ufeff \t\r\n")
    begins = repr(redacted(head)[:40]) if head else "nothing"
    raise UnknownFormat(f"{path}: this is no cassette. Expected {READ}; it begins with {begins}.")


def _text(data: bytes, path: str) -> str:
    """The text of the file; of one that is packed with gzip, what is in it. Raises `UnknownFormat` for too much."""
    try:
        data = unpacked(data, "")
    except CannotUnpack as error:
        raise UnknownFormat(f"{path}: {error}") from None
    return data.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")
