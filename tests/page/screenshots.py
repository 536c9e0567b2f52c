"""The pictures of docs/report.md: `./dev python -m tests.page.screenshots DIR` takes them of the report in DIR."""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.page.browser import chromium

DOCS = Path(__file__).parents[2] / "docs"
MARKED = "openai/tools-empty"
"""A rule that the agent breaks; the request of the picture is short."""
SIZE = {"width": 1100, "height": 760}


def main(folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium())
        page = browser.new_page(viewport=SIZE)
        page.goto((folder.resolve() / "index.html").as_uri())
        page.wait_for_selector("html[data-ready]")
        save(page, "overview")
        page.emulate_media(color_scheme="dark")
        page.evaluate("document.getElementById('matrix-title').scrollIntoView()")
        save(page, "areas-dark")
        page.locator("table.causes td a").first.click()
        page.wait_for_selector("#case-title")
        page.emulate_media(color_scheme="light")
        save(page, "case")
        page.go_back()
        page.locator("table.causes tbody tr", has_text=MARKED).locator("td a").click()
        page.wait_for_selector("mark")
        page.evaluate("document.querySelector('.request.wrong').scrollIntoView()")
        page.wait_for_timeout(200)
        save(page, "place")
        browser.close()


def save(page: Page, name: str) -> None:
    page.screenshot(path=DOCS / f"report-{name}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
