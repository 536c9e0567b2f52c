"""How the reference agent connects to a provider, and to a fake on the same machine."""

import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from reference_setups import setup_for

from conformance.agents.reference.provider import Provider
from conformance.agents.reference.wires import WIRES


def options_of_client(base_url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    made: dict[str, Any] = {}
    monkeypatch.setattr(httpx2, "AsyncClient", lambda **options: made.update(options))
    Provider(replace(setup_for("openai-chat", folder), base_url=base_url), WIRES["openai-chat"])
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
