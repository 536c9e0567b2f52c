"""Cassettes of every recorder are read into one form, without keys; what cannot be read is said with its line."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent_conformance.cassettes import Cassette, UnknownFormat, decode, read_cassette
from agent_conformance.cassettes.formats import own
from agent_conformance.cassettes.list_items import CutShort, json_items
from agent_conformance.transcripts.redaction import SECRETS, redacted
from fake_providers import Call, Reply
from tests.cassettes.recordings import INVOKE, recorded

KEY = "sk-proj-0123456789abcdefXYZ"
EXCHANGE = recorded("openai-chat", Reply(text="7 degrees in Ålesund."), stream=True)
URL = EXCHANGE.request.url
SENT, GOT = EXCHANGE.request.body, EXCHANGE.response.body
STREAM = "text/event-stream; charset=utf-8"


def vcr_entry(body: Any, *, headers: dict[str, list[str]] | None = None) -> dict[str, Any]:
    return {
        "request": {
            "body": SENT.decode(),
            "headers": {"authorization": [f"Bearer {KEY}"], "content-type": ["application/json"]},
            "method": "POST",
            "uri": URL,
        },
        "response": {
            "body": body,
            "headers": {"Content-Type": [STREAM], **(headers or {})},
            "status": {"code": 200, "message": "OK"},
        },
    }


def vcr(*entries: dict[str, Any]) -> bytes:
    return yaml.safe_dump({"interactions": list(entries), "version": 1}).encode()


def har() -> bytes:
    entry = {
        "request": {
            "method": "POST",
            "url": f"{URL}?key={KEY}",
            "headers": [{"name": "Authorization", "value": f"Bearer {KEY}"}],
            "postData": {"mimeType": "application/json", "text": SENT.decode()},
        },
        "response": {
            "status": 200,
            "headers": [{"name": "Content-Type", "value": STREAM}],
            "content": {"mimeType": STREAM, "encoding": "base64", "text": base64.b64encode(GOT).decode()},
        },
    }
    return json.dumps({"log": {"version": "1.2", "entries": [entry]}}, indent=1).encode()


def own_cassette() -> bytes:
    header = own.header_line({"provider": "openai", "wire": "openai-chat"})
    return (header + own.line_of(EXCHANGE.request, EXCHANGE.response)).encode()


def langchain() -> bytes:
    """Its tests hide the values of headers."""
    entry = vcr_entry({"string": GOT}, headers={"content-encoding": ["**REDACTED**"]})
    entry["response"]["headers"]["Content-Type"] = ["**REDACTED**"]
    return yaml.safe_dump({"requests": [entry["request"]], "responses": [entry["response"]]}).encode()


GZIPPED = gzip.compress(GOT)
FILES = {
    "vcr, a text": ("vcr", vcr(vcr_entry({"string": GOT.decode()}))),
    "vcr, bytes": ("vcr", vcr(vcr_entry({"string": GOT}))),
    "vcr, gzip": ("vcr", vcr(vcr_entry({"string": GZIPPED}, headers={"content-encoding": ["gzip"]}))),
    "vcr, base64": ("vcr", vcr(vcr_entry({"base64_string": base64.b64encode(GOT).decode()}))),
    "vcr, as JSON": ("vcr", json.dumps({"version": 1, "interactions": [vcr_entry({"string": GOT.decode()})]}).encode()),
    "vcr of Ruby": ("vcr", vcr(vcr_entry({"string": GOT.decode()})).replace(b"interactions:", b"http_interactions:")),
    "vcr of LangChain, packed": ("vcr", gzip.compress(langchain())),
    "har": ("har", har()),
    "own": ("agent-conformance", own_cassette()),
}


def cassette(folder: Path, data: bytes) -> Cassette:
    path = folder / "cassette"
    path.write_bytes(data)
    return read_cassette(path)


@pytest.mark.parametrize("name", FILES)
def test_every_format_has_the_same_exchange(name: str, tmp_path: Path) -> None:
    kind, data = FILES[name]

    read = cassette(tmp_path, data)

    assert (read.format, read.problems) == (kind, ())
    (exchange,) = read.exchanges
    assert (exchange.request.method, exchange.request.path.partition("?")[0]) == ("POST", "/v1/chat/completions")
    assert json.loads(exchange.request.body) == json.loads(SENT)
    assert (exchange.response.status, exchange.response.chunks) == (200, EXCHANGE.response.chunks)
    decoded = decode(exchange)
    assert decoded is not None
    assert decoded.reply.text == "7 degrees in Ålesund."


@pytest.mark.parametrize("name", FILES)
def test_keys_are_left_out_and_learned(name: str, tmp_path: Path) -> None:
    SECRETS.forget()

    (exchange,) = cassette(tmp_path, FILES[name][1]).exchanges

    assert KEY not in repr(exchange)
    assert "authorization" not in exchange.request.headers_by_name
    if name != "own":  # which never has one
        assert redacted(f"the key is {KEY}") in ("the key is $AUTHORIZATION", "the key is $KEY")
    SECRETS.forget()


@pytest.mark.parametrize("kind", ["bedrock-converse", INVOKE])
def test_frames_are_the_same_in_every_format(kind: str, tmp_path: Path) -> None:
    made = recorded(kind, Reply(text="7 degrees in Ålesund.", calls=(Call("look"),)), stream=True)
    sent = {"method": "POST", "uri": made.request.url, "headers": {}, "body": made.request.body.decode()}
    named = {"Content-Type": ["application/vnd.amazon.eventstream"]}
    got = {"status": {"code": 200}, "headers": named, "body": {"string": made.response.body}}
    in_vcr = yaml.safe_dump({"interactions": [{"request": sent, "response": got}], "version": 1})
    content = {"encoding": "base64", "text": base64.b64encode(made.response.body).decode()}
    entry = {
        "request": {"method": "POST", "url": made.request.url, "headers": [], "postData": {"text": sent["body"]}},
        "response": {
            "status": 200,
            "headers": [{"name": "content-type", "value": named["Content-Type"][0]}],
            "content": content,
        },
    }
    in_har = json.dumps({"log": {"version": "1.2", "entries": [entry]}})
    in_own = own.header_line({"provider": "bedrock"}) + own.line_of(made.request, made.response)

    read = [cassette(tmp_path, text.encode()) for text in (in_vcr, in_har, in_own)]

    assert "!!binary" in in_vcr
    for one in read:
        (exchange,) = one.exchanges
        assert exchange.response.chunks == made.response.chunks
        assert decode(exchange) == decode(made)


def test_bodies_that_a_serializer_parsed_are_read(tmp_path: Path) -> None:
    """As the cassettes of pydantic-ai have them."""
    plain = recorded("openai-chat", Reply(text="Hello."))
    entry = vcr_entry(None)
    entry["request"].pop("body")
    entry["request"]["parsed_body"] = json.loads(plain.request.body)
    entry["response"].pop("body")
    entry["response"] |= {
        "parsed_body": json.loads(plain.response.body),
        "headers": {"content-type": ["application/json"]},
    }

    (exchange,) = cassette(tmp_path, vcr(entry)).exchanges

    decoded = decode(exchange)
    assert decoded is not None
    assert decoded.reply.text == "Hello."
    assert json.loads(exchange.request.body)["model"] == "gpt-4.1"


def test_fixtures_of_aimock_become_chat_completions(tmp_path: Path) -> None:
    fixtures = [
        {
            "match": {"userMessage": "weather", "hasToolResult": False, "model": "gpt-4o", "toolName": "get_weather"},
            "response": {"reasoning": "Hm.", "toolCalls": [{"name": "get_weather", "arguments": {"city": "Oslo"}}]},
        },
        {"match": {}, "response": {"error": {"message": "Slow down.", "type": "rate_limit"}, "status": 429}},
        {"match": {"endpoint": "image"}, "response": {"image": {"url": "https://example.org/a.png"}}},
        {"match": {}, "response": {"blocks": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}},
    ]

    text = json.dumps({"fixtures": fixtures}, indent=1)
    line = text[: text.index('"endpoint"')].count("\n") - 1  # where its fixture begins

    read = cassette(tmp_path, text.encode())

    assert read.format == "aimock"
    call, refusal, blocks = read.exchanges
    decoded = [decode(exchange) for exchange in (call, refusal, blocks)]
    assert json.loads(call.request.body)["messages"] == [{"role": "user", "content": "weather"}]
    assert call.is_made_up
    assert decoded[0] is not None
    assert decoded[0].reply == Reply(
        thinking="Hm.", calls=(Call("get_weather", {"city": "Oslo"}, None, "call_1"),), finish=None
    )
    assert decoded[1] is not None
    assert (decoded[1].status, decoded[1].error) == (429, "Slow down.")
    assert decoded[2] is not None
    assert decoded[2].reply.text == "ab"
    (problem,) = read.problems
    assert str(problem).startswith(f"{tmp_path / 'cassette'}:{line}: the response has `image`.")


@pytest.mark.parametrize("name", ["vcr, a text", "har", "own", "vcr, as JSON"])
def test_of_a_cut_file_the_entries_before_the_cut_are_read(name: str, tmp_path: Path) -> None:
    entries = [vcr_entry({"string": GOT.decode()}) for _ in range(3)]
    whole = {
        "vcr, a text": vcr(*entries),
        "har": json.dumps({"log": {"version": "1.2", "entries": json.loads(har())["log"]["entries"] * 3}}).encode(),
        "own": own_cassette() + own_cassette().partition(b"\n")[2] * 2,
        "vcr, as JSON": json.dumps({"interactions": entries}).encode(),
    }[name]

    read = cassette(tmp_path, whole[: len(whole) * 5 // 6])

    assert (read.format, len(read.exchanges)) == (FILES[name][0], 2)
    (problem,) = read.problems
    assert "2 entries were read before it." in problem.message
    assert problem.place.number == 3


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"hello", b"\xff\xfe\x00", b'{"messages": []}', b"description: a scenario\n"]
)
def test_another_file_is_refused_with_what_is_read(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"this is no cassette\. Expected a cassette of vcrpy or pytest-recording"):
        cassette(tmp_path, data)


def test_compression_that_is_not_read_is_said_with_the_remedy(tmp_path: Path) -> None:
    entry = vcr_entry({"string": b"\x0b\x02\x80\xff\xfe"}, headers={"content-encoding": ["br"]})

    read = cassette(tmp_path, vcr(entry))

    assert read.exchanges == ()
    (problem,) = read.problems
    assert "compressed with `br`" in problem.message
    assert "decode_compressed_response=True" in problem.message


def test_compressed_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_conformance.cassettes.bodies.LARGEST", 1000)
    entry = vcr_entry({"string": gzip.compress(b"a" * 10_000)}, headers={"content-encoding": ["gzip"]})

    (problem,) = cassette(tmp_path, vcr(entry)).problems

    assert "more than 1,000 bytes when it is unpacked" in problem.message


@pytest.mark.parametrize(
    "data",
    [
        b"interactions:\n" + b"- [" * 1000,
        b"interactions:\n- &a [1]\n- *a\n- !!python/object:os.system x\n",
        b"interactions:\n- {request: 3, response: []}\n- null\n",
        b'{"interactions": [' + b"[" * 100_000,
        b'{"log": {"version": "1.2", "entries": [{"request": {}, "response": {}}, 3]}}',
        b'{"cassette": "agent-conformance", "version": 9}\n',
        b'{"cassette": "agent-conformance", "version": 1}\n{"request": {}, "response": {"status": "a"}}\n',
    ],
)
def test_hostile_file_gives_problems_and_no_error(data: bytes, tmp_path: Path) -> None:
    read = cassette(tmp_path, data)

    assert read.exchanges == ()
    assert read.problems


def test_password_in_an_address_is_left_out(tmp_path: Path) -> None:
    entry = vcr_entry({"string": "{}"})
    entry["request"]["uri"] = f"https://me:{KEY}@gateway.example:8443/v1/chat/completions?api_key={KEY}&a=1"

    (exchange,) = cassette(tmp_path, vcr(entry)).exchanges

    assert exchange.request.url == "https://gateway.example:8443/v1/chat/completions?api_key=REDACTED&a=1"
    SECRETS.forget()


def test_fixture_of_aimock_with_calls_that_are_no_list_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "fixtures.json"
    path.write_text('{"fixtures": [{"match": {}, "response": {"toolCalls": true, "blocks": 1}}]}')

    assert "Only text, reasoning, calls and errors are read" in str(read_cassette(path).problems[0])


def test_entry_with_a_number_of_thousands_of_digits_ends_the_reading() -> None:
    items = json_items(f'{{"entries": [1, {"9" * 5000}]}}', ("entries",))

    assert next(items) == (1, 1)
    with pytest.raises(CutShort, match="too many digits"):
        next(items)
