"""The control interface of `serve`: requests seen, next replies, faults, and that tokens share nothing."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from agent_conformance.cassettes.formats import own
from agent_conformance.commands.serve import sessions
from agent_conformance.commands.serve.command import ServeOptions, serve
from agent_conformance.commands.serve.control import PREFIX, document
from agent_conformance.commands.serve.control.operations import OPERATIONS
from agent_conformance.commands.serve.mcp_tools import ScriptedTools, tools_of
from fake_providers import Reply
from tests.cassettes.recordings import body_for, path_for, recorded
from tests.commands.control_client import CHAT, Server, server_of
from tests.docs.documents import ROOT, blocks_of
from tests.patience import PATIENCE

REPLY = [{"text": "Hello."}]
BY_REQUEST = [{"when": {"user": "warm"}, "reply": {"text": "7 degrees."}}, {"default": {"text": "I do not know."}}]


def test_requests_are_listed_with_verdict_rule_and_advice() -> None:
    server = server_of()
    server.chat()
    server.chat(tools=[])
    server.send("GET", "/v1/models")

    accepted, refused, other = server.requests()
    assert [accepted["number"], refused["number"], other["number"]] == [1, 2, 3]
    assert accepted["verdict"] == "accepted"
    assert accepted["reply"] == {"text": "Done."}
    assert accepted["body"]["messages"] == [{"role": "user", "content": "Hi."}]
    assert (accepted["provider"], accepted["wire"]) == ("openai", "openai-chat")
    assert refused["verdict"] == "refused"
    assert (refused["status"], refused["rule"], refused["at"]) == (400, "openai/tools-empty", "tools")
    assert refused["message"].startswith("Invalid 'tools': empty array.")
    assert any("tools" in advice for advice in refused["advice"])
    assert refused["sources"]
    assert (other["verdict"], other["path"]) == ("other", "/v1/models")


def test_requests_are_chosen_by_number_and_verdict() -> None:
    server = server_of()
    for tools in ({}, {"tools": []}, {}):
        server.chat(**tools)

    assert [entry["number"] for entry in server.requests("?since=1")] == [2, 3]
    assert [entry["number"] for entry in server.requests("?verdict=refused")] == [2]
    assert server.control("GET", "/requests?since=3")[1] == {"requests": [], "count": 3}


def test_requests_are_forgotten_and_their_numbers_go_on() -> None:
    server = server_of()
    server.chat()
    assert server.control("DELETE", "/requests") == (200, {"status": "ok"})
    server.chat()

    assert [entry["number"] for entry in server.requests()] == [2]


def test_replies_in_order_are_set() -> None:
    server = server_of()
    assert server.control("PUT", "/replies", [*REPLY, {"text": "Bye."}]) == (200, {"status": "ok"})

    assert server.control("GET", "/replies")[1]["unused"][:2] == [
        {"provider": "openai", "wire": "openai-chat", "reply": {"text": "Hello."}},
        {"provider": "openai", "wire": "openai-chat", "reply": {"text": "Bye."}},
    ]
    assert [server.chat()[1] for _ in range(2)] == ["Hello.", "Bye."]


def test_replies_of_wires_that_are_not_used_are_not_left() -> None:
    server = server_of()
    server.control("PUT", "/replies", REPLY)
    unused = server.control("GET", "/replies")[1]["unused"]
    assert {one["wire"] for one in unused} == {"openai-chat", "openai-responses"}
    server.chat()

    assert server.control("GET", "/replies")[1]["unused"] == []


def test_replies_with_conditions_are_set_and_what_nothing_matches_is_stopped() -> None:
    server = server_of()
    server.control("PUT", "/replies", BY_REQUEST[:1])

    assert server.chat("How warm is it?") == (200, "7 degrees.")
    assert server.chat("Hi.")[0] == 400
    [stopped] = server.requests("?verdict=stopped")
    assert "no reply of the script matches this request" in stopped["message"]


def test_replies_of_the_script_come_back(tmp_path: Path) -> None:
    script = tmp_path / "replies.yaml"
    script.write_text("- text: one\n- text: two\n")
    server = server_of(script=script)
    server.chat()
    server.control("PUT", "/replies", REPLY)
    assert server.chat()[1] == "Hello."
    server.control("DELETE", "/replies")

    assert [server.chat()[1] for _ in range(2)] == ["one", "two"]


def test_faults_count_from_the_next_request() -> None:
    server = server_of()
    server.chat()
    assert server.control("PUT", "/faults", {"2": {"status": 503}, "3": {"status": 429}})[0] == 200

    assert [server.chat()[0] for _ in range(4)] == [200, 503, 429, 200]
    server.control("PUT", "/faults", {"1": {"status": 503}})
    server.control("DELETE", "/faults")
    assert server.chat()[0] == 200


def test_reset_forgets_everything() -> None:
    server = server_of()
    server.control("PUT", "/replies", REPLY)
    server.control("PUT", "/faults", {"9": {"status": 503}})
    server.chat()
    server.control("POST", "/reset")

    assert server.control("GET", "/requests")[1] == {"requests": [], "count": 0}
    assert server.chat()[1] == "Done."


def test_nothing_is_shared_between_tokens() -> None:
    first = server_of()
    others = [
        first.seen_by("sk-proj-second-0123456789"),
        first.seen_by(first.key, x_conformance_token="worker-2"),
        first.seen_by(""),
    ]
    first.control("PUT", "/replies", REPLY)
    first.control("PUT", "/faults", {"2": {"status": 503}})
    first.chat()

    for other in others:
        assert other.requests() == []
        assert [other.chat()[0] for _ in range(2)] in ([200, 200], [401, 401])
        assert all(entry.get("reply", {}).get("text") != "Hello." for entry in other.requests())
    assert len(first.requests()) == 1


def test_header_wins_over_the_key_and_keys_are_one_in_any_header() -> None:
    server = server_of()
    one, other = server.seen_by("a", x_conformance_token="t"), server.seen_by("b", x_conformance_token="t")
    one.chat()
    assert len(other.requests()) == 1

    server.chat()
    by_header = server.seen_by("", x_api_key=server.key)
    assert len(by_header.requests()) == 1
    assert len(server.seen_by("", x_goog_api_key=server.key).requests(f"?key={'x' * 20}")) == 1


def test_stored_responses_are_not_shared_between_tokens() -> None:
    first = server_of()
    other = first.seen_by("sk-proj-second-0123456789")
    response = json.loads(first.send("POST", "/v1/responses", {"model": "gpt-4.1", "input": "Hi."}).body)
    again = {"model": "gpt-4.1", "input": "And?", "previous_response_id": response["id"]}

    assert first.send("POST", "/v1/responses", again).status == 200
    assert other.send("POST", "/v1/responses", again).status == 400


def test_secrets_are_not_in_the_list() -> None:
    server = server_of(provider="gemini")
    key = "AIzaSy-0123456789abcdef"
    body = {"contents": [{"role": "user", "parts": [{"text": f"My key is {key} or {server.key}."}]}]}
    path = f"/v1beta/models/gemini-2.5-flash:generateContent?key={key}"
    token = "the-token-of-worker-1"
    server.send("POST", path, body, x_goog_api_key=key, x_conformance_token=token, cookie="session=abcdefghijkl")
    listed = server.seen_by(server.key, x_conformance_token=token).send("GET", f"{PREFIX}/requests").body.decode()

    assert '"verdict":"accepted"' in listed
    for secret in (key, server.key, token, "abcdefghijkl"):
        assert secret not in listed
    assert "?key=$key" in listed


def test_short_token_does_not_change_the_words_of_the_list() -> None:
    server = server_of().seen_by("messages", x_conformance_token="accepted")
    server.chat()

    [listed] = server.requests()
    assert listed["verdict"] == "accepted"
    assert listed["body"]["messages"] == [{"role": "user", "content": "Hi."}]


def test_log_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_KEPT", 3)
    server = server_of()
    for _ in range(5):
        server.chat()
    assert [entry["number"] for entry in server.requests()] == [3, 4, 5]

    monkeypatch.setattr(sessions, "MOST_BYTES_KEPT", 400)
    server.chat("a" * 500)
    assert server.requests() == []


def scripted_clients(server: Server, count: int, replies: Any = REPLY) -> list[Server]:
    clients = [server.seen_by(f"sk-{number}") for number in range(count)]
    for client in clients:
        client.control("PUT", "/replies", replies)
    return clients


def test_client_for_which_nothing_is_left_is_forgotten_first() -> None:
    server = server_of(clients=3)
    first, second = scripted_clients(server, 2)
    second.chat()
    plain = server.seen_by("sk-plain")
    plain.chat()
    first.seen_by("sk-new").chat()

    assert first.chat() == (200, "Hello.")
    assert len(plain.requests()) == 1
    assert second.chat()[0] == 400


def test_client_whose_replies_are_forgotten_is_told_so_until_they_are_set(capsys: pytest.CaptureFixture[str]) -> None:
    server = server_of(clients=2)
    first, *others = scripted_clients(server, 3)
    told = "what was set for this client was forgotten: 2 others have come since. Set its replies anew, or start"
    assert "a client was forgotten that had replies or faults left: see --clients" in capsys.readouterr().out

    for path in ("/v1/chat/completions", "/v1/responses", "/elsewhere"):
        response = first.send("POST", path, CHAT)
        assert response.status == 400
        assert told in json.loads(response.body)["error"]["message"]
    for method, operation in (("GET", "/requests"), ("GET", "/replies"), ("PUT", "/faults")):
        status, answer = first.control(method, operation, {})
        assert (status, told in answer["error"]["message"]) == (410, True)
    assert [other.chat() for other in others] == [(200, "Hello.")] * 2
    first.control("PUT", "/replies", [{"text": "Anew."}])
    assert first.chat() == (200, "Anew.")


def test_client_begins_anew_with_a_reset() -> None:
    server = server_of(clients=2)
    first, *_ = scripted_clients(server, 3)

    assert first.chat()[0] == 400
    assert first.control("POST", "/reset")[0] == 200
    assert first.chat() == (200, "Done.")


def test_client_in_the_middle_of_the_server_s_script_does_not_begin_again(tmp_path: Path) -> None:
    script = tmp_path / "replies.yaml"
    script.write_text("- text: one\n- text: two\n")
    server = server_of(script=script, clients=1)
    assert server.chat() == (200, "one")
    server.seen_by("sk-other").chat()

    status, message = server.chat()
    assert (status, "was forgotten" in message) == (400, True)


def test_client_whose_faults_are_forgotten_is_told_so() -> None:
    server = server_of(clients=1)
    server.control("PUT", "/faults", {"5": {"status": 503}})
    server.seen_by("sk-other").chat()

    assert server.chat()[0] == 400


def test_client_for_which_nothing_was_set_is_answered_after_it_was_forgotten() -> None:
    server = server_of(clients=1)
    server.chat()
    server.seen_by("sk-other").chat()

    assert server.chat() == (200, "Done.")
    assert [entry["number"] for entry in server.requests()] == [1]


def test_cassette_is_played_to_more_clients_than_are_kept(tmp_path: Path) -> None:
    cassette = tmp_path / "hello.jsonl"
    exchange = recorded("openai-chat", Reply(text="Hello."))
    cassette.write_text(own.header_line({}) + own.line_of(exchange.request, exchange.response))
    server = server_of(replay=cassette, clients=1)
    for client in (server, server.seen_by("sk-other"), server):
        assert client.control("PUT", "/replies", REPLY)[0] == 409
        assert client.send("POST", path_for("openai-chat"), body_for("openai-chat")).status == 200


def test_what_tokens_have_sent_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "MOST_BYTES", 3000)
    server = server_of()
    other = server.seen_by("sk-other")
    server.chat()
    other.chat("a" * 3000)
    assert len(other.requests()) == 1

    assert server.requests() == []


def test_provider_and_wire_choose_the_fakes() -> None:
    server = server_of(beside=("mistral",))
    server.control("PUT", "/replies?provider=mistral", REPLY)
    chat = "/v1/chat/completions"

    assert server.chat(path=f"/mistral{chat}")[1] == "Hello."
    assert server.chat(path=f"/openai{chat}")[1] == "Done."
    assert [entry["provider"] for entry in server.requests()] == ["mistral", "openai"]
    assert server.control("PUT", "/replies?provider=gemini", REPLY) == (
        404,
        {
            "error": {
                "message": "the query chooses no fake. Served are openai on openai-chat, openai on "
                "openai-responses, mistral on openai-chat."
            }
        },
    )


def test_requests_of_a_replayed_cassette_are_listed(tmp_path: Path) -> None:
    cassette = tmp_path / "hello.jsonl"
    exchange = recorded("openai-chat", Reply(text="Hello."))
    cassette.write_text(own.header_line({}) + own.line_of(exchange.request, exchange.response))
    server = server_of(replay=cassette)
    server.send("POST", path_for("openai-chat"), body_for("openai-chat"))
    server.chat("Something else.")
    server.chat(tools=[])

    assert [entry["verdict"] for entry in server.requests()] == ["accepted", "stopped", "refused"]
    assert server.requests()[1]["message"].startswith("not recorded: ")
    assert server.control("PUT", "/replies", REPLY)[0] == 409


WRONG: dict[str, tuple[str, str, Any, int, str]] = {
    "path": ("GET", "/nothing", None, 404, "nothing is at /__conformance/nothing. There are /__conformance/requests, "),
    "root": ("GET", "", None, 404, "nothing is at /__conformance. "),
    "method": ("PATCH", "/replies", None, 405, "/__conformance/replies takes PUT, GET, DELETE, not PATCH."),
    "parameter": ("GET", "/requests?from=1", None, 400, "`from` is no parameter here. Allowed: since, verdict."),
    "since": ("GET", "/requests?since=x", None, 400, "`since` is 'x'; expected the number of a request."),
    "verdict": ("GET", "/requests?verdict=x", None, 400, "`verdict` is 'x'; expected one of accepted, refused, "),
    "no-body": ("PUT", "/replies", None, 400, "the body is not JSON: "),
    "not-json": ("PUT", "/replies", b"[NaN]", 400, "the body is not JSON: NaN."),
    "deep": ("PUT", "/replies", b"[" * 100_000, 400, "the body is not JSON: it is nested too deep to be read."),
    "large": ("PUT", "/replies", b" " * 300_000, 413, "the body has 300,000 bytes; at most 262,144 are read."),
    "no-list": ("PUT", "/replies", {"text": "a"}, 400, "replies: a script is a list: of replies, "),
    "field": ("PUT", "/replies", [{"txt": "a"}], 400, "replies[0].txt: `txt` is no field of a reply of the model."),
    "conditions": (
        "PUT",
        "/replies",
        [BY_REQUEST[0], BY_REQUEST[0]],
        400,
        "replies[1]: replies[0] has the same conditions.",
    ),
    "inexpressible": ("PUT", "/replies", [{"finish": "malformed"}], 400, "cannot express this reply"),
    "faults-list": ("PUT", "/faults", [1], 400, "faults: a list of 1; expected a mapping from the number of a request"),
    "fault-number": ("PUT", "/faults", {"0": {"status": 503}}, 400, "faults.0: a fault is for a request, counted from"),
    "fault-field": ("PUT", "/faults", {"1": {"state": 503}}, 400, "faults.1.state: `state` is no field of a fault."),
    "fault-status": ("PUT", "/faults", {"1": {"status": 1000}}, 400, "faults.1.status: `status` is the number 1000"),
    "fault-empty": ("PUT", "/faults", {"1": {}}, 400, "faults.1: `fault` says nothing."),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_request_is_answered_with_what_to_do(name: str) -> None:
    method, path, body, status, message = WRONG[name]
    server = server_of()
    got, answer = server.control(method, path, body)

    assert got == status
    assert message in answer["error"]["message"]
    assert server.chat()[1] == "Done."


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example"])
def test_page_of_another_site_changes_nothing(origin: str) -> None:
    server = server_of()

    assert server.send("POST", f"{PREFIX}/reset", origin=origin).status == 403
    assert server.send("POST", f"{PREFIX}/reset", origin="http://localhost:3000").status == 200
    assert server.send("GET", f"{PREFIX}/requests", host="evil.example").status == 421


def test_path_that_only_begins_like_the_interface_is_the_provider_s() -> None:
    assert server_of().send("GET", f"{PREFIX}x/requests").status == 404


def test_document_is_served_and_describes_every_operation() -> None:
    served = json.loads(server_of().send("GET", f"{PREFIX}/openapi.json").body)
    written = json.loads((ROOT / "docs" / "serve.openapi.json").read_text())

    assert served == document(PREFIX)
    assert written == served, "write it again: ./dev python -m tests.docs.regenerate --figures=documents"
    described = {(method.upper(), path) for path, item in served["paths"].items() for method in item}
    assert described == {(operation.method, PREFIX + operation.path) for operation in OPERATIONS}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_answers_and_bodies_are_as_the_document_says(operation: Any) -> None:
    bodies = {"Script": BY_REQUEST, "Faults": {"1": {"status": 503}}}
    server = server_of()
    specs, _ = tools_of([{"name": "f", "description": "Returns.", "returns": "a"}])
    server.sessions.tools = ScriptedTools(specs)
    server.sessions.tools.tools[0].call({"number": 1})
    server.chat(tools=[])
    server.chat()
    status, answer = server.control(operation.method, operation.path, bodies.get(operation.body))
    schemas = {"components": document(PREFIX)["components"]}
    reference = "#/components/schemas/"

    assert status == 200
    jsonschema_rs.validate({"$ref": reference + operation.answer, **schemas}, answer)
    if operation.body:
        jsonschema_rs.validate({"$ref": reference + operation.body, **schemas}, bodies[operation.body])
        assert not jsonschema_rs.is_valid({"$ref": reference + operation.body, **schemas}, [{"txt": "a"}])


NODE = """
const [url, base] = process.argv.slice(1);
const headers = { authorization: 'Bearer from-node', 'content-type': 'application/json' };
const call = async (method, path, body) => {
  const answer = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
  return [answer.status, await answer.json()];
};
await call('PUT', '/__conformance/replies', [{ when: { user: 'warm' }, reply: { text: '7 degrees.' } }]);
const messages = [{ role: 'user', content: 'How warm is it?' }];
const [, said] = await call('POST', base, { model: 'gpt-4.1', messages });
const [status] = await call('POST', base, { model: 'gpt-4.1', messages, tools: [] });
const [, seen] = await call('GET', '/__conformance/requests');
const verdicts = seen.requests.map((one) => one.rule ?? one.verdict);
console.log(JSON.stringify([said.choices[0].message.content, status, verdicts]));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_program_in_node_sets_replies_and_reads_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    printed: list[str] = []

    def run_node() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].split()[0].removesuffix("/v1")
        command = ["node", "--input-type=module", "-e", NODE, "--", url, "/v1/chat/completions"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        printed.append(done.stdout or done.stderr)

    assert serve(ServeOptions(provider="openai"), until=run_node) == 0
    assert json.loads(printed[0]) == ["7 degrees.", 400, ["accepted", "openai/tools-empty"]]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_program_on_the_page_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [block] = [one for one in blocks_of(ROOT / "docs" / "serve.md") if one.title == "weather.test.mjs"]
    program = tmp_path / block.title
    program.write_text(block.text)
    done: list[subprocess.CompletedProcess[str]] = []

    def run_node() -> None:
        url = capsys.readouterr().out.split("base URL ")[1].split()[0].removesuffix("/v1")
        environment = {**os.environ, "FAKE_URL": url}
        command = ["node", "--test", str(program)]
        done.append(
            subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE, env=environment)
        )

    assert serve(ServeOptions(provider="openai"), until=run_node) == 0
    assert done[0].returncode == 0, done[0].stdout


def test_keys_of_the_test_client_are_those_of_chat() -> None:
    """The client of these tests sends what the provider takes."""
    server: Server = server_of()

    assert server.send("POST", "/v1/chat/completions", CHAT).status == 200


def test_tokens_of_a_reply_are_reported_and_listed() -> None:
    server = server_of()
    reply = {"text": "Hello.", "usage": {"input": 2900, "output": 40, "cached": 2048}}
    assert server.control("PUT", "/replies", [reply])[0] == 200
    answer = json.loads(server.send("POST", "/v1/chat/completions", CHAT).body)

    assert answer["usage"]["total_tokens"] == 2940
    assert answer["usage"]["prompt_tokens_details"]["cached_tokens"] == 2048
    assert server.requests()[0]["reply"] == reply
    wrong = {"text": "a", "usage": {"input": 1, "cached": 2}}
    status, refused = server.control("PUT", "/replies", [wrong])
    assert (status, "`cached` is 2, more than `input`, which has 1" in refused["error"]["message"]) == (400, True)
