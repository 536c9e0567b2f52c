"""Requests per CPU second of the fakes and of the npm server aimock, on each wire, all warm, with the same requests.

    python benchmarks/against_aimock.py [--aimock FOLDER] [--requests 120] [--rounds 5] [--only TEXT] [--warm 6000]
    python benchmarks/against_aimock.py --refusals    # how many requests that a provider refuses each of them refuses

Printed are medians of the rounds, and at the end of each line the least of them: on a busy machine only these tell
much. CPU is what the kernel counts for each server's process, with its threads; the client's own does not count. Ours
is `fake_providers.serve`, and for chat completions also `agent-conformance serve`, which prints each request and keeps
a journal for test programs. Both judge every request, aimock matches a fixture.

Three shapes: one message with one tool, plain and streamed, and a conversation that grows from one to sixty messages,
with twenty tools, as an agent sends it: what it has sent, and two more. Every text, id and description of a message and
of a conversation is new to the process. Needs node, and npm for the first time: aimock is installed into FOLDER, by
default `benchmarks-aimock` in the temporary folder.
"""

import argparse
import itertools
import json
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fake_providers import Request
from fake_providers.registry import wire_named

sys.path.insert(0, str(Path(__file__).parent))

from judging import FORMS, HEADERS, Form, body_of  # the same bodies as there

PACKAGE, VERSION = "@copilotkit/aimock", "1.43.0"
SHAPES = ("one message", "one message, streamed", "growing to 60")
BOUNDS = dict(zip(SHAPES, (0.8, 1.0, 2.0), strict=True))
"""Of `fake_providers.serve` over aimock."""
COMMAND_BOUNDS = dict(zip(SHAPES, (0.7, 0.9, 1.8), strict=True))
"""Of `agent-conformance serve`."""
GROWN = range(1, 61, 2)
TOOLS = 20
MATCHES: tuple[dict[str, str], ...] = ({"userMessage": "weather"}, {})
PIECE = 20
"""Characters in a chunk, on both sides: what aimock does by default."""
TEXT = "It rains in Paris, and seven degrees it is. " * 12
OURS = """
import sys
from contextlib import ExitStack
from fake_providers import Reply, serve
text, piece, *pairs = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
pieces = tuple(text[start:start + piece] for start in range(0, len(text), piece))
with ExitStack() as stack:
    for pair in pairs:
        provider, wire = pair.split("/")
        fake = stack.enter_context(serve(provider, replies=[Reply(text=text, chunks=pieces)], wire=wire))
        print(fake.base_url.removesuffix(fake.wire.base_path), flush=True)
    sys.stdin.read()
"""
COMMAND = "from agent_conformance.commands.main import main; raise SystemExit(main())"
tokens = (f"Town{number:07}" for number in itertools.count())


def installed(folder: Path) -> Path:
    """aimock's program, which is fetched when it is not there. Raises `SystemExit` without node."""
    if not shutil.which("node") or not shutil.which("npm"):
        raise SystemExit("node and npm are needed; nothing was compared")
    found = folder / "node_modules" / PACKAGE
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return found / "dist" / "cli.js"


@contextmanager
def running(command: list[str], **options: object) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


@dataclass(frozen=True, slots=True)
class Server:
    """`urls` are before the path of a form, by its wire."""

    name: str
    pid: int
    urls: Mapping[str, str]


@contextmanager
def ours(forms: list[Form]) -> Iterator[Server]:
    pairs = [f"{form.provider}/{form.wire}" for form in forms]
    with running([sys.executable, "-c", OURS, TEXT, str(PIECE), *pairs]) as process:
        urls = {form.wire: process.stdout.readline().strip() for form in forms}
        yield Server("fake_providers.serve", process.pid, urls)


