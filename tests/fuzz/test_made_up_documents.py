"""What the templates make: documents without mistakes, that some wire can express, the same for a seed and number."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_conformance.attach.loading import load_agent
from agent_conformance.fuzz import Drawn, drawn
from agent_conformance.fuzz.templates import is_of_others, made_from, templates
from agent_conformance.minimise import Document, yaml_text
from agent_conformance.scenario.cases import RunOptions, cases_of
from agent_conformance.scenario.checks.warnings_ import doubts_of
from agent_conformance.scenario.loading import ScenarioFile, load_file

ROOT = Path(__file__).parents[2]
COUNT = 300
DIGEST = """\
import hashlib, json
from agent_conformance.fuzz import drawn
made = [drawn(7, number) for number in (40, 3, 11)]
print(hashlib.sha256(json.dumps([[one.document, one.choice] for one in made]).encode()).hexdigest())
"""


@pytest.fixture(scope="module")
def made() -> list[Drawn]:
    return [drawn(1, number) for number in range(COUNT)]


def _loaded(document: Document, path: Path) -> ScenarioFile:
    path.write_text(yaml_text(document), encoding="utf-8")
    loaded = load_file(path, root=None)
    assert isinstance(loaded, ScenarioFile), loaded
    return loaded


def test_check_accepts_each_document_without_a_doubt(made: list[Drawn], tmp_path: Path) -> None:
    doubtful = {
        number: sentences
        for number, one in enumerate(made)
        if (sentences := [text for _, text in doubts_of(_loaded(one.document, tmp_path / "a.yaml").rows[None])])
    }

    assert doubtful == {}


def test_each_document_has_a_case_for_an_agent_with_all_features(made: list[Drawn], tmp_path: Path) -> None:
    agent = load_agent("agent_conformance.reference:Adapter", cwd=ROOT)

    def without_a_case() -> Iterator[int]:
        for number, one in enumerate(made):
            cases = cases_of(_loaded(one.document, tmp_path / "a.yaml"), agent, RunOptions())
            if not any(not case.missing for case in cases):
                yield number

    assert list(without_a_case()) == []


def test_providers_that_an_agent_does_not_declare_are_not_drawn_for_it(made: list[Drawn], tmp_path: Path) -> None:
    agent = load_agent("tests.agents.right_openai:Adapter", cwd=ROOT)
    documents = [one.document for one in made if is_of_others(one.document)]
    cases = [cases_of(_loaded(document, tmp_path / "a.yaml"), agent, RunOptions()) for document in documents]

    assert any("providers" in document for document in documents)
    assert any("window" in document for document in documents)
    assert not all(document.keys() & {"window", "providers"} for document in documents)
    assert [case.id for of_one in cases for case in of_one if not case.missing] == []


def test_subjects_are_all_drawn_and_descriptions_are_facts(made: list[Drawn]) -> None:
    descriptions = {one.document["description"] for one in made}

    assert len(descriptions) > 0.7 * len({variants[0]["description"] for variants in templates()})
    assert [text for text in descriptions if len(text) > 72 or text.endswith(".")] == []


def test_each_variant_of_a_template_makes_scenarios_without_mistakes(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"

    def check_variant(variant: Mapping[str, Any]) -> None:
        @settings(max_examples=3, derandomize=True, database=None, deadline=None)
        @given(st.data())
        def check(data: Any) -> None:
            _loaded(made_from(data.draw, variant), path)

        check()

    for variant in {id(one): one for variants in templates() for one in variants}.values():
        check_variant(variant)


def test_no_name_of_a_template_is_left(made: list[Drawn]) -> None:
    texts = [re.sub(r"\$(ref|defs)\b", "", json.dumps(one.document)) for one in made]

    assert [found for text in texts for found in re.findall(r"\$\w+|\bNUMBER\b", text)] == []


def test_seed_and_number_give_the_same_document_in_another_process_and_order() -> None:
    done = subprocess.run(
        [sys.executable, "-c", DIGEST],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    here = [drawn(7, number) for number in (11, 3, 40)][::-1]
    text = json.dumps([[one.document, one.choice] for one in here])

    assert done.stdout.strip() == hashlib.sha256(text.encode()).hexdigest()


def test_other_seeds_and_numbers_give_other_documents() -> None:
    texts = {json.dumps(drawn(seed, number).document) for seed in (1, 2) for number in range(20)}

    assert len(texts) > 35
