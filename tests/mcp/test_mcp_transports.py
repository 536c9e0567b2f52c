"""How the servers begin and end, and who gets through."""

import asyncio
import subprocess
import sys
import threading
from typing import Any

import httpx2
import pytest
from mcp import Client

from agent_conformance.adapter.mcp import serve_http, serve_stdio, stdio_command
from tests.mcp.mcp_kit import bench, server_parameters, text_of
from tests.patience import PATIENCE


def started(command: list[str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={})


def ended(process: "subprocess.Popen[bytes]") -> tuple[int, str]:
    """Exit code and standard error; standard input stays open."""
    code = process.wait(PATIENCE)
    assert process.stdin is not None
    process.stdin.close()
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr:
        return code, process.stderr.read().decode()


def test_bridge_ends_when_the_agent_closes_its_input() -> None:
    with serve_stdio(bench().tools) as served:
        process = started(served.command)
        assert process.stdin is not None
        process.stdin.close()

        assert ended(process) == (0, "")


def test_bridge_ends_with_the_case() -> None:
    with serve_stdio(bench().tools) as served:
        process = started(served.command)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert b'"id":1' in process.stdout.readline()

    assert ended(process) == (0, "")


def test_bridge_started_after_the_case_says_so() -> None:
    with serve_stdio(bench().tools) as served:
        command = served.command

    code, said = ended(started(command))

    assert code == 1
    assert said.startswith("the conformance suite has stopped")
    assert said.count("\n") == 1


def test_bridge_with_another_token_is_not_let_in() -> None:
    with serve_stdio(bench().tools) as served:
        assert ended(started([*served.command[:-1], "guessed"])) == (0, "")


def test_one_command_may_be_started_again() -> None:
    """Command-line agents start their MCP servers anew for each message."""
    made = bench()

    async def use(served: Any) -> str:
        async with Client(server_parameters(served)) as client:
            return text_of(await client.call_tool("get_weather", {"city": "Oslo"}))

    with serve_stdio(made.tools) as served:
        assert [asyncio.run(use(served)) for _ in range(2)] == ["7 degrees and rain"] * 2


def test_command_alone_serves_until_the_process_ends() -> None:
    script = (
        "from agent_conformance.adapter.mcp import stdio_command\n"
        "from tests.mcp.mcp_kit import bench\n"
        "import subprocess\n"
        "command = stdio_command(bench().tools)\n"
        "process = subprocess.Popen(command, stdin=subprocess.PIPE)\n"
        "print(process.poll())\n"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=False)

    assert (done.stdout, done.stderr, done.returncode) == ("None\n", "", 0)
    assert stdio_command.__doc__


def test_only_the_complete_url_is_served() -> None:
    with serve_http(bench().tools) as served, httpx2.Client(trust_env=False) as client:
        root = served.url.rsplit("/", 2)[0]

        assert client.post(f"{root}/mcp", json={}).status_code == 404
        assert client.post(served.url, json={}, headers={"host": "example.org"}).status_code == 421
        assert client.post(served.url, json={}).status_code not in (404, 421)


@pytest.mark.parametrize("serve", [serve_http, serve_stdio])
def test_closing_ends_the_thread_and_may_be_repeated(serve: Any) -> None:
    before = set(threading.enumerate())

    served = serve(bench().tools)
    during = set(threading.enumerate()) - before
    served.close()
    served.close()

    assert len(during) == 1
    assert not set(threading.enumerate()) - before


def test_closing_ends_an_open_session() -> None:
    async def use(served: Any) -> None:
        async with Client(served.url, mode="legacy") as client:
            await client.list_tools()
            served.close()
            await client.list_tools()

    with serve_http(bench().tools) as served, pytest.raises(BaseExceptionGroup) as caught:
        asyncio.run(asyncio.wait_for(use(served), 10))
    assert caught.group_contains(httpx2.ConnectError)