@contextmanager
def command() -> Iterator[Server]:
    """`agent-conformance serve`; somebody reads what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        pieces = [TEXT[start : start + PIECE] for start in range(0, len(TEXT), PIECE)]
        script = Path(folder, "replies.json")
        script.write_text(json.dumps([{"text": TEXT, "chunks": pieces}]), encoding="utf-8")
        options = ["--provider", "openai", "--wire", "openai-chat", "--script", str(script)]
        with running([sys.executable, "-c", COMMAND, "serve", *options]) as process:
            url = process.stdout.readline().strip().partition("base URL ")[2].removesuffix("/v1")
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield Server("command", process.pid, {"openai-chat": url})


@contextmanager
def theirs(program: Path, forms: list[Form]) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        # The second matches whatever the first does not, so that only what is refused is not answered.
        fixtures = {"fixtures": [{"match": match, "response": {"content": TEXT}} for match in MATCHES]}
        Path(folder, "weather.json").write_text(json.dumps(fixtures), encoding="utf-8")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = ["node", str(program), "--port", str(port), "--fixtures", folder, "--log-level", "silent"]
        with running([*command, "--chunk-size", str(PIECE)], stderr=subprocess.DEVNULL) as process:
            wait_for(port)
            yield Server("aimock", process.pid, {form.wire: f"http://127.0.0.1:{port}" for form in forms})


def wait_for(port: int) -> None:
    for _ in range(2000):
        with socket.socket() as tried:
            tried.settimeout(0.05)
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        subprocess.run(["sleep", "0.01"], check=True)
    raise SystemExit("aimock does not answer")


def requests_of(form: Form, shape: str, count: int) -> list[tuple[str, bytes]]:
    """Path and body of each request."""
    stream = shape == SHAPES[1]
    if shape != SHAPES[2]:
        bodies = [body_of(form, next(tokens), messages=1, tools=1) for _ in range(count)]
    else:
        conversations = [next(tokens) for _ in range(max(1, count // len(GROWN)))]
        bodies = [body_of(form, token, messages=said, tools=TOOLS) for token in conversations for said in GROWN]
    path, members = STREAMED[form.wire] if stream else (form.path, PLAIN[form.wire])
    return [(path, json.dumps({**body, **members}).encode()) for body in bodies]


PLAIN: Mapping[str, dict[str, Any]] = {form.wire: {} for form in FORMS}
_GEMINI, _BEDROCK = FORMS[3].path, FORMS[5].path
STREAMED: Mapping[str, tuple[str, dict[str, Any]]] = {
    **{form.wire: (form.path, {"stream": True}) for form in FORMS},
    "gemini-generate": (_GEMINI.replace("generateContent", "streamGenerateContent?alt=sse"), {}),
    "bedrock-converse": (f"{_BEDROCK}-stream", {}),
}


class Client:
    """One connection that is kept, and the whole answer to each request read from it."""

    def __init__(self, url: str) -> None:
        _, _, place, *path = url.split("/", 3)
        host, port = place.split(":")
        self._socket = socket.create_connection((host, int(port)), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = place
        self._base = f"/{path[0]}" if path else ""

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exception: object) -> None:
        self._socket.close()

    def ask(self, requests: list[tuple[str, bytes]]) -> None:
        headers = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
        for path, body in requests:
            head = f"POST {self._base}{path} HTTP/1.1\r\nhost: {self._host}\r\n{headers}"
            self._socket.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
            answer = self._read()
            assert answer.startswith(b"HTTP/1.1 200"), (path, body[:300], answer[:500])
            assert b"rains" in answer or b"ra" in answer, answer[:2000]

    def _read(self) -> bytes:
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._socket.recv(1 << 16)
        head, _, rest = received.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        while not (rest.endswith(b"0\r\n\r\n") if length is None else len(rest) >= int(length.group(1))):
            rest += self._socket.recv(1 << 16)
        return head + rest


@dataclass(frozen=True, slots=True)
class Refusals:
    """How many breaking requests of a wire's rules were sent, refused (with the provider's status or a 4xx), and
    answered with any other 5xx."""

    sent: int
    refused: int
    failed: int


def refusals_of(form: Form, url: str) -> Refusals:
    """Of the breaking request of each rule of the wire's own provider that a single request shows."""
    wire = wire_named(form.wire)
    found: list[tuple[int, int]] = []
    for rule in wire.rules:
        body = rule.breaking if isinstance(rule.breaking, bytes) else json.dumps(rule.breaking).encode()
        path = rule.path or form.path
        if rule.breaking is not None and wire.route(Request("POST", path, {}, body)) is not None:
            found.append((status_of(f"{url}{path}", body, {**HEADERS, **(rule.headers or {})}), rule.status))
    refused = sum(status == wanted or 400 <= status < 500 for status, wanted in found)
    return Refusals(len(found), refused, sum(status >= 500 and status != wanted for status, wanted in found))


