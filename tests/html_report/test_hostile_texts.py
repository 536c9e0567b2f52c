"""What an agent or a model wrote stays text: no markup, no script, no link and no hidden order, in any field."""

import subprocess
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from agent_conformance.html_report import write_page
from agent_conformance.report_data.model import Results
from tests.html_report.conftest import Open
from tests.html_report.sample_results import sample

MARKUP = """</script><script>document.title='pwned'</script><img src=x onerror="document.title='pwned'">"""
TEXTS = {
    "markup": MARKUP,
    "attributes": "\"' onfocus=document.title='pwned' autofocus x=\"><svg/onload=document.title='pwned'>",
    "comments": "<!--<script>--!>]]><![CDATA[<style>*{display:none}</style>",
    "templates": "{{ 7*7 }}{% raw %}${document.title='pwned'}",
    "order": "\u202ednetxe\u202c \u2066a\u2069 \u200b\u00ad\x1b[31m\x00",
    "javascript": "javascript:document.title='pwned'//https://example.org/",
    "shell": "'; touch pwned; $(touch pwned) `touch pwned` \\",
}
LITERAL = {"outcome", "state", "level", "kind", "ended", "answer", "lost", "transport", "models"}
"""Fields whose values are words of our own; a reader refuses results with others."""
IDS = {"id", "request", "response"}


def hostile(value: Any, text: str) -> Any:
    """The value with this text at the end of every string in it, but for words of our own."""
    if isinstance(value, str):
        return value + text
    if isinstance(value, tuple):
        return tuple(hostile(one, text) for one in value)
    if isinstance(value, dict):
        return {hostile(key, text): hostile(one, text) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{f.name: hostile(getattr(value, f.name), text) for f in fields(value) if f.name not in LITERAL}
        )
    return value


def hostile_results(text: str) -> Results:
    results = sample()
    return replace(hostile(results, text), counts=results.counts)


def markup_in(page: Page) -> list[str]:
    """Elements that the page does not make by itself."""
    return page.locator(
        "img, svg, iframe, object, embed, base, link, body style, body script:not([type]) ~ script"
    ).all_inner_texts()


def leads(page: Page) -> set[str]:
    """The schemes of all links."""
    return set(page.evaluate("[...document.links].map((link) => link.protocol)"))


@pytest.mark.browser
@pytest.mark.parametrize("kind", TEXTS)
def test_hostile_text_in_every_field_is_shown_as_it_is(show: Open, kind: str) -> None:
    page = show(hostile_results(TEXTS[kind]))
    cases = page.locator("table.cases a.case")
    here = [place for place in range(cases.count()) if str(cases.nth(place).get_attribute("href")).startswith("#")]

    assert len(here) == 4
    for place in here:
        cases.nth(place).click()
        page.wait_for_selector("#case-title")
        open_all(page)
        looks_inert(page)
        page.click("#back")
    looks_inert(page)
    cases.nth(cases.count() - 1).click()
    page.wait_for_selector("#case-title")
    assert "/cases/" in page.url
    looks_inert(page)


def open_all(page: Page) -> None:
    """Everything that is folded, also within what is folded; then wait until it is unpacked."""
    for _ in range(2):
        page.evaluate("document.querySelectorAll('#case details').forEach((details) => { details.open = true; })")
        page.wait_for_timeout(50)


def looks_inert(page: Page) -> None:
    shown = page.locator("body").inner_text()
    assert not page.title().startswith("pwned")
    assert markup_in(page) == []
    assert leads(page) <= {"file:", "https:"}
    assert [mark for mark in shown if not mark.isprintable() and mark not in "\n\t"] == []


@pytest.mark.browser
def test_text_is_shown_whole(show: Open) -> None:
    page = show(hostile_results(MARKUP))

    assert MARKUP in page.locator("h1").inner_text()
    assert MARKUP in page.locator("table.cases a.case").first.inner_text()


@pytest.mark.browser
def test_command_cannot_be_left_by_what_the_agent_sent(show: Open, tmp_path: Path) -> None:
    """The shell reads the command as the page shows it, and hands curl the body that was sent."""
    page = show(hostile_results(TEXTS["shell"]))
    page.locator("table.cases a.case").first.click()
    page.locator("#case details > summary", has_text="Repeat this request").last.click()
    expect(page.locator("pre.command")).to_have_count(3)
    commands = page.locator("pre.command").all_inner_texts()
    folder = tmp_path / "shell"
    folder.mkdir()

    for command in commands[1:]:  # the first one is not made by the page
        stand_ins = "curl() { printf '%s\\0' \"$@\"; }; agent-conformance() { :; };"
        shell = subprocess.run(["bash", "-c", f"{stand_ins}\n{command}"], cwd=folder, capture_output=True, check=True)
        arguments = shell.stdout.decode().split("\0")
        assert "curl" not in command or arguments[arguments.index("--data-raw") + 1].endswith(TEXTS["shell"])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", TEXTS)
def test_file_has_no_hostile_text_outside_its_data(tmp_path: Path, kind: str) -> None:
    """What is not compressed is the head of the page, whose texts are escaped."""
    write_page(hostile_results(TEXTS[kind]), tmp_path)

    for path in tmp_path.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert text.count("<script") == text.count("</script>") == text.count('<script type="application/json"') + 1
        assert MARKUP not in text
        assert not any(mark in text for mark in "\u202e\u2066\x1b\x00")
