"""What scenarios, file names and configuration say is printed by each command in printable lines, none a command."""

import ast
import contextlib
import json
import re
from pathlib import Path

import pytest

import agent_conformance
from agent_conformance.commands.main import NAMES, main

EVIL = "\x1b[2J\u202e\n::error::x"
OTHER = "\\e[2J\\u202e\\n::error::x"
"""The same in YAML."""
SCENARIO = f"""\
description: "a{OTHER}"
profile: "{OTHER}"
"{OTHER}": "##[error]"
conversation:
  - user: Hello.
    model: [{{text: Hi.}}]
"""
ROOT = Path(agent_conformance.__file__).parent


def commands_of(name: str, folder: Path) -> list[list[str]]:
    """Ways to have a command say a name or a text."""
    evil, file = f"{folder}/{EVIL}", f"{folder}/{EVIL}.yaml"
    own = {
        "check": [[str(folder)], ["--json", str(folder)], [evil]],
        "new": [[evil], ["--from", file, "shop/x"]],
        "doctor": [[f"--agent={EVIL}:Adapter"], [f"--agent={folder}/{EVIL}.py:Adapter"]],
        "init": [[f"--to={file}"], [f"--agent={EVIL}:Adapter", f"--to={folder}/new"]],
        "serve": [["--provider=openai", f"--script={file}"]],
        "record": [["--provider=openai", f"--upstream={EVIL}", f"--to={file}"]],
        "explain": [[EVIL], ["--json", EVIL]],
        "compare": [[evil, evil]],
        "merge": [[evil, evil, f"--to={file}"]],
        "show": [[evil, EVIL]],
        "report": [[evil]],
        "minimise": [[f"--agent={EVIL}:Adapter", file]],
        "evidence": [[f"--script={file}", "--agent=x:Y"]],
        "mutants": [[EVIL], [f"--scenarios={evil}"]],
        "rules": [[EVIL]],
        "check-request": [["--provider=openai", evil], [f"--provider={EVIL}", evil]],
        "fuzz": [[f"--agent={EVIL}:Adapter"]],
    }
    return [[name, *words] for words in [*own.get(name, []), [f"--{EVIL}"]]]


def wrong_lines(text: str) -> list[str]:
    return [
        line
        for line in text.split("\n")
        if re.match(r"\s*::[^:].*?::", line) or "##[" in line or not line.replace("\t", "").isprintable()
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    area = tmp_path / "scenarios" / "shop"
    area.mkdir(parents=True)
    area.joinpath(f"{EVIL.replace('/', '')}.yaml").write_text(SCENARIO, encoding="utf-8")
    area.joinpath("texts.yaml").write_text(SCENARIO, encoding="utf-8")
    return area


@pytest.mark.skipif("\\" in str(Path("a/b")), reason="Windows has no such names")
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"github"}))
def test_command_prints_no_line_that_is_a_command(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder.parents[1])
    for words in commands_of(name, folder):
        with contextlib.suppress(SystemExit):
            main(words)

        assert wrong_lines("".join(capsys.readouterr())) == [], words


def test_json_means_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--json", str(folder)])

    problems = json.loads(capsys.readouterr().out)["problems"]

    assert any(EVIL in problem["file"] for problem in problems)
    assert any(EVIL in problem["message"] for problem in problems)


PAST = {"write_command", "__stdout__", "__stderr__", "buffer"}
"""What goes past the printer."""
ALLOWED = {
    "commands/check_request/command.py": {"buffer"},
    "commands/github.py": {"write_command"},
    "commands/shared/served.py": {"write_command"},
}
"""Standard input, annotations, and the line of a terminal that says how far a server is."""


def test_no_command_goes_past_the_printer() -> None:
    for path in sorted((ROOT / "commands").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

        assert names & PAST <= ALLOWED.get(path.relative_to(ROOT).as_posix(), set()), path
