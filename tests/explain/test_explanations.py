"""Every law, expectation and rule has an explanation of which no part is empty."""

import json
import re
from typing import get_args

import pytest

from agent_conformance.explain import OTHER, Explanation, UnknownId, all_rules, explain, known_ids, scenario_of
from agent_conformance.explain.texts import expectation_texts, explanation_lines, law_texts, rule_texts
from agent_conformance.scenario.model import Demands, LawId
from fake_providers.rule import Family, Rule
from tests.tables import rows
from tools import historic_bugs
from tools.trace.rows import default_rules

PARTS = ("title", "demands", "why", "evidence", "seen", "fixes", "reference")
OTHER_EXPECTATIONS = {"means", "images", "effects"}
"""Beside what the fields of `Demands` name."""
RULES = [rule for _, _, rule in all_rules()]


def test_historic_bugs_are_those_of_the_mutants() -> None:
    """If not: ./dev python -m tests.docs.regenerate --figures=documents."""
    assert historic_bugs.FILE.read_text(encoding="utf-8") == historic_bugs.text()


def provider_of(rule: str) -> str:
    return rule.partition("/")[0]


def empty_parts(explanation: Explanation) -> list[str]:
    """Those without a text, also within a list."""
    values = {part: getattr(explanation, part) for part in PARTS}
    return [part for part, value in values.items() if not value or (isinstance(value, tuple) and not all(value))]


@pytest.mark.parametrize("law", get_args(LawId))
def test_every_law_is_explained(law: str) -> None:
    explanation = explain(law)

    assert empty_parts(explanation) == [], f"laws.yaml: complete `{law}`; without a mutant, evidence is its `evidence:`"
    assert (explanation.kind, explanation.about) == ("law", law)
    assert all(source.source for source in explanation.evidence)


def test_texts_are_of_the_laws_in_their_order() -> None:
    assert tuple(law_texts()) == get_args(LawId)


@pytest.mark.parametrize("kind", [*Demands.__struct_fields__, *sorted(OTHER_EXPECTATIONS), *OTHER])
def test_every_kind_of_expectation_is_explained(kind: str) -> None:
    explanation = explain(kind if kind in OTHER else f"1.{kind}")

    assert empty_parts(explanation) == []
    assert explanation.about == kind


def test_no_text_is_of_an_expectation_that_there_is_not() -> None:
    assert set(expectation_texts()) == {*Demands.__struct_fields__, *OTHER_EXPECTATIONS, *OTHER}


@rows("id", [rule.id for rule in RULES], ids=[rule.id for rule in RULES], group=provider_of)
def test_every_rule_is_explained(id: str) -> None:
    explanation = explain(id)

    assert empty_parts(explanation) == []
    assert str(dict(explanation.facts)["status"]) in explanation.seen[0]
    assert explanation.example is None or explanation.example.change


@rows("rule", RULES, ids=[rule.id for rule in RULES], group=lambda rule: provider_of(rule.id))
def test_every_rule_has_a_remedy_of_one_line(rule: Rule) -> None:
    remedy = rule.remedy.says

    assert remedy != rule.why
    assert 20 < len(remedy) < 200
    assert remedy.endswith(".")


def test_remedies_differ() -> None:
    assert len({rule.remedy.says for rule in RULES}) > 110


def test_every_family_has_its_texts() -> None:
    families = {rule.remedy.family for rule in RULES}

    assert (set(rule_texts()), families) == (set(get_args(Family)), set(get_args(Family)))


def test_rules_of_the_default_run_are_among_them() -> None:
    assert {rule.id for _, rule in default_rules()} <= set(known_ids())


def test_refused_rule_of_a_finding_is_explained_with_the_law() -> None:
    explanation = explain("accepted:openai/tools-empty")

    assert (explanation.id, explanation.kind) == ("accepted:openai/tools-empty", "rule")
    assert (explanation.about, explanation.law) == ("openai/tools-empty", "accepted")
    assert "empty array" in explanation.seen[0]
    assert explanation.example is not None
    assert explanation.example.change == "leave out `tools`"
    assert "Here: leave out `tools`." in explanation.fixes
    assert any("empty array" in source.quote for source in explanation.evidence)


def test_inferred_rule_is_advice() -> None:
    inferred = next(rule for rule in RULES if rule.confidence == "inferred")
    recorded = next(rule for rule in RULES if rule.confidence == "recorded")

    assert explain(inferred.id).level == "should"
    assert explain(recorded.id).level == "must"


@pytest.mark.parametrize(
    ("id", "about", "level"),
    [
        ("1.reply", "reply", "must"),
        ("2.should.requests[0]", "requests", "should"),
        ("1.should.requests[0].images", "images", "should"),
        ("1.should.means[3]", "means", "should"),
        ("request_count", "request_count", "must"),
        ("property-order", "property-order", "should"),
        ("foreign-host", "foreign-host", "should"),
    ],
)
def test_id_of_a_finding_names_what_is_explained(id: str, about: str, level: str) -> None:
    explanation = explain(id)

    assert (explanation.about, explanation.level) == (about, level)


def test_scenario_is_its_file_without_the_comment_on_top() -> None:
    scenario = scenario_of("limits/tokens-are-of-one-request@openai-chat+plain")

    assert scenario is not None
    assert scenario.text.startswith("description: ")
    assert "\nlimits: {context_tokens: " in scenario.text
    assert scenario.comment not in scenario.text
    assert scenario_of("mine/own@openai-chat+plain") is None


def test_case_of_a_finding_adds_its_scenario() -> None:
    explanation = explain("history/pruned-past-the-user@gemini-generate+stream#1.outcome")

    assert explanation.id == "1.outcome"
    assert explanation.scenario is not None
    assert explanation.scenario.id == "history/pruned-past-the-user"
    assert explanation.scenario.source == "https://github.com/zeroclaw-labs/zeroclaw/pull/6303"
    assert "Gemini refuses it" in explanation.scenario.comment


@pytest.mark.parametrize("case", ["incidents/of-our-own@openai-chat", "../../etc/passwd@openai-chat", "history"])
def test_case_of_another_scenario_is_explained_without_it(case: str) -> None:
    assert explain(f"{case}#paired").scenario is None


@pytest.mark.parametrize(
    ("id", "near"),
    [
        ("pared", "paired"),
        ("openai/tool-empty", "openai/tools-empty"),
        ("accepted:openai/tool-empty", "openai/tools-empty"),
        ("1.repyl", "reply"),
    ],
)
def test_unknown_id_names_the_nearest(id: str, near: str) -> None:
    with pytest.raises(UnknownId, match=f"no finding, law or rule `{re.escape(id)}`. Did you mean `{near}`"):
        explain(id)


@pytest.mark.parametrize("id", ["", "#", "x" * 300, "a/b", "accepted:", "1.", "paired:openai/none"])
def test_what_is_no_id_is_unknown_or_a_law(id: str) -> None:
    if id == "accepted:":
        assert explain(id).about == "accepted"
        return
    with pytest.raises(UnknownId):
        explain(id)


def test_json_has_the_same_parts() -> None:
    written = json.loads(json.dumps(explain("paired").as_json()))

    assert written["format"] == 1
    assert all(written[part] for part in PARTS)
    assert {"symbol", "file", "first", "last", "says", "code"} == set(written["reference"][0])


@pytest.mark.parametrize("id", ["paired", "1.reply", "openai/tools-empty", "effects[0]"])
def test_label_and_title_are_apart(id: str) -> None:
    explanation = explain(id)
    lines = list(explanation_lines(explanation))

    assert lines[1].startswith(f"  {explanation.kind} ")
