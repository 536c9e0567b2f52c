"""The page of a report as a reader uses it: opened from disk, filtered, a case opened, with the keyboard alone."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.report_data.model import Environment, with_cases
from tests.html_report.conftest import Open
from tests.html_report.sample_results import CRASHED, MESSAGE, case, earlier_sample, many, run, sample

pytestmark = pytest.mark.browser

REFUSED = "history/lost-result@openai-chat+plain"
ANNOUNCED = "#count"


def rows(page: Page) -> list[str]:
    return page.locator("table.cases tbody a.case").all_inner_texts()


def test_overview_says_how_many_passed_and_what_failed(show: Open) -> None:
    page = show()

    assert page.title() == "agent conformance: mymodule:Adapter"
    expect(page.locator(".verdict")).to_have_text("failed: 2 new causes in 2 of 7 cases")
    tiles = page.locator(".tiles li").all_inner_texts()
    assert tiles == [
        "2 failed",
        "1 error",
        "1 known",
        "1 not verified",
        "2 passed",
    ]
    assert page.locator("table.causes tbody th").all_inner_texts() == [
        "openai/tool-calls-unanswered",
        "snapshot",
        "answers: KeyError at agent.py:45",
        "property-order",
    ]
    assert page.locator("table.matrix tbody tr").first.locator("td a").all_inner_texts() == [
        "1/1",
        "0/2 1 failed 1 known",
    ]


@pytest.mark.parametrize(
    ("choice", "value", "count"),
    [
        ("outcome", "pass", "2 of 7 cases"),
        ("state", "known", "1 of 7 cases"),
        ("cause", "snapshot", "1 of 7 cases"),
        ("law", "answers", "1 of 7 cases"),
        ("level", "should", "1 of 7 cases"),
        ("area", "round-trip", "3 of 7 cases"),
        ("wire", "openai-chat", "6 of 7 cases"),
    ],
)
def test_filter_is_in_the_address_and_its_count_is_announced(show: Open, choice: str, value: str, count: str) -> None:
    page = show()

    page.select_option(f"#filter-{choice}", value)

    expect(page.locator(ANNOUNCED)).to_have_text(count)
    assert page.locator(ANNOUNCED).get_attribute("aria-live") == "polite"
    assert f"{choice}={value}" in page.url
    page.reload()
    expect(page.locator(ANNOUNCED)).to_have_text(count)
    assert page.input_value(f"#filter-{choice}") == value


def test_findings_are_filtered_together(show: Open) -> None:
    """The case has a new finding and one of level `should`, but none that is both."""
    page = show(fragment="#state=new&level=should")

    expect(page.locator(ANNOUNCED)).to_have_text("0 of 7 cases")


def test_text_is_looked_for_in_ids_titles_and_findings(show: Open) -> None:
    page = show()

    page.fill("#filter-text", "keyerror AGENT.py")

    expect(page.locator(ANNOUNCED)).to_have_text("1 of 7 cases")
    page.click("#clear")
    expect(page.locator(ANNOUNCED)).to_have_text("7 cases")


def test_cell_of_the_table_of_areas_shows_its_cases(show: Open) -> None:
    page = show()

    page.get_by_role("link", name="history on openai-chat: 1 known, 1 failed").click()

    expect(page.locator(ANNOUNCED)).to_have_text("2 of 7 cases")
    assert rows(page) == [REFUSED, "history/ghost@openai-chat+plain"]


def test_case_opens_to_its_finding_and_the_wrong_place_is_marked(show: Open) -> None:
    page = show()

    page.click(f"text={REFUSED} >> nth=-1")

    expect(page.locator("#case-title")).to_be_focused()
    finding = page.locator("article.finding").first
    expect(finding).to_contain_text(f"400 {MESSAGE}")
    finding.get_by_text("For a coding agent: copy as a prompt").click()
    expect(finding.locator("pre.command")).to_contain_text("# Fix in the agent")
    why = page.locator("section", has=page.get_by_role("heading", name="Why, and how to fix it"))
    expect(why).to_contain_text("Add a message with calls and all its results to the history together")
    expect(why.get_by_text("The reference agent: ").first).to_be_visible()
    expect(page.locator(".request.wrong .flag")).to_have_text("#accepted:openai/tool-calls-unanswered is about this")
    marked = page.locator("mark").inner_text()
    assert '"role": "assistant"' in marked
    assert "Go on." not in marked
    finding.get_by_role("button", name="Show the place").click()
    expect(page.locator("#wrong-0")).to_be_focused()


def test_transcript_is_a_conversation_in_order(show: Open) -> None:
    page = show(fragment=f"#case={REFUSED.replace('+', '%2B')}")

    parts = page.locator(".conversation > li > *").all_inner_texts()
    assert [part.split("\n")[0].split(" openai")[0] for part in parts if "is about this" not in part] == [
        "Turn 1",
        "User",
        "Request 1",
        'Runs get_weather {"city": "Oslo"}',
        "error",
    ]


def test_request_is_repeated_with_curl(show: Open) -> None:
    page = show(fragment=f"#case={REFUSED.replace('+', '%2B')}")

    page.get_by_text("Repeat this request with curl").last.click()

    commands = page.locator(".request.wrong pre.command")
    expect(commands).to_have_count(3)
    serve, fake, real = commands.all_inner_texts()
    assert serve == "agent-conformance serve --provider openai --wire openai-chat --port 8080"
    assert fake.startswith("curl -i -X POST http://127.0.0.1:8080/v1/chat/completions \\\n")
    assert '-H "authorization: Bearer $OPENAI_API_KEY"' in real
    assert "https://api.openai.com/v1/chat/completions" in real
    assert "127.0.0.1:PORT" not in fake + real


def test_source_is_a_link_that_says_nothing_of_the_page(show: Open) -> None:
    page = show(fragment=f"#case={REFUSED.replace('+', '%2B')}")

    link = page.locator("a.source").first
    assert link.get_attribute("href") == link.inner_text() == "https://example.org/issues/1"
    assert link.get_attribute("rel") == "noreferrer noopener"
    assert page.locator("a.source", has_text="a recording").count() == 0


def test_passing_case_is_on_a_page_of_its_own(show: Open) -> None:
    page = show()

    page.click("text=round-trip/result-comes-back@openai-chat+plain")

    expect(page.locator("#case-title")).to_contain_text("round-trip/result-comes-back")
    assert "/cases/round-trip.html#case=" in page.url
    expect(page.locator("pre.narrative")).to_contain_text("reply: Hi.")
    page.click("#back")
    page.click("text=All cases")
    expect(page.locator(ANNOUNCED)).to_have_text("7 cases")


def test_stale_entry_is_in_the_table_in_the_list_and_in_its_case(show: Open) -> None:
    stale = replace(case("history/a", "stale"), stale=("history/a#paired",))
    page = show(with_cases(run(), [stale], {}))

    expect(page.locator(".verdict")).to_have_text("failed: no new finding in 1 case, 1 fixed and still in the baseline")

    expect(page.locator("table.causes .badge.stale")).to_have_text("stale")
    expect(page.locator("table.cases .finding-line")).to_have_text("stale paired")
    page.click("table.cases a.case")
    expect(page.locator("#case dl").first).to_contain_text(
        "in the baseline, and did not occur: history/a#paired. Delete"
    )


def test_first_run_says_that_it_wrote_the_baseline(show: Open) -> None:
    known = next(one for one in sample().cases if one.outcome == "known")
    page = show(with_cases(run(), [known], {}))

    words = "passed: no new finding in 1 case, and this run wrote the baseline"
    expect(page.locator(".verdict")).to_have_text(words)


def test_changes_against_the_snapshot_are_shown(show: Open) -> None:
    page = show(fragment="#case=round-trip/prefix@openai-chat%2Bplain")

    assert page.locator(".diff .removed").all_inner_texts() == ["--- recorded\n", "-hello\n"]
    assert page.locator(".diff .added").all_inner_texts() == ["+++ got\n", "+Result: hello\n"]


def test_what_has_changed_since_an_earlier_run_is_counted_and_shown(show: Open) -> None:
    page = show(earlier=earlier_sample())

    section = page.locator("section", has=page.locator("#earlier-title"))
    expect(section).to_contain_text("2026-11-21T12:00:00Z: findings 1 new, 1 fixed, 1 changed, 1 as before.")
    expect(section.locator("summary")).to_have_text("3 cannot be compared")
    section.get_by_text("1 fixed").click()
    expect(page.locator(ANNOUNCED)).to_have_text("1 of 7 cases")
    page.click("table.cases a.case")
    expect(page.locator("#case")).to_contain_text("Fixed since the earlier run")
    expect(page.locator("#case")).to_contain_text("#answers: KeyError: 'ghost' at agent.py:45")


def test_changed_finding_says_what_it_was(show: Open) -> None:
    page = show(earlier=earlier_sample(), fragment="#since=changed&case=history/ghost@openai-chat%2Bplain")

    expect(page.locator("article.finding")).to_contain_text("changed, before: KeyError: 'ghost' at agent.py:12")


def test_without_an_earlier_run_nothing_is_said_of_one(show: Open) -> None:
    page = show()

    assert page.locator("#earlier-title").count() == 0
    assert page.locator("#filter-since").count() == 0


def test_case_that_is_not_there_is_named(show: Open) -> None:
    page = show(fragment="#case=no/such@case")

    expect(page.get_by_role("alert")).to_have_text("There is no case no/such@case on this page.")
    assert page.locator("table.cases").is_visible()


def test_case_is_opened_and_left_with_the_keyboard_alone(show: Open) -> None:
    page = show()

    page.keyboard.press("Tab")
    expect(page.locator("#skip")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#cases-title")).to_be_focused()
    while page.evaluate("!document.activeElement.matches('table.cases a')"):
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.case") == "round-trip/prefix@openai-chat+plain"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator("#case-title")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#overview")).to_be_visible()
    assert page.evaluate("document.activeElement.dataset.case") == "round-trip/prefix@openai-chat+plain"


def test_arrow_keys_move_between_the_cells_of_the_areas(show: Open) -> None:
    page = show()

    page.locator("table.matrix tbody a").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")

    assert (
        page.evaluate("document.activeElement.getAttribute('aria-label')")
        == "round-trip on openai-chat: 1 passed, 1 error, 1 failed"
    )


def test_page_has_landmarks_headings_and_named_controls(show: Open) -> None:
    page = show()

    for role in ("banner", "main", "contentinfo", "search", "status"):
        assert page.get_by_role(role).count() == 1, role
    assert page.locator("h1").count() == 1
    assert page.locator("th:not([scope])").count() == 0
    unnamed = "[...document.querySelectorAll('select, input')].filter((control) => !control.labels.length).length"
    assert page.evaluate(unnamed) == 0
    assert page.evaluate("document.documentElement.lang") == "en"


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_dark_follows_the_system_and_the_switch(show: Open) -> None:
    page = show()
    light = background(page)

    page.emulate_media(color_scheme="dark")
    dark = background(page)
    page.click("#theme")

    assert light == "rgb(255, 255, 255)" != dark
    assert background(page) == light
    expect(page.locator("#theme")).to_have_text("Theme: light")
    page.emulate_media(color_scheme="light")
    page.click("#theme")
    assert background(page) == dark
    page.reload()
    expect(page.locator("#theme")).to_have_text("Theme: dark")


def test_texts_can_be_read_in_light_and_in_dark(show: Open) -> None:
    """The contrast that WCAG 2 demands of small text."""
    page = show(fragment=f"#case={REFUSED.replace('+', '%2B')}")

    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(CONTRAST) == []


CONTRAST = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = (color) => numbers(color).slice(0, 3).map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return numbers(color)[3] === 0 && element.parentElement ? behind(element.parentElement) : color;
  };
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  return [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && hasText(element))
    .map((element) => [element.outerHTML.slice(0, 80), light(getComputedStyle(element).color), light(behind(element))])
    .map(([text, one, other]) => [text, (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)])
    .filter(([, ratio]) => ratio < 4.5);
}"""


