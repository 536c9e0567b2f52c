"""`--json`: one object alone on standard output, with the number of its format, and the exit code as without it."""

import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.commands.main import main
from agent_conformance.report_data.folder import write_report
from agent_conformance.report_data.model import Shard
from tests.report_data.made import case, results


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*words: str, code: int = 0) -> dict[str, Any]:
        assert main([*words, "--json"]) == code
        printed: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert printed.pop("format") == 1
        return printed

    return run


def test_check_lists_mistakes_with_their_lines(said: Any, tmp_path: Path) -> None:
    file = tmp_path / "scenarios" / "orders" / "refund.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("description: a refund\nprofil: core\n")

    printed = said("check", str(file), code=1)

    assert (printed["files"], printed["scenarios"], printed["warnings"]) == (1, 0, [])
    [*_, mistake] = [one for one in printed["problems"] if "profil" in one["message"]]
    assert (Path(mistake["file"]).name, mistake["line"]) == ("refund.yaml", 2)


def test_agents_have_a_name_and_how_to_install_them(said: Any) -> None:
    agents = {one.pop("name"): one for one in said("agents")["agents"]}

    assert set(agents["langchain"]) == {"agent", "version", "install"}
    assert agents["opencode"]["agent"] == "acp:opencode acp"


def test_rules_have_provider_wire_and_evidence(said: Any) -> None:
    rule = said("rules", "openai/tools-empty")["rules"][0]

    assert (rule["id"], rule["provider"], rule["wire"], rule["status"]) == (
        "openai/tools-empty",
        "openai",
        "openai-chat",
        400,
    )
    assert rule["evidence"][0]["source"]


def test_mutants_are_listed_with_what_they_break(said: Any) -> None:
    [mutant] = said("mutants", "M2a", "--list")["mutants"]

    assert mutant["name"] == "M2a_prune_first_user"
    assert mutant["breaks"]


@pytest.mark.slow
def test_mutant_has_what_catches_it(said: Any) -> None:
    printed = said("mutants", "M2a", "--named")

    assert (printed["run"], printed["caught"], printed["broken"]) == (1, 1, [])
    assert printed["mutants"][0]["caught_by"][0]["findings"]


def test_show_has_the_case_with_its_bodies(said: Any, tmp_path: Path) -> None:
    write_report(results(), tmp_path)

    printed = said("show", str(tmp_path), "history/y@gemini-generate+stream")

    [shown] = printed["cases"]
    assert (shown["id"], shown["outcome"]) == ("history/y@gemini-generate+stream", "fail")
    asked = shown["turns"][0]["requests"][0]["request"]
    assert printed["bodies"][asked]["method"] == "POST"


def test_merge_has_the_verdict(said: Any, tmp_path: Path) -> None:
    write_report(results(case("a/x@w+plain"), shard=Shard(1, (1,)), exit_code=0), tmp_path / "one")

    printed = said("merge", str(tmp_path / "one"), "--to", str(tmp_path / "out"))

    assert printed == {"verdict": "passed", "counts": "1 passed", "gaps": [], "exit_code": 0}


@pytest.mark.slow
def test_doctor_has_each_check(said: Any) -> None:
    printed = said("doctor", "--agent=agent_conformance.reference:Adapter")

    assert printed["clean"] is True
    assert {"group", "topic", "status", "got", "fix"} == set(printed["checks"][0])
    assert {"topic": "reply", "status": "ok"}.items() <= next(
        one for one in printed["checks"] if one["topic"] == "reply"
    ).items()
