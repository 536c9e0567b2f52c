"""`agent-conformance serve --replay`: what was recorded is answered again, and what was not is named."""

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml

from agent_conformance.cassettes.formats import own
from agent_conformance.commands.record.command import RecordOptions, record
from agent_conformance.commands.serve.command import ServeOptions, serve
from agent_conformance.commands.serve.control import PREFIX
from fake_providers import Call, Fault, Reply, ServerCall
from fake_providers import serve as serve_fake
from tests.cassettes.recordings import HEADERS, KINDS, WIRES, body_for, path_for, recorded, wire_named
from tests.docs.documents import ROOT, blocks_of, fitted

CALL = Call("get_weather", {"city": "Oslo"}, None, "call_1")


def post(url: str, body: Any) -> httpx2.Response:
    return httpx2.post(url, json=body, headers=HEADERS, trust_env=False)


def cassette(folder: Path, *exchanges: Any) -> Path:
    path = folder / "weather.jsonl"
    lines = [own.line_of(exchange.request, exchange.response) for exchange in exchanges]
    path.write_text(own.header_line({"provider": "openai"}) + "".join(lines))
    return path


def replayed(
    options: ServeOptions, capsys: pytest.CaptureFixture[str], use: Callable[[str], object]
) -> tuple[str, int]:
    """The output, and the exit code; `use` gets the server's address."""
    shown = ""

    def until() -> None:
        nonlocal shown
        shown = capsys.readouterr().out
        use("/".join(shown.split("base URL ")[1].split("/")[:3]).strip())

    code = serve(options, until)
    return shown + capsys.readouterr().out, code


SEARCHED = Reply(text="Rain.", server_calls=(ServerCall("web_search", {"query": "Oslo"}, "Rain."),))


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize(
    ("wire", "reply", "fields"),
    [
        *((wire, Reply(text="I look.", calls=(CALL,)), {}) for wire in KINDS),
        ("openai-responses", SEARCHED, {"tools": [{"type": "web_search"}]}),
    ],
)
def test_recorded_request_gets_its_response_byte_for_byte(
    wire: str,
    reply: Reply,
    fields: dict[str, Any],
    stream: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    exchange = recorded(wire, reply, stream=stream, **fields)
    provider = KINDS[wire]
    options = ServeOptions(provider=provider, wire=wire_named(wire), replay=cassette(tmp_path, exchange))
    answers: list[httpx2.Response] = []

    printed, code = replayed(
        options,
        capsys,
        lambda url: answers.append(
            post(url + path_for(wire, stream=stream), {**body_for(wire, stream=stream), **fields})
        ),
    )

    assert (code, answers[0].status_code) == (0, 200)
    assert answers[0].content == exchange.response.body
    assert answers[0].headers["content-type"] == dict(exchange.response.headers)["content-type"]
    assert f"POST {path_for(wire, stream=stream)}: 200" in printed.splitlines()


def test_conversation_that_was_recorded_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = body_for("openai-responses")
    path = tmp_path / "a.jsonl"

    def converse(base: str) -> list[Any]:
        one = post(f"{base}/responses", first)
        call_id = one.json()["output"][-1]["call_id"]
        result = {"type": "function_call_output", "call_id": call_id, "output": "7"}
        two = post(f"{base}/responses", {**first, "previous_response_id": one.json()["id"], "input": [result]})
        return [one.json(), two.json()]

    said: list[Any] = []
    with serve_fake("openai", [Reply(calls=(CALL,)), Reply(text="7 degrees.")], "openai-responses") as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=path)
        record(options, lambda: said.append(converse(capsys.readouterr().out.split("base URL ")[1].strip())))
    capsys.readouterr()

    printed, _ = replayed(
        ServeOptions(provider="openai", replay=path), capsys, lambda url: said.append(converse(f"{url}/v1"))
    )

    assert said[0] == said[1]
    assert "refused" not in printed


