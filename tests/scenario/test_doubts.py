"""What `check` warns of: each doubt is found at its line, and what is like it and right is not."""

from pathlib import Path

import pytest

from agent_conformance.scenario.checks.warnings_ import doubts_of, twins_in
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.model import Scenario

SCENARIO = """\
description: a city is asked for
profile: hardened
tools:
  - name: get_weather
    description: Current weather for a city.
    parameters: {city: string}
    returns: 7 degrees and rain
conversation:
  - user: What is the weather in Oslo?
    model:
      - calls: [{name: get_weather, arguments: {city: Oslo}}]
      - text: It is 7 degrees and raining in Oslo.
    expect:
      DEMAND
"""
TAGGED = '\'<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>\''


def loaded(tmp_path: Path, text: str) -> ScenarioFile:
    path = tmp_path / "area" / "one.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    file = load_file(path, root=tmp_path)
    assert isinstance(file, ScenarioFile), file
    return file


def one(tmp_path: Path, text: str) -> Scenario:
    return loaded(tmp_path, text).rows[None]


def found(tmp_path: Path, text: str) -> list[str]:
    return [message for _, message in doubts_of(one(tmp_path, text))]


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        ("reply: {contains: ['']}", "contains an empty one"),
        ("requests: [{at: 1, contains: [Oslo, '']}]", "contains an empty one"),
        ("requests: [{at: 2, added: {contains: ['']}}]", "contains an empty one"),
        ("state: ['']", "contains an empty one"),
        ("request_count: {min: 0}", "any number is at least 0"),
        ("requests: [{at: 2, count: {min: 0}}]", "any number is at least 0"),
        ("requests: [{at: 2, waited: {at_least: 0}}]", "waits at least 0 seconds"),
        ("reply: {matches: '.*'}", "`matches` matches any reply"),
        ("reply: {matches: '(\\w+ ?)+$'}", "`matches` may take forever"),
        ("{request_count: 2, should: {request_count: 2}}", "`request_count` is demanded above"),
    ],
)
def test_demand_that_nothing_violates_is_found_at_its_line(tmp_path: Path, demand: str, words: str) -> None:
    text = SCENARIO.replace(
        "expect:\n      DEMAND", f"expect: {demand}" if demand[0] == "{" else f"expect:\n      {demand}"
    )
    file = loaded(tmp_path, text)
    [(path, message)] = doubts_of(file.rows[None])

    assert words in message
    assert file.line_of(path) in (13, 14)


def test_effects_that_nothing_violates_are_doubtful(tmp_path: Path) -> None:
    text = SCENARIO.replace("DEMAND", "outcome: reply") + "effects: {get_weather: {min: 0}}\n"

    ((path, message),) = doubts_of(one(tmp_path, text))
    assert path == ("effects", "get_weather")
    assert "any number is at least 0" in message


@pytest.mark.parametrize(
    "demand",
    [
        "reply: {contains: [Oslo]}",
        "request_count: {min: 1}",
        "request_count: {max: 3}",
        "requests: [{at: 2, waited: {at_least: 1}}]",
        "reply: {matches: '7 degrees'}",
        "reply: {matches: '\\A(?!(?s:.*)Oslo(?s:.*)Oslo)'}",
        "should: {request_count: 2}",
    ],
)
def test_demand_that_can_be_violated_is_none(tmp_path: Path, demand: str) -> None:
    assert found(tmp_path, SCENARIO.replace("DEMAND", demand)) == []


@pytest.mark.parametrize(
    "raw",
    [
        TAGGED,
        "'[TOOL_CALL]{tool => \"get_weather\"}[/TOOL_CALL]'",
        "'<invoke name=\"get_weather\">'",
        '\'{"name": "get_weather", "arguments": {}}\'',
        '"Action: get_weather\\nAction Input: Oslo"',
    ],
)
def test_text_that_looks_like_a_call_says_what_it_is(tmp_path: Path, raw: str) -> None:
    text = SCENARIO.replace("text: It is 7 degrees and raining in Oslo.", f"text: {raw}")
    unsaid = text.replace("DEMAND", "outcome: either")
    said = text.replace("DEMAND", "executed: []")

    assert "looks like a call" in "".join(found(tmp_path, unsaid))
    assert found(tmp_path, said) == []


@pytest.mark.parametrize(
    ("means", "is_doubtful"),
    [
        ("{handling: hide}", True),
        ("{handling: hide, never_show: ['<tool_call']}", False),
        ("{handling: show}", False),
    ],
)
def test_hidden_call_says_what_is_never_shown(tmp_path: Path, means: str, is_doubtful: bool) -> None:
    text = SCENARIO.replace("text: It is 7 degrees and raining in Oslo.", f"text: {TAGGED}\n        means: {means}")

    assert bool(found(tmp_path, text.replace("DEMAND", "outcome: either"))) is is_doubtful


def test_prose_about_calls_is_no_call(tmp_path: Path) -> None:
    prose = SCENARIO.replace("text: It is 7 degrees and raining in Oslo.", "text: Actions, tools and invoices follow.")

    assert found(tmp_path, prose.replace("DEMAND", "outcome: either")) == []


def test_scenario_that_is_too_large_is_found(tmp_path: Path) -> None:
    large = SCENARIO.replace("DEMAND", "request_count: 2").replace(
        "7 degrees and rain\n", "{repeat: x, times: 1000001}\n"
    )
    often = SCENARIO.replace("DEMAND", "outcome: either").replace(
        "{city: Oslo}}]\n", "{city: Oslo}}]\n        times: 201\n"
    )

    assert "more than 1000000. Use the smallest data" in found(tmp_path, large)[0]
    assert "the reply is sent 201 times" in found(tmp_path, often)[0]
    assert found(tmp_path, often.replace("201", "200")) == []


def test_twin_differs_in_words_of_the_user_alone(tmp_path: Path) -> None:
    first = one(tmp_path, SCENARIO.replace("DEMAND", "request_count: 2"))
    twin = one(
        tmp_path,
        SCENARIO.replace("DEMAND", "request_count: 2")
        .replace("a city is asked for", "something else")
        .replace("What is the weather in Oslo?", "Weather?")
        .replace("It is 7 degrees", "It is  7 Degrees"),
    )
    other = one(tmp_path, SCENARIO.replace("DEMAND", "request_count: {max: 3}"))
    without_id = one(
        tmp_path, SCENARIO.replace("DEMAND", "request_count: 2").replace("[{name: get", "[{id: null, name: get")
    )

    longer = one(
        tmp_path, SCENARIO.replace("DEMAND", "request_count: 2").replace("What is the weather in Oslo?", "Oslo? " * 500)
    )

    named = [("first", first), ("twin", twin), ("other", other), ("without id", without_id), ("longer", longer)]
    assert list(twins_in(named)) == [("twin", "first")]
