"""Annotations: one for each cause of new findings, at the agent's file and line, and never more than a runner shows."""

from dataclasses import replace

import pytest

from agent_conformance.adapter.contract import CodePlace
from agent_conformance.report_data.model import Agent, BrokenScenario
from github_steps.annotations import MOST, FilePlace, annotations_of, place_in_repository, place_of_agent
from tests.report_data.made import case, finding, results

AGENT = "import os\n\n\nclass Adapter:\n    def send(self, message): ...\n"


@pytest.fixture
def workspace(tmp_path):
    tmp_path.joinpath("src/shop").mkdir(parents=True)
    tmp_path.joinpath("mymodule.py").write_text(AGENT)
    tmp_path.joinpath("src/shop/agent.py").write_text(AGENT)
    tmp_path.joinpath("src/shop/__init__.py").write_text("from x import y\nmake = Adapter = None\n")
    tmp_path.joinpath("broken.py").write_text("class Adapter(:\n")
    return tmp_path


def annotated(workspace, *cases, agent="mymodule:Adapter", **more):
    run = replace(results(*cases), agent=Agent(agent), **more)
    return annotations_of(run, start=workspace, workspace=workspace)


@pytest.mark.parametrize(
    ("agent", "place"),
    [
        ("mymodule:Adapter", ("mymodule.py", 4)),
        ("mymodule:other", ("mymodule.py", 1)),
        ("./mymodule.py:Adapter", ("mymodule.py", 4)),
        ("shop.agent:Adapter", ("src/shop/agent.py", 4)),
        ("shop:make", ("src/shop/__init__.py", 2)),
        ("broken:Adapter", ("broken.py", 1)),
        ("elsewhere:Adapter", ("", 0)),
        ("cmd:node agent.mjs", ("", 0)),
        ("acp:gemini --acp", ("", 0)),
        ("langgraph", ("", 0)),
        ("/etc/hostname.py:Adapter", ("", 0)),
    ],
)
def test_agent_is_found_where_it_is_defined(workspace, agent, place) -> None:
    assert place_of_agent(agent, start=workspace, workspace=workspace) == FilePlace(*place)


@pytest.mark.parametrize(
    ("origin", "place"),
    [
        (CodePlace("mymodule.py", 5), ("mymodule.py", 5)),
        (CodePlace("framy/pipe.py", 7, CodePlace("src/shop/agent.py", 5)), ("src/shop/agent.py", 5)),
        (CodePlace("gone.py", 5), ("", 0)),
        (CodePlace("/etc/hostname", 1), ("", 0)),
        (CodePlace("../x.py", 1), ("", 0)),
        (CodePlace("a\x00b.py", 5), ("", 0)),
        (None, ("", 0)),
    ],
)
def test_place_of_a_crash_is_a_file_of_the_repository(workspace, origin, place) -> None:
    assert place_in_repository(origin, start=workspace, workspace=workspace) == FilePlace(*place)


def test_file_behind_links_in_a_circle_is_none_of_the_repository(workspace) -> None:
    workspace.joinpath("circle.py").symlink_to("circle.py")

    assert place_of_agent("circle:Adapter", start=workspace, workspace=workspace) == FilePlace()


def test_paths_begin_at_the_workspace_wherever_the_suite_ran(workspace) -> None:
    start = workspace / "src"

    crash = place_in_repository(CodePlace("shop/agent.py", 5), start=start, workspace=workspace)
    assert crash == FilePlace("src/shop/agent.py", 5)
    assert place_of_agent("shop.agent:Adapter", start=start, workspace=workspace) == FilePlace("src/shop/agent.py", 4)


def test_one_annotation_for_a_cause_at_the_place_of_its_crash(workspace) -> None:
    crash = finding("answers", detail="crash at mymodule.py:5", origin=CodePlace("mymodule.py", 5))
    cases = [case(f"history/{name}@openai-chat+plain", "fail", findings=(crash,)) for name in "xy"]
    other = case("tools/z@openai-chat+plain", "fail", findings=(finding("paired"),))

    first, second = annotated(workspace, other, *cases)

    assert first.line.startswith("::error file=mymodule.py,line=5,title=crash at mymodule.py%3A5::2 cases, such")
    assert "history/x@openai-chat+plain#answers%0Aat: turn 1, request 2" in first.line
    assert first.line.endswith("%0Apytest --agent=m:A history/x@openai-chat+plain")
    assert second.line.startswith("::error file=mymodule.py,line=4,title=paired::1 case, such as tools/z")


def test_known_findings_and_advice_are_not_annotated(workspace) -> None:
    findings = (finding("paired", "known"), finding("once", "advice"), finding("bounds", "later"))

    assert annotated(workspace, case(outcome="known", findings=findings)) == []


def test_errors_broken_scenarios_and_stale_entries_are_annotated(workspace) -> None:
    error = case(outcome="error", reason="the fake received no request\nmore")
    stale = case("history/y@openai-chat+plain", "stale", stale=("history/y@openai-chat+plain#paired",))

    found = annotated(
        workspace, error, stale, broken_files=(BrokenScenario("x.yaml", "x.yaml:3: no"),), stray_exits=("x",)
    )

    assert [(one.title, one.place.file) for one in found] == [
        ("error of the set-up, not a finding", "mymodule.py"),
        ("scenario that cannot be read", ""),
        ("the agent wanted to end the process", "mymodule.py"),
        ("entries of the baseline whose findings did not occur", ""),
    ]
    assert found[0].message == "the fake received no request\n1 case, such as history/x@openai-chat+plain"
    assert "history/y@openai-chat+plain#paired\nDelete them" in found[3].message


def test_there_are_no_more_than_a_runner_shows_and_the_rest_is_counted(workspace) -> None:
    cases = [case(f"a/{n}@w+plain", "fail", findings=(finding(f"law-{n:02}"),)) for n in range(MOST + 5)]

    found = annotated(workspace, *cases)

    assert len(found) == MOST
    assert found[-1].message == "6 more causes are in the summary and in the report."
    assert len(annotated(workspace, *cases[:MOST])) == MOST


def test_hostile_texts_stay_texts(workspace) -> None:
    text = "x\n::error::y\r%0A,file=z:" + "long " * 1000
    hostile = finding("answers", detail=text, facts=(("got", text),), origin=CodePlace(text, 1))

    [one] = annotated(workspace, case(text, "fail", findings=(hostile,), rerun=text))

    assert len(one.line.splitlines()) == 1
    assert one.line.startswith("::error file=mymodule.py,line=4,title=answers%3A x%0A%3A%3Aerror")
