"""The agents in Go and Rust are built by hand; here they are held to their page and to the protocol's words."""

import re

import pytest

from agent_conformance.attach.command.schema import kinds, protocol_schema
from tests.docs.documents import ROOT, blocks_of

PAGE = ROOT / "docs" / "for-rust-and-go.md"
SHOWN = {block.title: block.text for block in blocks_of(PAGE) if block.title}
DEFINITIONS = protocol_schema()["$defs"].values()
FIELDS = {name for definition in DEFINITIONS for name in definition.get("properties", {})}
TYPES = set(kinds("suite")) | set(kinds("agent"))


def test_page_shows_one_file_of_each() -> None:
    assert sorted(SHOWN) == ["go-agent/conformance.go", "rust-agent/src/conformance.rs"]


@pytest.mark.parametrize("title", SHOWN)
def test_file_is_as_the_page_has_it(title: str) -> None:
    assert (ROOT / "examples" / title).read_text(encoding="utf-8") == SHOWN[title]


def test_fields_in_go_are_those_of_the_schema() -> None:
    got = set(re.findall(r'`json:"(\w+)', SHOWN["go-agent/conformance.go"]))

    assert len(got) > 15
    assert got <= FIELDS


def test_messages_in_go_are_those_of_the_schema() -> None:
    text = SHOWN["go-agent/conformance.go"]
    got = set(re.findall(r'(?:Type:|"type":|case) "([\w-]+)"', text))

    assert {"hello", "open", "send", "result", "call", "reply", "error"} == got
    assert got <= TYPES


def test_messages_in_rust_are_those_of_the_schema() -> None:
    text = SHOWN["rust-agent/src/conformance.rs"]
    got = set(re.findall(r'"type": "([\w-]+)"|Some\("([\w-]+)"\)', text))

    assert {"hello", "open", "send", "call", "reply", "error"} == {one or other for one, other in got}
    assert set(re.findall(r'\["(\w+)"\]', text)) <= FIELDS
