"""The site has a page for each agent of the leaderboard: causes, every finding with its verdict, and evidence."""

import copy
import json
import re
from typing import Any

import pytest

from tests.docs.documents import ROOT
from tests.docs.site import CONFIGURATION, HOOK
from tools.leaderboard.pages import agent_page, escaped, fenced, linked
from tools.leaderboard.runs_of_verdicts import verdicts

ROWS: list[dict[str, Any]] = HOOK.leaderboard()
PAGES: dict[str, str] = HOOK.agent_pages()
VERDICT: dict[str, Any] = {
    "framework": "a 1.0",
    "agents": ["a"],
    "case": "history/x@openai-chat+plain#paired",
    "kind": "defect",
    "covers": ["history/x#paired"],
    "what": "A call | has\n  no <b>result</b>.",
    "transcript": ["sent  a call", "``` is no end"],
    "done": "kept as a finding",
}
ROW: dict[str, Any] = {
    "agent": "a",
    "version": "1.0",
    "date": "2026-11-22",
    "wires": ["openai-chat"],
    "cases": 3,
    "tools executed": 2,
    "profiles": {"core": {"passed": 1, "failed": 2, "not verified": 0}},
    "areas": {"history": {"passed": 1, "failed": 2, "not verified": 0}},
    "failing": {
        "history/x#paired": {"cases": 1, "first": "history/x@openai-chat+plain"},
        "history/y#accepted:openai/tools-empty": {"cases": 2, "first": "history/y@openai-chat+plain"},
    },
}


def test_every_agent_has_a_page_in_the_navigation() -> None:
    site = HOOK.on_config(type("Config", (), {"mdx_configs": {}, "nav": copy.deepcopy(CONFIGURATION["nav"])}))

    [section] = [entry["Leaderboard"] for entry in site.nav if "Leaderboard" in entry]
    assert section[0] == "leaderboard.md"
    assert [page for entry in section[1:] for page in entry.values()] == list(PAGES)
    assert list(PAGES) == [f"leaderboard/{row['agent']}.md" for row in ROWS]


def test_leaderboard_links_to_the_pages_on_the_site_alone() -> None:
    document = (ROOT / "docs" / "leaderboard.md").read_text(encoding="utf-8")

    assert "leaderboard/" not in document
    assert re.findall(r"\]\((leaderboard/[^)]+)\)", HOOK.with_agent_links(document)) == list(PAGES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["agent"]))
def test_page_has_every_finding_with_a_verdict(row: dict[str, Any]) -> None:
    page = PAGES[f"leaderboard/{row['agent']}.md"]

    assert page.startswith(f"# {row['agent']} {row['version']}\n")
    shown = page.partition("\n## Verdicts\n")[2]
    assert [pair for pair in row["failing"] if f"`{pair}`" not in shown] == []
    assert "## Without a verdict" not in page
    assert ("in words" in page) == bool(row["failing"])


def test_every_verdict_on_an_agent_is_on_its_page() -> None:
    missing = [
        (agent, verdict["case"])
        for verdict in verdicts()
        for agent in verdict["agents"]
        if f"leaderboard/{agent}.md" in PAGES and escaped(verdict["what"]) not in PAGES[f"leaderboard/{agent}.md"]
    ]
    assert missing == []


def test_causes_are_counted_over_scenarios_and_explained() -> None:
    page = agent_page(ROW, [VERDICT])

    assert "| `openai/tools-empty` | A request that openai takes." in page
    assert page.index("`openai/tools-empty`") < page.index("| `paired` | every call gets exactly one tool result")


def test_finding_without_a_verdict_is_named() -> None:
    page = agent_page(ROW, [VERDICT])

    assert "## Without a verdict\n\n- `history/y#accepted:openai/tools-empty`, 2 cases" in page


def test_verdict_whose_findings_do_not_occur_is_listed_as_fixed() -> None:
    page = agent_page(ROW, [{**VERDICT, "kind": "ours", "fixed": ["history/z#paired"], "covers": []}])

    assert "This was a mistake of the suite, fixed: kept as a finding." in page.partition("## Fixed")[2]


def test_verdict_that_refers_to_the_one_before_quotes_it() -> None:
    page = agent_page(ROW, [{**VERDICT, "agents": ["other"]}, {**VERDICT, "what": "The same on Gemini."}])

    assert "> A call \\| has no &lt;b&gt;result&lt;/b&gt;.\n\nThe same on Gemini." in page


def test_texts_of_verdicts_are_no_markup() -> None:
    page = agent_page(ROW, [VERDICT])

    assert "A call \\| has no &lt;b&gt;result&lt;/b&gt;." in page
    assert "\n```text\nsent  a call\n''' is no end\n```\n" in page


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a_b *c* [d](e)", r"a\_b \*c\* \[d\](e)"),
        ("`a_b` and a_b", r"`a_b` and a\_b"),
        ("one `tick", r"one \`tick"),
        ("a | b", r"a \| b"),
        ("# no heading", r"\# no heading"),
    ],
)
def test_markdown_is_escaped_outside_of_code(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_block_of_code_ends_where_it_is_to_end() -> None:
    assert fenced("a\n  ```\n# b") == "```text\na\n  '''\n# b\n```"


def test_only_an_address_is_a_link() -> None:
    assert linked("https://example.org/a") == "<https://example.org/a>"
    assert linked("javascript:a") == "javascript:a"
    assert linked("https://example.org/a> b") == "https://example.org/a&gt; b"


def test_rows_are_those_of_the_file() -> None:
    assert json.loads((ROOT / "docs" / "leaderboard.json").read_text(encoding="utf-8"))["agents"] == ROWS
