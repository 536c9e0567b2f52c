"""Five thousand cases in one page: its size, how long it takes to show, and its pauses. Times are printed only."""

import time
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from agent_conformance.html_report import write_page
from tests.html_report.conftest import Observed
from tests.html_report.sample_results import many

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CASES = 5000
LONG_TASK = 50
"""Milliseconds from which on browsers call a task long; on an idle machine, none of ours takes four times that."""
OBSERVE = """
window.longTasks = [];
new PerformanceObserver((list) => longTasks.push(...list.getEntries().map((entry) => entry.duration)))
  .observe({ type: "longtask", buffered: true });
"""


def test_five_thousand_cases_open_filter_and_scroll(
    context: BrowserContext, observed: Observed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = many(CASES)
    begun = time.perf_counter()
    write_page(results, tmp_path)
    written = time.perf_counter() - begun
    page = context.new_page()
    page.add_init_script(OBSERVE)

    page.goto((tmp_path / "index.html").as_uri())
    page.wait_for_selector("html[data-ready]")
    ready = page.evaluate("document.documentElement.dataset.ready")
    expect(page.locator("#count")).to_have_text("5,000 cases")
    assert page.locator("table.cases tbody tr").count() <= 400
    page.fill("#filter-text", "case-049")
    expect(page.locator("#count")).to_have_text("100 of 5,000 cases")
    page.click("#clear")
    expect(page.locator("#count")).to_have_text("5,000 cases")
    for _ in range(5):
        page.mouse.wheel(0, 20_000)
        page.wait_for_timeout(50)
    page.locator("table.cases a.case").first.click()
    expect(page.locator("#case-title")).to_be_focused()

    longest = max(page.evaluate("longTasks"), default=0)
    size = (tmp_path / "index.html").stat().st_size
    with capsys.disabled():
        print(
            f"\n{CASES} cases: index {size / 1e6:.2f} MB, written in {written:.2f} s, first row after {ready} ms, "
            f"longest task {longest:.0f} ms (of those above {LONG_TASK} ms)"
        )
    assert size < 5_000_000
