"""Every answer of the fakes against the shapes of recorded ones; what nobody recorded stands in a file of its own."""

import gzip
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from answering import CLOSED, KINDS
from answers_of_fakes import MODES, REPLIES, STATUSES, TARGETS, RenderedReply, answers, failures
from comparing import differences
from derive_answers import ANSWERS

from fakes import Response

FILE = Path(__file__).with_name("what_nobody_recorded.txt")
SEEN: dict[tuple[str, str, str, int], Any] = {
    (provider, wire, mode, status): seen
    for provider, wire, mode, status, seen in map(json.loads, gzip.decompress(ANSWERS.read_bytes()).splitlines())
}
RECORDED = [(*target, mode) for target in TARGETS for mode in MODES if (*target, mode, 200) in SEEN]
EACH = pytest.mark.parametrize(("provider", "wire", "mode"), RECORDED)


def known() -> dict[tuple[str, str, str], set[str]]:
    """What the file says, by provider, wire and mode."""
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            where, _, difference = line.partition(" | ")
            provider, wire, mode = where.split()
            found[provider, wire, mode].add(difference)
    return found


def found(provider: str, wire: str, mode: str) -> set[str]:
    streamed = mode == "stream"
    told = {
        difference
        for told in answers(provider, wire, mode)
        for difference in differences(SEEN[provider, wire, mode, 200], wire, told.response, streamed=streamed)
    }
    for status, failed in failures(provider, wire, mode):
        seen = SEEN.get((provider, wire, mode, status))
        if seen:
            told |= {f"{status} {one}" for one in differences(seen, wire, failed.response, streamed=False)}
    return told


@EACH
def test_answers_differ_from_recorded_ones_only_where_the_file_says(provider: str, wire: str, mode: str) -> None:
    assert found(provider, wire, mode) == known()[provider, wire, mode]


def test_every_recorded_provider_is_compared_in_both_modes() -> None:
    assert {provider for provider, _, _ in RECORDED} == {
        "openai", "anthropic", "gemini", "vertex", "ollama", "mistral", "deepseek", "groq", "openrouter", "xai",
    }  # fmt: skip
    assert len(RECORDED) == 28
    assert known().keys() <= set(RECORDED)


NOWHERE = {
    ("deepseek", "openai-responses", "stream"): "function_call",
    ("openrouter", "openai-responses", "plain"): ".reasoning",
    ("openrouter", "openai-responses", "stream"): ".reasoning",
}
"""Of what there is no recording in this mode: calls, which were recorded plain; what was asked of the thinking."""


def test_text_and_calls_have_no_member_that_was_not_recorded() -> None:
    """What is missing in the recordings are rare ends and rare orders, never how a plain answer looks."""
    ends = {"refusal", "content filter", "malformed", "length", "empty", "thinking", "thinking and call"}
    for provider, wire, mode in RECORDED:
        seen = SEEN[provider, wire, mode, 200]
        for told in answers(provider, wire, mode):
            if told.kind in ends:
                continue
            new = [one for one in differences(seen, wire, told.response, streamed=False) if not one.startswith("step")]
            rare = NOWHERE.get((provider, wire, mode), "\n")
            assert [
                one
                for one in new
                if not one.startswith(("id ", "members .choices[].", "members .candidates")) and rare not in one
            ] == []


def test_each_kind_of_reply_and_each_status_is_told() -> None:
    for provider, wire in TARGETS:
        told: list[RenderedReply] = [one for mode in MODES for one in answers(provider, wire, mode)]

        assert {one.kind for one in told} >= set(REPLIES) - {"refusal", "content filter", "malformed"}
        assert [status for status, _ in failures(provider, wire, "plain")] == list(STATUSES)


@pytest.mark.parametrize(
    ("body", "difference"),
    [
        (b'{"b":1,"a":null}', "order  b a"),
        (b'{"a":null}', "members  a"),
        (b'{"a":1,"b":1}', "type .a integer"),
        (b'{"a":null,"b":1,"c":[]}', "members  a b c"),
    ],
)
def test_a_difference_is_found(body: bytes, difference: str) -> None:
    seen = {
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

    assert list(differences(seen, "openai-chat", response, streamed=False)) == [difference]


def test_table_holds_no_text_of_anybody() -> None:
    names = {
        name
        for seen in SEEN.values()
        for orders in (seen["ordered"], seen["unordered"])
        for order in (one for found in orders.values() for one in found)
        for name in order
    }
    words = {word for seen in SEEN.values() for found in seen["words"].values() for word in found}

    assert all(name.replace("_", "").replace("@", "").isalnum() and len(name) < 45 for name in names)
    assert all(word.replace("_", "").replace(".", "").isalnum() and len(word) < 30 for word in words)
    assert ANSWERS.stat().st_size < 60_000
    assert CLOSED.isdisjoint(KINDS)
