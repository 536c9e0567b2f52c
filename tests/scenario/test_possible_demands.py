"""Demands that no agent can meet are found at their line, and what is like them and can be met is not."""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.minimise import Document, yaml_text
from agent_conformance.scenario.checks.unmeetable import _may_fit
from agent_conformance.scenario.checks.warnings_ import doubts_of
from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.yaml_files.reading import read
from fake_providers.values.json_texts import validator_of

COUNT = 200
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
NUMBERED = SCENARIO.replace("city: Oslo}", "town: 5}")


def said_of(path: Path) -> list[tuple[int, str]]:
    """The line and the sentence of each mistake and each doubt of this file."""
    file = load_file(path, root=None)
    if not isinstance(file, ScenarioFile):
        return [(problem.line, problem.message) for problem in file]
    rows = [set(doubts_of(scenario)) for scenario in file.rows.values()]
    return [(file.line_of(at), message) for at, message in set.intersection(*rows)]


def found(folder: Path, text: str) -> list[tuple[int, str]]:
    path = folder / "one.yaml"
    path.write_text(text, encoding="utf-8")
    return said_of(path)


@pytest.mark.parametrize(
    ("text", "demand", "sentence"),
    [
        (NUMBERED, "executed: [{get_weather: {town: 5}}]", 'the parameters of `get_weather` refuse `{"town": 5}`'),
        (SCENARIO, "executed: {any_order: [{get_weather: {city: null}}]}", "never runs with that."),
        (SCENARIO, "executed: {one_of: [[{get_weather: {city: null}}], [{get_weather: {}}]]}", "never runs with that."),
        (
            SCENARIO,
            "requests: [{at: 3, tools: [get_weather]}]",
            "has 2 replies in this turn, so there is no",
        ),
        (SCENARIO, "request_count: {min: 3}", "has 2 replies in this turn, so there are not 3 requests that get one."),
        (SCENARIO, "should: {request_count: 4}", "so there are not 4 requests that get one."),
        (SCENARIO, "executed: [{get_weather: {city: Rome}}]", "the model never calls `get_weather` with"),
        (SCENARIO, "reply: It rains in Rome.", "nobody says `it rains in rome.`"),
        (SCENARIO, "reply: {contains: [Rome]}", "nobody says `rome`"),
        (SCENARIO, "requests: [{at: 2, contains: [Rome]}]", "nobody says `rome`"),
        (SCENARIO, "requests: [{at: 2, results: [8 degrees]}]", "nobody says `8 degrees`"),
        (SCENARIO, "requests: [{at: last, system: {contains: [Be brief]}}]", "nobody says `be brief`"),
        (SCENARIO, "state: [Rome]", "nobody says `rome`"),
    ],
)
def test_demand_that_nobody_can_meet_is_found(tmp_path: Path, text: str, demand: str, sentence: str) -> None:
    saying = found(tmp_path, text.replace("DEMAND", demand))

    assert {line for line, _ in saying} == {14}
    assert any(sentence in message for _, message in saying)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("    cancel: {at: tool, n: 2}\n", "the model makes 1 call until here, so no tool runs at call 2."),
        (
            "    steer: {at: tool, n: 3, user: And in Rome?}\n",
            "the model makes 1 call until here, so no tool runs at call 3.",
        ),
        ("effects: {get_weather: 2}\n", "the model makes 1 call, so no tool runs 2 times."),
    ],
)
def test_what_happens_at_a_call_needs_one(tmp_path: Path, change: str, sentence: str) -> None:
    text = SCENARIO.partition("    expect:")[0]

    assert (13, sentence) in found(tmp_path, text + change)
    met = change.replace("n: 2", "n: 1").replace("n: 3", "n: 1").replace("weather: 2", "weather: 1")
    assert not any("the model makes" in said for _, said in found(tmp_path, text + met))


def test_request_has_no_more_results_than_there_are_calls(tmp_path: Path) -> None:
    demand = "requests: [{at: 2, results: [7 degrees and rain, 7 degrees and rain]}]"

    assert any("so there are not 2 results." in said for _, said in found(tmp_path, SCENARIO.replace("DEMAND", demand)))


@pytest.mark.parametrize(
    "demand",
    [
        "executed: [{get_weather: {city: Oslo}}]",
        "executed: {one_of: [[{get_weather: {city: null}}], []]}",
        "requests: [{at: 2, tools: [get_weather], results: [7 degrees and rain]}]",
        "requests: [{at: 2, contains: ['What is  THE weather']}]",
        "request_count: {min: 2}",
        "reply: It is 7 degrees and raining in Oslo.",
        "reply: {lacks: [Rome]}",
    ],
)
def test_demand_that_a_right_agent_meets_is_none(tmp_path: Path, demand: str) -> None:
    assert found(tmp_path, SCENARIO.replace("DEMAND", demand)) == []


