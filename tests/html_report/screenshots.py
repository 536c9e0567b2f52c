"""The pictures in the documents: `./dev python -m tests.html_report.screenshots [DIR]`.

Those of docs/pull-requests.md are taken of the reports that this document's own commands write. Those
of docs/report.md are taken of the report in DIR, if one is given.
"""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.docs.documents import ROOT
from tests.docs.projects import run_document
from tests.html_report.browser import chromium
from tests.html_report.comment_picture import comment_page

DOCS = ROOT / "docs"
MARKED = "openai/tools-empty"
"""A rule that the agent of docs/report.md breaks; the request of the picture is short."""
FORGOTTEN = "parallel/all-answered@openai-chat+plain"
"""A case that fails in docs/pull-requests.md; the conversation of the picture is short."""
SIZE = {"width": 1100, "height": 760}


def main(report: Path | None) -> None:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium())
        page = browser.new_page(viewport=SIZE)
        take_pull_requests(page, Path(folder).resolve())
        if report is not None:
            take_report(page, report.resolve())
        browser.close()


def take_pull_requests(page: Page, folder: Path) -> None:
    for difference in run_document(DOCS / "pull-requests.md", folder):
        print(difference, file=sys.stderr)
    for run in ("1-first", "2-worse", "3-better"):
        open_report(page, folder / "reports" / run)
        save(page, f"pull-requests-{run}")
    open_report(page, folder / "reports" / "2-worse", case=FORGOTTEN)
    page.emulate_media(color_scheme="dark")
    page.evaluate("document.querySelector('.request.wrong').scrollIntoView()")
    page.mouse.wheel(0, -60)
    page.wait_for_timeout(200)
    save(page, "pull-requests-2-request")
    page.emulate_media(color_scheme="light")
    page.goto(comment_page(folder / "reports" / "2-worse" / "summary.md", folder).as_uri())
    save(page, "pull-requests-2-comment")


def take_report(page: Page, folder: Path) -> None:
    open_report(page, folder)
    save(page, "report-overview")
    page.emulate_media(color_scheme="dark")
    page.evaluate("document.getElementById('matrix-title').scrollIntoView()")
    save(page, "report-areas-dark")
    page.locator("table.causes td a").first.click()
    page.wait_for_selector("#case-title")
    page.emulate_media(color_scheme="light")
    save(page, "report-case")
    page.go_back()
    page.locator("table.causes tbody tr", has_text=MARKED).locator("td a").click()
    page.wait_for_selector("mark")
    page.evaluate("document.querySelector('.request.wrong').scrollIntoView()")
    page.wait_for_timeout(200)
    save(page, "report-place")


def open_report(page: Page, folder: Path, *, case: str = "") -> None:
    page.goto("about:blank")  # a change of the fragment alone would load nothing
    page.goto((folder / "index.html").as_uri() + (f"#case={case.replace('+', '%2B')}" if case else ""))
    page.wait_for_selector("html[data-ready]")
    if case:
        page.wait_for_selector(".request.wrong")


def save(page: Page, name: str) -> None:
    page.screenshot(path=DOCS / f"{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