@pytest.mark.parametrize("wire", WIRES)
def test_request_that_is_not_recorded_gets_a_404_in_the_envelope_that_names_the_nearest(
    wire: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cassette(tmp_path, recorded(wire, Reply(text="Hello.")))
    answers: list[httpx2.Response] = []

    printed, _ = replayed(
        ServeOptions(provider=WIRES[wire], wire=wire, replay=path),
        capsys,
        lambda url: answers.append(post(url + path_for(wire), body_for(wire, question="Hm?"))),
    )

    assert answers[0].status_code == 404
    assert ("message" if wire in ("bedrock-converse", "cohere-chat") else "error") in answers[0].json()
    assert f"The nearest is {path}:2: at `" in answers[0].text
    assert '"code":400' not in answers[0].text
    assert f"  not recorded: this request is not recorded. The nearest is {path}:2: at `" in printed


def test_request_that_is_not_recorded_and_wrong_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cassette(tmp_path, recorded("openai-chat", Reply(text="Hello.")))
    answers: list[httpx2.Response] = []
    wrong = {**body_for("openai-chat"), "tools": []}

    printed, _ = replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: answers.append(post(f"{url}/v1/chat/completions", wrong)),
    )

    assert answers[0].status_code == 400
    assert "refused by openai/tools-empty at tools" in printed


def test_recording_wins_over_a_rule_and_a_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchange = recorded("openai-chat", Reply(text="Hello."))
    wrong = {**body_for("openai-chat"), "tools": []}
    entry = {
        "request": {"method": "POST", "uri": exchange.request.url, "body": json.dumps(wrong), "headers": {}},
        "response": {
            "status": {"code": 200},
            "headers": {"Content-Type": ["application/json"], "content-encoding": ["gzip"]},
            "body": {"string": gzip.compress(exchange.response.body)},
        },
    }
    path = tmp_path / "weather.yaml"
    path.write_text(yaml.safe_dump({"interactions": [entry], "version": 1}))
    answers: list[httpx2.Response] = []

    printed, _ = replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: answers.append(post(f"{url}/v1/chat/completions", wrong)),
    )

    assert (answers[0].status_code, answers[0].content) == (200, exchange.response.body)
    assert f"  disagreement: {path}:2 was accepted, and openai/tools-empty refuses it at tools" in printed


def test_recorded_reply_wins_over_what_is_never_sent_and_a_line_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exchange = recorded("openai-chat", Reply(calls=(CALL, Call("get_weather", {"city": "Rome"}, None, "call_2"))))
    asked = {**body_for("openai-chat"), "parallel_tool_calls": False}
    request = replace(exchange.request, body=json.dumps(asked).encode())
    path = cassette(tmp_path, replace(exchange, request=request))
    answers: list[httpx2.Response] = []

    printed, _ = replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: answers.append(post(f"{url}/v1/chat/completions", asked)),
    )

    assert (answers[0].status_code, answers[0].content) == (200, exchange.response.body)
    assert f"  disagreement: {path}:2 was sent, and several-calls says: with `parallel_tool_calls: false`" in printed


def test_recorded_reply_that_is_often_sent_has_no_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cassette(tmp_path, recorded("openai-chat", Reply(calls=(CALL,))))

    printed, _ = replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: post(f"{url}/v1/chat/completions", body_for("openai-chat")),
    )

    assert "disagreement" not in printed


def test_error_that_was_recorded_is_played_with_its_headers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cassette(tmp_path, recorded("openai-chat", Reply(fault=Fault(status=429, retry_after=3))))
    answers: list[httpx2.Response] = []

    replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: answers.append(post(f"{url}/v1/chat/completions", body_for("openai-chat"))),
    )

    assert answers[0].status_code == 429
    assert answers[0].headers["retry-after"] == "3"


def test_request_without_a_key_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cassette(tmp_path, recorded("openai-chat", Reply(text="Hello.")))
    statuses: list[int] = []

    replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: statuses.append(
            httpx2.post(f"{url}/v1/chat/completions", json=body_for("openai-chat"), trust_env=False).status_code
        ),
    )

    assert statuses == [401]


def test_other_paths_are_answered_where_they_were_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cassette(tmp_path, recorded("openai-chat", Reply(text="Hello.")))
    answers: list[httpx2.Response] = []

    printed, _ = replayed(
        ServeOptions(provider="openai", replay=path),
        capsys,
        lambda url: answers.append(httpx2.get(f"{url}/v1/models", headers=HEADERS, trust_env=False)),
    )

    assert answers[0].status_code == 404
    assert "no request to GET /v1/models is recorded." in printed


