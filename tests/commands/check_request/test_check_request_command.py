"""What `agent-conformance check-request` prints of accepted and refused bodies."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from agent_conformance.commands.main import main

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}
KEY = "sk-live-abcdefghijklmnop0123456789"


def body_file(folder: Path, body: Any, name: str = "body.json") -> str:
    file = folder / name
    file.write_text(body if isinstance(body, str) else json.dumps(body))
    return str(file)


def test_accepted_body_is_reported_as_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, CHAT)]) == 0
    assert capsys.readouterr().out == "openai: accepted\n"


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("us.amazon.nova-pro-v1:0", ", as for us.amazon.nova-pro-v1:0"),
        ("acme.rocket-v1:0", ", by what all models refuse: of which family `acme.rocket-v1:0` is is not known"),
    ],
)
def test_bedrock_is_said_to_know_nothing_of_a_family(
    model: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = body_file(tmp_path, {"messages": [{"role": "user", "content": [{"text": "a"}]}]})

    assert main(["check-request", "--provider", "bedrock", "--path", f"/model/{model}/converse", file]) == 0
    assert capsys.readouterr().out == f"bedrock: accepted{said}\n"


def test_content_that_bedrock_refuses_as_text_becomes_its_block(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = body_file(tmp_path, {"messages": [{"role": "user", "content": "a"}]})

    assert main(["check-request", "--provider", "bedrock", file]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == '  tried       set messages[0].content to [{"text": "a"}]'


def test_claudes_own_body_is_sent_to_invoke_and_mended_as_one_of_anthropics(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls = [{"type": "tool_use", "id": "c1", "name": "look", "input": {}}]
    messages = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": calls},
        {"role": "user", "content": "b"},
    ]
    tools = [{"name": "look", "input_schema": {"type": "object"}}]
    invoke = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 9, "messages": messages[:1], "tools": tools}

    accepted = main(["check-request", body_file(tmp_path, invoke)]), capsys.readouterr().out
    refused = main(["check-request", body_file(tmp_path, {**invoke, "messages": messages})])
    shown = capsys.readouterr().out.splitlines()

    assert accepted == (0, "bedrock: accepted, as for us.anthropic.claude-sonnet-4-6\n")
    assert refused == 1
    assert shown[0].startswith("bedrock: refused by anthropic/tool-use-unanswered, as for ")
    assert shown[-2].startswith("  tried       answer c1 at the start of messages[2]")


def test_body_of_claude_on_vertex_goes_to_no_chat_provider(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"anthropic_version": "vertex-2023-10-16", "max_tokens": 9, "messages": [{"role": "user", "content": "a"}]}

    main(["check-request", body_file(tmp_path, body)])
    shown = capsys.readouterr().out

    assert "vertex: accepted" in shown
    assert "openai:" not in shown


def test_refused_body_is_reported_with_place_remedy_and_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, {**CHAT, "tools": []})]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "openai: refused by openai/tools-empty",
        "  status      400",
        "  message     Invalid 'tools': empty array. Expected an array with minimum length 1, but got an empty array"
        " instead.",
        "  at          tools",
        "  remedy      Leave `tools` out of the request where no tool is enabled.",
        "  tried       remove tools",
    ]


def test_alternative_stands_below_the_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, {**CHAT, "temperature": "1"})]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "  tried       set temperature to 1",
        "  or          remove temperature",
    ]


def test_remedy_stands_where_no_change_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "openai", body_file(tmp_path, {"model": "gpt-4.1"})]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "  remedy      Send the conversation, with the user's message of the current turn; pruning must never drop that"
        " one.",
        "  tried       no change was found that is accepted and keeps the conversation as it is",
    ]


@pytest.mark.parametrize(
    ("body", "first"),
    [
        ({"contents": [{"role": "user", "parts": [{"text": "a"}]}]}, "gemini: accepted, as for gemini-3-flash-preview"),
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
    assert capsys.readouterr().out.splitlines()[:2] == [
        "gemini: accepted, as for gemini-3-flash-preview",
        "vertex: refused by vertex/role-missing, as for gemini-3-flash-preview",
    ]


def test_model_of_an_inferred_path_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = body_file(tmp_path, {"messages": [{"role": "assistant", "content": [{"text": "a"}]}]})

    assert main(["check-request", "--model", "us.amazon.nova-pro-v1:0", file]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "bedrock: refused by bedrock/start-with-user, as for us.amazon.nova-pro-v1:0"
    assert main(["check-request", "--model", "qwen.qwen3-32b-v1:0", file]) == 0
    assert capsys.readouterr().out == "bedrock: accepted, as for qwen.qwen3-32b-v1:0\n"


def test_models_of_a_path_that_take_the_body_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {
        "contents": [{"role": "user", "parts": [{"text": "a"}]}],
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "low"}},
    }

    assert (
        main(["check-request", "--provider", "gemini", "--model", "gemini-2.5-flash", body_file(tmp_path, body)]) == 1
    )
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .startswith("  models      these take it as it is: gemini-3-flash-preview")
    )


def test_model_is_of_no_use_where_the_body_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--model", "gpt-5", body_file(tmp_path, CHAT)]) == 2
    assert "here the body names it" in capsys.readouterr().err


def test_model_is_of_no_use_with_an_address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = "/v1beta/models/gemini-3-flash-preview:generateContent"
    body = body_file(tmp_path, {"contents": [{"role": "user", "parts": [{"text": "a"}]}]})

    assert main(["check-request", "--model", "gemini-2.5-flash", "--path", path, body]) == 2
    assert f"without an address; this one is posted to {path}" in capsys.readouterr().err


def test_text_that_is_no_json_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-request", "--provider", "anthropic", body_file(tmp_path, "{")]) == 1
    assert "remedy      Write the body with a JSON library" in capsys.readouterr().out


def test_several_bodies_have_their_labels_and_the_worst_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = f"{json.dumps(CHAT)}\n{json.dumps({**CHAT, 'tools': []})}\nnonsense\n"
    files = [body_file(tmp_path, CHAT), body_file(tmp_path, lines, "bodies.jsonl")]

    assert main(["check-request", "--provider", "openai", *files]) == 2
    printed = capsys.readouterr()
    assert [line for line in printed.out.splitlines() if not line.startswith(" ")] == [
        files[0],
        "openai: accepted",
        f"{files[1]}:1",
        "openai: accepted",
        f"{files[1]}:2",
        "openai: refused by openai/tools-empty",
    ]
    assert printed.err == (
        f"{files[1]}:3: this line is no JSON; it begins with 'nonsense'. In JSON Lines each line is one whole body.\n"
    )


def test_curl_command_names_the_provider_and_shows_no_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = json.dumps({**CHAT, "tools": []})
    command = f"curl https://api.groq.com/openai/v1/chat/completions -H 'Authorization: Bearer {KEY}' -d '{body}'"

    assert main(["check-request", body_file(tmp_path, command, "copied.sh")]) == 0
    printed = capsys.readouterr()
    assert printed.out == "groq: accepted\n"

    refused = command.replace("groq.com/openai", "openai.com").replace('"a"', f'"{KEY}"')
    assert main(["check-request", "--json", body_file(tmp_path, refused, "copied.sh")]) == 1
    assert KEY not in "".join(capsys.readouterr())


def test_json_output_is_as_its_schema_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["schema", "check-request"])
    schema = json.loads(capsys.readouterr().out)
    files = [body_file(tmp_path, {**CHAT, "tools": [], "temperature": "1"}), "/nowhere/body.json"]

    assert main(["check-request", "--provider", "openai", "--provider", "vllm", "--json", *files]) == 2
    printed = json.loads(capsys.readouterr().out)

    jsonschema_rs.validator_for(schema).validate(printed)
    first, second = printed["requests"][0]["checks"]
    assert second["accepted"]
    assert first["violation"]["rule"] == "openai/tools-empty"
    assert first["changes"][0] == {
        "edits": [
            {"kind": "remove", "text": "remove tools", "note": ""},
            {"kind": "convert", "text": "set temperature to 1", "note": ""},
        ],
        "patch": [{"op": "remove", "path": "/tools"}, {"op": "replace", "path": "/temperature", "value": 1}],
    }
    assert printed["problems"] == [
        {"label": "/nowhere/body.json", "message": "cannot be read: No such file or directory"}
    ]


def test_unknown_provider_and_missing_file_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["check-request", "--provider", "opnai", "x.json"])

    assert ended.value.code == 2
    assert "no provider `opnai`. Did you mean `openai`?" in capsys.readouterr().err
    assert main(["check-request", "/nowhere/body.json"]) == 2
    assert capsys.readouterr().err == "/nowhere/body.json: cannot be read: No such file or directory\n"


def test_path_of_no_wire_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = body_file(tmp_path, CHAT)

    assert main(["check-request", "--path", "/nowhere", file]) == 2
    assert capsys.readouterr().err == (
        f"{file}: no provider has a wire with the path /nowhere. Expected one of a model request.\n"
    )
