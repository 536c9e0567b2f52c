"""What a baseline says was judged: fewer features, wires, modes or cases fail a run, unless an option accepts them."""

import json

import pytest

pytest_plugins = ["pytester"]

WRITTEN = {
    "cases": {"core, hardened": 12},
    "features": ["conversation"],
    "modes": ["plain", "stream"],
    "snapshots": {},
    "wires": ["openai-chat", "gemini-generate"],
}


@pytest.fixture
def frozen(corpus):
    """Twelve cases, one of them known, and a baseline; a third of them needs the feature of the agent."""
    corpus.scenario("history/needs-it", extra="needs: [conversation]")
    corpus.verdicts("history/x@openai-chat+plain must:paired")
    assert corpus.run("--agent-baseline-update").ret == 0
    return corpus


def judged(project):
    return json.loads(project.path.joinpath("agent-baseline.judged.json").read_text())


def declare(project, before, after):
    path = project.path / "mymodule.py"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))


def test_baseline_has_beside_it_what_was_judged(frozen):
    assert judged(frozen) == WRITTEN
    result = frozen.run()
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*since the baseline*")


def test_feature_that_is_gone_fails_and_says_how_many_cases_it_is(frozen):
    declare(frozen, '{"conversation"}', "set()")
    result = frozen.run()

    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "since the baseline: 4 no longer judged",
            "no longer judged, since the baseline was written (--agent-accept-fewer accepts it once):",
            "  feature conversation, which is not declared any more",
            "  4 of 12 cases of core, hardened",
        ]
    )


def test_mode_or_wire_that_is_gone_fails_also_in_a_part_of_the_run(frozen):
    declare(frozen, '("plain", "stream")', '("plain",)')
    result = frozen.run("--agent-case=history/y")

    assert result.ret == 1
    result.stdout.fnmatch_lines(["since the baseline: fewer judged", "  mode stream, which is not*"])

    declare(frozen, '("openai-chat", "gemini-generate")', '("openai-chat",)')
    frozen.run("--agent-case=history/y").stdout.fnmatch_lines(["  wire gemini-generate, which is not*"])


def test_part_of_the_cases_is_not_fewer(frozen):
    for chosen in (
        ["--agent-case=history/y"],
        ["--agent-mode=plain"],
        ["-k", "history and plain"],
        ["--agent-shard=1/2"],
        ["history/y"],
    ):
        assert frozen.run(*chosen).ret == 0, chosen


def test_scenario_that_is_gone_is_fewer(frozen):
    frozen.path.joinpath("corpus/history/y.yaml").unlink()
    result = frozen.run()

    assert result.ret == 1
    result.stdout.fnmatch_lines(["since the baseline: 4 no longer judged", "  4 of 12 cases of core, hardened"])


def test_fewer_is_accepted_by_an_option_and_by_writing_the_baseline(frozen):
    declare(frozen, '{"conversation"}', "set()")

    assert frozen.run("--agent-accept-fewer").ret == 0
    assert frozen.run().ret == 1
    assert frozen.run("--agent-baseline-update").ret == 0
    assert judged(frozen) == WRITTEN | {"cases": {"core, hardened": 8}, "features": []}
    assert frozen.run().ret == 0


def test_line_says_what_is_fixed_new_and_judged_no_longer(frozen):
    frozen.verdicts("history/y@openai-chat+plain must:once")
    declare(frozen, '{"conversation"}', "set()")

    frozen.run().stdout.fnmatch_lines(["since the baseline: 1 fixed, 1 new, 4 no longer judged"])


def test_changed_snapshot_hides_nothing_that_is_fixed(frozen):
    frozen.run("-p", "syrupy", "--snapshot-update")
    frozen.verdicts("history/x@openai-chat+plain saw:another")
    result = frozen.run("-p", "syrupy")

    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["since the baseline: 1 fixed, 1 new", "stale in the baseline*", "or, to accept what changed*update"]
    )
    assert frozen.run("-p", "syrupy", "--agent-baseline-update", "--snapshot-update").ret == 0
    assert frozen.run("-p", "syrupy").ret == 0


def test_file_that_cannot_be_read_is_named_and_written_anew(frozen):
    path = frozen.path / "agent-baseline.judged.json"
    path.write_text('{"features": 3}')
    result = frozen.run()

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: agent-baseline.judged.json: it cannot be read*--agent-baseline-update*"])
    assert frozen.run("--agent-baseline-update").ret == 0
    assert judged(frozen) == WRITTEN


def test_deleted_snapshots_are_fewer_and_those_of_changed_scenarios_are_not(frozen):
    frozen.run("-p", "syrupy", "--agent-baseline-update", "--snapshot-update")
    assert judged(frozen)["snapshots"] == {"core, hardened": 12}
    frozen.scenario("history/y", extra="system: Be brief.")
    assert frozen.run("-p", "syrupy").ret == 0

    frozen.path.joinpath("agent-snapshots/history/y.ambr").unlink()
    result = frozen.run("-p", "syrupy")

    assert result.ret == 1
    result.stdout.fnmatch_lines(["since the baseline: fewer judged", "  4 of 12 snapshots of core, hardened"])


def test_baseline_that_was_deleted_is_not_created_anew(frozen):
    path = frozen.path / "agent-baseline.yaml"
    path.unlink()
    result = frozen.run("--agent-baseline-create")

    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: agent-baseline.yaml is gone, and agent-baseline.judged.json is there.*"])
    assert not path.exists()
    assert frozen.run("--agent-baseline-update").ret == 0
