"""A row of the leaderboard that the newest release no longer bears out is grey, until one does again."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.attach import ready_made
from agent_conformance.attach.ready_made import OUTDATED, outdated
from tests.tools.test_leaderboard_pages import ROW
from tools.leaderboard.command import PUBLISHED, outdated_rows
from tools.leaderboard.table import PROFILES, held, table

LISTED: dict[str, Any] = {**ROW, "profiles": dict.fromkeys(PROFILES, ROW["profiles"]["core"]), "errors": []}
SAME: dict[str, Any] = {**LISTED, "version": "1.1"}


@pytest.mark.parametrize(
    ("newest", "why"),
    [
        (SAME, None),
        ({**SAME, "failing": {}}, None),
        ({**SAME, "failing": {"loops/z#bounded": {"cases": 1, "first": "loops/z"}}}, "loops/z#bounded"),
        ({**SAME, "errors": ["loops/z@openai-chat+plain"]}, "loops/z@openai-chat+plain"),
        ({**SAME, "tools executed": 0}, "no tool was executed"),
        ("npm install ... ended with 1", "npm install ... ended with 1"),
    ],
)
def test_row_holds_while_the_newest_release_has_no_other_finding(newest: Any, why: str | None) -> None:
    row = held(LISTED, newest, day="2026-11-29")

    assert row.get("no longer holds", {}).get("why") == why


def test_row_that_no_longer_holds_is_grey_with_the_date_until_one_does_again() -> None:
    fallen = held(LISTED, {**SAME, "tools executed": 0}, day="2026-11-29")
    page = table({"agents": [fallen], "not listed": []})

    assert '| <span style="color: grey">a 1.0</span> | 2026-11-22 |' in page
    assert "Grey: a. On 2026-11-29, its newest release 1.1 did otherwise over `smoke`: no tool was executed.\n" in page
    assert held(fallen, SAME, day="2026-12-06") == LISTED


def test_package_has_the_rows_that_no_longer_hold() -> None:
    published = json.loads(PUBLISHED.read_text(encoding="utf-8"))

    assert json.loads(OUTDATED.read_text(encoding="utf-8")) == outdated_rows(published)


def test_row_that_no_longer_holds_is_told_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fallen = held(LISTED, {**SAME, "tools executed": 0}, day="2026-11-29")
    file = tmp_path / "outdated.json"
    file.write_text(json.dumps(outdated_rows({"agents": [fallen, LISTED | {"agent": "b"}]})))
    monkeypatch.setattr(ready_made, "OUTDATED", file)

    assert outdated("a") == (
        "the leaderboard's row of a no longer holds: on 2026-11-29, its newest release 1.1 did otherwise: "
        "no tool was executed"
    )
    assert (outdated("b"), outdated("mine:Adapter")) == ("", "")
