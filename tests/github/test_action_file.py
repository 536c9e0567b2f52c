"""`action.yml` as a runner reads it: its keys are known, what it uses is pinned, and no input is part of a script."""

import re

import pytest

from github_steps.command import FAIL_ON as CHOICES
from github_steps.outcome import FAIL_ON
from tests.github.stand_ins import ACTION, ROOT

STEPS = ACTION["runs"]["steps"]
IDS = [step["name"] for step in STEPS]
RUN_KEYS = {"name", "id", "if", "shell", "run", "env", "working-directory"}
USES_KEYS = {"name", "id", "if", "uses", "with"}
INPUTS = {
    "agent", "profile", "wires", "baseline", "fail-on", "python-version", "install", "args", "report-dir",
    "working-directory", "name", "comment", "sarif", "token",
}  # fmt: skip
OUTPUTS = {"passed", "failed", "known", "not-verified", "errors", "report", "report-url"}


def texts(value):
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [str(value)]


def test_it_is_a_composite_action_with_the_keys_that_there_are() -> None:
    assert set(ACTION) == {"name", "description", "author", "branding", "inputs", "outputs", "runs"}
    assert set(ACTION["runs"]) == {"using", "steps"}
    assert ACTION["runs"]["using"] == "composite"
    assert len(ACTION["description"]) <= 125  # what the marketplace shows


def test_inputs_and_outputs_are_described() -> None:
    assert set(ACTION["inputs"]) == INPUTS
    assert set(ACTION["outputs"]) == OUTPUTS
    for name, about in ACTION["inputs"].items():
        assert set(about) <= {"description", "required", "default"}, name
        assert about["description"], name
        assert isinstance(about.get("default", ""), str), name
        assert about.get("required", False) == ("default" not in about), name
    for name, about in ACTION["outputs"].items():
        assert set(about) == {"description", "value"}, name


@pytest.mark.parametrize("step", STEPS, ids=IDS)
def test_each_step_runs_a_script_in_bash_or_uses_an_action(step) -> None:
    if "uses" in step:
        assert set(step) <= USES_KEYS
        return
    assert {"name", "shell", "run", "env"} <= set(step) <= RUN_KEYS
    assert step["shell"] == "bash"


@pytest.mark.parametrize("step", [step for step in STEPS if "uses" in step], ids=lambda step: step["uses"])
def test_actions_are_pinned_by_the_whole_hash_and_say_their_version(step) -> None:
    assert re.fullmatch(r"(actions|github/codeql-action)/[\w-]+@[0-9a-f]{40}", step["uses"])
    [line] = [line for line in ROOT.joinpath("action.yml").read_text().splitlines() if step["uses"] in line]
    assert re.search(r" # v\d+\.\d+\.\d+$", line)


@pytest.mark.parametrize("step", [step for step in STEPS if "run" in step], ids=lambda step: step["name"])
def test_no_input_is_part_of_a_script(step) -> None:
    """Whatever stands in an input, bash reads it as the value of a variable."""
    assert "${{" not in step["run"]
    named = set(re.findall(r"\$([A-Z_]+)", step["run"]))
    assert named - {"GITHUB_ACTION_PATH"} == set(step["env"]) - {"GITHUB_TOKEN"}
    unquoted = re.findall(r'(?<!["=/])\$([A-Z_]+)(?!")', re.sub(r'"[^"]*"', "", step["run"]))
    assert unquoted == (["INSTALL"] if step["name"] == "Install" else [])


def test_every_input_and_output_that_is_read_exists_and_every_input_is_read() -> None:
    read = " ".join(texts(ACTION["runs"]) + [about["value"] for about in ACTION["outputs"].values()])
    ids = {step["id"] for step in STEPS if "id" in step}

    assert set(re.findall(r"inputs\.([\w-]+)", read)) == INPUTS
    assert set(re.findall(r"steps\.([\w-]+)", read)) == ids


def test_only_the_comment_has_the_token() -> None:
    assert [step["name"] for step in STEPS if "inputs.token" in " ".join(texts(step))] == ["Comment"]


def test_choices_of_fail_on_are_those_of_the_command() -> None:
    assert CHOICES == FAIL_ON
    assert all(f"{choice}" in ACTION["inputs"]["fail-on"]["description"] for choice in CHOICES)
    assert ACTION["inputs"]["fail-on"]["default"] in CHOICES


def test_document_names_every_input_and_output() -> None:
    text = ROOT.joinpath("docs/github-action.md").read_text()

    assert {name for name in INPUTS | OUTPUTS if f"| `{name}` |" not in text} == set()
    for step in STEPS:
        if "uses" in step and "checkout" in step["uses"]:
            assert step["uses"] in text
