"""`agent-conformance minimise`: what is left has the same finding, and the right agent passes it."""

from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.scenario.loading import ScenarioFile, load_file

CASE = "history/pruned-past-the-user@gemini-generate+plain"
PRUNES = "--agent=agent_conformance.mutants:M2a_prune_first_user"
SHORT = """\
description: two turns
profile: core
conversation:
  - user: Hello.
    model: [{text: Hi.}]
    expect: {reply: Hi.}
  - user: And now?
    model: [{text: Now.}]
    expect: {reply: $what}
examples:
  right: {what: Now.}
  wrong: {what: Then.}
"""


@pytest.fixture
def short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "scenarios" / "area" / "short.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(SHORT)
    return path


def test_finding_remains_in_a_scenario_of_a_third(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    smaller = tmp_path / "scenarios" / "history" / "smaller.yaml"

    assert main(["minimise", CASE, PRUNES, f"--to={smaller}"]) == 0

    said = capsys.readouterr().err
    assert f"{CASE}#" in said
    assert "the reference agent passes it" in said
    file = load_file(smaller, root=tmp_path / "scenarios")
    assert isinstance(file, ScenarioFile)
    scenario = file.rows[None]
    assert (len(scenario.conversation), len(scenario.tools), scenario.history, scenario.system) == (1, 1, [], "")
    before = smaller.read_text()
    assert main(["minimise", str(smaller), PRUNES, "--wire=gemini-generate", "--mode=plain"]) == 0
    assert capsys.readouterr().out == before


def test_wrong_expectation_is_a_finding_of_the_reference_too(short, capsys):
    assert main(["minimise", str(short), "--agent=agent_conformance.reference:Adapter", "--row=wrong"]) == 0

    out, err = capsys.readouterr()
    assert "the reference agent does not pass it, nor the whole one" in err
    assert out.count("user:") == 1
    assert "reply: Then." in out
    assert "examples" not in out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["scenarios/area/short.yaml", "--row=right"], 1, "no case has a finding; tried were area/short[right]@"),
        (["scenarios/area/short.yaml", "--finding=paired"], 1, "no case has the finding paired; tried were"),
        (["scenarios/area/short.yaml", "--row=rihgt"], 2, "`examples` has no row `rihgt`. Did you mean `right`?"),
        (["scenarios/area/short.yaml", "--wire=gemini"], 2, "the agent has no such case; see --row, --wire"),
        (["history/pruned-past-the-usr"], 2, "Did you mean `history/pruned-past-the-user`?"),
        (["scenarios/area/broken.yaml"], 2, "scenarios/area/broken.yaml:1: "),
    ],
)
def test_bad_input_is_one_line_that_says_what_to_do(short, capsys, arguments, code, said):
    short.with_name("broken.yaml").write_text("description: [")

    assert main(["minimise", *arguments, "--agent=agent_conformance.reference:Adapter"]) == code

    out, err = capsys.readouterr()
    assert said in err
    assert out == ""


def test_agent_that_cannot_be_loaded_is_a_usage_error(short, capsys):
    assert main(["minimise", str(short), "--agent=nosuch:Adapter"]) == 4
    assert "nosuch" in capsys.readouterr().err


def test_runs_are_bounded(short, capsys):
    assert main(["minimise", CASE, PRUNES, "--runs=2"]) == 0
    assert "--runs=2 ended it, and it may become smaller" in capsys.readouterr().err


UNSTEADY = """\
from pathlib import Path
from agent_conformance.reference import Adapter as Reference

class Adapter(Reference):
    def __init__(self, setup):
        super().__init__(setup)
        instances = Path("instances")
        instances.write_text(instances.read_text() + "x" if instances.exists() else "x")
        self.is_odd = len(instances.read_text()) % 2

    async def send(self, message):
        async for piece in super().send(message):
            yield piece
        if self.is_odd:
            yield "?"
"""


def test_agent_that_is_not_steady_is_said_to_be(short, capsys):
    Path("unsteady.py").write_text(UNSTEADY, encoding="utf-8")

    code = main(["minimise", str(short), "--agent=unsteady:Adapter", "--row=right", "--finding=stream-is-reply"])

    assert code == 1
    assert "is not found again in the same case: three runs differ" in capsys.readouterr().err