def test_programs_read_what_was_not_recorded_and_have_a_place_in_the_cassette_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exchanges = [recorded("openai-chat", Reply(text=text)) for text in ("one", "two")]
    said: list[str] = []
    listed: list[Any] = []

    def use(url: str) -> None:
        for token in ("a", "b", "a"):
            headers = {**HEADERS, "x-conformance-token": token}
            answer = httpx2.post(
                f"{url}/v1/chat/completions", json=body_for("openai-chat"), headers=headers, trust_env=False
            )
            said.append(answer.json()["choices"][0]["message"]["content"])
        post(f"{url}/v1/chat/completions", body_for("openai-chat", question="Hm?"))
        listed.extend(httpx2.get(f"{url}{PREFIX}/requests", headers=HEADERS, trust_env=False).json()["requests"])

    replayed(ServeOptions(provider="openai", replay=cassette(tmp_path, *exchanges)), capsys, use)

    assert said == ["one", "one", "two"]
    assert [(entry["status"], entry["verdict"]) for entry in listed] == [(404, "stopped")]
    assert "The nearest is" in listed[0]["message"]


def test_several_providers_play_one_cassette(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exchanges = [recorded(wire, Reply(text="Hello.")) for wire in ("openai-chat", "anthropic-messages")]
    options = ServeOptions(provider="openai", beside=("anthropic",), replay=cassette(tmp_path, *exchanges))
    statuses: list[int] = []

    def use(url: str) -> None:
        for name, wire in (("openai", "openai-chat"), ("anthropic", "anthropic-messages")):
            statuses.append(post(f"{url}/{name}{path_for(wire)}", body_for(wire)).status_code)

    replayed(options, capsys, use)

    assert statuses == [200, 200]


def test_usage_errors_name_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {
        "none.jsonl": None,
        "empty.yaml": "interactions: []\n",
        "broken.json": '{"interactions": [{"request": 3}]}',
        "fixtures.json": '{"fixtures": [{"match": {}, "response": {"content": "a"}}]}',
        "replies.yaml": "- text: a\n",
    }
    messages = {
        "none.jsonl": "No such file",
        "empty.yaml": "no exchange in it can be played",
        "broken.json": "broken.json:1: the entry has no `request` and `response`",
        "fixtures.json": "the fixtures of aimock have no requests. Give the file to --script.",
        "replies.yaml": "this is no cassette. Expected a cassette of vcrpy",
    }
    for name, text in files.items():
        if text is not None:
            (tmp_path / name).write_text(text)
        assert serve(ServeOptions(provider="openai", replay=tmp_path / name), lambda: None) == 2
        assert messages[name] in capsys.readouterr().err
    options = ServeOptions(provider="openai", replay=tmp_path / "a", script=tmp_path / "b")
    assert serve(options, lambda: None) == 2
    assert "Leave --script and --window out." in capsys.readouterr().err


def test_part_of_a_cassette_that_cannot_be_read_is_said_and_the_rest_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cassette(tmp_path, recorded("openai-chat", Reply(text="Hello.")))
    path.write_text(path.read_text() + '{"request": {"meth')
    errors: list[str] = []

    assert serve(ServeOptions(provider="openai", replay=path), lambda: errors.append(capsys.readouterr().err)) == 0
    assert errors == [
        f"{path}:3: this line is not JSON. The file was cut here, or is still being written. "
        "1 entry was read before it.\n"
    ]


def test_page_about_aimock_shows_what_the_server_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = {
        block.title or block.text.partition(" --")[0]: block for block in blocks_of(ROOT / "docs/moving-from-aimock.md")
    }
    fixtures = Path("fixtures/weather.json")
    fixtures.parent.mkdir()
    fixtures.write_text(blocks["fixtures/weather.json"].text, encoding="utf-8")
    output: list[str] = []

    def use() -> None:
        captured = capsys.readouterr()
        output.append(captured.err + captured.out)
        url = captured.out.split("base URL ")[1].strip()
        for question in ("How is the weather?", "Tell me a joke."):
            post(f"{url}/chat/completions", {"model": "gpt-4.1", "messages": [{"role": "user", "content": question}]})

    assert serve(ServeOptions(provider="openai", script=fixtures), use) == 0
    output.append(capsys.readouterr().out)
    expected = blocks["$ agent-conformance serve"].text.partition("\n")[2]
    assert fitted(re.sub(r":\d{4,}", ":4010", "".join(output))) == expected
