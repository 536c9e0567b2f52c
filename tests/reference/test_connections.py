"""How the reference agent connects to a provider, and to a fake on the same machine."""

import asyncio
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from reference_setups import WIRES as NAMES_OF_WIRES
from reference_setups import InProcess, scripted_fake, sent, setup_for, start_adapter

from agent_conformance.adapter.types import Fallback
from agent_conformance.agents.reference import Adapter
from agent_conformance.agents.reference.provider import Provider
from fake_providers.reply import Reply


def options_of_client(base_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    made: dict[str, Any] = {}
    monkeypatch.setattr(httpx2, "AsyncClient", lambda **options: made.update(options))
    Adapter(replace(setup_for("openai-chat", folder), base_url=base_url))
    return made


def test_certificates_are_checked_where_the_connection_is_secure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = options_of_client("https://api.example/v1", tmp_path, monkeypatch)

    assert (options["verify"], options["trust_env"]) == (True, True)


def test_no_certificates_are_loaded_and_no_proxy_is_asked_for_a_fake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = options_of_client("http://127.0.0.1:9/v1", tmp_path, monkeypatch)

    assert isinstance(options["verify"], ssl.SSLContext)
    assert not options["trust_env"]


@pytest.mark.parametrize("wire", NAMES_OF_WIRES)
def test_slash_at_the_end_of_the_base_url_is_not_doubled(wire: str, tmp_path: Path) -> None:
    fake, setup = scripted_fake(wire, Reply(text="Done.")), setup_for(wire, tmp_path)

    sent(start_adapter(replace(setup, base_url=f"{setup.base_url}/"), fake), "Look.")

    assert "//" not in fake.requests[0].path


def test_closed_agent_closes_its_connections(tmp_path: Path) -> None:
    closed = []

    class Counting(InProcess):
        async def aclose(self) -> None:
            closed.append(self)

    transport = Counting(scripted_fake("openai-chat", Reply(text="Done.")))

    sent(Adapter(setup_for("openai-chat", tmp_path), transport=transport), "Look.")

    assert closed == [transport]


def test_switching_closes_the_connections_to_both_providers_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Provider] = []

    async def close(provider: Provider) -> None:
        closed.append(provider)

    monkeypatch.setattr(Provider, "close", close)
    setup = setup_for("openai-chat", tmp_path)
    second = Fallback("openai-chat", "openai", setup.base_url, "key", "gpt-4.1")

    async def closed_at_each_step() -> tuple[int, int]:
        adapter = Adapter(replace(setup, fallback=second))
        await adapter.switch(setup)
        switched = len(closed)
        await adapter.close()
        return switched, len(closed)

    assert asyncio.run(closed_at_each_step()) == (2, 3)
