"""No command shows a secret of this machine, and no agent that cannot be loaded does."""

import shlex
import sys
from pathlib import Path

import pytest

from agent_conformance.attach.loading import AgentNotFound, load_agent
from agent_conformance.commands.main import main
from agent_conformance.transcripts.redaction import SECRETS
from tools.leaderboard.judging import redact_log

KEY = "sk-live-abcdefghijklmnop0123456789"


@pytest.fixture(autouse=True)
def key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_API_KEY", KEY)


def test_command_shows_the_name_of_a_secret(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"{KEY}.yaml"
    file.write_text("[]")

    assert main(["check", str(file)]) != 0
    shown = "".join(capsys.readouterr())

    assert "$MY_API_KEY" in shown
    assert KEY not in shown


@pytest.mark.parametrize("is_met", [True, False])
def test_command_says_on_standard_error_where_a_bound_was_met(
    is_met: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    SECRETS.forget()
    monkeypatch.setenv("LONG_TEXT", "plain words\n" * (100_000 if is_met else 1))
    main(["check", str(tmp_path / "nowhere.yaml")])
    shown = capsys.readouterr()

    assert ("characters of LONG_TEXT were looked at for secrets, and not the rest" in shown.err) is is_met
    assert "looked at" not in shown.out
    SECRETS.forget()


def test_streams_are_put_back() -> None:
    before = sys.stdout, sys.stderr

    main(["schema"])

    assert (sys.stdout, sys.stderr) == before


@pytest.mark.parametrize(
    "script",
    ["echo $MY_API_KEY >&2; exit 3", "echo $MY_API_KEY", 'echo "{\\"type\\": \\"$MY_API_KEY\\"}"'],
)
def test_command_agent_that_fails_before_hello_shows_no_secret(script: str, tmp_path: Path) -> None:
    with pytest.raises(AgentNotFound) as raised:
        load_agent(f"cmd:sh -c {shlex.quote(script)}", cwd=tmp_path)

    assert KEY[:12] not in str(raised.value)
    assert "$MY_API_KEY" in str(raised.value)


def test_key_in_the_command_of_an_agent_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(AgentNotFound) as raised:
        load_agent("cmd:false --api-key another-abcdefgh-0123", cwd=tmp_path)

    assert "another-abcd" not in str(raised.value)


def test_key_that_only_a_dotenv_file_has_is_not_shown(tmp_path: Path) -> None:
    tmp_path.joinpath(".env").write_text("THEIR_TOKEN=their-abcdefgh-01234\n")

    with pytest.raises(AgentNotFound) as raised:
        load_agent("cmd:sh -c 'cat .env >&2; exit 3'", cwd=tmp_path)

    assert str(raised.value).count("$THEIR_TOKEN") == 1
    assert "their-abcd" not in str(raised.value)


def test_log_of_a_judged_agent_is_kept_without_secrets(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    log.write_bytes(b"key " + KEY.encode() + b" \xff\n")

    redact_log(log)

    assert log.read_text(encoding="utf-8") == "key $MY_API_KEY \ufffd\n"
