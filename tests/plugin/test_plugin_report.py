"""`--agent-report=DIR`: what a run writes, and when."""

import errno
import json
import os

import pytest

from agent_conformance.pytest import gathering, plugin
from agent_conformance.pytest.gathering import code_address
from agent_conformance.report_data import folder
from agent_conformance.report_data.folder import read_results

pytest_plugins = ["pytester"]

FAILING = "history/x@openai-chat+plain"


def written(project, name="out"):
    return read_results(project.path / name)


def test_results_have_each_case_with_its_findings(corpus):
    corpus.verdicts(f"{FAILING} must:accepted:openai/tools-empty~tools", "history/y@gemini* error")

    result = corpus.run("--agent-report=out", "corpus", "--agent-wire=openai-chat,gemini-generate")

    results = written(corpus)
    assert result.ret == results.exit_code == 3
    assert results.counts == {"pass": 5, "fail": 1, "error": 2}
    assert (results.ended, results.selected, results.agent.name) == ("complete", 8, "mymodule:Adapter")
    assert results.command.endswith(" --agent-wire=openai-chat,gemini-generate corpus")
    case = next(case for case in results.cases if case.id == FAILING)
    assert case.rerun.endswith(f" {FAILING}")
    (finding,) = case.findings
    assert (finding.kind, finding.law, finding.rule) == ("rule", "accepted", "openai/tools-empty")
    assert (finding.state, finding.level, finding.detail) == ("new", "must", "tools")
    assert list(results.rules) == ["openai/tools-empty"]
    assert [law.title for law in results.laws.values()] == ["the provider refuses no request"]


def test_page_and_summary_are_written_beside_the_results(corpus):
    corpus.verdicts(f"{FAILING} must:paired")

    corpus.run("--agent-report=out", "corpus")

    names = {path.name for path in (corpus.path / "out").iterdir()}
    assert names >= {
        "results.json",
        "summary.md",
        "badge.json",
        "results.sarif",
        "index.html",
        "cases",
    }
    assert "results.ndjson" not in names, "results.json says the same"


def test_without_the_option_nothing_is_written_and_nothing_loaded(corpus):
    corpus.pytester.makeconftest(
        "import sys\n"
        "def pytest_unconfigure():\n"
        "    assert 'agent_conformance.pytest.gathering' not in sys.modules\n"
        "    assert 'agent_conformance.report_data.model' not in sys.modules\n"
    )

    assert corpus.run_process("corpus").ret == 0
    assert not list(corpus.path.glob("*/results.*"))


def test_known_findings_have_their_reason(corpus, baseline):
    corpus.verdicts(f"{FAILING} must:paired")
    baseline.write_text(f"- finding: {FAILING}#paired\n  reason: upstream bug\n")

    corpus.run("--agent-report=out", "corpus")

    case = next(case for case in written(corpus).cases if case.id == FAILING)
    assert (case.outcome, case.findings[0].state, case.findings[0].known) == ("known", "known", "upstream bug")


@pytest.mark.slow
def test_workers_write_the_same(corpus):
    corpus.verdicts(f"{FAILING} must:paired")
    corpus.run_process("corpus", "--agent-report=alone")
    corpus.run_process("corpus", "--agent-report=workers", "-n2")

    alone, workers = (json.loads((corpus.path / name / "results.json").read_text()) for name in ("alone", "workers"))
    for each in (alone, workers):
        for case in each["cases"]:
            case["seconds"] = 0
        each |= {"seconds": 0, "started": ""}
    assert workers == alone


def test_interrupted_run_has_the_cases_that_were_judged(corpus):
    corpus.verdicts("history/y@openai-chat+plain interrupt")

    corpus.run_process("corpus", "--agent-report=out")

    results = written(corpus)
    assert (results.ended, results.exit_code, results.selected) == ("interrupted", 2, 8)
    assert 0 < len(results.cases) < 8


def test_run_that_stops_at_the_first_failure_says_so(corpus):
    corpus.verdicts("history/x@* must:paired")

    corpus.run("corpus", "--agent-report=out", "-x")

    assert written(corpus).ended == "stopped"


