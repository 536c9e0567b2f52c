"""Ways to make a red run green without mending the agent: each is refused, or the run says what it was."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

pytest_plugins = ["pytester"]
pytestmark = pytest.mark.slow

RED = "history/x@openai-chat+plain"
KNOWN = f"- finding: {RED}#paired\n  reason: the pruner\n"
TOLERATED = "- tolerate: openai/tools-empty\n  reason: our proxy\n"
SYRUPY = ("-p", "syrupy")
SNAPSHOT = "agent-snapshots/history/x.ambr"


@dataclass(frozen=True, slots=True)
class Way:
    """What somebody changes in the project, what is typed, and what the run says with this exit code."""

    said: str
    ret: int = 4
    change: Callable[..., object] = lambda project: None
    typed: tuple[str, ...] = ()
    agent: str = "mymodule:Adapter"


def edited(path: str, pattern: str, by: str) -> Callable[..., object]:
    def change(project):
        file = project.path / path
        before = file.read_text()
        after = re.sub(pattern, by, before, count=1)
        assert before != after
        file.write_text(after)

    return change


def removed(path: str) -> Callable[..., object]:
    return lambda project: project.path.joinpath(path).unlink()


def written(path: str, text: str) -> Callable[..., object]:
    return lambda project: project.path.joinpath(path).write_text(text)


WAYS = {
    "another module": Way("*nowhere was not found*", agent="nowhere:Adapter"),
    "another class": Way("*Nothing*", agent="mymodule:Nothing"),
    "a class that sends nothing": Way(
        "*send*", agent="mymodule:Empty", change=written("mymodule.py", "class Empty:\n    wires = ('openai-chat',)\n")
    ),
    "a program that ends": Way("*false*", agent="cmd:false"),
    "no agent": Way("*", agent=""),
    "an unknown profile": Way("*--agent-profile=cor:*", typed=("--agent-profile=cor",)),
    "an unknown wire": Way("*--agent-wire=openai:*", typed=("--agent-wire=openai",)),
    "an unknown provider": Way("*--agent-provider=opnai:*", typed=("--agent-provider=opnai",)),
    "an unknown case": Way("*history/nothing*", typed=("--agent-case=history/nothing",)),
    "an unknown path": Way("*nowhere*", typed=("nowhere/",)),
    "another baseline": Way("*nothing.yaml: no such file*", typed=("--agent-baseline=nothing.yaml",)),
    "an unknown rule": Way("*there is no rule openai/nothing*", typed=("--agent-tolerate=openai/nothing",)),
    "no time": Way("*--agent-timeout=0*", typed=("--agent-timeout=0",)),
    "another level": Way("*--agent-level=none*", typed=("--agent-level=none",)),
    **{
        f"shard {shard}": Way("*--agent-shard=*", typed=(f"--agent-shard={shard}",))
        for shard in ("0/3", "4/3", "1/0", "x", "1/3/3", "-1/3", "3")
    },
    "a word in no name": Way("*deselected*", ret=5, typed=("-k", "zzz")),
    "a mark that nothing has": Way("*deselected*", ret=5, typed=("-m", "zzz")),
    "all deselected": Way("*deselected*", ret=5, typed=("--deselect=history", "--deselect=tools")),
    "an area without a verdict": Way("*nothing was judged*", ret=3, typed=("history/needs-it",),
                                     change=edited("mymodule.py", "{.conversation.}", "set()")),
    "fewer features": Way("*feature conversation, which is not declared any more", ret=1,
                          change=edited("mymodule.py", "{.conversation.}", "set()")),
    "fewer wires": Way("*wire gemini-generate, which is not declared any more", ret=1,
                       change=edited("mymodule.py", ', "gemini-generate"', ",")),
    "fewer modes": Way("*mode stream, which is not declared any more", ret=1,
                       change=edited("mymodule.py", ', "stream"', ",")),
    "fewer scenarios": Way("*no longer judged*", ret=1, change=removed("corpus/history/y.yaml")),
    "a broken scenario": Way("*history/y.yaml*", ret=3, change=written("corpus/history/y.yaml", "description: [\n")),
    "an entry that was deleted": Way(f"{RED}#paired", ret=1, change=written("agent-baseline.yaml", "# none\n")),
    "an entry whose day has passed": Way("*known until 2020-01-31*", ret=1,
                                         change=written("agent-baseline.yaml", f"{KNOWN}  until: 2020-01-31\n")),
    "an entry without a reason": Way("*`reason` is missing*",
                                     change=written("agent-baseline.yaml", KNOWN.partition("  reason")[0])),
    "an entry for everything": Way("*`until` is missing*",
                                   change=written("agent-baseline.yaml", "- finding: '*#*'\n  reason: all\n")),
    "an entry for what is fixed": Way("*stale in the baseline*", ret=1,
                                      change=written("agent-baseline.yaml", KNOWN + KNOWN.replace("paired", "once"))),
    "half a baseline": Way("*agent-baseline.yaml:1*", change=written("agent-baseline.yaml", "- finding: [")),
    "a baseline that is begun anew": Way("*agent-baseline.yaml is gone*", typed=("--agent-baseline-create",),
                                         change=removed("agent-baseline.yaml")),
    "a file of what was judged with less": Way("*it cannot be read*",
                                               change=written("agent-baseline.judged.json", "{}")),
    "an edited digest": Way("*this digest is not that of the text*", ret=3,
                            change=edited(SNAPSHOT, "digest: ....", "digest: 0000")),
    "an edited text": Way("*this digest is not that of the text*", ret=3, change=edited(SNAPSHOT, "Hi", "Ho")),
    "an earlier format": Way("*snapshots of core, hardened", ret=1,
                             change=edited(SNAPSHOT, "agent-conformance-3", "agent-conformance-2")),
    "a conflict marker": Way("*is no line of a snapshot*", ret=3,
                             change=edited(SNAPSHOT, "\n  digest", "\n=====\n  digest")),
    "deleted snapshots": Way("*snapshots of core, hardened", ret=1, change=removed(SNAPSHOT)),
    "a rule that is tolerated": Way("*tolerated, and not broken in this run*", ret=1,
                                    change=written("agent-baseline.yaml", TOLERATED)),
}  # fmt: skip

HIDING = ("baseline-update", "baseline-create", "accept-fewer", "tolerate=openai/tools-empty")
CONFIGURED = {
    **{f"{name} as a key": ("agent_" + name.replace("-", "_").partition("=")[0] + " = true", "") for name in HIDING},
    **{f"{name} in addopts": (f"addopts = -q --agent-{name}", "addopts = ") for name in HIDING},
    "snapshot-update in addopts": ("addopts = --snapshot-update", "addopts = "),
}


@pytest.mark.parametrize(("line", "before"), CONFIGURED.values(), ids=CONFIGURED)
def test_what_hides_findings_has_to_be_typed(corpus, line, before):
    corpus.verdicts(f"{RED} must:paired")
    corpus.pytester.makeini(f"[pytest]\n{line}\n")

    result = corpus.run()

    assert result.ret == 4
    assert not corpus.path.joinpath("agent-baseline.yaml").exists()
    result.stderr.fnmatch_lines(
        [f"ERROR: {before}*in pytest's configuration: there it would hide what every later run finds. Remove it, and*"]
    )


@pytest.mark.parametrize("given", ["agent_baseline_update = true", "agent_tolerate = openai/tools-empty"])
def test_key_that_would_hide_findings_is_refused_on_the_command_line_too(corpus, given):
    assert corpus.run("-o", given).ret == 4


@pytest.mark.parametrize("where", ["variable", "configuration"])
@pytest.mark.parametrize(
    ("option", "said", "ret"),
    [
        ("--version", "*", 0),
        ("--help", "usage:*", 0),
        ("--markers", "@pytest.mark.*", 0),
        ("--fixtures", "*no tests ran*", 0),
        ("--co", "*8 tests collected*", 0),
        ("--setup-plan", "*no tests ran*", 3),
        ("--cache-show", "*", 0),
    ],
)
def test_option_that_runs_nothing_may_be_added_to_every_run(corpus, monkeypatch, where, option, said, ret):
    if where == "variable":
        monkeypatch.setenv("PYTEST_ADDOPTS", option)
    else:
        corpus.pytester.makeini(f"[pytest]\naddopts = {option}\n")

    result = corpus.run()

    assert result.ret == ret
    result.stdout.fnmatch_lines([said])
    assert "INTERNALERROR" not in result.stdout.str() + result.stderr.str()


DROPS = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "history/x" not in item.nodeid]
"""
MARKS = """
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(pytest.mark.{mark}(reason="flaky"))
"""
PASSES = """
import pytest

@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    report = yield
    report.outcome, report.longrepr = "passed", None
    return report
"""
ENDS_WELL = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    session.exitstatus = 0
"""
RUNS_NOTHING = """
def pytest_runtest_protocol(item, nextitem):
    return True
