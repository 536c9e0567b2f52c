"""The shapes of all responses of the fakes, compared with recorded ones; what nobody recorded is listed in a file."""

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from comparison import differences
from derive_answers import ANSWERS
from fake_responses import MODES, REPLIES, STATUSES, TARGETS, FakeResponse, failures_of, replies_of
from response_shapes import KINDS, OPAQUE_MEMBERS

from fake_providers import Response

FILE = Path(__file__).with_name("what_nobody_recorded.txt")
RECORDED_RESPONSES: dict[tuple[str, str, str, int], Any] = {
    (provider, wire, mode, status): recorded
    for provider, wire, mode, status, recorded in map(json.loads, gzip.decompress(ANSWERS.read_bytes()).splitlines())
}
RECORDED = [(*target, mode) for target in TARGETS for mode in MODES if (*target, mode, 200) in RECORDED_RESPONSES]
EACH = pytest.mark.parametrize(("provider", "wire", "mode"), RECORDED)


def known() -> dict[tuple[str, str, str], set[str]]:
    """The contents of the file, by provider, wire and mode."""
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            where, _, difference = line.partition(" | ")
            provider, wire, mode = where.split()
            found[provider, wire, mode].add(difference)
    return found


def found(provider: str, wire: str, mode: str) -> set[str]:
    streamed = mode == "stream"
    described = {
        difference
        for described in replies_of(provider, wire, mode)
        for difference in differences(
            RECORDED_RESPONSES[provider, wire, mode, 200], wire, described.response, streamed=streamed
        )
    }
    for status, failed in failures_of(provider, wire, mode):
        recorded = RECORDED_RESPONSES.get((provider, wire, mode, status))
        if recorded:
            described |= {f"{status} {one}" for one in differences(recorded, wire, failed.response, streamed=False)}
    return described


@EACH
def test_responses_differ_from_recorded_ones_only_as_listed(provider: str, wire: str, mode: str) -> None:
    assert found(provider, wire, mode) == known()[provider, wire, mode]


def test_every_recorded_provider_is_compared_in_both_modes() -> None:
    assert {provider for provider, _, _ in RECORDED} == {
        "openai", "anthropic", "gemini", "vertex", "ollama", "mistral", "deepseek", "groq", "openrouter", "xai",
    }  # fmt: skip
    assert len(RECORDED) == 28
    assert known().keys() <= set(RECORDED)


NOT_RECORDED = {
    ("deepseek", "openai-responses", "stream"): "function_call",
    ("openrouter", "openai-responses", "plain"): ".reasoning",
    ("openrouter", "openai-responses", "stream"): ".reasoning",
}
"""Not recorded in this mode: calls, which were recorded plain; thinking that was requested."""


def test_text_and_calls_have_only_recorded_members() -> None:
    """The recordings lack rare finishes and rare orders, but never the shape of a plain response."""
    ends = {"refusal", "content filter", "malformed", "length", "empty", "thinking", "thinking and call"}
    for provider, wire, mode in RECORDED:
        recorded = RECORDED_RESPONSES[provider, wire, mode, 200]
        for described in replies_of(provider, wire, mode):
            if described.kind in ends:
                continue
            new = [
                one
                for one in differences(recorded, wire, described.response, streamed=False)
                if not one.startswith("step")
            ]
            rare = NOT_RECORDED.get((provider, wire, mode), "\n")
            assert [
                one
                for one in new
                if not one.startswith(("id ", "members .choices[].", "members .candidates")) and rare not in one
            ] == []


def test_each_kind_of_reply_and_each_status_is_compared() -> None:
    for provider, wire in TARGETS:
        described: list[FakeResponse] = [one for mode in MODES for one in replies_of(provider, wire, mode)]

        assert {one.kind for one in described} >= set(REPLIES) - {"refusal", "content filter", "malformed"}
        assert [status for status, _ in failures_of(provider, wire, "plain")] == list(STATUSES)


@pytest.mark.parametrize(
    ("body", "difference"),
    [
        (b'{"b":1,"a":null}', "order  b a"),
        (b'{"a":null}', "members  a"),
        (b'{"a":1,"b":1}', "type .a integer"),
        (b'{"a":null,"b":1,"c":[]}', "members  a b c"),
    ],
)
def test_difference_is_found(body: bytes, difference: str) -> None:
    recorded = {
        "ordered": {"": [["a", "b"]]},
        "unordered": {},
        "types": {".a": ["null"], ".b": ["integer"]},
        "words": {},
        "ids": {},
        "steps": [],
        "labels": ["application/json"],
        "limits": [],
    }
    response = Response(200, (("content-type", "application/json"),), (body,))

    assert list(differences(recorded, "openai-chat", response, streamed=False)) == [difference]


def test_table_has_no_text_of_users_or_models() -> None:
    names = {
        name
        for recorded in RECORDED_RESPONSES.values()
        for orders in (recorded["ordered"], recorded["unordered"])
        for order in (one for found in orders.values() for one in found)
        for name in order
    }
    words = {word for recorded in RECORDED_RESPONSES.values() for found in recorded["words"].values() for word in found}

    assert all(name.replace("_", "").replace("@", "").isalnum() and len(name) < 45 for name in names)
    assert all(word.replace("_", "").replace(".", "").isalnum() and len(word) < 30 for word in words)
    assert ANSWERS.stat().st_size < 60_000
    assert OPAQUE_MEMBERS.isdisjoint(KINDS)