def status_of(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    request = urllib.request.Request(url, body, dict(headers), method="POST")
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            status: int = answer.status
            return status
    except urllib.error.HTTPError as refused:
        return refused.code


def cpu_of(pid: int) -> float:
    """Seconds of CPU of all threads of the process, to the nanosecond; `stat` counts ticks of 10 ms."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int(Path(task, "schedstat").read_text(encoding="utf-8").split()[0]) for task in tasks) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aimock", type=Path, default=Path(tempfile.gettempdir(), "benchmarks-aimock"))
    parser.add_argument("--requests", type=int, default=120, help="of one round, on one wire and in one shape")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", type=int, default=6000, help="requests to each server before, of all shapes")
    parser.add_argument("--only", default="", metavar="TEXT", help="the wires with this text in their names")
    parser.add_argument("--refusals", action="store_true", help="count what is refused, and measure nothing")
    options = parser.parse_args()
    program = installed(options.aimock)
    forms = [form for form in FORMS if options.only in form.wire]
    with ExitStack() as stack:
        servers = [stack.enter_context(theirs(program, forms)), stack.enter_context(ours(forms))]
        if options.refusals:
            for server in servers:
                found = [refusals_of(form, server.urls[form.wire]) for form in forms]
                sent, refused, failed = (sum(getattr(one, name) for one in found) for name in Refusals.__slots__)
                print(f"{server.name}: {refused} of {sent} breaking requests refused, {failed} answered with a 5xx")
            return
        if any(form.wire == "openai-chat" for form in forms):
            servers.append(stack.enter_context(command()))
        heads = f"{'ours':>8}{'aimock':>8}{'aimock/ours':>22}{'bound':>15}{'least':>18}"
        print(f"{'µs CPU of the server a request':44}{heads}")
        for form in forms:
            compare(form, [server for server in servers if form.wire in server.urls], options, len(forms))


def compare(form: Form, servers: list[Server], options: argparse.Namespace, wires: int) -> None:
    warm = options.warm // wires // len(SHAPES)
    with ExitStack() as stack:
        clients = {server.name: stack.enter_context(Client(server.urls[form.wire])) for server in servers}
        for shape in SHAPES:
            for client in clients.values():
                client.ask(requests_of(form, shape, warm))
            spent: dict[str, list[float]] = {server.name: [] for server in servers}
            for _ in range(options.rounds):
                requests = requests_of(form, shape, options.requests)
                for server in servers:
                    before = cpu_of(server.pid)
                    clients[server.name].ask(requests)
                    spent[server.name].append((cpu_of(server.pid) - before) / len(requests))
            for name in spent.keys() - {"aimock"}:
                print_row(form, shape, name, spent)


def print_row(form: Form, shape: str, name: str, spent: dict[str, list[float]]) -> None:
    ratios = [other / mine for mine, other in zip(spent[name], spent["aimock"], strict=True)]
    mine, other = (statistics.median(spent[one]) * 1e6 for one in (name, "aimock"))
    bounds = COMMAND_BOUNDS if name == "command" else BOUNDS
    what = f"{form.wire}{', command' if name == 'command' else ''}, {shape}"
    shown = f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    least_mine, least_other = (min(spent[one]) * 1e6 for one in (name, "aimock"))
    least = f"{least_mine:.0f}, {least_other:.0f}: {least_other / least_mine:.2f}"
    print(f"{what:44}{mine:8.0f}{other:8.0f}{shown:>22}{f'at least {bounds[shape]}':>15}{least:>18}", flush=True)


if __name__ == "__main__":
    main()
