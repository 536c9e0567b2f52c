"""Paths in findings. Those of scenarios start where pytest was started, or in the corpus; others from the project."""

from pathlib import Path

import pytest

from agent_conformance.scenario.files import bundled_scenarios
from agent_conformance.scenario.loading import ScenarioFile, load_file

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


def shown_path_of(path: Path, root: Path, start: Path) -> str:
    loaded = load_file(path, root=root, start=start)
    assert isinstance(loaded, ScenarioFile), loaded
    return loaded.shown


def test_scenario_below_the_working_directory_is_named_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "project" / "scenarios" / "orders" / "y.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(
        "# Why.\ndescription: a fact\nprofile: core\nconversation: [{user: Hello., model: [{text: Hi.}]}]\n"
    )
    monkeypatch.chdir(path.parent)  # as an agent may do

    assert shown_path_of(path, path.parents[1], tmp_path / "project") == "scenarios/orders/y.yaml"
    assert shown_path_of(path, path.parents[1], tmp_path / "project" / "tests") == str(path)


def test_path_of_a_bundled_scenario_is_that_of_the_corpus(tmp_path: Path) -> None:
    corpus = bundled_scenarios()
    path = next(corpus.glob("history/*.yaml"))

    assert shown_path_of(path, corpus, tmp_path) == path.relative_to(corpus).as_posix()
    assert shown_path_of(path, corpus, corpus.parent) == path.relative_to(corpus.parent).as_posix()


def test_source_of_a_finding_is_a_path_in_the_corpus(pytester: pytest.Pytester) -> None:
    case = "history/pruned-past-the-user@gemini-generate+stream"

    result = pytester.runpytest("--agent=agent_conformance.mutants:M2a_prune_first_user", case)

    (source,) = [line.split()[1] for line in result.outlines if line.startswith("  source")]
    assert source.rpartition(":")[0] == "history/pruned-past-the-user.yaml"
    assert (bundled_scenarios() / source.rpartition(":")[0]).is_file()
