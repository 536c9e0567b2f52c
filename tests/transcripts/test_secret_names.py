"""What counts as a secret: names, values, files and members that have one, and those that have none."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.transcripts.secret_names import (
    is_named_as_secret,
    is_secret,
    secrets_in,
    secrets_of_command,
    secrets_of_files,
    secrets_of_members,
)

KEY = "sk-live-abcdefghijklmnop0123456789"


@pytest.mark.parametrize(
    "name",
    [
        *("OPENAI_API_KEY", "GITHUB_TOKEN", "client_secret", "DB_PASSWORD", "KEY", "apiKey", "authToken", "api-key"),
        *("AWS_ACCESS_KEY_ID", "SECRET_KEY_BASE", "GITHUB_PAT", "API_KEYS", "OPENAI_APIKEY", "_api_key", "API_KEY_2"),
    ],
)
def test_name_of_a_secret_is_recognised(name: str) -> None:
    assert is_named_as_secret(name)


@pytest.mark.parametrize(
    "name", ["MONKEY", "TOKENIZERS", "HOME", "KEYBOARD_LAYOUT", "TOKENIZERS_PARALLELISM", "PATH", "keyed", "hockey"]
)
def test_name_of_something_else_is_not(name: str) -> None:
    assert not is_named_as_secret(name)


@pytest.mark.parametrize("value", [KEY, "/bPxRfiCYEXAMPLEKEY/abcdef+ghij", "correct horse battery", "x" * 16])
def test_long_value_is_a_secret(value: str) -> None:
    assert is_secret(value)


@pytest.mark.parametrize(
    "value",
    [
        *("test", "x" * 15, "/home/me/.ssh/id_ed25519", "~/.config/key.pem", "C:\\keys\\my-key.pem", "./keys/a.pem"),
        *("/run/secrets/openai_api_key", "10000000000000000000", "2026-11-22 10:00:00", "http://127.0.0.1:8080/v1/x"),
    ],
)
def test_placeholder_path_number_and_address_of_this_machine_are_no_secrets(value: str) -> None:
    assert not is_secret(value)


def test_path_that_exists_is_no_secret(tmp_path: Path) -> None:
    assert not is_secret(str(tmp_path))
    assert not is_secret(os.sep + "/".join(tmp_path.parts[1:]))


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("A_KEY", KEY, [KEY]),
        ("API_KEYS", f"{KEY},{KEY}-2", [f"{KEY},{KEY}-2", KEY, f"{KEY}-2"]),
        ("DATABASE_URL", f"postgres://me:{KEY}@db.example.org/x", [KEY]),
        ("DATABASE_URL", "postgres://me@db.example.org/x", []),
        ("HOME", KEY, []),
    ],
)
def test_secrets_within_a_variable_are_found(name: str, value: str, found: list[str]) -> None:
    assert [secret for _, secret in secrets_in(name, value)] == found


def test_lines_of_a_certificate_are_found_without_its_frame() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
    pem = f"-----BEGIN PRIVATE KEY-----\n{line}\n-----END PRIVATE KEY-----"

    assert [secret for _, secret in secrets_in("TLS_KEY", pem)] == [pem, line]


def test_key_within_an_account_is_found() -> None:
    account = json.dumps({"type": "service_account_of_somebody", "private_key": KEY})

    assert KEY in [secret for _, secret in secrets_in("GOOGLE_CREDENTIALS", account)]
    assert "service_account_of_somebody" not in [secret for _, secret in secrets_in("GOOGLE_CREDENTIALS", account)]


def test_key_in_a_command_is_found() -> None:
    words = ["env", f"A_TOKEN={KEY}1", "node", "agent.mjs", "--api-key", f"{KEY}2", f"--secret={KEY}3", "--model", "x"]

    assert [secret for _, secret in secrets_of_command(words)] == [f"{KEY}1", f"{KEY}2", f"{KEY}3"]


def test_dotenv_file_is_read(tmp_path: Path) -> None:
    tmp_path.joinpath(".env").write_text(
        f"# keys\nexport A_KEY='{KEY}1'\nB_TOKEN = {KEY}2 # mine\nHOME=/x\nC_KEY=\"{KEY}3\"\nnothing\n"
    )

    assert [secret for _, secret in secrets_of_files(tmp_path)] == [f"{KEY}1", f"{KEY}2", f"{KEY}3"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_dotenv_file_that_is_none_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".env")
    tmp_path.joinpath(".env.local").mkdir()

    assert list(secrets_of_files(tmp_path)) == []


class SecretText:
    def __init__(self, value: str) -> None:
        self._secret_value = value


class Config:
    def __init__(self) -> None:
        self.auth_token = SecretText(f"{KEY}2")
        self.name = "a-name-of-some-length"


class Lazy:
    def __getattribute__(self, name: str) -> Any:
        raise AssertionError("the suite asks for no attribute, and for no class")


class Settled:
    client_secret = f"{KEY}0"

    def __init__(self) -> None:
        self.api_key = f"{KEY}1"
        self.config = Config()
        self.settings = {"apiKey": f"{KEY}3", "schema": {"key": "a-description-of-the-key"}}
        self.messages: list[Any] = [{"token": "a-token-in-a-message"}]
        self.client = Lazy()

    @property
    def password(self) -> str:
        raise AssertionError("the suite runs no property")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("the suite runs no __getattr__")


def test_settings_of_an_adapter_are_found_without_its_code() -> None:
    found = {secret for _, secret in secrets_of_members(Settled())}

    assert found == {f"{KEY}{number}" for number in range(4)}


def test_settings_of_an_adapter_class_are_found() -> None:
    assert {secret for _, secret in secrets_of_members(Settled)} == {f"{KEY}0"}
