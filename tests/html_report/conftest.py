"""A page that is opened from disk in a real browser, which must neither load anything nor log an error."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from agent_conformance.html_report import write_page
from agent_conformance.report_data.model import Results
from tests.html_report.browser import MISSING, chromium
from tests.html_report.sample_results import sample

Open = Callable[..., Page]


@dataclass(slots=True)
class Observed:
    """What a page did beside showing itself."""

    requests: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Fails where there is no browser: what was not tested must not look as if it had passed.

    Playwright's event loop counts as running in this thread until it is closed, so that no other module of tests could
    run one of its own.
    """
    program = chromium()
    if program is None:
        pytest.fail(MISSING)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    yield context
    context.close()


@pytest.fixture
def observed(context: BrowserContext) -> Iterator[Observed]:
    """At the end of the test: files of the report alone were loaded, and nothing went wrong on any page."""
    seen = Observed()
    context.on("request", lambda request: seen.requests.append(request.url))
    context.on("console", lambda message: seen.messages.append(message.text))
    context.on("weberror", lambda error: seen.messages.append(str(error.error)))
    context.on("dialog", lambda dialog: (seen.dialogs.append(dialog.message), dialog.dismiss()))
    yield seen
    assert [url for url in seen.requests if not url.startswith("file://") or ".html" not in url] == []
    assert seen.messages == []
    assert seen.dialogs == []


@pytest.fixture
def show(context: BrowserContext, observed: Observed, tmp_path: Path) -> Open:
    """Writes the results' page and opens it: `fragment` stands after the name of the file, `before` is a script that
    runs first, `earlier` the run to compare with."""

    def show(
        results: Results | None = None,
        fragment: str = "",
        *,
        before: str = "",
        earlier: Results | None = None,
        others: Sequence[Results] = (),
    ) -> Page:
        write_page(results or sample(), tmp_path, earlier=earlier, others=others)
        page = context.new_page()
        if before:
            page.add_init_script(before)
        page.goto((tmp_path / "index.html").as_uri() + fragment)
        page.wait_for_selector("html[data-ready], .problem")
        return page

    return show
