"""`agent-conformance serve --mcp`: scripted tools over MCP beside the models."""

import asyncio
import json
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

pytest.importorskip("mcp")

from mcp import Client, MCPError

from agent_conformance.commands.main import main
from agent_conformance.commands.serve import mcp_tools
from agent_conformance.commands.serve.command import ServeOptions, serve
from agent_conformance.commands.serve.mcp_tools import ScriptedTools, tools_of
from tests.commands.control_client import server_of

TOOLS = """\
- name: get_weather
  description: Current weather for a city.
  parameters: {city: string}
  results: [7 degrees, {result: no answer, error: true}, 8 degrees]
- name: unlock
  description: Unlocks the next tool.
  enables: [open_door]
- name: open_door
  description: Opens the door.
  enabled: false
  returns: open
"""
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}}


def served(tmp_path: Path, capsys: pytest.CaptureFixture[str], use: Callable[[str, str], object]) -> str:
    """What was printed while `use` had the base URL of the model and the URL of the tools."""
    path = tmp_path / "tools.yaml"
    path.write_text(TOOLS)

    def until() -> None:
        printed = capsys.readouterr().out
        found = re.search(r"tools over MCP: (\S+)\n.*base URL (\S+)", printed, re.DOTALL)
        assert found, printed
        use(found[2], found[1])

    assert serve(ServeOptions(provider="openai", mcp=path), until=until) == 0
    return capsys.readouterr().out


async def called(url: str, *calls: tuple[str, dict[str, Any]]) -> list[tuple[bool, str]]:
    async with Client(url) as client:
        results = [await client.call_tool(name, arguments) for name, arguments in calls]
    return [(bool(result.is_error), result.content[0].text) for result in results]  # type: ignore[union-attr]


def test_results_come_in_order_and_arguments_that_the_schema_does_not_take_run_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[tuple[bool, str]] = []
    oslo = {"city": "Oslo"}

    def use(model: str, tools: str) -> None:
        calls = [("get_weather", given) for given in (oslo, {"town": "Oslo"}, oslo, oslo, oslo)]
        found.extend(asyncio.run(called(tools, *calls)))

    printed = served(tmp_path, capsys, use)

    assert [text for _, text in found if not text.startswith("Error:")] == [
        "7 degrees",
        "no answer",
        "8 degrees",
        "8 degrees",
    ]
    assert [is_error for is_error, _ in found] == [False, True, True, False, False]
    assert found[1][1].startswith("Error: get_weather was not run: arguments")
    assert 'mcp: get_weather {"city":"Oslo"}: ran: 7 degrees' in printed
    assert 'mcp: get_weather {"town":"Oslo"}: refused: ' in printed


def test_a_disabled_tool_is_listed_once_another_has_enabled_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def names(url: str) -> tuple[set[str], set[str]]:
        async with Client(url) as client:
            before = {tool.name for tool in (await client.list_tools()).tools}
            await client.call_tool("unlock", {})
            return before, {tool.name for tool in (await client.list_tools()).tools}

    found: list[tuple[set[str], set[str]]] = []
    served(tmp_path, capsys, lambda model, tools: found.append(asyncio.run(names(tools))))

    assert found == [({"get_weather", "unlock"}, {"get_weather", "unlock", "open_door"})]


def test_calls_are_listed_and_forgotten_and_the_model_is_served_beside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed: list[Any] = []

    def use(model: str, tools: str) -> None:
        control = model.removesuffix("/v1") + "/__conformance/tool-calls"
        headers = {"authorization": "Bearer any"}
        body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}
        assert httpx2.post(f"{model}/chat/completions", json=body, headers=headers, trust_env=False).status_code == 200
        asyncio.run(called(tools, ("get_weather", {"city": "Oslo"}), ("get_weather", {"city": 7})))
        listed.append(httpx2.get(control, trust_env=False).json())
        httpx2.delete(control, trust_env=False)
        assert asyncio.run(called(tools, ("get_weather", {"city": "Bergen"}))) == [(False, "7 degrees")]
        listed.append(httpx2.get(control, trust_env=False).json())

    served(tmp_path, capsys, use)

    before, after = listed
    assert [(call["number"], call["outcome"], call["arguments"]) for call in before["calls"]] == [
        (1, "ran", {"city": "Oslo"}),
        (2, "refused", {"city": 7}),
    ]
    assert before["calls"][0]["result"] == "7 degrees"
    assert [(call["number"], call["arguments"]) for call in after["calls"]] == [(3, {"city": "Bergen"})]
    assert after["count"] == 3