def test_browser_that_cannot_unpack_says_so(show: Open) -> None:
    page = show(before="delete window.DecompressionStream")

    expect(page.get_by_role("alert")).to_contain_text("it has no DecompressionStream")
    expect(page.get_by_role("alert")).to_contain_text("results.json")


def test_narrow_screen_scrolls_in_one_direction(show: Open) -> None:
    page = show(fragment=f"#case={REFUSED.replace('+', '%2B')}")

    page.set_viewport_size({"width": 400, "height": 800})

    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.click("#back")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_number_of_cases_of_each_cause_is_in_sight_on_a_narrow_screen(show: Open) -> None:
    page = show()

    page.set_viewport_size({"width": 400, "height": 800})

    numbers = page.locator("table.causes td.number")
    assert numbers.count() >= 2
    for number in numbers.all():
        box = number.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 400


def test_runs_stand_side_by_side_and_a_case_says_how_it_ended_in_the_others(show: Open) -> None:
    other = replace(earlier_sample(), agent=replace(sample().agent, name="another agent"))
    page = show(others=[other])

    table = page.get_by_role("region", name="Runs side by side, table")
    expect(table.locator("thead")).to_contain_text("another agent")
    assert table.locator("thead th").count() == 3
    expect(table.locator("tbody tr").first.locator("td").first).to_have_text(re.compile(r"\d+/\d+"))
    page.goto(f"{page.url.partition('#')[0]}#case={REFUSED.replace('+', '%2B')}")
    expect(page.locator("#main")).to_contain_text("another agent, ")


