"""A program that nobody knows, as it is: with tools of its own, requests for titles, MCP servers over HTTP alone."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agent_conformance.attach.acp import AcpAgent, NotACommand, acp_adapter
from agent_conformance.attach.acp.command_line import Endpoint, command_line, write_home
from agent_conformance.attach.acp.connection import Messages
from agent_conformance.attach.acp.discovery import names_of_tools
from agent_conformance.attach.acp.known_programs import PROGRAMS, program_named
from tests.trying import ONE_CALL, TWO_CALLS, only_findings, verdicts

AGENT = Path(__file__).with_name("small_agent.py")
Small = Callable[..., type[AcpAgent]]
TARGET = "openai-chat+plain"


def test_program_with_tools_of_its_own_that_asks_for_titles_is_judged_without_a_word(small: Small) -> None:
    agent = small("has-tools")

    (verdict,) = verdicts(agent, TWO_CALLS)

    assert (verdict.outcome, verdict.findings, verdict.executions) == ("pass", (), 2)
    assert verdict.narrative.count(" (side): ") >= 2
    assert "own-tools" in agent.features
    assert agent.side_seen >= 1


@pytest.mark.slow
def test_fault_of_a_program_that_asks_for_titles_is_one_finding(small: Small) -> None:
    assert only_findings(small("has-tools", "drops-arguments"), ONE_CALL) == {TARGET: ["sent-arguments"]}


@pytest.mark.slow
def test_tools_are_served_over_what_the_program_takes(small: Small) -> None:
    agent = small("only-http")

    assert agent.launch.tools == "http"
    assert only_findings(agent, TWO_CALLS) == {TARGET: []}


def test_program_that_takes_no_tool_server_is_one_line() -> None:
    with pytest.raises(NotACommand, match=r"nobody asked the MCP server of session/new for its tools, over stdio: "):
        acp_adapter(f"{sys.executable} {AGENT} no-servers")


def servers_in(template: Path, url: str) -> str:
    template.mkdir()
    (template / "servers.json").write_text(f'[{{"name": "suite", "url": "{url}"}}]', encoding="utf-8")
    return f"home={template}"


@pytest.mark.slow
def test_program_that_reads_its_tool_server_from_a_file_is_judged(tmp_path: Path, small: Small) -> None:
    agent = small("forgets-servers", options=servers_in(tmp_path / "home", "{tools_url}"))

    (verdict,) = verdicts(agent, TWO_CALLS)

    assert (verdict.outcome, verdict.findings, verdict.executions) == ("pass", (), 2)


def test_address_of_tools_that_nobody_asks_is_one_line(tmp_path: Path) -> None:
    options = servers_in(tmp_path / "home", "{tools_url}")

    with pytest.raises(NotACommand, match=r"nobody asked the MCP server at {tools_url} for its tools"):
        acp_adapter(f"{options} {sys.executable} {AGENT} no-servers")


@pytest.mark.slow
def test_case_in_which_nobody_asks_for_the_tools_is_an_error() -> None:
    agent = acp_adapter(
        f"like=opencode wire=openai-chat mode=plain OPENAI_BASE_URL={{base_url}} OPENAI_API_KEY={{api_key}} "
        f"OPENAI_MODEL={{model}} {sys.executable} {AGENT} no-servers has-tools"
    )

    (found,) = only_findings(agent, ONE_CALL)[TARGET]

    assert found.startswith("error: nobody asked the MCP server of the case for its tools")


def test_program_without_a_tool_of_its_own_is_not_said_to_have_one(small: Small) -> None:
    assert "own-tools" not in small().features


@pytest.mark.slow
def test_declared_side_request_and_file_of_instructions(tmp_path: Path, small: Small) -> None:
    with_file = small(options="instructions=AGENTS.md side='a title of [a-z]+ words'")
    body = {"messages": [{"role": "user", "content": "Write a title of five words for this."}]}

    assert with_file.side_request(with_file.__new__(with_file), body)
    assert not with_file.side_request(with_file.__new__(with_file), {"messages": []})
    assert not any("not-verified" in one for one in only_findings(with_file, "system: Be brief.\n" + ONE_CALL)[TARGET])


def test_home_is_a_template(tmp_path: Path) -> None:
    template, home = tmp_path / "template", tmp_path / "home"
    (template / ".my").mkdir(parents=True)
    (template / ".my/providers.json").write_text('{"url": "{base_url}", "key": "{api_key}", "model": "{model}"}')
    (template / "picture.png").write_bytes(b"\x89PNG{model}")

    write_home(template, home, Endpoint("http://127.0.0.1:1/v1", "key", "gpt-5.4"))

    written = (home / ".my/providers.json").read_text(encoding="utf-8")
    assert written == '{"url": "http://127.0.0.1:1/v1", "key": "key", "model": "gpt-5.4"}'
    assert (home / "picture.png").read_bytes() == b"\x89PNG{model}"
    assert command_line("home=template sh", cwd=tmp_path).home == template


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("home=nowhere sh", "home=nowhere: there is no folder "),
        ("side='[' sh", "side=\\[ is no regular expression: "),
        ("tools=pipe sh", "tools=pipe: write stdio or http or sse"),
        ("tools=stdio MY_TOOLS={tools_url} sh", "tools=stdio: {tools_url} is the address of a server over http or sse"),
        ("like=emacs sh", "like=emacs: the known programs are qwen, opencode, kilo, cline"),
    ],
)
def test_option_that_means_nothing_says_what_can_be_written(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(NotACommand, match=words):
        acp_adapter(text, cwd=tmp_path)


def test_program_that_finds_no_model_says_where_it_went() -> None:
    script = AGENT.with_name("elsewhere_agent.py")

    with pytest.raises(NotACommand) as raised:
        acp_adapter(f"{sys.executable} {script}")

    assert "it asked for GET http://models.example.org/list" in str(raised.value)
    assert "it wrote .my/settings.json" in str(raised.value)


def test_program_that_prints_among_its_messages_is_judged(small: Small, caplog: pytest.LogCaptureFixture) -> None:
    assert only_findings(small("prints"), ONE_CALL) == {TARGET: []}
    assert caplog.text == ""


def test_what_a_program_prints_that_leaves_at_once_is_said() -> None:
    with pytest.raises(NotACommand, match=r"the agent ended with 0; .* it printed, .*: A newer version is out\."):
        acp_adapter(f"{sys.executable} {AGENT} prints leaves")


def test_message_longer_than_the_readers_limit_is_kept_whole() -> None:
    async def read() -> tuple[bytes, str]:
        reader = asyncio.StreamReader(limit=16)
        reader.feed_data(b'A note.\n{"a": "twenty characters"}\n')
        messages = Messages(reader)
        with pytest.raises(asyncio.LimitOverrunError) as overrun:
            await messages.readuntil()
        return await messages.readexactly(overrun.value.consumed) + await messages.readuntil(), messages.printed

    assert asyncio.run(read()) == (b'{"a": "twenty characters"}\n', "A note.\n")


@pytest.mark.parametrize("program", [one for one in PROGRAMS if one.says], ids=lambda program: program.name)
def test_program_is_known_by_what_it_calls_itself(program) -> None:  # type: ignore[no-untyped-def]
    assert program_named(program.says) is program
    assert program_named("") is None


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'{"tools": [{"type": "function", "function": {"name": "a"}}, {"name": "b"}]}', {"a", "b"}),
        (b'{"tools": [{"functionDeclarations": [{"name": "a"}]}]}', {"a"}),
        (b'{"toolConfig": {"tools": [{"toolSpec": {"name": "a"}}]}}', {"a"}),
        (b'{"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}', set()),
        (b'{"messages": [{"name": "a"}]}', set()),
        (b"no JSON", set()),
        (b"[]", set()),
    ],
)
def test_tools_of_a_request_are_read_on_any_wire(body: bytes, names: set[str]) -> None:
    assert names_of_tools(body) == names
