"""Which bodies are found in what the user gives, and where they are sent."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from agent_conformance.commands.check_request.command import Posted, Unusable, posted_in
from agent_conformance.commands.check_request.targets import providers_at, targets_of
from tests.scenario_drafts.pastes import PASTES

CHAT = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}


def found_in(folder: Path, text: str) -> list[Posted | Unusable]:
    file = folder / "given"
    file.write_text(text)
    return list(posted_in(str(file)))


def bodies_in(folder: Path, text: str) -> list[Any]:
    return [json.loads(found.body) if isinstance(found, Posted) else found.message for found in found_in(folder, text)]


def test_one_document_is_one_body_however_it_is_laid_out(tmp_path: Path) -> None:
    assert bodies_in(tmp_path, json.dumps(CHAT, indent=2)) == [CHAT]
    assert bodies_in(tmp_path, json.dumps(CHAT)) == [CHAT]


def test_lines_are_bodies_of_their_own(tmp_path: Path) -> None:
    assert bodies_in(tmp_path, f"{json.dumps(CHAT)}\n\n{json.dumps(CHAT)}\n") == [CHAT, CHAT]


def test_line_of_a_batch_has_its_body_and_path_inside(tmp_path: Path) -> None:
    line = json.dumps({"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": CHAT})

    found = found_in(tmp_path, f"{line}\n{line}\n")

    assert [(json.loads(one.body), one.path) for one in found if isinstance(one, Posted)] == [
        (CHAT, "/v1/chat/completions")
    ] * 2


def test_text_that_is_no_json_is_sent_as_it_is(tmp_path: Path) -> None:
    (found,) = found_in(tmp_path, '{"model": ')

    assert isinstance(found, Posted)
    assert found.body == b'{"model": '


@pytest.mark.parametrize(
    "form", ["langchain-objects", "langgraph-state", "claude-code-fence", "php-array", "python-print", "ruby-hash"]
)
def test_conversation_in_a_pasted_text_is_one_body(tmp_path: Path, form: str) -> None:
    (body,) = bodies_in(tmp_path, PASTES[form])

    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "user"]


def test_empty_input_is_a_problem(tmp_path: Path) -> None:
    assert bodies_in(tmp_path, " \n") == ["it is empty. Expected a JSON body, JSON Lines, or a curl command."]


def test_cassette_gives_its_requests_with_their_addresses(tmp_path: Path) -> None:
    request = {"method": "POST", "uri": "https://api.x.ai/v1/chat/completions", "headers": {}, "body": json.dumps(CHAT)}
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "{}"}}
    cassette = {"interactions": [{"request": request, "response": response}], "version": 1}

    (found,) = found_in(tmp_path, json.dumps(cassette))

    assert isinstance(found, Posted)
    assert (json.loads(found.body), found.host, found.path) == (CHAT, "api.x.ai", "/v1/chat/completions")


def test_cassette_without_a_body_is_a_problem(tmp_path: Path) -> None:
    request = {"method": "GET", "uri": "https://api.x.ai/v1/models", "headers": {}, "body": None}
    response = {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": "{}"}}

    assert bodies_in(tmp_path, json.dumps({"interactions": [{"request": request, "response": response}]})) == [
        "it has no request with a body. Expected at least one POST."
    ]


def test_standard_input_is_named_in_problems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8"))

    assert [str(found) for found in posted_in("-")] == [
        "standard input: it is empty. Expected a JSON body, JSON Lines, or a curl command."
    ]


@pytest.mark.parametrize(
    ("host", "path", "providers"),
    [
        ("api.openai.com", "/v1/responses", ("openai",)),
        ("weather.openai.azure.com", "/openai/deployments/a/chat/completions", ("azure",)),
        ("generativelanguage.googleapis.com", "/v1beta/models/gemini-3-flash-preview:generateContent", ("gemini",)),
        ("europe-west1-aiplatform.googleapis.com", "/v1/projects/p/x", ("vertex",)),
        ("notopenai.com", "/v1/responses", ()),
        ("localhost", "/v1/chat/completions", ()),
    ],
)
def test_provider_is_known_by_its_host(host: str, path: str, providers: tuple[str, ...]) -> None:
    assert providers_at(host, path) == providers


def test_address_of_nobody_goes_to_all_that_have_its_path() -> None:
    targets = list(targets_of(CHAT, providers=(), path="/api/chat", host="localhost"))

    assert [(target.provider, target.wire) for target in targets] == [("ollama", "ollama-chat")]
