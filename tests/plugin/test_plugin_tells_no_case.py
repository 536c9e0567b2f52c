"""Nothing that an agent is given or finds in its environment says which case it is in."""

import json
import re

import pytest

AGENT = """
import json, os

class Adapter:
    wires = ("openai-chat",)

    def __init__(self, setup):
        self.setup = setup

    def send(self, message):
        with open("seen.jsonl", "a") as file:
            file.write(json.dumps({**os.environ, "the setup": repr(self.setup)}) + "\\n")
        return "Hi."
"""
CONFTEST = """
import os
import pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    finally:
        with open("after.txt", "a") as file:
            file.write(os.environ["PYTEST_CURRENT_TEST"] + "\\n")
"""
SCENARIO = """
description: a greeting is answered
profile: core
conversation:
  - user: Hello.
    model:
      - text: Hi.
"""
ID = "incidents/named-quetzalcoatl"
PLAIN = ("-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:respx", "-p", "no:syrupy", "-q")

pytest_plugins = ["pytester"]


@pytest.fixture
def folder(pytester: pytest.Pytester):
    path = pytester.path
    (path / "greeting.py").write_text(AGENT)
    (path / "conftest.py").write_text(CONFTEST)
    (path / "scenarios" / "incidents").mkdir(parents=True)
    (path / "scenarios" / f"{ID}.yaml").write_text(SCENARIO)
    return path


@pytest.mark.parametrize("how", [(), ("--agent-isolate",)], ids=["in process", "isolated"])
def test_agent_finds_no_name_of_its_case(folder, pytester: pytest.Pytester, how: tuple[str, ...]) -> None:
    pytester.runpytest_subprocess(*PLAIN, "--agent=greeting:Adapter", *how, "incidents")

    seen = [json.loads(line) for line in (folder / "seen.jsonl").read_text().splitlines()]
    assert seen
    assert [key for one in seen for key, value in one.items() if "quetzalcoatl" in value] == []


def test_program_is_started_without_the_name_of_a_case(folder, pytester: pytest.Pytester) -> None:
    pytester.runpytest_subprocess(*PLAIN, "--agent=cmd:env > environment.txt; exit 1", "incidents")

    text = (folder / "environment.txt").read_text()
    assert "PATH=" in text
    assert re.findall(r"^.*quetzalcoatl.*$", text, re.MULTILINE) == []


def test_name_is_there_again_for_other_plugins_after_the_call(folder, pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess(*PLAIN, "--agent=greeting:Adapter", "incidents")

    assert (folder / "after.txt").read_text().splitlines()[0].startswith(f"{ID}@openai-chat+plain (call)")
    assert "INTERNALERROR" not in result.stdout.str()
