"""The files of a page: what a browser may do with them, how large they are, and what is replaced."""

import base64
import hashlib
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.html_report import write_page
from agent_conformance.html_report.document import policy, script, style
from agent_conformance.report_data.model import BrokenScenario, Results, Shard, with_cases
from tests.html_report.packed_data import block
from tests.html_report.sample_results import case, many, run, sample

LIMIT = 5_000_000


def page_of(results: Results, folder: Path, name: str = "index.html") -> str:
    write_page(results, folder)
    return (folder / name).read_text(encoding="utf-8")


def test_policy_allows_the_page_its_own_script_and_style_alone(tmp_path: Path) -> None:
    page = page_of(sample(), tmp_path)
    [written] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(written.encode()).digest()).decode()

    assert policy().startswith(f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'sha256-")
    assert "unsafe" not in policy()
    assert policy().replace("'", "&#39;") in page
    assert page.index("Content-Security-Policy") < page.index("<style>") < page.index("<script")


def test_page_names_no_resource(tmp_path: Path) -> None:
    page = page_of(sample(), tmp_path)

    assert not re.search(r"<[^>]+\s(src|srcset|data|action|style|on\w+)\s*=", page.partition("<script")[0])
    assert "<link" not in page
    assert not re.search(r"url\(|@import", style())
    assert not re.search(r"\beval\b|innerHTML|outerHTML|insertAdjacent|document\.write|Function\(|fetch\(", script())


def test_script_and_style_are_small() -> None:
    assert script().count("\n") + style().count("\n") < 1500


def test_index_with_five_thousand_cases_is_small(tmp_path: Path) -> None:
    page = page_of(many(5000), tmp_path)

    assert len(page.encode()) < LIMIT
    assert len(block(page, "index")["cases"]) == 5000


@pytest.mark.slow
def test_index_stays_small_where_nothing_can_be_compressed(tmp_path: Path) -> None:
    """Each case has as much of pictures as the results keep of one."""
    noise = random.Random(2026)
    results = many(12, failing_each=1)
    bodies = {
        id: replace(body, text=base64.b64encode(noise.randbytes(150_000)).decode())
        for id, body in results.bodies.items()
    }

    page = page_of(replace(results, bodies=bodies), tmp_path)

    assert sum(len(body.text) for body in bodies.values()) > 9_000_000
    assert 3_000_000 < len(page.encode()) < LIMIT
    assert {number >= 0 for *_, number, _ in block(page, "index")["cases"]} == {True, False}


def test_what_does_not_fit_into_the_index_is_on_other_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.html_report.MOST_IN_INDEX", 1)
    monkeypatch.setattr("agent_conformance.html_report.MOST_IN_PAGE", 1)
    monkeypatch.setattr("agent_conformance.html_report.MOST_OF_BLOCK", 1)
    results = many(60)

    index = block(page_of(results, tmp_path), "index")

    placed = []
    for id, *_, number, page in index["cases"]:
        home = "index.html" if number >= 0 else index["pages"][page]
        text = (tmp_path / home).read_text(encoding="utf-8")
        listed = {one[0]: one[-2] for one in block(text, "index")["cases"]}
        assert id in block(text, f"block-{listed[id]}")["cases"]
        placed.append(home)
    assert len(set(placed)) == len(placed) == 60, "a page for each case, since each is too large"


def test_one_case_of_each_cause_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.html_report.MOST_IN_INDEX", 1)
    monkeypatch.setattr("agent_conformance.html_report.MOST_OF_BLOCK", 3000)

    index = block(page_of(sample(), tmp_path), "index")

    here = [id for id, *_, number, _ in index["cases"] if number >= 0]
    assert "history/lost-result@openai-chat+plain" in here
    assert "history/lost-result@anthropic-messages+plain" not in here


def test_body_is_kept_once_and_found_from_a_later_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.html_report.MOST_OF_BLOCK", 1)

    page = page_of(sample(), tmp_path)

    index = block(page, "index")
    blocks = [block(page, f"block-{number}") for number in range(len(re.findall(r'id="block-', page)))]
    assert [sorted(one["bodies"]) for one in blocks if one["bodies"]] == [["a1", "a2", "r1", "r2"]]
    assert set(index["elsewhere"]) == {"a1", "a2", "r1", "r2"}
    home = next(number for number, one in enumerate(blocks) if one["bodies"])
    assert set(index["elsewhere"].values()) == {home}


def test_bodies_of_passing_cases_are_not_there(tmp_path: Path) -> None:
    page_of(sample(), tmp_path)

    for path in tmp_path.glob("cases/*.html"):
        assert block(path.read_text(encoding="utf-8"), "block-0")["bodies"] == {}


def test_pages_of_an_earlier_report_are_removed_and_others_stay(tmp_path: Path) -> None:
    write_page(sample(), tmp_path)
    (tmp_path / "cases" / "mine.html").write_text("<!doctype html>\nmine")

    write_page(with_cases(run(), [case("loops/a", "pass")], {}), tmp_path)

    assert sorted(path.name for path in tmp_path.glob("cases/*")) == ["loops.html", "mine.html"]


@pytest.mark.parametrize("area", ["../../etc", "con:", "con", "COM1", "a" * 200, "ä ö", "a.html", ""])
def test_area_of_any_name_gets_a_file_in_the_folder(tmp_path: Path, area: str) -> None:
    folder = tmp_path / "report"
    one, other = (replace(case(f"x/{number}", "pass"), area=named) for number, named in enumerate((area, f"{area}/")))

    write_page(with_cases(run(), [one, other], {}), folder)

    stems = [path.stem.casefold() for path in folder.glob("cases/*.html")]
    assert len(set(stems)) == 2
    assert [stem for stem in stems if stem in ("con", "com1") or len(stem) > 70] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["report"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ended": "interrupted", "selected": 9}, "the run was interrupted after 1 of 9 cases"),
        ({"ended": "killed"}, "the run was killed after 1 cases"),
        ({"shard": Shard(3, (1, 3))}, "missing shard: 2/3"),
        ({"broken_files": (BrokenScenario("a.yaml", "no `model`"),)}, "Broken scenario file: a.yaml: no `model`"),
    ],
)
def test_what_is_missing_stands_at_the_top_and_is_red(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    results = replace(with_cases(run(), [case("history/a", "pass")], {}), **change)

    page = page_of(results, tmp_path)

    assert words in page.replace("&#39;", "'")
    assert '<p class="verdict incomplete">' in page


def test_nothing_judged_is_no_success(tmp_path: Path) -> None:
    page = page_of(with_cases(run(), [case("turns/a", "not-verified")], {}), tmp_path)

    assert '<p class="verdict incomplete">incomplete: no new finding in 1 case</p>' in page
    assert "nothing was judged" in page


def test_equal_results_give_equal_pages(tmp_path: Path) -> None:
    assert page_of(sample(), tmp_path / "one") == page_of(sample(), tmp_path / "other")
