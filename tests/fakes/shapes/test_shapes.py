"""The fakes against the shapes of recorded requests: those that were accepted, and those refused for their
structure."""

import gzip
import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import derive
import pytest
import shape_words
from request_shapes import PLACEHOLDER, Shaper, is_plain, path_of_shape, request_of_shape

from fake_providers import Request, judge
from fake_providers.registry import PROVIDERS, provider_wires

HEAD, *ROWS = [json.loads(line) for line in gzip.decompress(derive.TABLE.read_bytes()).splitlines()]
BY_PROVIDER = {name: list(rows) for name, rows in itertools.groupby(ROWS, key=lambda row: row[0])}
CALL_ID = re.compile(r"<call_ (\d+)[^>]*>")
"""Mistral's recorder wrote `call_REDACTED_1` in place of each id, which a shape does not keep."""
EACH = pytest.mark.parametrize("provider", BY_PROVIDER)


def violation_of(row: Any) -> Any:
    provider, path, _, body = row
    if provider == "mistral":
        body = json.loads(CALL_ID.sub(r"call_REDACTED_\1", json.dumps(body)))
    return judge(
        provider, path_of_shape(path), json.dumps(request_of_shape(body)).encode(), {"content-type": "application/json"}
    )


@EACH
def test_no_accepted_shape_is_refused(provider: str) -> None:
    accepted = [row for row in BY_PROVIDER[provider] if row[2] == 200]
    refused = [(violation.rule, violation.at, row) for row in accepted if (violation := violation_of(row)) is not None]

    assert refused == []
    assert len(accepted) > 50


@EACH
def test_refused_shapes_are_refused_with_the_same_status(provider: str) -> None:
    rows = [row for row in BY_PROVIDER[provider] if row[2] != 200]
    verdicts = [(row, violation_of(row)) for row in rows]

    assert [(row, found.status) for row, found in verdicts if found is not None and found.status != row[2]] == []
    assert [row for row, found in verdicts if found is None] == []


def strings_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from strings_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_of(inner)
    elif isinstance(value, str):
        yield value


def segments_of(path: str) -> list[str]:
    bare, _, _ = path.partition("?")
    hidden = PLACEHOLDER.sub("", bare)
    return [one.partition(":")[0] for one in hidden.split("/")]


def test_table_has_no_text_of_users_or_models() -> None:
    said = {text for row in ROWS for text in strings_of(row[3])}
    segments = {segment for row in ROWS for segment in segments_of(row[1])}

    assert {text for text in said if not is_plain(text)} == set()
    assert segments <= shape_words.SEGMENTS | {""}
    assert all(len(text) < 60 for text in said)


@pytest.mark.parametrize(
    "text", ["Paris", "What is the weather?", "get_weather", "call_1", "<word get_weather>", "sk-1"]
)
def test_text_of_users_would_be_found(text: str) -> None:
    assert not is_plain(text)


def test_request_rebuilt_from_a_shape_has_that_shape() -> None:
    for provider, path, _, body in ROWS:
        request = Request("POST", path_of_shape(path), {}, b"{}")
        wire = next(wire for wire in provider_wires(provider) if wire.route(request) is not None)
        shaper = Shaper(derive.family_of(provider, wire.name))

        assert (shaper.path(path_of_shape(path)), shaper.body(request_of_shape(body))) == (path, body)


def test_first_line_counts_the_records_left_out() -> None:
    for api, counts in HEAD.items():
        left_out = sum(count for what, count in counts.items() if "left out" in what)

        assert counts["records"] > 0, api
        assert left_out <= 0.02 * counts["records"], api


def test_table_is_small_and_covers_only_providers_with_a_fake() -> None:
    assert derive.TABLE.stat().st_size < 300_000
    assert BY_PROVIDER.keys() <= PROVIDERS.keys()
    assert len(BY_PROVIDER) >= 6