def test_summary_is_shown_on_the_page_of_a_github_run(corpus, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(corpus.path / "step.md"))
    corpus.verdicts(f"{FAILING} must:paired")

    corpus.run("corpus", "--agent-report=out")

    assert corpus.path.joinpath("step.md").read_text() == corpus.path.joinpath("out/summary.md").read_text()
    assert "failed, 1 new cause in 1 case" in corpus.path.joinpath("out/summary.md").read_text()
    assert "1 failed" in json.loads(corpus.path.joinpath("out/badge.json").read_text())["message"]


def test_folder_that_cannot_be_written_is_an_error_after_the_report(corpus):
    corpus.path.joinpath("out").write_text("a file")

    result = corpus.run("corpus", "--agent-report=out")

    assert result.ret == 3
    result.stdout.fnmatch_lines(["8 cases: 8 passed", "not written, and as it was before:", "  out: File exists"])
    assert corpus.path.joinpath("out").read_text() == "a file"


@pytest.mark.parametrize(
    ("module", "name", "step"),
    [
        (gathering, "write_report", "out"),
        (gathering, "texts_of_rules", "out"),
        (plugin, "judged_in", "what was judged"),
        (plugin, "write_files", "the baseline and the snapshots"),
    ],
)
def test_step_of_the_end_that_fails_is_named_and_costs_no_verdict(corpus, monkeypatch, module, name, step):
    def fails(*arguments, **options):
        raise RecursionError("too deep")

    monkeypatch.setattr(module, name, fails)
    result = corpus.run("corpus", "--agent-report=out")

    assert result.ret == 3
    problem = f"  {step}: the suite failed, please report it: RecursionError: too deep"
    result.stdout.fnmatch_lines(["8 cases: 8 passed", "not written, and as it was before:", problem])


def test_full_disk_is_named_and_costs_no_verdict(corpus, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(folder, "write_whole", full)
    result = corpus.run("corpus", "--agent-report=out")

    assert result.ret == 3
    lines = ["8 cases: 8 passed", "not written, and as it was before:", "  out/results.json: No space left*"]
    result.stdout.fnmatch_lines(lines)


def test_collecting_alone_writes_nothing(corpus):
    corpus.run("corpus", "--agent-report=out", "--collect-only")

    assert not corpus.path.joinpath("out").exists()


def test_configured_folder_starts_from_the_project(corpus):
    corpus.pytester.makepyprojecttoml('[tool.pytest.ini_options]\nagent_report = "reports/agent"')

    corpus.run("corpus")

    assert written(corpus, "reports/agent").counts == {"pass": 8}


def test_shards_together_run_each_case_once(corpus):
    runs = []
    for number in (1, 2, 3):
        result = corpus.run("corpus", f"--agent-shard={number}/3", f"--agent-report=shard{number}")
        runs.append(written(corpus, f"shard{number}"))
        result.assert_outcomes(passed=len(runs[-1].cases), deselected=8 - len(runs[-1].cases))

    ids = [case.id for run in runs for case in run.cases]
    assert len(ids) == len(set(ids)) == 8
    assert [(run.shard.of, run.shard.has, run.selected) for run in runs] == [
        (3, (number,), len(run.cases)) for number, run in enumerate(runs, 1)
    ]


GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "1f2e"}
GITLAB = {"CI_PROJECT_URL": "https://gitlab.example/g/s/r", "CI_COMMIT_SHA": "1f2e"}


@pytest.mark.parametrize(
    ("environment", "folder", "address"),
    [
        (GITHUB, ".", "https://github.com/o/r/blob/1f2e/"),
        (GITHUB, "agents/my shop", "https://github.com/o/r/blob/1f2e/agents/my%20shop/"),
        (GITLAB, "agents", "https://gitlab.example/g/s/r/-/blob/1f2e/agents/"),
        ({}, ".", ""),
        ({"GITHUB_SHA": "1f2e"}, ".", ""),
        (GITHUB, "..", ""),
        ({**GITHUB, "GITHUB_SERVER_URL": "javascript:alert(1)//"}, ".", ""),
        ({**GITHUB, "GITHUB_REPOSITORY": 'o/r"onclick="x'}, ".", ""),
    ],
    ids=str,
)
def test_address_of_the_code_is_that_of_the_commit_that_runs(tmp_path, environment, folder, address):
    (tmp_path / "clone/.git").mkdir(parents=True)

    assert code_address(environment, (tmp_path / "clone" / folder).resolve()) == address
