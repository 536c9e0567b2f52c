"""Escaping, glob patterns and near misses, without a run."""

import pytest

from agent_conformance.baseline.case_report import Row, error_rows, finding_rows, text_of
from agent_conformance.scenario.files import Patterns, could_match, matches, without_finding
from agent_conformance.transcripts.finding import Consequence, Finding, Place, ScenarioPlace, rule_subject, subject_of
from agent_conformance.transcripts.shown_texts import shown, shown_lines


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("plain text, ünïcode 東京 🦊", "plain text, ünïcode 東京 🦊"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\r\n\tand a tab", "two\\nlines\\r\\n\\tand a tab"),
        ("bell\x07 null\x00 delete\x7f c1\x9b", "bell\\x07 null\\x00 delete\\x7f c1\\x9b"),
        ("lone \ud83d surrogate", "lone \\ud83d surrogate"),
        ("right-to-left \u202e", "right-to-left \\u202e"),
        ("x" * 1001, "x" * 1000 + "... (1001 characters)"),
    ],
)
def test_a_line_shows_what_it_holds(text, printed):
    assert shown(text) == printed
    printed.encode()


def test_lines_of_a_block_are_cut_in_number_and_each_is_printable():
    lines = shown_lines("\n".join(["\x1b[1m"] * 300))

    assert lines[:2] == ["\\x1b[1m", "\\x1b[1m"]
    assert lines[-1] == "... (100 more lines)"
    assert len(lines) == 201


def test_a_finding_reads_as_its_readers_expect():
    finding = Finding(
        rule_subject("gemini/x"),
        "must",
        place=Place(1),
        refused="400 No.",
        got="nothing",
        consequences=(Consequence(subject_of("reply"), "not reached"),),
        not_checked=("survives",),
        scenario=ScenarioPlace("scenarios/a/b.yaml", 3, source="https://x.org"),
    )

    rerun = Row("rerun", "pytest --agent=m:A a/b")
    assert text_of(finding_rows("a/b@gemini-generate+plain", finding, notes=[rerun])) == "\n".join(
        [
            "a/b@gemini-generate+plain#accepted:gemini/x",
            "  at        turn 1",
            "  refused   400 No.",
            "  got       nothing",
            "  also      reply: not reached",
            "  not checked: survives",
            "  source    scenarios/a/b.yaml:3   https://x.org",
            "  rerun     pytest --agent=m:A a/b",
        ]
    )


def test_only_a_diff_and_a_trace_keep_their_lines():
    finding = Finding(subject_of("relation:wire"), "must", got="a\nb", diff="-a\n+b\x1b")

    assert text_of(finding_rows("c", finding)).split("\n")[1:] == [
        "  got       a\\nb",
        "  diff",
        "    -a",
        "    +b\\x1b",
    ]


def test_an_error_says_whose_it_is_not_in_its_first_line():
    assert text_of([*error_rows("it went wrong\nhere\x07"), Row("rerun", "pytest x")]) == (
        "error (not the agent): it went wrong\n  here\\x07\n  rerun     pytest x"
    )


CASE = "pseudo-calls/hermes-xml[pretty]@openai-chat:deepseek+plain"


@pytest.mark.parametrize(
    "pattern",
    [
        CASE,
        "pseudo-calls/hermes-xml[pretty]",
        "pseudo-calls/hermes-xml",
        "pseudo-calls",
        "pseudo-*",
        "*hermes*",
        "*@openai-chat:*",
        "*[pretty]@*",
        "pseudo-calls/hermes-xml[?retty]@*+plain",
        "*",
    ],
)
def test_a_pattern_matches_a_case(pattern):
    assert matches(pattern, CASE)
    assert could_match(pattern, "pseudo-calls/hermes-xml")
    assert Patterns(["tools", pattern, "no*"]).match(CASE)
    assert Patterns(["tools", pattern, "no*"]).could_match("pseudo-calls/hermes-xml")


@pytest.mark.parametrize(
    "pattern",
    [
        "pseudo",
        "hermes-xml",
        "pseudo-calls/hermes-xml[p]",
        "*[ugly]@*",
        "*@gemini*",
        "pseudo-calls/hermes",
        CASE + "x",
        "",
    ],
)
def test_a_pattern_does_not_match_a_case(pattern):
    assert not matches(pattern, CASE)
    assert not Patterns(["tools", pattern, "no*"]).match(CASE)


@pytest.mark.parametrize("pattern", ["tools", "tools/hermes-xml", "tools/*", "pseudo-calls/other@*", "pseudo-calls/x*"])
def test_a_file_is_ruled_out_by_its_name(pattern):
    assert not could_match(pattern, "pseudo-calls/hermes-xml")
    assert not Patterns(["other", pattern, "no*"]).could_match("pseudo-calls/hermes-xml")


@pytest.mark.parametrize(
    ("argument", "pattern"),
    [
        ("a/b@w+plain#accepted:x/y", "a/b@w+plain"),
        ("a/b#paired", "a/b"),
        ("scenarios/a/b.yaml", "a/b"),
        ("./a/b", "a/b"),
        ("a/", "a"),
        ("a/b[r]@w+plain", "a/b[r]@w+plain"),
    ],
)
def test_what_is_pasted_becomes_a_pattern(argument, pattern):
    assert without_finding(argument) == pattern
