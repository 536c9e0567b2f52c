"""`agent-conformance record`: between an agent and another server, with a fake as that server."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from agent_conformance.cassettes import decode, read_cassette
from agent_conformance.commands.main import main
from agent_conformance.commands.record import proxy
from agent_conformance.commands.record.command import CassetteWriter, RecordOptions, record
from agent_conformance.commands.serve.command import ServeOptions
from agent_conformance.commands.serve.command import serve as replay
from agent_conformance.transcripts.redaction import SECRETS
from fake_providers import Call, Fault, Reply, Request, serve
from tests.cassettes.recordings import HEADERS, KINDS, WIRES, body_for, path_for, wire_named
from tests.docs.documents import ROOT, blocks_of, fitted

KEY = "sk-proj-0123456789abcdefXYZ"
QUESTION: dict[str, Any] = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "a"}]}


@pytest.fixture(autouse=True)
def no_secrets() -> Iterator[None]:
    SECRETS.forget()
    yield
    SECRETS.forget()


def post(url: str, body: Any, **headers: str) -> httpx2.Response:
    return httpx2.post(url, json=body, headers={**HEADERS, **headers}, trust_env=False)


def recorded(
    options: RecordOptions, capsys: pytest.CaptureFixture[str], use: Callable[[str], object]
) -> tuple[int, str]:
    """Exit code and output; `use` gets the base URL."""
    shown = ""

    def until() -> None:
        nonlocal shown
        shown = capsys.readouterr().out
        use(shown.split("base URL ")[1].strip())

    code = record(options, until)
    return code, shown + capsys.readouterr().out


@pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])
@pytest.mark.parametrize("wire", KINDS)
def test_response_comes_back_and_stands_in_the_cassette(
    wire: str, stream: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reply = Reply(text="I look.", calls=(Call("get_weather", {"city": "Ålesund"}, None, "call_1"),))
    answers: list[httpx2.Response] = []
    with serve(KINDS[wire], [reply], wire_named(wire), strict_replies=False) as fake:
        url = fake.base_url.removesuffix(fake.wire.base_path)
        options = RecordOptions(
            provider=KINDS[wire], wire=wire_named(wire), upstream=fake.base_url, to=tmp_path / "a.jsonl"
        )

        def use(base: str) -> None:
            path = path_for(wire, stream=stream)
            for root in (base.removesuffix(fake.wire.base_path), url):
                answers.append(post(root + path, body_for(wire, stream=stream)))

        code, printed = recorded(options, capsys, use)

    assert (code, answers[0].status_code) == (0, 200)
    assert answers[0].headers["content-type"] == answers[1].headers["content-type"]
    assert printed.splitlines()[1:] == [
        f"POST {path_for(wire, stream=stream)}: 200",
        f"{tmp_path / 'a.jsonl'}: 1 request",
    ]
    (exchange,) = read_cassette(tmp_path / "a.jsonl").exchanges
    assert exchange.response.body == answers[0].content
    assert len(exchange.response.chunks) > 1 if stream else len(exchange.response.chunks) == 1
    decoded = decode(exchange)
    assert decoded is not None
    assert (decoded.reply.text, decoded.reply.calls) == (reply.text, reply.calls)
    assert json.loads(exchange.request.body) == body_for(wire, stream=stream)


def test_base_url_may_be_given_with_or_without_its_last_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve("openai", [Reply(text="Hello.")]) as fake:
        for number, upstream in enumerate((fake.base_url, fake.base_url.removesuffix("/v1"), f"{fake.base_url}/")):
            options = RecordOptions(provider="openai", upstream=upstream, to=tmp_path / f"{number}.jsonl")
            code, _ = recorded(options, capsys, lambda base: post(f"{base}/chat/completions", QUESTION))
            assert code == 0

    assert len(fake.requests) == 3


def test_upstream_that_accepts_what_a_rule_refuses_is_a_disagreement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """vLLM as the upstream stands for an OpenAI that has changed."""
    with serve("vllm", [Reply(text="Hello.")]) as fake:
        options = RecordOptions(provider="openai", wire="openai-chat", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        code, printed = recorded(
            options, capsys, lambda base: post(f"{base}/chat/completions", {**QUESTION, "min_p": 0.1})
        )

    assert code == 1
    assert "  disagreement: the upstream accepts what openai/" in printed
    assert "min_p" in printed
    assert len(read_cassette(tmp_path / "a.jsonl").exchanges) == 1


def test_upstream_that_refuses_what_no_rule_refuses_is_a_disagreement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fault = Fault(status=400, body={"error": {"message": "This model is for poets alone."}})
    with serve("openai", [Reply(fault=fault)]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        code, printed = recorded(options, capsys, lambda base: post(f"{base}/chat/completions", QUESTION))

    assert code == 1
    assert "  disagreement: the upstream refuses it, and no rule of openai does" in printed
    assert "    upstream  400 This model is for poets alone." in printed


@pytest.mark.parametrize("status", [401, 429, 500])
def test_failure_that_is_not_about_the_request_is_no_disagreement(
    status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve("openai", [Reply(fault=Fault(status=status))]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        code, printed = recorded(options, capsys, lambda base: post(f"{base}/chat/completions", QUESTION))

    assert code == 0
    assert "disagreement" not in printed
    assert read_cassette(tmp_path / "a.jsonl").exchanges[0].response.status == status


def test_request_that_both_refuse_has_its_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve("openai") as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        code, printed = recorded(
            options, capsys, lambda base: post(f"{base}/chat/completions", {**QUESTION, "tools": []})
        )

    assert code == 0
    assert "  refused by openai/tools-empty at tools: " in printed


def test_response_that_continues_one_that_passed_is_judged_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Call("get_weather", {"city": "Oslo"}, None, "call_1")
    first = body_for("openai-responses")
    with serve("openai", [Reply(calls=(call,)), Reply(text="7 degrees.")], "openai-responses") as fake:
        options = RecordOptions(
            provider="openai", wire="openai-responses", upstream=fake.base_url, to=tmp_path / "a.jsonl"
        )

        def use(base: str) -> None:
            id = post(f"{base}/responses", first).json()["id"]
            result = {"type": "function_call_output", "call_id": "call_2", "output": "7"}
            post(f"{base}/responses", {**first, "previous_response_id": id, "input": [result]})

        code, printed = recorded(options, capsys, use)

    assert code == 0
    assert "refused by openai/" in printed


def test_keys_never_reach_the_file_or_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    others = {"OTHER_API_KEY": "oth-9876543210fedcbaQRS"}
    monkeypatch.setenv(*next(iter(others.items())))
    texts = [f"Your key is {KEY}.", "None."]
    with serve("openai", [Reply(text=text) for text in texts]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        body = {
            **QUESTION,
            "messages": [{"role": "user", "content": f"my key is {KEY}, and {others['OTHER_API_KEY']}"}],
            "metadata": {"api_key": "thd-5555555555aaaaaZZZ", "note": "thd-5555555555aaaaaZZZ"},
        }

        def use(base: str) -> None:
            headers = {"authorization": f"Bearer {KEY}", "cookie": f"session={KEY}"}
            for _ in texts:
                post(f"{base}/chat/completions?key={KEY}", body, **headers)

        _, printed = recorded(options, capsys, use)
        got = fake.requests[0]

    assert KEY in got.body.decode()  # it is passed on as it is
    assert got.headers["authorization"] == f"Bearer {KEY}"
    written = (tmp_path / "a.jsonl").read_text()
    for secret in (KEY, *others.values(), "thd-5555555555aaaaaZZZ"):
        assert secret not in written
        assert secret not in printed
    assert "$OTHER_API_KEY" in written
    assert len(read_cassette(tmp_path / "a.jsonl").exchanges) == 2


TOLD = f"Your key is {KEY}, is it not?"
PIECES = tuple(TOLD[start : start + 4] for start in range(0, len(TOLD), 4))


IN_TEXT = Reply(text=TOLD, chunks=PIECES)
IN_ARGUMENTS = Reply(calls=(Call("get_weather", {"city": TOLD}, None, "call_1"),))


@pytest.mark.parametrize(
    ("wire", "reply"),
    [
        *[pytest.param(wire, IN_TEXT, id=f"{wire}, text") for wire in KINDS],
        pytest.param("openai-chat", IN_ARGUMENTS, id="openai-chat, arguments"),
        pytest.param("openai-responses", IN_ARGUMENTS, id="openai-responses, arguments"),
    ],
)
def test_stream_with_a_key_in_pieces_is_not_recorded(
    wire: str, reply: Reply, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve(KINDS[wire], [reply], wire_named(wire), strict_replies=False) as fake:
        options = RecordOptions(
            provider=KINDS[wire], wire=wire_named(wire), upstream=fake.base_url, to=tmp_path / "a.jsonl"
        )

        def use(base: str) -> None:
            root = base.removesuffix(fake.wire.base_path)
            post(root + path_for(wire, stream=True), body_for(wire, stream=True), authorization=f"Bearer {KEY}")

        _, printed = recorded(options, capsys, use)

    assert "not recorded: a key is in the response in pieces" in printed
    assert "nothing was recorded" in printed
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wire", WIRES)
def test_upstream_that_is_down_is_one_line_and_a_502_in_the_envelope(
    wire: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answers: list[httpx2.Response] = []
    upstream = f"http://127.0.0.1:{port}"
    options = RecordOptions(provider=WIRES[wire], wire=wire, upstream=upstream, to=tmp_path / "a.jsonl")

    def use(base: str) -> None:
        root = "/".join(base.split("/")[:3])
        answers.append(post(root + path_for(wire), body_for(wire)))

    code, printed = recorded(options, capsys, use)

    assert (code, answers[0].status_code) == (0, 502)
    assert f"{upstream} does not answer" in answers[0].text
    assert {"error", "message"} & answers[0].json().keys()
    assert '"code":400' not in answers[0].text
    assert printed.splitlines()[1] == f"POST {path_for(wire)}: 502"
    assert printed.splitlines()[2].startswith(f"  {upstream} does not answer: ")
    assert list(tmp_path.iterdir()) == []


class _Slow(BaseHTTPRequestHandler):
    """Sends half a stream, waits, and then the rest; or cuts it off."""

    protocol_version = "HTTP/1.1"
    half = threading.Event()
    cuts = False

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        self._write(b'data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}\n\n')
        self.half.wait()
        if self.cuts:
            self.close_connection = True
            return
        self._write(b'data: {"choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": "stop"}]}\n\n')
        self._write(b"")

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(_Slow, "half", threading.Event())
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Slow)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    _Slow.half.set()
    server.shutdown()
    server.server_close()
    thread.join()


def test_stream_comes_through_piece_by_piece(slow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    got: list[str] = []
    options = RecordOptions(provider="openai", upstream=slow, to=tmp_path / "a.jsonl")

    def use(base: str) -> None:
        with httpx2.stream(
            "POST", f"{base}/chat/completions", json={**QUESTION, "stream": True}, trust_env=False
        ) as response:
            for piece in response.iter_text():
                got.append(piece)
                _Slow.half.set()  # only now does the upstream send the rest

    recorded(options, capsys, use)

    assert len(got) == 2
    decoded = decode(read_cassette(tmp_path / "a.jsonl").exchanges[0])
    assert decoded is not None
    assert decoded.reply.text == "Hello"


def test_stream_that_the_upstream_cuts_is_cut_for_the_client_and_in_the_cassette(
    slow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Slow, "cuts", True)
    _Slow.half.set()
    options = RecordOptions(provider="openai", upstream=slow, to=tmp_path / "a.jsonl")

    def use(base: str) -> None:
        with pytest.raises(httpx2.RemoteProtocolError):
            post(f"{base}/chat/completions", {**QUESTION, "stream": True})

    _, printed = recorded(options, capsys, use)

    assert "  the upstream cut the response off" in printed
    (exchange,) = read_cassette(tmp_path / "a.jsonl").exchanges
    assert exchange.response.is_cut


def test_response_that_the_client_did_not_take_is_not_recorded(
    slow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = RecordOptions(provider="openai", upstream=slow, to=tmp_path / "a.jsonl")

    def use(base: str) -> None:
        address = httpx2.URL(base)
        body = json.dumps({**QUESTION, "stream": True}).encode()
        with socket.create_connection((address.host, address.port)) as client:
            head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            client.recv(100)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
        _Slow.half.set()

    _, printed = recorded(options, capsys, use)

    assert "not recorded: the client left before the end of the response" in printed


def test_exchange_that_is_not_written_when_the_recording_ends_is_waited_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client has its response, and the thread that notes it is held up until the proxy has ended."""
    is_over = threading.Event()
    add, unfinished = CassetteWriter.add, proxy._Server.unfinished

    def late(writer: CassetteWriter, *exchange: Any) -> str | None:
        is_over.wait()
        return add(writer, *exchange)

    def waiting(server: Any) -> list[Request]:
        is_over.set()
        return unfinished(server)

    monkeypatch.setattr(CassetteWriter, "add", late)
    monkeypatch.setattr(proxy._Server, "unfinished", waiting)
    with serve("openai", [Reply(text="Hello.")]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        recorded(options, capsys, lambda base: post(f"{base}/chat/completions", QUESTION))

    is_over.set()
    assert len(read_cassette(tmp_path / "a.jsonl").exchanges) == 1


def test_response_that_does_not_end_with_the_recording_is_named(
    slow: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "ENDING", 0.1)
    options = RecordOptions(provider="openai", upstream=slow, to=tmp_path / "a.jsonl")
    streams = contextlib.ExitStack()

    def use(base: str) -> None:
        response = httpx2.stream("POST", f"{base}/chat/completions", json=QUESTION, trust_env=False)
        next(streams.enter_context(response).iter_raw())

    with streams:
        _, printed = recorded(options, capsys, use)

    assert "completions: passed on\n  not recorded: the recording ended before the response did\n" in printed


def test_body_in_chunks_is_passed_on_and_other_hosts_are_not_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers: list[httpx2.Response] = []
    body = json.dumps(QUESTION).encode()
    with serve("openai", [Reply(text="Hello.")]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")

        def use(base: str) -> None:
            url = f"{base}/chat/completions"
            with httpx2.Client(trust_env=False, headers=HEADERS) as client:
                answers.append(client.post(url, content=iter([body[:9], body[9:]])))
                answers.append(client.post(url, json=QUESTION, headers={"host": "evil.example"}))

        recorded(options, capsys, use)

    assert [answer.status_code for answer in answers] == [200, 421]
    assert json.loads(fake.requests[0].body) == QUESTION
    assert len(fake.requests) == 1


def test_target_that_is_no_path_reaches_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`@other.example` after the upstream's address would make it another's."""
    got: list[bytes] = []
    with serve("openai") as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")

        def use(base: str) -> None:
            address = httpx2.URL(base)
            with socket.create_connection((address.host, address.port)) as client:
                client.sendall(b"POST @other.example/v1 HTTP/1.1\r\nhost: localhost\r\n\r\n")
                got.append(client.recv(100))

        recorded(options, capsys, use)

    assert got[0].startswith(b"HTTP/1.1 400")
    assert fake.requests == []


def test_other_requests_are_passed_on_unjudged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve("openai") as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        code, printed = recorded(
            options, capsys, lambda base: httpx2.get(f"{base}/models", headers=HEADERS, trust_env=False)
        )

    assert code == 0
    assert "GET /v1/models: 200" in printed


def test_clients_beside_each_other_are_all_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve("openai", [Reply(text="Hello.")]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")

        def use(base: str) -> None:
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: post(f"{base}/chat/completions", QUESTION), range(24)))

        code, printed = recorded(options, capsys, use)

    assert code == 0
    assert printed.count("POST /v1/chat/completions: 200\n") == 24
    read = read_cassette(tmp_path / "a.jsonl")
    assert (len(read.exchanges), read.problems) == (24, ())


def test_cassette_does_not_grow_beyond_what_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_conformance.commands.record.command.LARGEST", 2000)
    with serve("openai", [Reply(text="Hello.")]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=tmp_path / "a.jsonl")
        _, printed = recorded(
            options, capsys, lambda base: [post(f"{base}/chat/completions", QUESTION) for _ in range(3)]
        )

    assert "  not recorded: the cassette would have more than 2,000 bytes" in printed
    assert len(read_cassette(tmp_path / "a.jsonl").exchanges) < 3
    assert (tmp_path / "a.jsonl").stat().st_size <= 2000


def test_page_shows_what_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = [block.text for block in blocks_of(ROOT / "docs" / "serve.md") if block.language == "text"]
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "How warm is it in Oslo?"}]}
    with serve("llama.cpp", [Reply(text="7 degrees.")]) as fake:
        options = RecordOptions(provider="openai", upstream=fake.base_url, to=Path("weather.jsonl"))

        def use(base: str) -> None:
            for one in (body, {**body, "tools": []}):
                post(f"{base}/chat/completions", one)

        code, printed = recorded(options, capsys, use)

    assert code == 1
    printed = re.sub(r"from http://127.0.0.1:\d+/\w+/v1", "from http://127.0.0.1:9000/v1", printed)
    assert fitted(re.sub(r":\d{5}", ":8080", printed)) in shown

    def ask() -> None:
        base = capsys.readouterr().out.split("base URL ")[1].strip()
        post(f"{base}/chat/completions", {**body, "messages": [{"role": "user", "content": "How warm is it in Rome?"}]})

    replay(ServeOptions(provider="openai", replay=Path("weather.jsonl")), ask)
    assert fitted(capsys.readouterr().out) in shown


def test_usage_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there = tmp_path / "there.jsonl"
    there.write_text("mine")
    upstream = "http://127.0.0.1:1"
    for options, message in (
        (RecordOptions(provider="openai", upstream=upstream, to=there), "the file exists. Give --overwrite"),
        (RecordOptions(provider="openai", upstream="api.openai.com", to=tmp_path / "a"), "this is no address"),
        (RecordOptions(provider="openai", upstream=upstream, to=tmp_path / "no" / "a"), "it cannot be written"),
        (RecordOptions(provider="openai", wire="ollama-chat", upstream=upstream, to=tmp_path / "a"), "does not offer"),
    ):
        assert record(options, lambda: None) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert there.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [there]


def test_port_in_use_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code = main(
            ["record", "--provider=openai", "--upstream=http://127.0.0.1:1", f"--to={tmp_path / 'a'}", f"--port={port}"]
        )

    assert code == 2
    assert capsys.readouterr().err.startswith(f"--port={port}: the port is not available")
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from agent_conformance.commands.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The command, also where a shell has started the tests in the background: whatever it starts ignores SIGINT."""


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_recording_with_its_cassette(sent: signal.Signals, tmp_path: Path) -> None:
    target = tmp_path / "a.jsonl"
    with serve("openai", [Reply(text="Hello.")]) as fake:
        command = ["record", "--provider=openai", f"--upstream={fake.base_url}", f"--to={target}"]
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, *command],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        assert process.stdout is not None
        base = process.stdout.readline().split("base URL ")[1].strip()
        post(f"{base}/chat/completions", QUESTION)
        process.stdout.readline()
        assert not target.exists()
        process.send_signal(sent)
        rest = process.stdout.read()
        process.stdout.close()

        assert process.wait() == 0
    assert rest.endswith(f"{target}: 1 request\n")
    assert len(read_cassette(target).exchanges) == 1
