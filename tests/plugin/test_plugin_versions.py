"""`--agent-profile=core@VERSION`: what the suite gained since is shown, and turns nothing red."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import agent_conformance.scenario.versions
from agent_conformance.scenario.loading import ScenarioFile, load_file
from agent_conformance.scenario.versions import written
from tests.plugin.conftest import Project

pytest_plugins = ["pytester"]

PINNED = "--agent-profile=core@2026.12"


class Frozen:
    """A corpus with the scenario `history/x`, of which a version was frozen."""

    def __init__(self, corpus: Project) -> None:
        self.project = corpus
        self.freeze(laws=("paired", "answers"), rules=("openai/role-missing",))

    def freeze(self, *, laws: tuple[str, ...], rules: tuple[str, ...]) -> None:
        folder = self.project.path / "corpus" / "versions"
        folder.mkdir(exist_ok=True)
        loaded = load_file(self.project.path / "corpus" / "history" / "x.yaml", root=self.project.path / "corpus")
        assert isinstance(loaded, ScenarioFile)
        (folder / "2026.12.txt").write_text(written([loaded], laws=laws, rules=rules))

    def run(self, verdict: str, *arguments: str) -> pytest.RunResult:
        self.project.verdicts(f"history/x@openai-chat+plain {verdict}")
        return self.project.run("history/x@openai-chat+plain", *arguments)


@pytest.fixture
def frozen(corpus: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Frozen]:
    monkeypatch.setattr(agent_conformance.scenario.versions, "bundled_scenarios", lambda: corpus.path / "corpus")
    agent_conformance.scenario.versions.version_named.cache_clear()
    yield Frozen(corpus)
    agent_conformance.scenario.versions.version_named.cache_clear()


def test_what_the_version_has_fails(frozen: Frozen) -> None:
    result = frozen.run("must:paired", PINNED)

    result.assert_outcomes(failed=1)
    assert result.ret == 1


def test_a_law_that_came_later_is_shown_and_fails_nothing(frozen: Frozen) -> None:
    result = frozen.run("must:steered", PINNED)

    result.assert_outcomes(passed=1)
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["1 case: 1 passed", "not scored, later than 2026.12:", "  steered · 1 case   history/x@openai-chat+plain"]
    )


def test_a_law_that_came_later_fails_without_the_version(frozen: Frozen) -> None:
    frozen.run("must:steered", "--agent-profile=core").assert_outcomes(failed=1)


def test_a_rule_that_came_later_is_shown_and_fails_nothing(frozen: Frozen) -> None:
    result = frozen.run("must:accepted:openai/tools-empty", PINNED)

    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["not scored, later than 2026.12:", "  openai/tools-empty · 1 case *"])


def test_a_scenario_that_came_later_is_not_scored(frozen: Frozen) -> None:
    frozen.project.scenario("history/later")
    frozen.project.verdicts("history/later@openai-chat+plain must:paired")

    result = frozen.project.run("history/later@openai-chat+*", PINNED, "-rs")

    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(
        [
            "SKIPPED * not scored, added later",
            "2 cases: 0 passed, 2 not scored: nothing was judged",
            "not scored, later than 2026.12:",
            "  added later · 2 cases",
            "  paired · 1 case * history/later@openai-chat+plain",
        ]
    )


def test_a_run_in_which_only_later_scenarios_fail_is_green(frozen: Frozen) -> None:
    frozen.project.scenario("history/later")
    frozen.project.verdicts("history/later@openai-chat+plain must:paired", "history/later@openai-chat+stream error")

    result = frozen.project.run("history/x", "history/later", PINNED)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["8 cases: 4 passed, 4 not scored"])


def test_a_scenario_that_was_changed_is_not_scored(frozen: Frozen) -> None:
    frozen.project.scenario("history/x", extra="system: Be brief.")

    result = frozen.run("must:paired", PINNED)

    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["  changed later · 1 case"])


def test_another_description_changes_nothing(frozen: Frozen) -> None:
    path = frozen.project.path / "corpus" / "history" / "x.yaml"
    path.write_text("# What was seen.\n" + path.read_text().replace("a greeting", "a salutation"))

    frozen.run("must:paired", PINNED).assert_outcomes(failed=1)


def test_a_renamed_scenario_is_the_same(frozen: Frozen) -> None:
    frozen.project.scenario("history/renamed", extra="formerly: [history/x]")
    frozen.project.verdicts("history/renamed@openai-chat+plain must:paired")

    frozen.project.run("history/renamed@openai-chat+plain", PINNED).assert_outcomes(failed=1)


def test_scenarios_of_the_project_are_always_scored(frozen: Frozen) -> None:
    frozen.project.scenario("shop/ours", into="scenarios")
    frozen.project.verdicts("shop/ours@openai-chat+plain must:paired")

    frozen.project.run("shop/ours@openai-chat+plain", PINNED).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("core@2025.1", "there is no version 2025.1 of the corpus; there are 2026.12"),
        ("core@", "there is no version  of the corpus; there are 2026.12"),
        ("core@2026.12,hardened", "give all profiles the same version"),
        ("cor@2026.12", "Did you mean core?"),
    ],
)
def test_wrong_version_is_a_usage_error(frozen: Frozen, profile: str, said: str) -> None:
    result = frozen.run("", f"--agent-profile={profile}")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: *{said}*"])


def test_the_version_is_repeated_in_the_command_for_one_case(frozen: Frozen) -> None:
    frozen.run("must:paired", PINNED).stdout.fnmatch_lines([f"*rerun *{PINNED}*"])


def test_a_version_is_never_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.corpus import freeze

    monkeypatch.setattr(freeze, "bundled_scenarios", lambda: tmp_path)
    monkeypatch.setattr(freeze, "load_folder", lambda *_, **__: ((), ()))
    (tmp_path / "versions").mkdir()
    freeze.freeze("2026.12")

    with pytest.raises(FileExistsError):
        freeze.freeze("2026.12")
