"""https on loopback: who trusts the throw-away authority gets through, nobody else."""

import asyncio
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agent_conformance.adapter.https import HttpsFront, serve_https
from agent_conformance.adapter.mcp import serve_http
from fake_providers import Response
from tests.fakes.transport.transport_doubles import Site, open_site
from tests.mcp.mcp_kit import bench, text_of
from tests.patience import PATIENCE

POSTS = {
    "python": [sys.executable, "-c", "import sys, urllib.request as u; print(u.urlopen(sys.argv[1], b'').read())"],
    "node": ["node", "-e", "fetch(process.argv[1], {method: 'POST'}).then(r => r.text()).then(console.log)"],
}
PLAIN = {"PATH": os.environ["PATH"]}
ANSWER = Response(200, (("content-type", "text/plain"),), (b"ans", b"wer"))


@pytest.fixture
def site() -> Iterator[Site]:
    with open_site("loopback") as opened:
        yield opened


def front_of(site: Site, response: Response = ANSWER) -> HttpsFront:
    return serve_https(site.place(response))


@pytest.mark.parametrize("command", POSTS.values(), ids=POSTS)
def test_program_with_the_environment_gets_through(site: Site, command: list[str]) -> None:
    with front_of(site) as front:
        environment = PLAIN | dict(front.environment)
        done = subprocess.run(
            [*command, front.url], env=environment, capture_output=True, timeout=PATIENCE, check=False
        )

    assert b"answer" in done.stdout, done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize("command", POSTS.values(), ids=POSTS)
def test_program_without_it_refuses(site: Site, command: list[str]) -> None:
    with front_of(site) as front:
        done = subprocess.run([*command, front.url], env=PLAIN, capture_output=True, timeout=PATIENCE, check=False)

    assert done.returncode != 0
    assert b"certificate" in done.stderr.lower()


def test_fronts_do_not_trust_each_other(site: Site) -> None:
    with front_of(site) as one, front_of(site) as other:
        context = ssl.create_default_context(cafile=str(one.authority))
        with httpx2.Client(verify=context, trust_env=False) as client:
            assert client.post(one.url).text == "answer"
            assert client.post(one.url.replace("127.0.0.1", "localhost")).text == "answer"
            with pytest.raises(httpx2.ConnectError, match="certificate"):
                client.post(other.url)


def test_a_response_that_is_cut_arrives_cut(site: Site) -> None:
    cut = Response(200, (("content-type", "text/plain"),), (b"ans",), cut=True)
    with front_of(site, cut) as front:
        context = ssl.create_default_context(cafile=str(front.authority))
        with httpx2.Client(verify=context, trust_env=False) as client, pytest.raises(httpx2.RemoteProtocolError):
            client.post(front.url)


def test_front_serves_tools_over_mcp() -> None:
    made = bench()

    async def use(front: HttpsFront) -> Any:
        context = ssl.create_default_context(cafile=str(front.authority))
        async with (
            httpx2.AsyncClient(verify=context, trust_env=False) as http,
            Client(streamable_http_client(front.url, http_client=http)) as client,
        ):
            return await client.call_tool("get_weather", {"city": "Oslo"})

    with serve_http(made.tools) as served, serve_https(served.url) as front:
        assert front.url.startswith("https://127.0.0.1:")
        assert text_of(asyncio.run(use(front))) == "7 degrees and rain"


def test_its_certificate_goes_with_it(site: Site) -> None:
    front = front_of(site)
    assert front.authority.is_file()

    front.close()
    front.close()

    assert not front.authority.exists()


def test_front_needs_a_plain_http_url() -> None:
    with pytest.raises(ValueError, match="no plain http URL with a port"):
        serve_https("https://127.0.0.1:1/")
