"""`agent-conformance evidence` writes a page that needs nothing of this suite to act on."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agent_conformance.commands.main import main
from agent_conformance.machine.installation import ELSEWHERE
from tests.patience import PATIENCE

MUTANT = "agent_conformance.mutants:M2a_prune_first_user"
CASE = "history/pruned-past-the-user@gemini-generate+plain"
EVIDENCE = sorted((Path(__file__).parents[2] / "docs" / "evidence").glob("*.md"))


def script_of(page: str) -> str:
    return re.findall(r"## Without this suite\n\n```\w+\n(.*?)\n```", page, re.DOTALL)[0]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("evidence") / "page.md"
    assert main(["evidence", MUTANT, CASE, "--to", str(path)]) == 0
    return path.read_text(encoding="utf-8")


def test_page_has_what_a_maintainer_needs(page: str) -> None:
    assert page.startswith(f"# {MUTANT}: 400 Please ensure that function call turn comes immediately after")
    assert f"Finding `{CASE}#accepted:gemini/call-after-user-turn`" in page
    headings = re.findall(r"^## (.*)$", page, re.MULTILINE)
    assert headings == [
        "What a user sees",
        "The smallest scenario",
        "What happened",
        "The request that is refused",
        "Why",
        "What helps",
        "At the Gemini API itself",
        "Without this suite",
        "Versions",
    ]
    assert "curl 'https://generativelanguage.googleapis.com/v1beta/models/" in page
    assert f"again: `pytest --agent={MUTANT} '{CASE}'`" in page


def test_script_of_the_page_shows_the_refusal(page: str, tmp_path: Path) -> None:
    script = script_of(page)
    assert len(script.splitlines()) <= 40
    uvx = tmp_path / "uvx"
    uvx.write_text(f'#!/bin/sh\nshift 3\nexec "{sys.executable}" -m agent_conformance.commands.main "$@"\n')
    uvx.chmod(0o755)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    free = script.replace("--port 8080", f"--port {port}").replace(":8080/", f":{port}/")

    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-c", free], env=environment, capture_output=True, text=True, timeout=PATIENCE, check=True
    )

    assert done.stdout.startswith("400 ")
    assert "Please ensure that function call turn comes immediately" in done.stdout


def test_keys_are_in_no_page(page: str) -> None:
    assert "conformance-key" not in page
    assert "$GEMINI_API_KEY" in page


def test_case_without_a_refusal_has_the_replies_for_the_fake(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evidence", "agent_conformance.mutants:M5d_abort_run", "tool-names/invented-name"]) == 0

    script = script_of(capsys.readouterr().out)
    assert script.startswith("cat > replies.yaml <<'END'\n- {")
    assert "agent-conformance serve --provider openai --port 8080 --script replies.yaml" in script


def test_script_of_ones_own_stands_in_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("print('refused')\n")

    assert main(["evidence", MUTANT, CASE, "--script", str(mine)]) == 0
    assert script_of(capsys.readouterr().out) == "print('refused')"

    mine.write_text("pass\n" * 41)
    assert main(["evidence", MUTANT, CASE, "--script", str(mine)]) == 2
    assert "has 41 lines; at most 40 are read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([MUTANT, f"{CASE}#paired"], 1, f"no case has the finding paired; tried were {CASE}"),
        ([MUTANT, "history/nowhere"], 2, "no file and no bundled scenario `history/nowhere`"),
        (["nosuch:Adapter", CASE], 4, "nosuch was not found"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evidence", *arguments]) == code
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("path", EVIDENCE, ids=lambda path: path.stem)
def test_page_of_a_real_agent_has_a_short_script_and_no_key(path: Path) -> None:
    text = path.read_text(encoding="utf-8")

    assert len(script_of(text).splitlines()) <= 40
    assert f"uvx --from {ELSEWHERE} agent-conformance serve" in script_of(text)
    assert "conformance-key" not in text
    assert "/home/" not in text
    assert "/tmp/" not in text