def test_other_paths_and_origins_of_other_machines_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    statuses: list[int] = []

    def use(model: str, tools: str) -> None:
        ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accepts = {"accept": "application/json, text/event-stream"}
        for url, more in ((tools + "x", {}), (tools, {"origin": "https://evil.example"})):
            statuses.append(httpx2.post(url, json=ask, headers={**accepts, **more}, trust_env=False).status_code)

    served(tmp_path, capsys, use)

    assert statuses == [404, 403]


def test_a_call_to_a_tool_that_is_not_there_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed: list[Any] = []

    async def call(url: str) -> None:
        async with Client(url) as client:
            with pytest.raises(MCPError, match="Unknown tool: get_wether"):
                await client.call_tool("get_wether", {"city": "Oslo"})

    def use(model: str, tools: str) -> None:
        asyncio.run(call(tools))
        control = model.removesuffix("/v1") + "/__conformance/tool-calls"
        listed.extend(httpx2.get(control, trust_env=False).json()["calls"])

    printed = served(tmp_path, capsys, use)

    assert [(call["name"], call["arguments"], call["outcome"]) for call in listed] == [
        ("get_wether", {"city": "Oslo"}, "unknown")
    ]
    assert 'mcp: get_wether {"city":"Oslo"}: unknown: ' in printed


def test_pages_of_this_machine_may_ask_and_read_the_session(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers: dict[str, tuple[int, str | None]] = {}
    asking = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,mcp-session-id"}

    def use(model: str, tools: str) -> None:
        for origin in ("http://localhost:3000", "http://localhost.evil.example:3000"):
            answer = httpx2.options(tools, headers={**asking, "origin": origin}, trust_env=False)
            answers[origin] = (answer.status_code, answer.headers.get("access-control-allow-origin"))
        begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
        accepts = {"accept": "application/json, text/event-stream", "origin": "http://localhost:3000"}
        answer = httpx2.post(tools, json=begin, headers=accepts, trust_env=False)
        assert answer.headers["mcp-session-id"]
        answers["asked"] = (answer.status_code, answer.headers["access-control-expose-headers"])

    served(tmp_path, capsys, use)

    assert answers == {
        "http://localhost:3000": (200, "http://localhost:3000"),
        "http://localhost.evil.example:3000": (400, None),
        "asked": (200, "*"),
    }


def test_a_server_without_tools_says_how_to_have_some() -> None:
    status, answer = server_of().control("GET", "/tool-calls")

    assert status == 409
    assert "--mcp tools.yaml" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\n", "tools.yaml:1: the tools of --mcp are a list"),
        ("[]\n", "tools.yaml:1: the tools of --mcp are a list"),
        ("- name: a\n", "tools.yaml:1: "),
        ("- name: a\n  description: b\n  parameter: {}\n", "tools.yaml:3: "),
        (
            "- name: a\n  description: b\n  parameters: {city: strin}\n",
            "tools.yaml:3: the type of the parameter `city`",
        ),
        ("- {name: a, description: b}\n- {name: a, description: c}\n", "tools.yaml:2: a tool `a` is declared twice."),
        ("- name: a\n  description: b\n  returns: c\n  raises: d\n", "tools.yaml:4: the tool `a` has "),
        ("- name: a\n  description: b\n  approval: ask\n", "tools.yaml:3: `approval` does nothing in the tools of"),
        ("- name: a\n- name: b\n  description: c\n  parameters: {d: strin}\n", "tools.yaml:1: "),
        ("- name: a\n  description: b\n  enables: [c]\n", "tools.yaml:3: `c` is no tool of this file."),
    ],
)
def test_what_is_wrong_with_tools_is_said_with_file_and_line(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tools.yaml").write_text(text, encoding="utf-8")

    assert main(["serve", "--provider", "openai", "--mcp", "tools.yaml"]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_a_port_of_no_tools_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--provider", "openai", "--mcp-port", "8081"]) == 2
    assert capsys.readouterr().err.startswith("--mcp-port: there are no tools to serve.")


def test_a_port_in_use_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tools.yaml"
    path.write_text(TOOLS)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]

        assert serve(ServeOptions(provider="openai", mcp=path, mcp_port=port), until=lambda: None) == 2
    assert f"--mcp-port={port}: the port is not available" in capsys.readouterr().err


def test_calls_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_tools, "MOST_CALLS", 10)
    specs, _ = tools_of([{"name": "f", "description": "Returns.", "returns": "a"}])
    tools = ScriptedTools(specs)
    for number in range(30):
        assert tools.tools[0].content({"number": number}) == "a"

    assert [call["number"] for call in tools.calls()["calls"]] == [*range(21, 31)]
    assert json.loads(json.dumps(tools.calls()))["count"] == 30
    assert not tools.turn.early_attempts
