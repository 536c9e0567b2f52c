"""Paths in findings start from the project, wherever pytest is started, or from the bundled corpus."""

from pathlib import Path

import pytest

from conformance.scenario.corpus import bundled_scenarios
from conformance.scenario.loading import ScenarioFile, load_file

pytest_plugins = ["pytester"]


@pytest.fixture
def inside(project):
    """A subdirectory of a project with a scenario, a baseline and a snapshot of its own."""
    project.scenario("orders/y", into="scenarios")
    project.pytester.makeini("[pytest]")
    project.verdicts("orders/y* saw:before")
    project.run("orders/y", "--snapshot-update")
    project.pytester._monkeypatch.chdir(project.pytester.mkdir("inside"))
    project.path.joinpath("agent-baseline.yaml").write_text(
        "- finding: orders/y@openai-chat+plain#paired\n  reason: known since May\n"
    )
    return project


def test_snapshot_and_baseline_are_named_from_the_project(inside):
    inside.verdicts("orders/y* saw:after")

    result = inside.run("orders/y@openai-chat+plain")
    result.stdout.fnmatch_lines(["  at        agent-snapshots/orders/y.ambr:*"])

    inside.verdicts("orders/y* saw:before")
    result = inside.run("orders/y@openai-chat+plain")
    result.stdout.fnmatch_lines(["  delete    agent-baseline.yaml:1-2"])


def test_scenario_is_named_from_the_project_and_not_from_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "project" / "scenarios" / "orders" / "y.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "# Why.\ndescription: a fact\nprofile: core\nconversation: [{user: Hello., model: [{text: Hi.}]}]\n"
    )
    monkeypatch.chdir(path.parent)

    loaded = load_file(path, root=path.parents[1], project=tmp_path / "project")

    assert isinstance(loaded, ScenarioFile), loaded
    assert loaded.shown == "scenarios/orders/y.yaml"


def test_bundled_scenario_is_named_from_the_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = bundled_scenarios()
    path = next(corpus.glob("history/*.yaml"))

    loaded = load_file(path, root=corpus, project=tmp_path)

    assert isinstance(loaded, ScenarioFile), loaded
    assert loaded.shown == f"scenarios/history/{path.name}"
