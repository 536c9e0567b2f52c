"""Derives `table.jsonl.gz` from a folder of recorded traffic: python tests/fakes/shapes/derive.py FOLDER.

The folder has a file `<api>.jsonl` or `<api>.jsonl.gz` for each API, with one record per line and the keys `path`,
`request` (a JSON body), `status`, `response`, `evidence` (which begins with `wire` if the record is exact) and
`trimmed`. Exact records of text and tools are taken, for providers that have a fake: requests that the provider
accepted, and requests that it refused for their structure. A record is left out if its shape was both accepted and
refused, and if a request rebuilt from the shape is judged differently from the record, because then something other
than its shape was decisive.
"""

import argparse
import collections
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import shape_words
from request_shapes import Shaper, path_of_shape, request_of_shape

import fake_providers
from fake_providers import Request
from fake_providers.models import is_of, models_of
from fake_providers.registry import PROVIDERS, provider_wires

TABLE = Path(__file__).parent / "table.jsonl.gz"
PROVIDERS_OF_API = {"openai-chat": ("openai", "azure"), "openai-responses": ("openai",), "gemini": ("gemini",)}
"""The providers of APIs that are not named after them; the first whose path matches."""

NOT_TEXT = re.compile(
    r'"(?:inline_?data|file_?data|image_url|input_image|input_file|input_audio|image|document|audio|file|video)"', re.I
)
ABOUT_STRUCTURE = re.compile(
    r"content|message|tool|function|role|part|schema|turn|call|input|item|unknown|unrecognized|extra|required|type|empty"
    r"|alternat|thinking|signature|order|missing",
    re.I,
)
ABOUT_SOMETHING_ELSE = re.compile(
    r"model .{0,60}(?:not found|does not exist|not support|deprecated|decommission)|not supported (?:by|with|for|in)"
    r"|unsupported (?:value|parameter|mime|file|uri)|does(?:n.t| not) support|max_tokens|context (?:length|window)"
    r"|too long|credit|billing|quota|api key|logprobs|log probs|modalit|only supported|budget|rate limit|effort"
    r"|is too large|token count|Request contains an invalid argument|failed_generation|tool_use_failed|service_tier"
    r"|temperature|top_p|penalty|response_format|output_config|output_format|text\.format|json mode|mime type|url|uri"
    r"|image|audio|video|pdf|file|invalid model|model id|model name|max_output_tokens|No valid response"
    r"|Provider returned error|too complex",
    re.I,
)
REFUSALS = (400, 413, 422)

Shape = tuple[str, str, str]
"""Provider, path, and the body as JSON text."""


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", type=Path, default=TABLE)
    options = parser.parse_args(words)
    shapes: dict[Shape, list[tuple[str, int]]] = collections.defaultdict(list)
    head: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for api, record in records(options.folder):
        add_record(api, record, shapes, head[api])
    lines = []
    for (provider, path, body), verdicts in sorted(shapes.items()):
        statuses = {status for _, status in verdicts}
        if len(statuses) > 1:
            for api, _ in verdicts:
                head[api]["records left out: accepted and refused in one shape"] += 1
            continue
        lines.append(json.dumps([provider, path, *statuses, json.loads(body)], separators=(",", ":")))
    counted = {api: dict(sorted(counts.items())) for api, counts in sorted(head.items()) if counts}
    write(options.table, [json.dumps(counted), *lines])
    print(json.dumps(counted, indent=1), f"{len(lines)} shapes, {options.table.stat().st_size} bytes")


def records(folder: Path) -> Iterator[tuple[str, Any]]:
    """The records that are exact and have only text and tools, with their API."""
    for path in sorted(folder.glob("*.jsonl*")):
        raw = path.read_bytes()
        for line in (gzip.decompress(raw) if path.suffix == ".gz" else raw).splitlines():
            record = json.loads(line)
            if not str(record.get("evidence", "")).startswith("wire") or record.get("trimmed"):
                continue
            if isinstance(record.get("request"), dict) and not NOT_TEXT.search(json.dumps(record["request"])):
                yield path.name.partition(".")[0], record


def add_record(
    api: str, record: Any, shapes: dict[Shape, list[tuple[str, int]]], count: collections.Counter[str]
) -> None:
    """Adds the record's shape with its API and verdict, if the shape decided the verdict."""
    verdict = verdict_of(record)
    where = context(api, record["path"])
    if verdict is None or where is None:
        return
    provider, wire = where
    count["records"] += 1
    shaper = Shaper(family_of(provider, wire))
    path, body = shaper.path(record["path"]), shaper.body(record["request"])
    if violation_of(provider, record["path"], record["request"]) != violation_of(
        provider, path_of_shape(path), request_of_shape(body)
    ):
        count["records left out: no matter of shape"] += 1
        return
    shapes[provider, path, json.dumps(body)].append((api, verdict))


def verdict_of(record: Any) -> int | None:
    """200 if it was accepted, the status if it was refused for its structure, else None."""
    if 200 <= record["status"] < 300:
        return 200
    said = record["response"] if isinstance(record["response"], str) else json.dumps(record["response"])
    if record["status"] not in REFUSALS or not ABOUT_STRUCTURE.search(said) or ABOUT_SOMETHING_ELSE.search(said):
        return None
    return int(record["status"])


def context(api: str, path: str) -> tuple[str, str] | None:
    """The provider and its wire, or None if there is no fake of it."""
    request = Request("POST", path, {}, b"{}")
    for provider in PROVIDERS_OF_API.get(api, (api,)):
        for wire in provider_wires(provider) if provider in PROVIDERS else ():
            if wire.route(request) is not None:
                return provider, wire.name
    return None


def violation_of(provider: str, path: str, body: Any) -> tuple[str, int] | None:
    violation = fake_providers.judge(provider, path, json.dumps(body).encode(), {"content-type": "application/json"})
    return violation and (violation.rule, violation.status)


def family_of(provider: str, wire: str) -> Callable[[str], str]:
    """The longest prefix of the model's name that the fakes know, after its vendor; `unknown` without one."""
    families = models_of(wire, provider).families

    def family(model: str) -> str:
        vendor, slash, bare = model.rpartition("/")
        known = max((one for one in families if is_of(bare, one)), key=len, default="unknown")
        return f"{vendor}{slash}{known}" if vendor in shape_words.VENDORS else known

    return family


def write(table: Path, lines: list[str]) -> None:
    """Writes the same bytes for the same lines."""
    with table.open("wb") as raw, gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
        packed.write("\n".join([*lines, ""]).encode())


if __name__ == "__main__":
    main()