"""
CONFTESTS = {
    "cases that are dropped": Way("*no longer judged*", ret=1, change=written("conftest.py", DROPS)),
    "cases that are skipped": Way("*skipped*", ret=3, change=written("conftest.py", MARKS.format(mark="skip"))),
    "cases that may fail": Way("*1 failed*", ret=1, change=written("conftest.py", MARKS.format(mark="xfail"))),
    "reports that are changed": Way("*1 failed*", ret=1, change=written("conftest.py", PASSES)),
    "another exit code": Way("*1 failed*", ret=1, change=written("conftest.py", ENDS_WELL)),
    "cases that are not run": Way("*no tests ran*", ret=3, change=written("conftest.py", RUNS_NOTHING)),
}
IN_PART = {
    "a wire": Way("in part: 6 of the 12 cases *", typed=("--agent-wire=openai-chat",)),
    "a mode": Way("in part: 6 of the 12 cases *", typed=("--agent-mode=stream",)),
    "cases that are deselected": Way("in part: 8 of the 12 cases *", typed=("--deselect=history/x",)),
    "a word": Way("in part: 4 of the 12 cases *", typed=("-k", "history/y")),
    "another profile": Way("in part: 4 of the 12 cases *", typed=("--agent-profile=hardened",),
                           change=lambda project: project.scenario("history/z", profile="hardened")),
}  # fmt: skip


@pytest.fixture
def frozen(corpus):
    """Green: one finding is known, all cases have a snapshot."""
    corpus.scenario("history/needs-it", extra="needs: [conversation]")
    corpus.verdicts("* saw:Hi.", f"{RED} must:paired saw:Hi.")
    assert corpus.run(*SYRUPY, "--agent-baseline-update", "--snapshot-update").ret == 0
    return corpus


@pytest.mark.parametrize("name", WAYS)
def test_way_to_green_is_refused(frozen, name):
    way = WAYS[name]
    way.change(frozen)

    result = frozen.run(*SYRUPY, *way.typed, agent=way.agent)

    assert result.ret == way.ret
    said = [*result.stdout.lines, *result.stderr.lines]
    assert any(re.fullmatch(re.escape(way.said).replace(r"\*", ".*"), line) for line in said)


@pytest.mark.parametrize("name", CONFTESTS)
def test_hook_of_a_conftest_is_overruled(frozen, name):
    frozen.verdicts("* saw:Hi.", f"{RED} must:paired saw:Hi.", "history/x@gemini-generate+plain must:once saw:Hi.")
    CONFTESTS[name].change(frozen)

    result = frozen.run_process(*SYRUPY)

    assert result.ret == CONFTESTS[name].ret
    result.stdout.fnmatch_lines([CONFTESTS[name].said])


@pytest.mark.parametrize("name", IN_PART)
def test_part_of_the_cases_says_of_how_many(frozen, name):
    way = IN_PART[name]
    way.change(frozen)

    result = frozen.run(*SYRUPY, *way.typed)

    assert result.ret == 0
    result.stdout.fnmatch_lines([f"{way.said} when the baseline was written"])
    assert "in part" not in frozen.run(*SYRUPY).stdout.str()
    assert "in part" not in frozen.run(*SYRUPY, "history/y").stdout.str()


def test_missing_file_of_what_was_judged_is_named(frozen):
    frozen.path.joinpath("agent-baseline.judged.json").unlink()
    edited("mymodule.py", "{.conversation.}", "set()")(frozen)

    result = frozen.run(*SYRUPY)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*nothing says whether less is judged*", "*agent-baseline.judged.json is not there"])
    assert frozen.run(*SYRUPY, "--agent-baseline-update").ret == 0
    assert "nothing says" not in frozen.run(*SYRUPY).stdout.str()


def test_what_is_green_says_what_it_leaves_out(frozen):
    frozen.path.joinpath("agent-baseline.yaml").write_text("- law: paired\n  reason: the pruner\n  until: 2999-01-01\n")
    frozen.scenario("history/x", extra="system: Be brief.")

    result = frozen.run(*SYRUPY)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["*known finding*", "snapshots: * to re-record*"])


def test_three_pull_requests_say_what_they_are(frozen):
    def summary(*typed):
        result = frozen.run(*SYRUPY, "--agent-report=report", *typed)
        page = frozen.path.joinpath("report/index.html").read_text()
        verdict = re.search(r'<p class="verdict \w+">(.*)</p>', page)
        return result, frozen.path.joinpath("report/summary.md").read_text(), verdict[1]

    frozen.verdicts("* saw:Hi.")
    better, said, page = summary()
    assert better.ret == 1
    assert said.startswith("## agent conformance: failed, 1 fixed\n")
    assert f"did not occur: delete these entries.\n\n- `{RED}#paired`" in said
    assert "**Nothing is worse. The run fails until the baseline lacks what is fixed.**" in said
    assert page.endswith("1 fixed and still in the baseline")

    frozen.verdicts("* saw:Hi.", f"{RED} must:paired saw:Hi.", "history/y@* must:once saw:Hi.")
    worse, said, page = summary()
    assert worse.ret == 1
    assert said.startswith("## agent conformance: failed, 1 new cause in 4 cases\n")
    assert "<details><summary>1 in the baseline, which fail nothing</summary>" in said
    assert page == "failed: 1 new cause in 4 of 12 cases"

    frozen.verdicts("* saw:Hi.", f"{RED} must:paired saw:Hi.")
    edited("mymodule.py", "{.conversation.}", "set()")(frozen)
    fewer, said, page = summary()
    assert fewer.ret == 1
    assert said.startswith("## agent conformance: failed, less judged than before\n")
    assert "**no longer judged: feature conversation, which is not declared any more**" in said
    assert "--agent-baseline-update` writes it down" in said
    assert "Nothing is worse" not in said
    assert page.endswith("less judged than before")
    assert frozen.run(*SYRUPY, "--agent-baseline-update").ret == 0
    assert frozen.run(*SYRUPY).ret == 0
