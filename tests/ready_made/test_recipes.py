"""The adapters that docs/recipes.md shows, as they stand there. Only under `--recipes`, where their frameworks are."""

import importlib
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from agent_conformance.attach.loading import load_agent
from agent_conformance.run.case_session import CaseSession
from agent_conformance.scenario.cases import RunOptions, cases_of
from tests.bundled import bundled_files
from tests.docs.documents import ROOT, blocks_of

FRAMEWORKS = {
    "smolagents": "smolagents",
    "strands": "strands",
    "llama_index": "llama_index.core",
    "haystack": "haystack",
}
HANDFUL = (
    "arguments/exact-values",
    "declarations/offered-whole",
    "loops/several-rounds",
    "no-tools/json-answer-is-delivered",
    "parallel/all-answered",
    "round-trip/next-turn-remembers",
    "round-trip/same-tool-in-two-rounds",
    "streaming/text-in-order",
)
FAILS = {
    "strands": {
        f"{scenario}#accepted:openai/tools-empty"
        for scenario in ("no-tools/json-answer-is-delivered", "streaming/text-in-order")
    }
}
"""What the page says of them."""

BLOCKS = {block.title.removesuffix("_agent.py"): block for block in blocks_of(ROOT / "docs" / "recipes.md")}


def test_every_recipe_is_tried() -> None:
    assert BLOCKS.keys() == FRAMEWORKS.keys()


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.filterwarnings("default")
def test_recipe_fails_only_where_the_page_says(
    name: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not request.config.getoption("--recipes", default=False):
        pytest.skip("recipes are tried under pytest tests/ready_made --recipes")
    assert find_spec(FRAMEWORKS[name].partition(".")[0]), f"{name} is not installed"
    importlib.import_module(FRAMEWORKS[name])
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / f"{name}_agent.py").write_text(BLOCKS[name].text, encoding="utf-8")
    agent = load_agent(f"{name}_agent:Adapter", cwd=tmp_path)

    files = bundled_files()
    with CaseSession(agent, timeout=60.0) as runner:
        verdicts = [
            runner.run(case)
            for file in files
            if file.id in HANDFUL
            for case in cases_of(file, agent, RunOptions(profiles=("core",)))
        ]

    errors = [verdict.reason for verdict in verdicts if verdict.outcome == "error"]
    failed = {
        f"{verdict.case.partition('@')[0].partition('[')[0]}#{finding.id}"
        for verdict in verdicts
        for finding in verdict.at_level("must")
    }
    assert not errors
    assert failed == FAILS.get(name, set())
    assert sum(verdict.executions for verdict in verdicts) >= 4
