"""`--agent-relations` in a run of pytest: what it takes, where its findings are, and how they live in a baseline."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from agent_conformance.explain import RELATIONS as EXPLAINED
from agent_conformance.pytest.options import with_relations_named
from agent_conformance.relations.scope import RELATIONS
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
AGENT = """\
from dataclasses import replace

from agent_conformance.reference import Adapter as Reference


class Adapter(Reference):
    wires = ("openai-chat",)

    def __init__(self, setup):
        super().__init__(replace(setup, system="Be brief." if setup.stream else ""))
"""
SCENARIO = """\
description: a greeting is answered
profile: core
conversation:
  - user: Hello.
    model:
      - text: Hi.
"""
CASE = "area/hello@openai-chat+stream"
FINDING = f"{CASE}#relation:stream"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    area = tmp_path / "corpus" / "area"
    area.mkdir(parents=True)
    tmp_path.joinpath("agent.py").write_text(AGENT)
    area.joinpath("hello.yaml").write_text(SCENARIO)
    return tmp_path


def run(project: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--agent=agent:Adapter", "--agent-scenarios=corpus", "-q"]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", *options],
        cwd=project,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(project), str(ROOT)))},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def test_bare_option_does_not_take_the_path_behind_it(project: Path) -> None:
    done = run(project, "--agent-relations", "corpus")

    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed, 1 passed" in done.stdout
    assert f"{FINDING}\n  at        turn 1, request 1" in done.stdout
    (rerun,) = [line for line in done.stdout.splitlines() if line.startswith("  rerun ")]
    assert rerun.endswith(f" --agent-relations=all {CASE}")


@pytest.mark.parametrize("options", [("-n", "2"), pytest.param(("--agent-isolate",), marks=pytest.mark.slow)])
def test_finding_is_in_every_file_that_is_written(project: Path, options: tuple[str, ...]) -> None:
    done = run(
        project, "--agent-relations=stream,cuts", "corpus", "--agent-report=out", "--junitxml=junit.xml", *options
    )

    results = json.loads(project.joinpath("out/results.json").read_text())
    (case,) = [case for case in results["cases"] if case["outcome"] == "fail"]
    (finding,) = case["findings"]
    properties = [
        (one.get("name"), one.get("value")) for one in ElementTree.parse(project / "junit.xml").iter("property")
    ]
    assert done.returncode == 1, done.stdout + done.stderr
    assert results["options"]["relations"] == ["stream", "cuts"]
    assert (case["id"], finding["id"], finding["kind"]) == (CASE, "relation:stream", "relation")
    assert "+    system: Be brief." in dict(map(tuple, finding["facts"]))["diff"].splitlines()
    assert ("finding", "relation:stream") in properties
    assert "relation:stream" in project.joinpath("out/summary.md").read_text()


def test_known_difference_is_not_stale_where_it_is_not_checked(project: Path) -> None:
    baseline = project / "agent-baseline.yaml"
    run(project, "--agent-relations", "corpus", "--agent-baseline-update")
    written = baseline.read_text()

    assert f"- finding: {FINDING}\n" in written
    assert "1 passed, 1 xfailed" in run(project, "--agent-relations=stream", "corpus").stdout
    assert "2 passed" in run(project, "corpus", "--agent-baseline-update").stdout
    assert baseline.read_text() == written
    assert "2 passed" in run(project, "--agent-relations=cuts", "corpus").stdout


def test_mended_difference_is_stale(project: Path) -> None:
    project.joinpath("agent-baseline.yaml").write_text(f"- finding: {FINDING}\n  reason: known\n")
    project.joinpath("agent.py").write_text(AGENT.replace('"Be brief." if setup.stream else ""', '"Be brief."'))

    done = run(project, "--agent-relations", "corpus")

    assert done.returncode == 1
    assert "1 passed, 1 stale" in done.stdout


def test_unknown_relation_is_named(project: Path) -> None:
    done = run(project, "--agent-relations=streams", "corpus")

    assert done.returncode == 4
    assert (
        "--agent-relations=streams: there is all, repeat, stream, cuts, wire, names, order. Did you mean" in done.stderr
    )


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["--agent-relations"], ["--agent-relations=all"]),
        (["--agent-relations", "history/x"], ["--agent-relations=all", "history/x"]),
        (["--agent-relations", "-q"], ["--agent-relations=all", "-q"]),
        (["--agent-relations", "stream,wire", "-q"], ["--agent-relations=stream,wire", "-q"]),
        (["--agent-relations=names", "cuts"], ["--agent-relations=names", "cuts"]),
    ],
)
def test_bare_option_means_all(typed: list[str], meant: list[str]) -> None:
    assert with_relations_named(typed) == meant


def test_every_relation_is_explained() -> None:
    assert EXPLAINED == RELATIONS
