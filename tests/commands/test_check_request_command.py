"""What `agent-conformance check-request` prints of accepted and refused bodies."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.commands.check_request.command import path_of
from conformance.commands.main import main

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}


def body_file(folder: Path, body: Any) -> str:
    file = folder / "body.json"
    file.write_text(body if isinstance(body, str) else json.dumps(body))
    return str(file)


def test_accepted_body_is_reported_as_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, CHAT)]) == 0
    assert capsys.readouterr().out == "openai: accepted\n"


def test_refused_body_is_reported_with_place_and_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, {**CHAT, "tools": []})]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "openai: refused by openai/tools-empty",
        "  status      400",
        "  message     Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array"
        " instead.",
        "  at          tools",
        "  fix         remove tools",
    ]


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ({"contents": [{"role": "user", "parts": [{"text": "a"}]}]}, "gemini: accepted"),
        ({"model": "claude-sonnet-4-6", "max_tokens": 1, "messages": CHAT["messages"]}, "anthropic: accepted"),
        (CHAT, "openai: accepted"),
    ],
)
def test_wire_is_inferred_from_the_body(
    body: Any, first: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check-request", body_file(tmp_path, body)])

    assert capsys.readouterr().out.splitlines()[0] == first


def test_of_a_providers_wires_the_one_of_the_body_is_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"model": "gpt-5.4", "input": [{"role": "tool", "content": "a"}]}
    for options in ([], ["--provider", "openai"]):
        assert main(["check-request", *options, body_file(tmp_path, body)]) == 1
        assert capsys.readouterr().out.startswith("openai: refused by openai/responses-role-unknown\n")


def test_provider_with_its_own_paths_gets_the_body_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"contents": [{"parts": [{"text": "a"}]}]}

    assert main(["check-request", body_file(tmp_path, body)]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["gemini: accepted", "vertex: refused by vertex/role-missing"]
    assert path_of("vertex", "gemini-generate", body).startswith("/v1/projects/p/locations/global/publishers/google/")


def test_text_that_is_no_json_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "anthropic", body_file(tmp_path, "{")]) == 1
    assert "fix         write it as JSON" in capsys.readouterr().out


def test_unknown_provider_and_missing_file_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check-request", "--provider", "opnai", "x.json"])

    assert ended.value.code == 2
    assert "no provider `opnai`. Did you mean `openai`?" in capsys.readouterr().err
    assert main(["check-request", "/nowhere/body.json"]) == 2
    assert capsys.readouterr().err == "/nowhere/body.json cannot be read: No such file or directory\n"


def test_path_of_no_wire_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--path", "/nowhere", body_file(tmp_path, CHAT)]) == 2
    assert capsys.readouterr().err == "--path=/nowhere: no provider has a wire with this path\n"
