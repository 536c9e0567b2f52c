"""A real run of a real agent, and its page: nothing between the two is made by hand."""

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.html_report.conftest import Observed

pytestmark = [pytest.mark.browser, pytest.mark.slow]

AGENT = "agent_conformance.mutants:M2a_prune_first_user"
CASE = "history/pruned-past-the-user@gemini-generate+plain"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "report"
    chosen = ("history/pruned-past-the-user", "round-trip/result-comes-back")
    command = [sys.executable, "-m", "pytest", f"--agent={AGENT}", "-q", f"--agent-report={folder}", *chosen]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return folder


def test_finding_of_a_real_run_is_marked_explained_and_repeated(
    report: Path, context: BrowserContext, observed: Observed
) -> None:
    page = context.new_page()
    page.goto((report / "index.html").as_uri())
    page.get_by_role("link", name=CASE).first.click()

    finding = page.locator("article.finding").first
    expect(finding).to_contain_text("#accepted:gemini/call-after-user-turn")
    expect(page.locator("section", has_text="Why, and how to fix it").last).to_contain_text("typical fixes")
    expect(page.locator(".request.wrong mark")).to_contain_text('"functionCall"')
    page.locator(".request.wrong").get_by_text("Repeat this request with curl").click()
    expect(page.locator(".request.wrong pre.command").last).to_contain_text('-H "x-goog-api-key: $GEMINI_API_KEY"')
    expect(page.locator("pre.command").first).to_contain_text(f"pytest --agent={AGENT} {CASE}")


def test_every_case_of_a_real_run_opens(report: Path, context: BrowserContext, observed: Observed) -> None:
    page = context.new_page()
    for name in ("index.html", *(f"cases/{path.name}" for path in report.glob("cases/*.html"))):
        page.goto((report / name).as_uri())
        page.wait_for_selector("html[data-ready]")
        fragments = page.eval_on_selector_all(
            "table.cases a.case[href^='#']", "links => links.map((link) => link.hash)"
        )
        assert fragments
        for fragment in fragments:
            page.evaluate("(fragment) => { location.hash = fragment; }", fragment)
            page.wait_for_function("() => document.querySelector('.conversation, .narrative')")
            expect(page.locator("#case .problem")).to_have_count(0)
            page.click("#back")
            expect(page.locator("#overview")).to_be_visible()
