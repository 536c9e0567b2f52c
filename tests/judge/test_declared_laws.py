import re
from pathlib import Path
from typing import get_args

from agent_conformance.judge.laws import LAWS, law_of
from agent_conformance.scenario.model import LawId
from agent_conformance.transcripts.finding import subject_of


def test_laws_are_those_that_a_scenario_may_waive() -> None:
    assert [law.id for law in LAWS] == list(get_args(LawId))


def test_each_law_is_tested():
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))

    assert [law for law in get_args(LawId) if not re.search(rf"['\"]{law}['\"]", tests)] == []


def test_finding_names_its_law() -> None:
    found = {id: law_of(subject_of(id)) for id in ("accepted:openai/role", "paired", "1.reply", "snapshot")}

    assert {id: law.id if law else None for id, law in found.items()} == {
        "accepted:openai/role": "accepted",
        "paired": "paired",
        "1.reply": None,
        "snapshot": None,
    }


def test_mismatch_has_the_id_the_level_and_the_code_of_its_law() -> None:
    [law] = [law for law in LAWS if law.id == "accepted"]
    place = {"turn": 1, "request": 2, "expected": "", "got": "x"}

    of_law = law.broken("ending", **place)
    of_rule = law.broken("ending", **place, rule="openai/role", level="should")

    assert (of_law.subject.id, of_law.subject.code, of_law.level) == ("accepted", "accepted", "must")
    assert (of_rule.subject.id, of_rule.subject.code, of_rule.level) == (
        "accepted:openai/role",
        "openai/role",
        "should",
    )
