"""`--agent-shard=1/3`: each case in one shard, the shards even by what their cases cost, and an empty one green."""

from pathlib import Path

import pytest

from agent_conformance.pytest.shards import cost_of, shard_named, shards_of
from agent_conformance.report_data.folder import read_results
from agent_conformance.scenario.cases import case_of
from agent_conformance.scenario.loading import load_file

ROOT = Path(__file__).parents[2]
pytest_plugins = ["pytester"]

LONG = """\
description: a long conversation
profile: core
conversation:
  - user: Hello.
    model: [{text: Hi.}]
"""
TURN = """\
  - user: And again.
    model: [{text: Hi.}]
"""
IDLE = "shard 3/3 has no case to judge: there are fewer cases than shards, and the others have them."


def written(project, folder):
    return read_results(project.path / folder)


def ids(project, shard, *args):
    project.run("corpus", f"--agent-shard={shard}", "--agent-report=out", *args)
    return {case.id for case in written(project, "out").cases}


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/0", "1/3/5", "a/b", "-1/3", "01/3"])
def test_shard_that_there_is_not_is_a_usage_error(text):
    with pytest.raises(pytest.UsageError, match="write which of how many, such as 1/3"):
        shard_named(text)


def test_long_case_is_alone_in_its_shard(corpus):
    corpus.scenario("history/long", text=LONG + 8 * TURN)
    only = ("--agent-wire=openai-chat", "--agent-mode=plain")

    shards = [ids(corpus, f"{number}/2", *only) for number in (1, 2)]

    assert sorted(shards, key=len) == [
        {"history/long@openai-chat+plain"},
        {"history/x@openai-chat+plain", "history/y@openai-chat+plain"},
    ]


def test_what_an_expression_leaves_is_shared_out(corpus):
    shards = [ids(corpus, f"{number}/2", "-k", "x and plain") for number in (1, 2)]

    assert [len(shard) for shard in shards] == [1, 1]
    assert shards[0] | shards[1] == {"history/x@openai-chat+plain", "history/x@gemini-generate+plain"}


@pytest.mark.parametrize("case", ["history/x@openai-chat+plain", "history/x@*+plain"])
def test_shard_without_a_case_is_green_and_says_why(corpus, case):
    result = corpus.run("corpus", f"--agent-case={case}", "--agent-shard=3/3", "--agent-report=out")

    assert result.ret == written(corpus, "out").exit_code == 0
    result.stdout.fnmatch_lines([IDLE])


def test_shard_of_cases_that_are_not_verified_is_green_beside_others_and_an_error_alone(corpus):
    corpus.scenario("history/z", extra="needs: [images]")
    only = ("corpus", "--agent-wire=openai-chat", "--agent-mode=plain")

    beside = [corpus.run(*only, f"--agent-shard={number}/3") for number in (1, 2, 3)]
    alone = corpus.run("history/z", "--agent-shard=1/1")

    assert [result.ret for result in beside] == [0, 0, 0]
    beside[2].stdout.fnmatch_lines([IDLE])
    assert alone.ret == 3


def test_expression_that_no_case_has_is_no_empty_shard(corpus):
    assert corpus.run("corpus", "-k", "nothing", "--agent-shard=1/3").ret == 5


@pytest.mark.slow
def test_empty_shard_is_green_with_workers_too(corpus):
    case = "--agent-case=history/x@openai-chat+plain"

    result = corpus.run_process("corpus", case, "--agent-shard=3/3", "-n1")

    assert result.ret == 0
    result.stdout.fnmatch_lines([IDLE])


def test_cases_are_shared_out_evenly():
    folder = ROOT / "scenarios" / "loops"
    files = [load_file(path, root=folder.parent) for path in sorted(folder.glob("*.yaml"))]
    cases = [
        case_of(file, row, wire=wire, mode="plain")
        for file in files
        for row in file.rows
        for wire in ("openai-chat", "gemini-generate")
    ]

    shards = shards_of(cases, 4)

    costs = [sum(cost_of(case) for case in cases if case.id in shard) for shard in shards]
    assert sum(map(len, shards)) == len(cases) == len(set().union(*shards))
    assert max(costs) - min(costs) <= 2
    assert min(costs) > 10
