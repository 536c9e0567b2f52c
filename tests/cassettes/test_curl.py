"""Requests out of `curl` commands as people copy them."""

import pytest

from agent_conformance.cassettes import Problem, RecordedRequest
from agent_conformance.cassettes.curl import looks_like_curl, requests_of_curl
from agent_conformance.transcripts.redaction import SECRETS, redacted

KEY = "sk-live-abcdefghijklmnop0123456789"
URL = "https://api.openai.com/v1/chat/completions"


def requests_in(text: str) -> list[RecordedRequest]:
    found = list(requests_of_curl(text, "x.sh"))
    assert not [one for one in found if isinstance(one, Problem)], found
    return [one for one in found if isinstance(one, RecordedRequest)]


def body_of(text: str) -> str:
    (request,) = requests_in(text)
    return request.body.decode()


@pytest.mark.parametrize(
    ("command", "body"),
    [
        ("curl U -d '{\"a\": 1}'", '{"a": 1}'),
        ('curl U -d "{\\"a\\": \\"\\$x\\"}"', '{"a": "$x"}'),
        ('curl U --data-raw $\'{"a": "it\\\'s \\u00e9\\x21\\n"}\'', '{"a": "it\'s é!\n"}'),
        ("curl U --data='{}'", "{}"),
        ("curl -sS -XPOST U -d{}", "{}"),
        ("$ curl U \\\n  -H 'x: y' \\\n  --json '{}' | jq .", "{}"),
        ("curl --location --request POST 'U' --data-binary '{}' > out.json", "{}"),
        ("curl U -d @- <<'EOF'\n{\"a\":\n 1}\nEOF\n", '{"a":\n 1}'),
        ('curl U -d \'{"a": "\'"\'"\'"}\'', '{"a": "\'"}'),
        ("# comment\r\ncurl U -o out -d '{}'\r\n", "{}"),
    ],
)
def test_body_is_what_a_shell_would_send(command: str, body: str) -> None:
    assert body_of(command.replace("U", URL, 1)) == body


def test_browser_copy_gives_address_headers_and_body() -> None:
    (request,) = requests_in(f"""curl '{URL}?beta=1' -X 'POST' -H 'Content-Type: application/json' \\
      -H 'anthropic-beta: a,b' --compressed --data-raw '{{"model":"m"}}'""")

    assert (request.method, request.host, request.path) == ("POST", "api.openai.com", "/v1/chat/completions?beta=1")
    assert request.headers_by_name == {"content-type": "application/json", "anthropic-beta": "a,b"}


def test_keys_are_left_out_and_known_from_then_on() -> None:
    SECRETS.forget()
    (request,) = requests_in(f"curl '{URL}?key={KEY}2' -H 'Authorization: Bearer {KEY}' -d '{{}}'")

    assert KEY not in repr(request)
    assert KEY not in redacted(f"it is {KEY} or {KEY}2")
    SECRETS.forget()


def test_several_commands_are_several_requests() -> None:
    requests = requests_in(f"curl {URL} -d '1'; curl {URL} -d '2' && curl {URL} -d '3'\ncurl {URL} -d '4'\n")

    assert [request.body for request in requests] == [b"1", b"2", b"3", b"4"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (
            "curl U -d @body.json",
            "the body is in the file body.json, which is not read from here. Check it: check-request",
        ),
        ("curl U --data-binary @-", "the body comes from standard input, which is not in the command."),
        ("curl U", "this curl command sends no body. Expected one after -d, --data, --data-raw or --json."),
        ("curl -d '{}'", "this curl command has no address."),
        ("curl U ^\n  -d ^\n", "this command is for Windows' cmd. Copy it as cURL (bash)."),
        ("curl U -F file=@a.png", "`-F` sends a form or a file, and no JSON."),
        ("curl U -d '{", "the quote ' in line 1 has no end. Copy the command as for bash, and whole."),
        ("curl U -d @- <<EOF\n{}", "the here-document has no line EOF."),
    ],
)
def test_command_without_a_readable_body_says_what_to_do(command: str, problem: str) -> None:
    (found,) = requests_of_curl(command.replace("U", URL), "x.sh")

    assert isinstance(found, Problem)
    assert str(found).startswith(f"x.sh:1: {problem}")


@pytest.mark.parametrize("text", ["curl x", "$ curl x", "  curl.exe x"])
def test_text_that_begins_with_curl_is_a_command(text: str) -> None:
    assert looks_like_curl(text)


@pytest.mark.parametrize("text", ['{"curl": 1}', "curling x", "curl", ""])
def test_other_text_is_none(text: str) -> None:
    assert not looks_like_curl(text)