@pytest.mark.parametrize(
    ("kind", "sent", "is_met"),
    [
        ("string", "5", True),
        ("integer", "'5'", True),
        ("boolean", "'true'", True),
        ("{type: array, items: {type: string}}", "Oslo", True),
        ("{type: array, items: {type: integer}}", "['5', 6]", True),
        ("{type: array, items: {type: integer}}", "'[5, 6]'", True),
        ("{type: object, properties: {town: {type: integer}}}", "{town: '5'}", True),
        ("integer", "Oslo", False),
        ("integer", "null", False),
        ("{type: array, items: {type: integer}}", "[5, Oslo]", False),
    ],
)
def test_execution_of_what_was_sent_can_be_met_by_an_agent_that_coerces_it(
    tmp_path: Path, kind: str, sent: str, is_met: bool
) -> None:
    text = SCENARIO.replace("parameters: {city: string}", f"parameters: {{city: {kind}}}").replace(
        "{city: Oslo}", f"{{city: {sent}}}"
    )
    sentences = [
        message
        for _, message in found(tmp_path, text.replace("DEMAND", f"executed: [{{get_weather: {{city: {sent}}}}}]"))
    ]

    assert any("never runs with that." in sentence for sentence in sentences) is not is_met


def test_value_within_an_alternative_can_be_met_by_coercion() -> None:
    schema = {"anyOf": [{"properties": {"days": {"type": "integer"}}}, {"required": ["until"]}]}

    assert _may_fit(validator_of(schema), {"days": "5"})
    assert not _may_fit(validator_of(schema), {"days": "many"})


def test_search_for_coercions_gives_up_where_each_value_has_two() -> None:
    fields = {f"field{number:02}": {"anyOf": [{"type": "integer"}, {"type": "array"}]} for number in range(40)}
    schema = {"type": "object", "properties": {**fields, "last": {"enum": [1]}}}

    assert _may_fit(validator_of(schema), {**dict.fromkeys(fields, "5"), "last": "no"})


@pytest.mark.parametrize(
    ("sent", "wanted", "is_met"),
    [
        ('{"city": "Osl', "{city: Osl}", True),
        ('{"city": "O\\u0073lo"}', "{city: Oslo}", True),
        ('{"city": "Oslo"}{"city": "Rome"}', "{city: Rome}", True),
        ("{city: 'Oslo', days: 5,}", "{city: Oslo, days: '5'}", True),
        ("not valid json", "{}", True),
        ('{"city": "Osl', "{city: Oslo}", False),
        ('["Oslo"]', "{city: Oslo}", False),
    ],
)
def test_nothing_is_made_up_out_of_a_broken_text(tmp_path: Path, sent: str, wanted: str, is_met: bool) -> None:
    text = SCENARIO.replace("arguments: {city: Oslo}", f"arguments_text: {json.dumps(sent)}")
    text = text.replace("parameters: {city: string}", "parameters: {type: object}")
    sentences = [
        message for _, message in found(tmp_path, text.replace("DEMAND", f"executed: [{{get_weather: {wanted}}}]"))
    ]

    assert any("the model never calls" in sentence for sentence in sentences) is not is_met


@pytest.mark.parametrize("often", ["times: 9", "forever: true", "until: answered"])
def test_request_for_a_reply_that_is_sent_again_can_be_met(tmp_path: Path, often: str) -> None:
    text = SCENARIO.replace("      - text:", f"        {often}\n      - text:")
    if often == "forever: true":
        text = re.sub("      - text: .*\n", "", text)

    assert found(tmp_path, text.replace("DEMAND", "requests: [{at: 9, tools: [get_weather]}]")) == []


def test_reply_after_the_end_of_its_turn_is_found(tmp_path: Path) -> None:
    text = SCENARIO.replace("    expect:", "      - text: And 8 in Rome.\n    expect:").replace(
        "DEMAND", "outcome: reply"
    )

    assert found(tmp_path, text) == [
        (13, "the reply above ends the turn, so this one never comes. Give it another turn, or `spare: true`.")
    ]
    assert found(tmp_path, text.replace("in Rome.", "in Rome.\n        spare: true")) == []
    assert found(tmp_path, text.replace("in Oslo.\n", "in Oslo.\n        finish: length\n", 1)) == []


# Documents that are wrong for certain: bundled ones with one change, made at random.

Change = Callable[[Document, random.Random], bool]
"""Changes the document in place; false where it has nothing to change."""


def turns_of(document: Document) -> list[Any]:
    return [turn for turn in document["conversation"] if isinstance(turn, dict) and isinstance(turn.get("model"), list)]


def closed(turn: Any) -> bool:
    """Whether the number of its replies is written in it."""
    replies = turn["model"]
    return all(isinstance(reply, dict) and not {"forever", "until", "repeat", "times"} & {*reply} for reply in replies)


def misspelled(document: Document, chance: random.Random) -> bool:
    places = [document, *turns_of(document), *(tool for tool in document.get("tools", []) if isinstance(tool, dict))]
    place = chance.choice([one for one in places if "repeat" not in one])
    name = chance.choice([*place])
    place[f"{name}x"] = place.pop(name)
    return True


def required_one_gone(document: Document, chance: random.Random) -> bool:
    turn = chance.choice(turns_of(document) or [{}])
    place, name = chance.choice([(document, "description"), (document, "profile"), (turn, "user")])
    return place.pop(name, None) is not None


