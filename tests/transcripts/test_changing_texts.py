"""What an agent makes anew in each run is left out of a narrative; what the scenario says, and what is no id, stays."""

import random
import re
from itertools import pairwise

import pytest

from agent_conformance.transcripts.narrative import without_changing

CHANGING = {
    "at 2026-11-22T17:34:10.123Z": "at TIME",
    "at 2026-11-22 17:34:10,123": "at TIME",
    "at 2026-11-22 17:34 UTC": "at TIME",
    "Today is 2026-11-22.": "Today is DATE.",
    "Today is Sunday, November 22, 2026.": "Today is DATE.",
    "Today is 22 November 2026": "Today is DATE",
    "Sun, 22 Nov 2026 17:34:10 GMT": "DATE",
    "Sun Nov 22 17:34:10 UTC 2026": "DATE",
    "Nov 22, 2026, 5:34 PM": "DATE",
    "[17:34:10] done": "[TIME] done",
    "since 1795369650": "since TIME",
    "since 1795369650123 ms": "since TIME ms",
    "since 1795369650.125": "since TIME",
    "GET http://127.0.0.1:42895/chat": "GET http://127.0.0.1:PORT/chat",
    "localhost:8080 and [::1]:8080": "localhost:PORT and [::1]:PORT",
    "http://127.0.0.1:1234/0123456789abcdef0123/v1": "http://127.0.0.1:PORT/v1",
    "<Agent object at 0x7f3a9c1b04d0>": "<Agent object at 0x...>",
    "/tmp/tmpk3_x9a2b/notes": "/tmp/tmp.../notes",
    "run 5f3a9c1b-04de-4788-9abc-0123456789ab": "run uuid-1",
    "session sess_8f3a9c1b04de": "session agent-id-1",
    "trace 4bf92f3577b34da6a3ce929d0e0e4736": "trace agent-id-1",
    "request req_011CSHoEeqs5C35K2UUqR7Fy": "request agent-id-1",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV": "agent-id-1",
    "chatcmpl-9x7Kd02LmQpZ81vB": "agent-id-1",
}
STAYING = (
    "The order 123456 costs 12.50, since 2020.",
    "Call +49 30 1234567 or 0800 1234567890.",
    "version 3.11.7 of 127.0.0.1",
    "http://example.org:8080/orders/2026",
    "get_weather_forecast_for_two_cities",
    "a-name-of-several-words-that-is-long",
    "mcp__server__read_file_contents",
    "internationalization, AAAAAAAAAAAAAAAAAAAA, aaaaaaaaaaaaaaaaaaaa",
    "gpt-4.1-mini and claude-sonnet-4-20250514",
    "12345678901234567890",
    "ratio 17:34, chapter 3:16",
    "base64encodedtext",
)


@pytest.mark.parametrize("text", CHANGING)
def test_what_changes_from_run_to_run_is_replaced(text: str) -> None:
    assert without_changing(text) == CHANGING[text]


@pytest.mark.parametrize("text", STAYING)
def test_what_people_write_stays(text: str) -> None:
    assert without_changing(text) == text


@pytest.mark.parametrize("text", CHANGING)
def test_what_the_scenario_says_stays(text: str) -> None:
    assert without_changing(text, given=lambda: f"text='{text}'") == text


def test_name_of_a_tool_stays() -> None:
    name = "read_the_contents_a1b2c3d4e5f6"

    assert without_changing(f"calls {name}", kept={name}) == f"calls {name}"
    assert without_changing(f"calls {name}") == "calls agent-id-1"


def test_what_nearly_changes_stays_beside_what_does() -> None:
    pieces = random.Random(7).choices([*CHANGING, *STAYING, "0x", "tmp", "10:20:", "127.0.0.1:", "--", "1 2"], k=600)

    for before, after in pairwise(pieces):
        changed = without_changing(f"{before} | {after}")
        alone = [without_changing(before), without_changing(after)]
        assert [_without_numbers(part) for part in changed.split(" | ")] == [_without_numbers(part) for part in alone]


def _without_numbers(text: str) -> str:
    return re.sub(r"(uuid|agent-id)-\d", r"\1", text)


def test_equal_ids_have_equal_numbers() -> None:
    one, two = "5f3a9c1b-04de-4788-9abc-0123456789ab", "00000000-04de-4788-9abc-0123456789ab"

    assert without_changing(f"{one} {two} {one.upper()}") == "uuid-1 uuid-2 uuid-1"


def test_line_that_comes_again_is_read_with_what_its_own_scenario_says() -> None:
    line = "due 2026-11-22, call sess_a1b2c3d4e5f6g7"

    first = without_changing(line, given=lambda: "due 2026-11-22")
    again = without_changing(f"other sess_zz99yy88xx77ww66\n{line}")

    assert first == "due 2026-11-22, call agent-id-1"
    assert again == "other agent-id-1\ndue DATE, call agent-id-2"


@pytest.mark.parametrize("filler", ["", "x " * 60_000])
def test_long_line_is_read_as_a_short_one_is(filler: str) -> None:
    assert without_changing(f"{filler}at 17:34:10\n{filler}") == f"{filler}at TIME\n{filler}"
