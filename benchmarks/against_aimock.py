"""Requests per CPU second of the fakes and of the npm server aimock, all warm, with the same requests.

    python benchmarks/against_aimock.py [--aimock FOLDER] [--requests 500] [--rounds 5] [--warm 6000] [--new-tools]

CPU is what the kernel counts for each server's process, with its threads; the client's own does not count. Ours is
`fake_providers.serve`, and `agent-conformance serve`, which also prints each request and keeps a journal for test
programs. Both judge every request, aimock matches a fixture. No two requests are the same: their texts differ, as those
of an agent do, and with `--new-tools` the declaration of the tool as well, so that nothing that was found out about it
helps. Needs node, and npm for the first time: aimock is installed into FOLDER, by default `benchmarks-aimock` in the
temporary folder.
"""

import argparse
import json
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PACKAGE, VERSION = "@copilotkit/aimock", "1.43.0"
BOUNDS = {
    ("fake_providers.serve", False): 0.9,
    ("command", False): 0.8,
    ("fake_providers.serve", True): 1.1,
    ("command", True): 1.0,
}
"""Without `--new-tools`."""
PIECE = 20
"""Characters in a chunk, on both sides: what aimock does by default."""
TEXT = "It rains in Paris, and seven degrees it is. " * 12
TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Current weather for a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
BODY = {
    "model": "gpt-4.1",
    "messages": [
        {"role": "system", "content": "You are brief. " * 30},
        {"role": "user", "content": "What is the weather in Paris? " * 10 + "NUMBER"},
    ],
    "tools": [TOOL],
}
NEW_TOOL = {"type": "function", "function": {**TOOL["function"], "description": "Weather NUMBER"}}
"""Another one in each request."""
OURS = """
import sys
from fake_providers import Reply, serve
from fake_providers.reply import *
text, piece = sys.argv[1], int(sys.argv[2])
pieces = tuple(text[start:start + piece] for start in range(0, len(text), piece))
with serve("openai", replies=[Reply(text=text, chunks=pieces)], wire="openai-chat") as fake:
    print(fake.base_url, flush=True)
    sys.stdin.read()
"""

COMMAND = "from agent_conformance.commands.main import main; raise SystemExit(main())"


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


@contextmanager
def ours() -> Iterator[tuple[int, str]]:
    """The process id and the base URL."""
    with running([sys.executable, "-c", OURS, TEXT, str(PIECE)]) as process:
        yield process.pid, process.stdout.readline().strip()


@contextmanager
def command() -> Iterator[tuple[int, str]]:
    """The same of `agent-conformance serve`; somebody reads what it prints."""
    with tempfile.TemporaryDirectory() as folder:
        pieces = [TEXT[start : start + PIECE] for start in range(0, len(TEXT), PIECE)]
        script = Path(folder, "replies.json")
        script.write_text(json.dumps([{"text": TEXT, "chunks": pieces}]), encoding="utf-8")
        options = ["--provider", "openai", "--wire", "openai-chat", "--script", str(script)]
        with running([sys.executable, "-c", COMMAND, "serve", *options]) as process:
            url = process.stdout.readline().strip().partition("base URL ")[2]
            threading.Thread(target=process.stdout.read, daemon=True).start()
            yield process.pid, url


@contextmanager
def theirs(program: Path) -> Iterator[tuple[int, str]]:
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        fixtures = {"fixtures": [{"match": {"userMessage": "weather"}, "response": {"content": TEXT}}]}
        Path(folder, "weather.json").write_text(json.dumps(fixtures), encoding="utf-8")
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = ["node", str(program), "--port", str(port), "--fixtures", folder, "--log-level", "silent"]
        with running([*command, "--chunk-size", str(PIECE)], stderr=subprocess.DEVNULL) as process:
            wait_for(port)
            yield process.pid, f"http://127.0.0.1:{port}/v1"


def wait_for(port: int) -> None:
    for _ in range(2000):
        with socket.socket() as tried:
            tried.settimeout(0.05)
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        subprocess.run(["sleep", "0.01"], check=True)
    raise SystemExit("aimock does not answer")


class Client:
    """One connection that is kept, and the whole answer to each request read from it."""

    def __init__(self, url: str, *, new_tools: bool = False) -> None:
        _, _, place, path = url.split("/", 3)
        host, port = place.split(":")
        self._socket = socket.create_connection((host, int(port)), timeout=30)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = place
        self._count = 0
        self._body = {**BODY, "tools": [NEW_TOOL]} if new_tools else BODY
        self._path = f"/{path}/chat/completions"

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exception: object) -> None:
        self._socket.close()

    def ask(self, count: int, *, stream: bool) -> None:
        """Each request has another text, of the same length."""
        body = json.dumps({**self._body, "stream": stream})
        head = f"POST {self._path} HTTP/1.1\r\nhost: {self._host}\r\nauthorization: Bearer x\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        for _ in range(count):
            self._count += 1
            self._socket.sendall((head + body.replace("NUMBER", f"{self._count:06}")).encode())
            answer = self._read()
            assert answer.startswith(b"HTTP/1.1 200"), answer[:500]
            assert not stream or answer.count(b"data: ") >= len(TEXT) / PIECE, answer[:2000]

    def _read(self) -> bytes:
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._socket.recv(1 << 16)
        head, _, rest = received.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        while not (rest.endswith(b"0\r\n\r\n") if length is None else len(rest) >= int(length.group(1))):
            rest += self._socket.recv(1 << 16)
        return head + rest


def cpu_of(pid: int) -> float:
    """Seconds of CPU of all threads of the process, to the nanosecond; `stat` counts ticks of 10 ms."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int(Path(task, "schedstat").read_text(encoding="utf-8").split()[0]) for task in tasks) / 1e9


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--aimock", type=Path, default=Path(tempfile.gettempdir(), "benchmarks-aimock"))
    parser.add_argument("--requests", type=int, default=500, help="of one round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", type=int, default=6000, help="requests before, half of them streamed")
    parser.add_argument("--new-tools", action="store_true", help="another declaration of the tool in each request")
    options = parser.parse_args()
    program = installed(options.aimock)
    spent: dict[tuple[str, bool], list[float]] = {}
    with ExitStack() as stack:
        servers = {
            "fake_providers.serve": stack.enter_context(ours()),
            "command": stack.enter_context(command()),
            "aimock": stack.enter_context(theirs(program)),
        }
        clients = {
            name: stack.enter_context(Client(url, new_tools=options.new_tools)) for name, (_, url) in servers.items()
        }
        for client in clients.values():
            client.ask(options.warm // 2, stream=False)
            client.ask(options.warm // 2, stream=True)
        for _ in range(options.rounds):
            for stream in (False, True):
                for name, (pid, _) in servers.items():
                    before = cpu_of(pid)
                    clients[name].ask(options.requests, stream=stream)
                    spent.setdefault((name, stream), []).append((cpu_of(pid) - before) / options.requests)
    print_table({key: statistics.median(found) for key, found in spent.items()})


def print_table(spent: dict[tuple[str, bool], float]) -> None:
    print(f"{'µs CPU of the server a request':32}{'ours':>8}{'aimock':>8}{'aimock/ours':>13}{'bound':>14}")
    for (name, stream), bound in BOUNDS.items():
        mine, other = spent[name, stream], spent["aimock", stream]
        how = f"{name}, {len(TEXT) // PIECE + 1} chunks" if stream else f"{name}, plain"
        print(f"{how:32}{mine * 1e6:8.0f}{other * 1e6:8.0f}{other / mine:13.2f}{f'at least {bound}':>14}")


if __name__ == "__main__":
    main()
