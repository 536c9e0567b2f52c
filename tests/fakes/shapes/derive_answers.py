"""Derives `answers.jsonl.gz` from recorded responses: python tests/fakes/shapes/derive_answers.py FOLDER.

Its files `<api>.jsonl.gz` have one record per line with the keys `api` (otherwise the file's name), `path`, `status`,
`response_headers`, `response` (text, or parsed JSON; may be cut off) and `stream`. Of the responses of providers that
have a fake, it keeps their shapes and none of their texts. If the members of a whole record are sorted, the recorder
may have sorted them, and the order in that record is ignored.
"""

import argparse
import collections
import gzip
import itertools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import derive
from response_shapes import ALPHABETS, event_order, ids_of, is_sorted, members_of, objects_of, words_of

ANSWERS = Path(__file__).parent / "answers.jsonl.gz"
LIMITS = "ratelimit"
"""The headers that are kept: the content type, and the names of rate limit headers."""


class RecordedResponses:
    """The recorded responses of one provider, mode and status."""

    def __init__(self) -> None:
        self.count = 0
        self.ordered: dict[str, set[tuple[str, ...]]] = collections.defaultdict(set)
        self.unordered: dict[str, set[tuple[str, ...]]] = collections.defaultdict(set)
        self.types: dict[str, set[str]] = collections.defaultdict(set)
        self.words: dict[str, set[str]] = collections.defaultdict(set)
        self.ids: dict[str, set[tuple[str, str, int]]] = collections.defaultdict(set)
        self.steps: set[tuple[str, str]] = set()
        self.labels: collections.Counter[str] = collections.Counter()
        self.headers: collections.Counter[str] = collections.Counter()

    def add(self, wire: str, body: Any, headers: dict[str, str], *, streamed: bool) -> None:
        self.count += 1
        self.labels[headers.get("content-type", "")] += 1
        self.headers.update(name for name in headers if LIMITS in name)
        try:
            values = objects_of(wire, body) if body else []
        except ValueError:  # cut off when it was recorded
            return
        if not all(isinstance(value, dict) or value == "[DONE]" for value in values):
            return
        orders = self.unordered if is_sorted(values) else self.ordered
        for value in values:
            for at, types in members_of(value):
                orders[at].add(tuple(name for name, _ in types))
                for name, kind in types:
                    self.types[f"{at}.{name}"].add(kind)
            for at, word in words_of(value):
                self.words[at].add(word)
            for made in ids_of(value):
                self.ids[made.at].add((made.prefix, made.alphabet, made.length))
        steps = event_order(wire, values) if streamed else []
        self.steps |= set(itertools.pairwise(steps))
        if steps and ended(wire, steps[-1]):
            self.steps.add((steps[-1], "end"))

    def described(self) -> dict[str, Any]:
        """As JSON; the same for the same records."""
        return {
            "count": self.count,
            "ordered": {at: sorted(found) for at, found in sorted(self.ordered.items())},
            "unordered": {
                at: sorted(tuple(sorted(one)) for one in found) for at, found in sorted(self.unordered.items())
            },
            "types": {at: sorted(found) for at, found in sorted(self.types.items())},
            "words": {at: sorted(found) for at, found in sorted(self.words.items())},
            "ids": {at: widest(found) for at, found in sorted(self.ids.items())},
            "steps": sorted(self.steps),
            "labels": sorted(label for label in self.labels if label),
            "limits": sorted(self.headers),
        }


def ended(wire: str, last: str) -> bool:
    """Whether a stream with this last event is complete, and was not cut off when it was recorded."""
    return re.search(ENDS[wire], last) is not None


ENDS = {
    "openai-chat": r"^\[DONE\]$",
    "openai-responses": r"^response\.(completed|incomplete|failed)|^\[DONE\]$",
    "anthropic-messages": r"^message_stop|^error",
    "gemini-generate": r"finish$",
    "ollama-chat": r"done$|^error",
    "cohere-chat": r"^\[DONE\]$",
}


def widest(found: Iterable[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """The widest alphabet for each prefix and length."""
    rank = {name: place for place, (name, _) in enumerate((*ALPHABETS, ("uuid", "")))}
    described: dict[tuple[str, int], str] = {}
    for prefix, alphabet, length in found:
        known = described.get((prefix, length), alphabet)
        described[prefix, length] = max(known, alphabet, key=rank.__getitem__)
    return sorted((prefix, alphabet, length) for (prefix, length), alphabet in described.items())


def read(folder: Path) -> dict[tuple[str, str, str, int], RecordedResponses]:
    """By provider, wire, mode and status."""
    found: dict[tuple[str, str, str, int], RecordedResponses] = collections.defaultdict(RecordedResponses)
    for record in _records(folder):
        where = derive.context(record["api"], record["path"])
        if where is None:
            continue
        mode = "stream" if record["stream"] else "plain"
        streamed = record["stream"] and record["status"] < 300
        found[(*where, mode, record["status"])].add(
            where[1], record["response"], record["response_headers"] or {}, streamed=streamed
        )
    return found


def _records(folder: Path) -> Iterator[Any]:
    for path in sorted(folder.glob("*.jsonl*")):
        raw = path.read_bytes()
        for line in (gzip.decompress(raw) if path.suffix == ".gz" else raw).splitlines():
            record = {"api": path.name.partition(".")[0], **json.loads(line)}
            if str(record.get("evidence", "wire")).startswith("wire"):
                yield record


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", type=Path, default=ANSWERS)
    options = parser.parse_args(words)
    lines = [json.dumps([*key, recorded.described()]) for key, recorded in sorted(read(options.folder).items())]
    derive.write(options.table, lines)
    print(f"{len(lines)} kinds of answers, {options.table.stat().st_size} bytes")


if __name__ == "__main__":
    main()
