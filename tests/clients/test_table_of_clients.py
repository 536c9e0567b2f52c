"""The table in docs/protocol.md of what each client has, beside what the clients' files say."""

import re
from typing import get_args

import pytest

from agent_conformance.adapter.types import Feature
from tests.clients.conftest import CLIENTS
from tests.clients.test_each_language import REFUSED

SOURCES = {
    "Node": "node/src/*.mjs",
    "Go": "go/conformance.go",
    "PHP": "php/conformance.php",
    "Rust": "rust/src/lib.rs",
}
PROGRAMS = {"Node": "node/fixtures/*", "Go": "go/fixtures/*", "PHP": "php/fixtures/*", "Rust": "rust/examples/deeds.rs"}
PUBLIC = {
    "Go": r"^func \(\w+ \*?[A-Z]\w*\) ([A-Z]\w*)\(|^type \w+ interface *\{\s*([A-Z]\w*)\(",
    "PHP": r"^    public function ([a-z]\w*)\(|method_exists\(\$this->agent, '(\w+)'",
    "Rust": r"^    pub fn (\w+)\(&self|^    const ([A-Z]+): ",
}
BESIDE = {"Go": {"Error"}, "PHP": {"read", "hasMore", "write"}, "Rust": {"text"}}


def text_of(*patterns: str) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for one in patterns for path in sorted(CLIENTS.glob(one)))


def rows() -> list[dict[str, str]]:
    """The rows of the table, by its head."""
    page = (CLIENTS.parent / "docs/protocol.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\|(.*)\|$", page.split("## What the clients have\n")[1].split("\n## ")[0], re.MULTILINE)
    cells = [[cell.strip() for cell in line.split("|")] for line in lines]
    head = ["what", "feature", *(re.sub(r"\[(\w+)\].*", r"\1", cell) for cell in cells[0][2:])]
    return [dict(zip(head, row, strict=True)) for row in cells[2:]]


def names_of(language: str) -> set[str]:
    return {name for row in rows() for name in re.findall(r"`(\w+)`", row[language])}


@pytest.mark.parametrize("language", SOURCES)
def test_client_or_its_program_has_each_name_of_the_table(language: str) -> None:
    text = text_of(SOURCES[language], PROGRAMS[language])

    assert {name for name in names_of(language) if not re.search(rf"\b{name}\b", text)} == set()


@pytest.mark.parametrize("language", PUBLIC)
def test_table_has_each_method_of_a_client(language: str) -> None:
    text = re.sub(r"^ +/\*\* @internal.*\n.*$", "", text_of(SOURCES[language]), flags=re.MULTILINE)
    found = re.findall(PUBLIC[language], text, re.MULTILINE)
    methods = {name for groups in found for name in groups if name} - BESIDE[language]

    assert len(methods) >= 10
    assert methods - names_of(language) == set()


def test_features_of_the_table_are_known_and_those_with_a_star_are_refused() -> None:
    features = [re.fullmatch(r"`([\w-]+)`( \\\*)?", row["feature"]) for row in rows() if row["feature"]]
    named = {match[1]: bool(match[2]) for match in features if match}

    assert len(named) == len({row["feature"] for row in rows() if row["feature"]})
    assert named.keys() <= set(get_args(Feature))
    assert {feature for feature, star in named.items() if star} == set(REFUSED)
