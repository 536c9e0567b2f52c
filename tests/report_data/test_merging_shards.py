"""The shards of a run joined: the same as the run in one piece, and a missing shard is red and named."""

from dataclasses import replace

import pytest

from agent_conformance.commands.main import main
from agent_conformance.report_data.folder import ResultsLog, read_results, write_report
from agent_conformance.report_data.model import Shard
from agent_conformance.report_data.summary import verdict_of
from tests.report_data.made import case, finding, refused, results

CASES = (case("a/x@w+plain"), refused(), case("b/y@w+plain", "not-verified", reason="needs images"))


def shard(number, *cases, of=3, **more):
    chosen = cases or (CASES[number - 1],)
    failed = any(one.outcome == "fail" for one in chosen)
    return results(*chosen, **{"shard": Shard(of, (number,)), "exit_code": 1 if failed else 0, **more})


@pytest.fixture
def merge(tmp_path, capsys):
    def merged(*shards, code):
        folders = [tmp_path / f"shard{place}" for place in range(len(shards))]
        for folder, run in zip(folders, shards, strict=True):
            write_report(run, folder)
        assert main(["merge", *map(str, folders), "--to", str(tmp_path / "out")]) == code
        said = capsys.readouterr()
        return said.err if code == 2 else (read_results(tmp_path / "out"), said.out)

    return merged


def test_all_shards_are_the_whole_run(merge):
    found, output = merge(shard(3), shard(1), shard(2), code=1)

    whole = results(*CASES, shard=Shard(3, (1, 2, 3)))
    assert found == replace(whole, bodies=found.bodies)
    assert found.bodies == whole.bodies
    assert output == "failed: 1 passed, 1 failed, 1 not verified\n"


def test_missing_shard_is_red_and_named(merge):
    found, output = merge(shard(1), shard(3), code=1)

    assert found.shard.missing == (2,)
    assert verdict_of(found).word == "incomplete"
    assert output == "incomplete: 1 passed, 1 not verified\nmissing shard: 2/3\n"


def test_the_worst_exit_code_and_ending_count(merge):
    found, output = merge(shard(1), shard(2), shard(3, exit_code=3, ended="interrupted", selected=4), code=3)

    assert (found.exit_code, found.ended, found.selected) == (3, "interrupted", 6)
    assert "the run was interrupted after 3 of 6 cases" in output


def test_shard_that_was_killed_is_an_error(tmp_path, capsys):
    write_report(shard(1, of=2), tmp_path / "a")
    log = ResultsLog(tmp_path / "b")
    log.begin(replace(shard(2, of=2), cases=(), bodies={}, counts={}, ended="killed", exit_code=None))
    log.end(replace(shard(2, of=2), cases=(), bodies={}, counts={}, ended="killed", exit_code=None))

    assert main(["merge", str(tmp_path / "a"), str(tmp_path / "b"), "--to", str(tmp_path / "out")]) == 3
    assert "the run was killed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (shard(1, CASES[1]), "shard 1/3 is given twice, as "),
        (shard(2, of=2), "a shard of 2, "),
        (results(), " is no shard: it was made without --agent-shard"),
        (shard(2, CASES[0]), "a/x@w+plain is in "),
        (shard(2, command="pytest -k x", agent=replace(results().agent, name="other:A")), "agent, name is 'other:A'"),
    ],
)
def test_what_is_no_shard_of_the_same_run_is_a_usage_error(merge, second, problem):
    assert problem in merge(shard(1), second, code=2)


def test_report_is_made_again_from_its_results(tmp_path, capsys):
    write_report(results(), tmp_path)
    (tmp_path / "summary.md").write_text("old")
    (tmp_path / "badge.json").unlink()
    assert not (tmp_path / "index.html").exists()

    assert main(["report", str(tmp_path)]) == 0

    assert capsys.readouterr().out == "failed: 1 passed, 2 failed, 1 known, 1 not verified\n"
    assert (tmp_path / "summary.md").read_text().startswith("## agent conformance: failed")
    assert (tmp_path / "badge.json").is_file()
    assert (tmp_path / "index.html").is_file()


def test_report_of_a_run_that_was_killed_is_made_of_its_lines(tmp_path):
    log = ResultsLog(tmp_path)
    begun = replace(results(), cases=(), bodies={}, counts={}, ended="killed", exit_code=None)
    log.begin(begun)
    log.end(begun)

    assert main(["report", str(tmp_path)]) == 0

    assert read_results(tmp_path).ended == "killed"
    assert (tmp_path / "results.json").is_file()


def test_folder_without_results_is_a_usage_error(tmp_path, capsys):
    assert main(["report", str(tmp_path)]) == 2
    assert "has no results.json" in capsys.readouterr().err


def test_finding_of_a_shard_keeps_its_rule_and_bodies(merge):
    found, _ = merge(shard(1, case(findings=(finding(),), outcome="fail"), of=1), code=1)

    assert found.cases[0].findings == (finding(),)
    assert found.rules == results().rules


@pytest.mark.parametrize("code", [-15, 256, 10**30])
def test_exit_code_that_no_process_has_is_not_read(code, tmp_path, capsys):
    """The system would make 0 of 256."""
    write_report(shard(1, of=1, exit_code=code), tmp_path / "one")

    assert main(["merge", str(tmp_path / "one"), "--to", str(tmp_path / "out")]) == 2
    assert "its exit_code is none that a process has" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