def test_slowest_cases_are_listed_with_their_time(show: Open) -> None:
    slow = replace(sample().cases[0], seconds=12.34)
    page = show(replace(sample(), cases=(*sample().cases[1:], slow)))

    page.get_by_text("The slowest cases").click()

    expect(page.locator("table.slowest tr").first).to_have_text(f"12.3 s{slow.id}")


def test_line_that_crashed_opens_in_the_editor_at_home_and_in_the_repository_in_ci(
    show: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").touch()
    crashed = replace(CRASHED, origin=CodePlace("agent.py", 12), file_line="agent.py:12", state="new")
    results = replace(sample(), cases=(case("history/ghost", "fail", crashed),))
    in_ci = replace(results, environment=Environment(code="https://git.example/o/r/blob/1f2e/"))

    for shown, address in (
        (results, f"vscode://file{tmp_path}/agent.py:12"),
        (in_ci, "https://git.example/o/r/blob/1f2e/agent.py#L12"),
    ):
        page = show(shown, f"#case={results.cases[0].id.replace('+', '%2B')}")
        assert page.get_by_role("link", name="agent.py:12").get_attribute("href") == address


def test_scenario_stands_beside_the_finding(show: Open) -> None:
    results = sample()
    bundled = "history/pruned-past-the-user"
    cases = [replace(case, scenario=bundled) if case.id == REFUSED else case for case in results.cases]
    page = show(with_cases(results, cases, results.bodies), f"#case={REFUSED.replace('+', '%2B')}")

    expect(page.locator("pre.scenario")).to_contain_text("conversation:")


def test_many_cases_are_shown_as_they_are_scrolled_to(show: Open) -> None:
    page = show(many(1000))

    assert 0 < len(rows(page)) < 500
    page.select_option("#filter-outcome", "pass")
    page.locator("#more").scroll_into_view_if_needed()
    expect(page.locator("table.cases tbody tr").nth(150)).to_be_attached()
    assert len(set(rows(page))) == len(rows(page))


def test_button_shows_more_cases_to_those_who_do_not_scroll(show: Open) -> None:
    page = show(many(1000))
    before = len(rows(page))

    page.locator("#more").focus()
    page.keyboard.press("Enter")

    expect(page.locator("table.cases tbody tr").nth(before)).to_be_attached()
    assert page.evaluate("document.activeElement.matches('table.cases a')")


def test_run_without_a_finding_has_no_table_of_causes(show: Open) -> None:
    page = show(with_cases(run(), [case("history/a", "pass")], {}))

    expect(page.locator(".verdict")).to_have_text("passed: no new finding in 1 case")
    assert page.locator("table.causes").count() == 0
    assert page.locator("#filter-cause").count() == 0