def another_type(document: Document, chance: random.Random) -> bool:
    name = chance.choice([name for name in document if name != "examples"])
    document[name] = chance.choice([{"wrong": 1}, 17, [["wrong"]]])
    return True


def beyond(document: Document, chance: random.Random) -> bool:
    turn = chance.choice(turns_of(document) or [{"model": [{"times": 2}]}])
    if not closed(turn) or {"window", "fallback", "summaries"} & {*document}:
        return False
    wanted = {"at": len(turn["model"]) + chance.randint(1, 9), "count": 2}
    expect = turn.setdefault("expect", {})
    if chance.random() < 0.5 or not isinstance(expect.setdefault("requests", []), list):
        expect["request_count"] = {"min": wanted["at"]}
    else:
        expect["requests"] = [*expect["requests"], wanted]
    return True


def unsaid(document: Document, chance: random.Random) -> bool:
    turn = chance.choice(turns_of(document) or [{}])
    word = "".join(chance.choices("bcdfghjklmnpqrstvwxz", k=12))
    expect = turn.setdefault("expect", {})
    if chance.random() < 0.5:
        expect["reply"] = chance.choice([word, {"contains": [word]}])
    else:
        expect["requests"] = [{"at": "last", "contains": [word]}]
    return True


def uncalled(document: Document, chance: random.Random) -> bool:
    tools = [tool for tool in document.get("tools", []) if isinstance(tool, dict) and "$" not in str(tool.get("name"))]
    if not tools:
        return False
    name = chance.choice([chance.choice(tools).get("name"), "never_declared"])
    turn = chance.choice(turns_of(document) or [{}])
    turn.setdefault("expect", {})["executed"] = [{name: {"made_up": chance.randint(1, 10**9)}}]
    return True


def after_the_end(document: Document, chance: random.Random) -> bool:
    turn = chance.choice(turns_of(document) or [{"model": [{}]}])
    if not turn["model"] or {*turn["model"][-1]} != {"text"} or "$" in str(turn["model"][-1]):
        return False
    turn["model"].append({"text": "One more."})
    return bool(turn["model"][-2]["text"].strip()) if isinstance(turn["model"][-2]["text"], str) else False


def unknown_word(document: Document, chance: random.Random) -> bool:
    name, value = chance.choice([("needs", ["convrsation"]), ("wires", ["openai-chats"]), ("profile", "corre")])
    document[name] = value
    return True


def twice(document: Document, chance: random.Random) -> bool:
    tools = [tool for tool in document.get("tools", []) if isinstance(tool, dict) and "name" in tool]
    if not tools or any("repeat" in tool for tool in tools):
        return False
    document["tools"] = [*document["tools"], chance.choice(tools)]
    return True


def at_no_call(document: Document, chance: random.Random) -> bool:
    turn = chance.choice(turns_of(document) or [{"cancel": {}}])
    if {"cancel", "crash", "steer"} & {*turn} or not all(map(closed, turns_of(document))):
        return False
    moment = {"at": "tool", "n": chance.randint(500, 900)}
    field = chance.choice(["cancel", "crash", "steer"])
    turn[field] = moment | {"cancel": {}, "crash": {"when": "before"}, "steer": {"user": "And in Bergen?"}}[field]
    return True


def more_than_the_calls(document: Document, chance: random.Random) -> bool:
    tools = [tool for tool in document.get("tools", []) if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
    turns = turns_of(document)
    if not tools or not turns or not all(map(closed, turns)):
        return False
    if chance.random() < 0.5:
        document["effects"] = {chance.choice(tools)["name"]: chance.randint(500, 900)}
    else:
        turn = chance.choice(turns)
        turn.setdefault("expect", {})["requests"] = [{"at": "last", "results": [{"blank": False}] * 500}]
    return True


CHANGES: tuple[Change, ...] = (
    at_no_call,
    more_than_the_calls,
    misspelled,
    required_one_gone,
    another_type,
    beyond,
    unsaid,
    uncalled,
    after_the_end,
    unknown_word,
    twice,
)


def wrong_documents(seed: int) -> Iterator[tuple[str, Document]]:
    chance = random.Random(seed)
    paths = sorted(bundled_scenarios().glob("*/*.yaml"))
    while True:
        path, change = chance.choice(paths), chance.choice(CHANGES)
        document = read(path.read_bytes()).value
        if change(document, chance) and document != read(path.read_bytes()).value:
            yield f"{path.stem}, {change.__name__}", document


def unnoticed(seed: int, folder: Path) -> list[str]:
    silent = []
    made = wrong_documents(seed)
    for _ in range(COUNT):
        name, document = next(made)
        path = folder / "one.yaml"
        path.write_text(yaml_text(document), encoding="utf-8")
        if not said_of(path):
            silent.append(f"seed {seed}: {name}\n{path.read_text(encoding='utf-8')}")
    return silent


@pytest.mark.slow
def test_none_of_two_hundred_wrong_documents_passes_in_silence(tmp_path: Path) -> None:
    assert unnoticed(1, tmp_path) == []


@pytest.mark.weekly
def test_none_of_two_hundred_others_passes_in_silence(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    assert unnoticed(seed, tmp_path) == []
