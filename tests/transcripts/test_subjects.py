"""The id of a finding says what it is about, and is read in one place alone."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import agent_conformance
from agent_conformance.explain import known_ids
from agent_conformance.judge.laws import LAWS
from agent_conformance.relations.scope import RELATIONS
from agent_conformance.transcripts.finding import (
    SNAPSHOT,
    Subject,
    law_subject,
    relation_subject,
    rule_subject,
    subject_of,
)

PACKAGE = Path(agent_conformance.__file__).parent
IDS = {
    "paired": law_subject("paired"),
    "foreign-host": law_subject("foreign-host"),
    "accepted:openai/tools-empty": rule_subject("openai/tools-empty"),
    "relation:wire": relation_subject("wire"),
    "snapshot": SNAPSHOT,
    "1.reply": Subject("expectation", "reply", turn=1),
    "2.should.requests[0]": Subject("expectation", "requests", turn=2, is_advice=True, number=0),
    "1.should.requests[12].images": Subject("expectation", "requests", "", 1, True, 12, "images"),
    "effects[1]": Subject("expectation", "effects", number=1),
}
CODES = ["paired", "foreign-host", "openai/tools-empty", "relation:wire", "snapshot", "reply", "requests", "requests"]


@pytest.mark.parametrize(("id", "subject"), IDS.items())
def test_id_is_read_as_it_was_written(id: str, subject: Subject) -> None:
    assert subject_of(id) == subject
    assert subject.id == id


def test_code_is_the_same_in_every_turn() -> None:
    assert [subject.code for subject in IDS.values()] == [*CODES, "effects"]


def test_rule_alone_is_a_rule_and_what_is_unknown_is_no_law() -> None:
    assert subject_of("openai/tools-empty") == rule_subject("openai/tools-empty")
    for text in ("", "pared", "1.", "a b", "#", ":", "accepted:", "x:y"):
        assert subject_of(text).kind in ("expectation", "rule", "law")
        assert subject_of(text).law in ("", "accepted")


def test_all_that_a_finding_can_be_about_is_read_back() -> None:
    ids = [*(law.id for law in LAWS), *(f"relation:{name}" for name in RELATIONS), *known_ids()]

    assert [id for id in ids if subject_of(id).code != id] == []


READS = {"partition", "rpartition", "split", "rsplit", "startswith", "endswith", "removeprefix", "match", "fullmatch"}
ABOUT_FINDINGS = re.compile(r"\b(finding|consequence|cause|subject|stale|file_line)(s|_id)?\b(?!\()|\.(origin|code)\b")
READ_BY = ("transcripts/finding.py", "scenario/files/__init__.py")
"""What somebody typed, or a file has."""


def parsed_findings(source: str) -> Iterator[str]:
    """Places that take a text about a finding apart: its id, its code, a label, a place."""
    for node in ast.walk(ast.parse(source)):
        text = ast.unparse(node) if isinstance(node, ast.Call | ast.Compare) else ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READS:
            read = [node.func.value, *node.args] if node.func.attr in ("match", "fullmatch") else [node.func.value]
            takes_case_apart = "partition" in node.func.attr and "'#'" in map(ast.unparse, node.args)
            if takes_case_apart or any(ABOUT_FINDINGS.search(ast.unparse(one)) for one in read):
                yield text
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
            mark, within = node.left, ast.unparse(node.comparators[0])
            if isinstance(mark, ast.Constant) and mark.value in ("/", ":", ": ", "#") and ABOUT_FINDINGS.search(within):
                yield text


@pytest.mark.parametrize(
    "wrong",
    [
        "finding.id.partition(':')[0]",
        "'/' in finding.cause",
        "pair.partition('#')",
        "re.match('[0-9]+', finding.id)",
        "_ID.fullmatch(consequence)",
        "case.stale[0].split('@')",
        "finding.origin.rpartition(', called from ')",
    ],
)
def test_what_takes_a_finding_apart_is_seen(wrong: str) -> None:
    assert list(parsed_findings(wrong))


def test_nothing_but_one_module_takes_a_finding_apart() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {text}"
        for path in PACKAGE.rglob("*.py")
        if str(path.relative_to(PACKAGE)) not in READ_BY and not path.is_relative_to(PACKAGE / "agents")
        for text in parsed_findings(path.read_text(encoding="utf-8"))
    }

    assert found == set()
