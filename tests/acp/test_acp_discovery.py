"""What is found out of a program before its first case, and what is said of one that cannot be used."""

import sys
from pathlib import Path

import pytest

from agent_conformance.attach.acp import NotACommand, acp_adapter
from agent_conformance.attach.acp.command_line import CommandLine, Endpoint, command_line, filled
from agent_conformance.attach.acp.discovery import kind_of
from agent_conformance.attach.acp.known_programs import PROGRAMS
from agent_conformance.attach.loading import AgentNotFound, load_agent

AGENT = Path(__file__).with_name("small_agent.py")
MODEL = Endpoint("http://127.0.0.1:1/v1", "key", "gpt-5.4")


def test_wire_mode_version_and_sessions_are_found_out() -> None:
    adapter = acp_adapter(f"{sys.executable} {AGENT}")

    assert (adapter.wires, adapter.modes, adapter.agent_version) == (("openai-chat",), ("plain",), "1.0")
    assert "restart" in adapter.features


def test_program_that_exits_is_one_line_with_its_last_lines(tmp_path: Path) -> None:
    with pytest.raises(AgentNotFound) as raised:
        load_agent("acp:sh -c 'echo no such option >&2; exit 3'", cwd=tmp_path)

    assert "sh: no turn over ACP: the agent ended with 3; its standard error says: no such option" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_program_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    with pytest.raises(NotACommand, match=r"sleep: no answer to initialize within 0\.2 s"):
        acp_adapter("sleep 600", cwd=tmp_path, timeout=0.2)


def test_program_that_is_slow_to_start_has_the_time_of_a_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.attach.acp.adapter.STARTING", 0.1)

    with pytest.raises(AgentNotFound, match=r"within 0\.3 s \(--agent-timeout=0\.6 gives it longer\)"):
        load_agent("acp:sleep 600", cwd=tmp_path, declaring=0.3)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (
            "acp:no-such-agent --acp",
            "the program no-such-agent is not on PATH; install it, or write the path of its executable",
        ),
        ("acp:./agent", "there is no program {cwd}/agent"),
        ("acp:MODEL={model}", "there is no program; write for example acp:my-agent --acp"),
        ("acp:'sh", "is no command: No closing quotation"),
        ("acp:mode=loud sh", "mode=loud: write plain or stream"),
    ],
)
def test_command_that_cannot_be_started_says_why(spec: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(AgentNotFound) as raised:
        load_agent(spec, cwd=tmp_path)

    assert words.format(cwd=tmp_path, model="{model}") in str(raised.value)


def test_assignments_come_before_the_program(tmp_path: Path) -> None:
    tmp_path.joinpath("agent.py").touch()

    line = command_line("wire=openai-chat URL={base_url} sh agent.py acp --url={base_url}", cwd=tmp_path)

    assert line == CommandLine(
        line.program, (f"{tmp_path}/agent.py", "acp", "--url={base_url}"), {"URL": "{base_url}"}, "openai-chat"
    )
    assert line.name == "sh"
    assert filled('{"x": {"{model}": "{base_url}"}}', MODEL) == '{"x": {"gpt-5.4": "http://127.0.0.1:1/v1"}}'


@pytest.mark.parametrize(
    ("line", "body", "kind"),
    [
        ("POST /v1/chat/completions HTTP/1.1", b'{"stream": true}', ("openai-chat", "stream")),
        ("POST /v1/responses HTTP/1.1", b"{}", ("openai-responses", "plain")),
        ("POST /v1/messages HTTP/1.1", b'{"stream": true}', ("anthropic-messages", "stream")),
        ("POST /v1beta/models/g:streamGenerateContent?alt=sse HTTP/1.1", b"{}", ("gemini-generate", "stream")),
        ("POST /v1beta/models/g:generateContent HTTP/1.1", b"{}", ("gemini-generate", "plain")),
        ("POST /api/chat HTTP/1.1", b"{}", ("ollama-chat", "stream")),
        ("POST /api/chat HTTP/1.1", b'{"stream": false}', ("ollama-chat", "plain")),
        ("GET /v1/models HTTP/1.1", b"", None),
        ("POST /v1/messages HTTP/1.1", b"no JSON", ("anthropic-messages", "plain")),
    ],
)
def test_request_shows_wire_and_mode(line: str, body: bytes, kind: tuple[str, str] | None) -> None:
    assert kind_of(line, body) == kind


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_known_program_gets_the_address_the_key_and_the_model_of_each_wire(program) -> None:  # type: ignore[no-untyped-def]
    for wire, variables in program.variables.items():
        given = [*variables.values(), *program.settings.values(), *program.project.get(wire, {}).values()]
        text = " ".join(filled(value, MODEL) for value in given)
        assert all(part in text for part in MODEL)
